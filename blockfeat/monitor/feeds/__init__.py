"""Sources: RSS, Atom, RDF, JSON Feed, sitemaps, OPML and plain lists of addresses."""

from __future__ import annotations

from blockfeat.monitor.feeds.feed import Feed, FeedEntry
from blockfeat.monitor.feeds.reading import read_feed

__all__ = ["Feed", "FeedEntry", "read_feed"]
