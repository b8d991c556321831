"""Labelled pages to models: one trainer for each kind."""
