"""Metadata of a page: title, authors, dates, site, address, image and the rest, each with its source."""

from blockfeat._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
