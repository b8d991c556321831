"""Features: measures of each block and of its surroundings."""

from blockfeat._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
