"""Segmentation of pages into blocks: tag tables and the walk over the tags."""

from blockfeat._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
