"""What a page is decides whether its mentions count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from sqlalchemy import text

from blockfeat.extraction.walls import KINDS
from blockfeat.monitor.config import CopySettings, PageKind, PageSettings, parse_config
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.monitor.reports import counts
from blockfeat.monitor.store.records import NewEntry, PageRecord, Visit
from blockfeat.monitor.store.store import Store
from stored_pages import save_visit

_NOW = 1_767_614_400.0
_LOGIN = (
    "<html lang=en><title>Log in | Corvane Post</title><h1>Log in to Corvane Post</h1>"
    "<p>Readers of Corvane Post sign in here.</p><form><input type=email><input type=password></form>"
)
_ARTICLE = (
    "<html lang=en><title>Corvane buys a ferry</title><article><h1>Corvane buys a ferry</h1>"
    + "".join(
        f"<p>In the year {year} the people of the island asked Corvane for a new ferry, and nobody on the mainland "
        "heard them, although the old one was late on each day of the winter and some of the days in summer.</p>"
        for year in range(1990, 1998)
    )
    + "</article>"
)


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    with Store.open(address) as opened:
        yield opened


def _reader(**settings: tuple[str, ...]) -> PageReader:
    return PageReader.of(ReaderSettings("default", (Brand("Corvane"),), True, **settings))  # type: ignore[arg-type]


def _save(store: Store, url: str, record: PageRecord) -> str:
    store.add_sources([], [NewEntry(url=url, key=url, host="a.example")], now=_NOW)
    (page,) = [due for due in store.due_pages(now=_NOW, limit=99, of_each_host=99) if due.url == url]
    seen = Visit(page=page, at=_NOW, due_at=None, final_url=url, canonical_url=url, http_status=200)
    return save_visit(store, seen, record, copies=CopySettings()).outcome


def test_mentions_on_a_login_are_stored_and_not_counted(store: Store) -> None:
    reader = _reader(count_kinds=PageSettings().count_kinds)
    for path, html in (("login", _LOGIN), ("news/2026/corvane-buys-a-ferry", _ARTICLE)):
        url = f"https://a.example/{path}"
        _save(store, url, reader.read(FetchedPage(html, url)))
    pages = {row["kind"]: row["status"] for row in store.query("SELECT kind, status FROM pages", {})}
    assert pages == {"login": "no content", "article": "ok"}
    rows = store.query("SELECT DISTINCT kind, counted, not_counted_because FROM mentions WHERE place <> 'clutter'", {})
    found = {(row["kind"], bool(row["counted"]), row["not_counted_because"]) for row in rows}
    assert ("article", True, None) in found
    assert {one for one in found if one[0] == "login"} == {("login", False, "kind of page: login")}
    by_kind = {row.values[0]: row.mentions for row in counts(store, ["kind"])}
    assert by_kind["login"] == 0 < by_kind["article"]
    assert any(row.values[0] == "login" for row in counts(store, ["because"]))


def test_a_feeds_own_text_counts_whatever_it_looks_like() -> None:
    reader = _reader(count_kinds=("article",))
    record = reader.read(FetchedPage("<p>Corvane: log in to read more.</p>", "https://a.example/1", origin="feed"))
    assert [item.counted for item in record.mentions] == [True]


def test_the_kinds_that_count_are_chosen() -> None:
    record = _reader(count_kinds=("login",)).read(FetchedPage(_LOGIN, "https://a.example/login"))
    assert any(item.counted for item in record.mentions)
    usual = '[[sources]]\nurl = "https://a.example/feed"\n[[brands]]\nname = "A"\n'
    assert parse_config(usual + '[pages]\ncount_kinds = ["article"]').pages.count_kinds == ("article",)
    with pytest.raises(Exception, match="count_kinds"):
        parse_config(usual + '[pages]\ncount_kinds = ["articles"]')
    assert set(get_args(PageKind)) == set(KINDS) - {"error"}


def test_a_store_without_kinds_gets_them_and_no_page_a_new_version(store: Store) -> None:
    reader, url = _reader(), "https://a.example/1"
    record = reader.read(FetchedPage(_ARTICLE, url))
    _save(store, url, record)
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE page SET kind = NULL, due_at = 0"))
    assert _save(store, url, record) == "unchanged"
