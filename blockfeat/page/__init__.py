"""Parse the bytes of a page: encoding, repair, tags, JSON-LD, title, declared language."""

from blockfeat._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
