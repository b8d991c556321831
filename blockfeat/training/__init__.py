"""Labelled pages to models: one trainer for each kind, one configuration file a kind, rules of sites."""

from blockfeat._extras import require_extra
from blockfeat._lazy import lazy_names

require_extra("train", what=__name__)

__getattr__, __dir__ = lazy_names(__name__, __file__)
