"""Pages that stand in a store for tests, each due at the same moment."""

from __future__ import annotations

from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.store.records import DuePage, NewEntry, PageRecord, Saved, Visit
from blockfeat.monitor.store.store import Store

__all__ = ["NOW", "add", "due", "entry", "save_visit"]

NOW = 1_767_614_400.0  # 2026-01-05 12:00 UTC


def entry(name: str, **values: object) -> NewEntry:
    """Return what names the page ``https://NAME``."""
    url = f"https://{name}"
    return NewEntry(url=url, key=url, host=name.split("/")[0], **values)  # type: ignore[arg-type]


def add(store: Store, *names: str, **values: object) -> list[DuePage]:
    """Add pages, and return all that are due."""
    store.add_sources([], [entry(name, **values) for name in names], now=NOW)
    return due(store)


def due(store: Store, *, at: float = NOW) -> list[DuePage]:
    """Return all pages that are due at a moment."""
    return store.due_pages(now=at, limit=2000, of_each_host=2000)


def save_visit(
    store: Store,
    visit: Visit,
    record: PageRecord | None = None,
    *,
    copies: CopySettings | None = None,
    announce: bool = False,
) -> Saved:
    """Save what came of one visit."""
    (saved,) = store.save_visits([(visit, record)], copies=copies or CopySettings(), announce=announce)
    return saved
