"""Replication of the papers: their tables and what they compare, on the labelled corpora; not part of the wheel."""
