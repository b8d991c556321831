"""Stores as a monitor leaves them, and the live page that serves one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.store.records import FoundMention, NewEntry, PageRecord, Visit
from blockfeat.monitor.store.store import Store
from blockfeat.web.app import bound_socket, server_of
from blockfeat.web.live.app import create_live_app
from blockfeat.web.settings import ServeSettings
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


@contextmanager
def serving_live(store: Store, **options: Any) -> Iterator[str]:
    """Serve the live page of a store in a thread; return its address."""
    app = create_live_app(store, settings=ServeSettings(requests_per_minute=0), **options)
    with bound_socket("127.0.0.1", 0) as listening:
        server = server_of(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)
