"""Fetching: pages and feeds from the web, politely, within limits, and only from public addresses."""

from __future__ import annotations

from blockfeat.monitor.fetching.fetcher import Fetcher
from blockfeat.monitor.fetching.options import Fetched, FetchOptions
from blockfeat.monitor.fetching.politeness import Clock, SystemClock
from blockfeat.monitor.fetching.urls import canonical_url, netloc_of

__all__ = ["Clock", "FetchOptions", "Fetched", "Fetcher", "SystemClock", "canonical_url", "netloc_of"]
