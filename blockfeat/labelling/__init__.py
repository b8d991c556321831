"""Labelling of pages block by block: sessions saved at once, suggestions of a model, training with a learning curve."""
