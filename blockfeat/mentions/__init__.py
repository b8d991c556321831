"""Mentions: brands, where a page names them, and the forms of their names."""

from blockfeat.mentions.brand import Brand
from blockfeat.mentions.matcher import BrandMatcher, Hit
from blockfeat.mentions.mention import Mention, mentions_of

__all__ = ["Brand", "BrandMatcher", "Hit", "Mention", "mentions_of"]
