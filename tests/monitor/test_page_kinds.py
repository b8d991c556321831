"""What a page is decides whether its mentions count."""

from typing import get_args

import pytest

from blockfeat.extraction.walls import KINDS
from blockfeat.monitor.config import PageKind, PageSettings, parse_config
from blockfeat.monitor.mentions.brand import Brand, SenseModel
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.monitor.reports import counts
from blockfeat.monitor.store.store import Store
from stored_pages import add, column, execute, save

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


def _reader(**settings: tuple[str, ...]) -> PageReader:
    return PageReader.of(ReaderSettings("default", (Brand("Corvane"),), True, **settings))  # type: ignore[arg-type]


def test_mentions_on_a_login_are_stored_and_not_counted(store: Store) -> None:
    reader = _reader(count_kinds=PageSettings().count_kinds)
    for path, html in (("login", _LOGIN), ("news/2026/corvane-buys-a-ferry", _ARTICLE)):
        save(store, f"a.example/{path}", reader.read(FetchedPage(html, f"https://a.example/{path}")))
    assert dict(column(store, "pages", "kind", "status")) == {"login": "no content", "article": "ok"}
    found = set(column(store, "mentions", "kind", "counted", "not_counted_because", where="place <> 'clutter'"))
    assert ("article", 1, None) in found
    assert {one for one in found if one[0] == "login"} == {("login", 0, "kind of page: login")}
    by_kind = {row.values[0]: row.mentions for row in counts(store, ["kind"])}
    assert by_kind["login"] == 0 < by_kind["article"]
    assert any(row.values[0] == "login" for row in counts(store, ["because"]))


def test_a_name_on_a_login_is_of_its_kind_whatever_its_sense() -> None:
    brands, senses = (Brand("Corvane", about=("zeppelin",)),), {"Corvane": SenseModel(bias=-1.0)}
    reader = PageReader.of(ReaderSettings("default", brands, False, senses=senses, count_kinds=("article",)))
    found = reader.read(FetchedPage(_LOGIN, "https://a.example/login")).mentions
    assert {item.because for item in found if item.place != "clutter"} == {"kind of page: login"}


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
    record = _reader().read(FetchedPage(_ARTICLE, "https://a.example/1"))
    (page,) = add(store, "a.example/1")
    save(store, page, record)
    execute(store, "UPDATE page SET kind = NULL")
    assert save(store, page, record, version=1).outcome == "unchanged"
