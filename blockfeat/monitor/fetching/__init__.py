"""Fetching: pages and feeds from the web, politely, within limits, and only from public addresses."""

from blockfeat._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
