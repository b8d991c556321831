"""Languages: words, sentences, stop words, identification."""

from blockfeat._lazy import lazy_names
from blockfeat.lang.identify import identify as identify

__getattr__, __dir__ = lazy_names(__name__, __file__)
