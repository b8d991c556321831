"""Mentions: brands, where a page names them, and the forms of their names."""

from blockfeat.monitor.mentions.brand import Alias, Brand
from blockfeat.monitor.mentions.matcher import BrandMatcher, Hit
from blockfeat.monitor.mentions.mention import Mention, mentions_of

__all__ = ["Alias", "Brand", "BrandMatcher", "Hit", "Mention", "mentions_of"]
