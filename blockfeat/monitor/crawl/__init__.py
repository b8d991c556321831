"""Rounds of a run: what is due, fetched, read and saved, host by host."""
