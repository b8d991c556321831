"""Input: reads files, folders, addresses and standard input, page by page."""

from blockfeat._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
