"""Pages that stand in a store for tests, each due at the same moment."""

import json
from dataclasses import replace
from typing import Any

from sqlalchemy import text

from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.store.records import DueFeed, DuePage, FoundMention, NewEntry, PageRecord, Saved, Visit
from blockfeat.monitor.store.store import Store

NOW = 1_767_614_400.0  # 2026-01-05 12:00 UTC
COPIES = CopySettings(min_words=10)


def story(first: int = 0, last: int = 40) -> str:
    """Return a text of which stories of other days share no passage."""
    return " ".join(
        f"On day {n} the keeper counted {n * 7 % 31} ships and wrote {n} names." for n in range(first, last)
    )


def other_story(number: int = 1) -> str:
    """Return a text that shares no passage with those of other numbers."""
    return " ".join(f"Baker {number} sold {n * number} loaves at {n + 7} pence to {n} people." for n in range(40))


def entry(name: str, **values: Any) -> NewEntry:
    """Return what names the page ``https://NAME``."""
    url = f"https://{name}"
    return NewEntry(url=url, key=url, host=name.split("/")[0], **values)


def add(store: Store, *names: str, **values: Any) -> list[DuePage]:
    """Add pages, and return all that are due."""
    store.add_sources([], [entry(name, **values) for name in names], now=NOW)
    return due(store)


def due(store: Store, *, at: float = NOW) -> list[DuePage]:
    """Return all pages that are due at a moment."""
    return store.due_pages(now=at, limit=2000, of_each_host=2000)


def due_feed(store: Store, *, at: float = NOW) -> DueFeed:
    """Return the only feed that is due at a moment."""
    (feed,) = store.due_feeds(now=at, limit=9)
    return feed


def mention(
    sentence: str = "Corvane sails.", *, counted: bool = True, brand: str = "Corvane", **values: Any
) -> FoundMention:
    """Return a mention at the beginning of a sentence; one that does not count stands in a list of links."""
    place, because = ("body", None) if counted else ("clutter", "dropped: a list of links")
    found = FoundMention(brand, place, counted, because, 0, len(brand), brand, sentence, 1, "/html/p", 1.5)
    return replace(found, **values)


def record(words: str = "Corvane sails.", *mentions: FoundMention, **values: Any) -> PageRecord:
    """Return what was read on a page."""
    return PageRecord(
        **{"status": "ok", "text": words, "lang": "en", "title": "A title", "mentions": mentions} | values
    )


def visit(page: DuePage, *, at: float = NOW, due_at: float | None = None, **values: Any) -> Visit:
    """Return a visit at which a page was sent from its own address."""
    return replace(Visit(page, at, due_at, final_url=page.url, canonical_url=page.url, http_status=200), **values)


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


def save(
    store: Store,
    page: DuePage | str,
    read: PageRecord | str | None = None,
    *mentions: FoundMention,
    copies: CopySettings = COPIES,
    announce: bool = False,
    **values: Any,
) -> Saved:
    """Save a page, or add one and save it; ``values`` are those of its visit, and ``version`` that of the page."""
    if isinstance(page, str):
        (page,) = (each for each in add(store, page) if each.url == f"https://{page}")
    page = replace(page, version=values.pop("version", page.version))
    found = record(read, *mentions) if isinstance(read, str) else read
    return save_visit(store, visit(page, **values), found, copies=copies, announce=announce)


def save_on_day(store: Store, number: int, read: PageRecord) -> Saved:
    """Save a page of a host of its own, read on a day of its own."""
    then = NOW + 86_400 * number
    store.add_sources([], [entry(f"h{number}.example/")], now=then)
    (page,) = due(store, at=NOW + 9e6)
    return save(store, page, read, at=then, copies=CopySettings(min_words=20))


def execute(store: Store, *statements: str, **values: Any) -> None:
    """Change a store behind its back."""
    with store.engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement), values)


def column(store: Store, view: str, *names: str, where: str = "") -> list[Any]:
    """Return the values of a column of a view or table, or tuples of those of several."""
    rows = store.query(f"SELECT * FROM {view} {where and 'WHERE ' + where}")
    return [row[names[0]] if len(names) == 1 else tuple(row[name] for name in names) for row in rows]


def events(store: Store, receiver: str = "one") -> list[dict[str, Any]]:
    """Return what waits for a receiver."""
    return [json.loads(event) for _, event in store.undelivered(receiver, limit=2000)]
