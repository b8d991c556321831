"""The checked HTTP client: http and https, public addresses only, within limits."""

from blockfeat._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
