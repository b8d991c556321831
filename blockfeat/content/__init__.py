"""Content: what is kept of a page as a tree of headings, lists, tables …, and the formats that are written from it."""

from blockfeat._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
