"""Labelled pages: reading, writing, splitting, converting and checking corpora; the bundled demo pages."""

from blockfeat._lazy import lazy_names
from blockfeat.data.convert import convert as convert
from blockfeat.data.validate import validate as validate

__getattr__, __dir__ = lazy_names(__name__, __file__)
