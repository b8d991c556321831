"""Output: an extraction as text, Markdown, JSON, HTML or TEI, and as an explanation."""

from blockfeat._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
