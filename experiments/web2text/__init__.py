"""Vogels, Ganea & Eickhoff (2018): the tables of the paper on our corpora; ``python -m experiments.web2text``."""
