"""Stores as a monitor leaves them, and the live page that serves one."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.store.records import FoundMention, NewEntry, PageRecord, Visit
from blockfeat.monitor.store.store import Store
from blockfeat.web.guard import ServeSettings
from blockfeat.web.live.app import create_live_app
from served import serving
from stored_pages import NOW, save_visit

__all__ = ["DAY", "add_page", "found_mention", "serving_live"]

DAY = 86_400


def found_mention(brand: str, sentence: str, *, counted: bool = True, block: int = 1) -> FoundMention:
    """Return a mention at the beginning of a sentence; one that does not count stands in a menu."""
    place, because = ("body", None) if counted else ("clutter", "dropped: a menu")
    return FoundMention(brand, place, counted, because, 0, len(brand), brand, sentence, block, "/html/p", 1.5)


def add_page(store: Store, number: int, record: PageRecord) -> None:
    """Add a page of a host of its own, read on a day of its own."""
    url = f"https://h{number}.example/"
    store.add_sources([], [NewEntry(url, url, f"h{number}.example")], now=NOW + DAY * number)
    (page,) = store.due_pages(now=NOW + 9e6, limit=9, of_each_host=9)
    visit = Visit(page, NOW + DAY * number, None, final_url=url, canonical_url=url, http_status=200)
    save_visit(store, visit, record, copies=CopySettings(min_words=20))


def serving_live(store: Store, **options: Any) -> AbstractContextManager[str]:
    """Serve the live page of a store in a thread; return its address."""
    return serving(create_live_app(store, settings=ServeSettings(requests_per_minute=0), **options))
