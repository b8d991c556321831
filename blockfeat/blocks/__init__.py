"""Pages to blocks: tag tables and the walk that cuts a page."""

from blockfeat._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
