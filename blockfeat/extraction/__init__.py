"""The extraction pipeline as one object: from pages to extractions with evidence."""

from blockfeat._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
