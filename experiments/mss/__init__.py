"""Pasternack & Roth (2009): the tables and the figure of the paper on our corpora; ``python -m experiments.mss``."""
