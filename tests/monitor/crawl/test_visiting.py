"""Feeds and pages that fail, move, change or hide: what a monitor still gets of them."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from blockfeat.errors import ModelError
from blockfeat.monitor.config import MonitorConfig, PageSettings, Source
from blockfeat.monitor.crawl.visiting import OwnText, PolledFeed, Readers, poll, visit
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.monitor.store.records import DuePage, PageRecord, Poll
from blockfeat.monitor.store.store import Store
from fetching import Web
from pages import article_page
from pool_tasks import worker_pids
from stored_pages import column, due, due_feed, save_visit

_OLD, _NEW = "https://old.example/feed", "https://new.example/feed"
_STORY = "The ferry Corvane left the harbour at nine, said its captain, and nobody on the quay was surprised by that."


class _Readers:
    def __init__(self) -> None:
        settings = ReaderSettings("default", (Brand("Corvane"),), evidence=False)
        self.reader = PageReader.of(replace(settings, count_kinds=PageSettings().count_kinds))

    async def read(self, page: FetchedPage) -> PageRecord:
        return self.reader.read(page)


@pytest.fixture(scope="module")
def readers() -> _Readers:
    return _Readers()


@pytest.fixture
def web() -> Web:
    return Web()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "monitor.db")) as opened:
        opened.add_sources([Source(_OLD)], [], now=0.0)
        yield opened


_CONFIG = MonitorConfig(store="", sources=(), brands=(), pages=PageSettings(max_age=None, attempts=1))


def _item(name: str, text: str = "", date: datetime | None = None, link: bool = True) -> str:
    shown = f"<pubDate>{format_datetime(date)}</pubDate>" if date else ""
    where = f"<link>https://a.example/{name}</link>" if link else ""
    said = f"<guid isPermaLink='false'>{name}</guid>{shown}<description>{text}</description>"
    return f"<item><title>{name}</title>{where}{said}</item>"


def _rss(*items: str) -> str:
    return f'<rss version="2.0"><channel><title>News</title>{"".join(items)}</channel></rss>'


def _polled(store: Store, web: Web) -> tuple[PolledFeed, int]:
    """Poll the feed, due or not; return what came of it, and how many pages are new or updated."""
    feed = due_feed(store, at=time.time() + 9e9)
    found = asyncio.run(poll(feed, web, _CONFIG, every=0.0))
    entries = [entry for batch in found.batches for entry in batch]
    return found, store.save_poll(feed, found.poll, entries, found.feeds)


def _visited(store: Store, web: Web, readers: _Readers) -> list[str]:
    """Poll the feed, and fetch and save every page that is due; return what they became, in order."""

    async def own(page: DuePage) -> OwnText | None:
        return store.entry_text(page)

    _polled(store, web)
    pages = due(store, at=time.time())
    visits = [asyncio.run(visit(page, web, readers, _CONFIG, entry_text=own)) for page in pages]
    return sorted(save_visit(store, *each).outcome for each in visits)


def _pages(store: Store, *names: str) -> dict[str, list[Any]]:
    """Return values of each page, by the last part of its address."""
    return {url.rpartition("/")[2]: values for url, *values in column(store, "pages", "url", *names)}


def test_a_redirect_to_what_is_no_feed_is_forgotten(store: Store, web: Web) -> None:
    web.put(_OLD, "<html><p>We have a new site", moved_permanently_to=_NEW, final_url=_NEW)
    assert _polled(store, web)[0].outcome == "failed"
    (feed,) = store.rows("feeds")
    assert (feed["moved_to"], feed["failures"], "a web page" in feed["error"]) == (None, 1, True)
    assert feed["failing_since"]
    web.put(_OLD, _rss(_item("one")))
    assert (_polled(store, web)[1], web.asked) == (1, [_OLD, _OLD])
    assert column(store, "feeds", "failures", "failing_since", "error") == [(0, None, None)]


def test_a_feed_that_has_moved_is_asked_at_both_addresses_when_it_fails(store: Store, web: Web) -> None:
    web.put(_OLD, _rss(_item("one")), moved_permanently_to=_NEW, final_url=_NEW)
    web.put(_NEW, status=500)
    _polled(store, web)
    assert column(store, "feeds", "moved_to") == [_NEW]
    feed = due_feed(store, at=time.time() + 3600)
    assert feed.url == _NEW
    store.save_poll(feed, Poll(at=time.time(), due_at=0.0, error="no"))
    web.put(_OLD, status=404)
    for _ in range(3):
        _polled(store, web)
    assert web.asked[1:] == [_OLD, _NEW, _OLD]
    web.put(_NEW, _rss(_item("two")))
    _polled(store, web)
    assert column(store, "feeds", "failures") == [0]
    assert [due_feed(store, at=time.time() + hours * 3600).url for hours in (1, 8 * 24)] == [_NEW, _OLD]


def test_a_feed_that_is_gone_is_asked_again(store: Store, web: Web) -> None:
    web.put(_OLD, status=410)
    found, _ = _polled(store, web)
    assert found.poll.due_at - found.poll.at == 86400
    for _ in range(5):
        found, _ = _polled(store, web)
    assert found.poll.due_at - found.poll.at == 7 * 86400
    (failing,) = store.status(now=time.time()).failing_feeds
    assert (failing["failures"], failing["error"]) == (6, f"{_OLD}: the server answered 410")
    assert failing["failing_since"].startswith(datetime.now(UTC).strftime("%Y-"))


def test_a_feed_with_the_same_bytes_is_not_read_again(store: Store, web: Web) -> None:
    text = _rss("<lastBuildDate>Mon</lastBuildDate>", _item("one"))
    web.put(_OLD, text)
    assert _polled(store, web)[0].outcome == "read"
    web.put(_OLD, text.replace("Mon", "Tue"), etag='"2"')
    assert (_polled(store, web)[0].outcome, store.due_feeds(now=9e9, limit=9)[0].etag) == ("unchanged", '"2"')
    web.put(_OLD, _rss(_item("one"), _item("two")))
    assert [_polled(store, web)[1], _polled(store, web)[1]] == [1, 0]


def test_an_update_is_seen_where_the_entry_changed(store: Store, web: Web, readers: _Readers) -> None:
    day = datetime(2026, 1, 1, 9, tzinfo=UTC)
    two = _item("two", "Same.", day + timedelta(hours=3))
    web.put(_OLD, _rss(_item("one", "Before.", day), two))
    for name in ("one", "two"):
        web.put(f"https://a.example/{name}", f"<html><body><h1>{name}</h1><p>{_STORY}</p></body></html>")
    assert len(_visited(store, web, readers)) == 2
    web.put(_OLD, _rss(_item("one", "After.", day), two))
    assert _polled(store, web)[1] == 1
    assert [page.url for page in due(store, at=time.time())] == ["https://a.example/one"]


def test_a_feed_that_is_always_dated_now_costs_no_fetches(store: Store, web: Web) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    for minutes in (20, 10, 0):
        date = now - timedelta(minutes=minutes)
        web.put(_OLD, _rss(_item("one", "Text.", date), _item("two", "Text.", date + timedelta(seconds=2))))
        found, new = _polled(store, web)
        assert (found.outcome, new) == ("read", 2 if minutes == 20 else 0)
    assert column(store, "pages", "published") == [None, None]


def test_a_page_that_cannot_be_had_is_read_in_the_feed(store: Store, web: Web, readers: _Readers) -> None:
    web.put(_OLD, _rss(_item("paid", _STORY), _item("silent"), _item("no page", _STORY, link=False)))
    web.put("https://a.example/paid", status=402)
    web.put("https://a.example/silent", status=403)
    assert _visited(store, web, readers) == ["failed", "new", "new"]
    pages = _pages(store, "status", "from", "error")
    had = {name: (status, origin) for name, (status, origin, _) in pages.items()}
    assert had == {"paid": ("ok", "feed"), "silent": ("error", None), "feed#no%20page": ("ok", "feed")}
    assert "402" in str(pages["paid"])
    found = set(column(store, "mentions", "url", "from"))
    assert found == {("https://a.example/paid", "feed"), (f"{_OLD}#no%20page", "feed")}
    assert f"{_OLD}#no%20page" not in web.asked


def test_a_refused_page_is_tried_again_over_days(store: Store, web: Web, readers: _Readers) -> None:
    web.put(_OLD, _rss(_item("late", _STORY)))
    _polled(store, web)
    waits = []
    for status in (404, 403, 401, 404, 503, 403, 404, 404):
        web.put("https://a.example/late", status=status)
        (page,) = due(store, at=9e9)
        seen, record = asyncio.run(visit(page, web, readers, replace(_CONFIG, pages=PageSettings())))
        save_visit(store, seen, record)
        waits.append(None if seen.due_at is None else round(seen.due_at - seen.at))
    assert (waits[:2], waits[-1]) == ([900, 3600], None)
    assert 2 * 86400 < sum(wait or 0 for wait in waits) < 7 * 86400


def test_a_login_that_many_pages_lead_to_swallows_none(store: Store, web: Web, readers: _Readers) -> None:
    web.put(_OLD, _rss(_item("one"), _item("two"), _item("three", _STORY)))
    # Without a word that is content.
    wall = "<html><body><form><input type=password></form><nav><a href=/>Home</a></nav></body></html>"
    for name in ("one", "two", "three"):
        web.put(f"https://a.example/{name}", wall, final_url="https://a.example/home?back")
    _visited(store, web, readers)
    pages = _pages(store, "same_as", "copy_of", "from", "status")
    assert {(same, copied) for same, copied, *_ in pages.values()} == {(None, None)}
    assert pages["three"][2:] == ["feed", "ok"]
    assert pages["one"][3] in ("no content", "empty")


_STUB = (
    f"<html lang=en><head><title>A ferry</title></head><body><article><h1>A ferry</h1><p>{_STORY}</p>"
    "<p>Subscribe to continue reading. Already a subscriber? Sign in.</p></article></body></html>"
)


def test_a_stub_of_an_article_is_no_article(store: Store, web: Web, readers: _Readers) -> None:
    web.put(_OLD, _rss(_item("one"), _item("two"), _item("three", _STORY)))
    for name in ("one", "two", "three"):
        web.put(f"https://a.example/{name}", _STUB, final_url="https://a.example/plans")
    _visited(store, web, readers)
    pages = _pages(store, "same_as", "copy_of", "status", "kind", "from")
    stub = [None, None, "no content", "paywall stub", "page"]
    assert (pages["one"], pages["two"]) == (stub, stub)
    assert pages["three"][:3] + pages["three"][4:] == [None, None, "ok", "feed"]
    assert "Corvane" in _pages(store, "text")["one"][0]
    assert set(column(store, "mentions", "url", where="counted = 1")) == {"https://a.example/three"}


def test_a_wall_does_not_replace_what_was_read(store: Store, web: Web, readers: _Readers) -> None:
    url, day = "https://a.example/one", datetime(2026, 1, 1, 9, tzinfo=UTC)
    web.put(url, f"<html><body><h1>A ferry</h1><p>{_STORY} {_STORY}</p></body></html>", etag="article")
    for date, outcome in ((day, "new"), (day + timedelta(days=1), "unchanged")):
        web.put(_OLD, _rss(_item("one", date=date)))
        assert _visited(store, web, readers) == [outcome]
        web.put(url, _STUB, etag="wall")
    assert column(store, "pages", "status", "version") == [("ok", 1)]
    assert column(store, "mentions", "id", where="counted = 1")
    assert column(store, "page", "etag") == ["article"]


def test_a_large_sitemap_comes_in_small_pieces(store: Store, web: Web) -> None:
    from blockfeat.monitor.feeds.reading import open_feed, read_feed

    count = 5_000
    # A megabyte: what is smaller is read at once.
    addresses = (f"https://a.example/{'long-' * 30}{number}" for number in range(count))
    places = "".join(f"<url><loc>{url}</loc><lastmod>2026-01-01</lastmod></url>" for url in addresses)
    data = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'.encode()
    feed, entries = open_feed(data, url=_OLD)
    assert ((feed.kind, feed.entries), tuple(entries)) == (("sitemap", ()), read_feed(data, url=_OLD).entries)
    assert len(list(open_feed(data[:-30], url=_OLD)[1])) == count - 1
    web.put(_OLD, data.decode())
    sizes = [len(batch) for batch in asyncio.run(poll(due_feed(store), web, _CONFIG, every=0.0)).batches]
    assert (sum(sizes), max(sizes) <= 1000) == (count, True)


def test_a_redirect_to_a_login_is_no_article_whatever_it_says(store: Store, web: Web, readers: _Readers) -> None:
    web.put(_OLD, _rss(_item("one"), _item("two", _STORY), _item("login"), _item("cup"), _item("records")))
    page = f"<html><body><h1>Read with us</h1><p>{_STORY}</p><input type=password></body></html>"
    for name in ("one", "two"):
        web.put(f"https://a.example/{name}", page, final_url="https://a.example/account/login?back")
    # An article about logins, at its own address.
    for name, end in (("login", "login"), ("cup", "challenge-league/1"), ("records", "login-records-of-the-year")):
        article = f"<html><body><h1>Ferries</h1><p>{_STORY} {_STORY} {name}</p></body></html>"
        web.put(f"https://a.example/{name}", article, final_url=f"https://a.example/{end}")
    assert sorted(_visited(store, web, readers)) == ["failed", *["new"] * 4]
    pages = _pages(store, "status", "from")
    read = {key: ["ok", "page"] for key in ("login", "cup", "records")}
    assert pages == read | {"one": ["error", None], "two": ["ok", "feed"]}
    assert "a login" in _pages(store, "error")["one"][0]


_SETTINGS = ReaderSettings("default", (Brand("Harbour Council", case="fold"),), evidence=True)
_PAGE = FetchedPage(article_page().encode(), "https://example.org/1")


async def _read(*pages: FetchedPage, **options: Any) -> list[PageRecord]:
    async with Readers(_SETTINGS, **options) as readers:
        return await asyncio.gather(*map(readers.read, pages))


async def test_a_killed_process_is_replaced_and_the_page_read() -> None:
    async with Readers(_SETTINGS, jobs=1) as readers:
        first = await readers.read(_PAGE)
        for number in worker_pids():
            os.kill(number, signal.SIGKILL)
        second = await readers.read(_PAGE)
    assert first.text == second.text != ""


async def test_a_page_that_takes_too_long_fails_alone() -> None:
    slow = FetchedPage(article_page().encode() * 50, "https://example.org/slow")
    (record,) = await _read(slow, jobs=1, deadline=0.0001)
    assert ("took longer" in (record.error or ""), record.is_fault) == (True, True)


class _Deadly(bytes):
    """A page that ends the process that reads it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


async def test_a_page_that_ends_its_process_costs_no_other_page() -> None:
    found = await _read(_PAGE, FetchedPage(_Deadly(), "https://example.org/deadly"), _PAGE, jobs=1)
    expected = [(None, False), ("its worker process died", True), (None, False)]
    assert [(record.error, record.is_fault) for record in found] == expected


async def test_what_is_no_page_becomes_a_record_with_an_error() -> None:
    (record,) = await _read(FetchedPage(b"%PDF-1.7 \x00\x01", "https://example.org/x"), jobs=0)
    assert ("PDF" in (record.error or ""), record.is_fault) == (True, False)


async def test_an_unknown_model_is_named_before_anything_starts() -> None:
    with pytest.raises(ModelError, match="nothing"):
        async with Readers(ReaderSettings("nothing", (), evidence=False), jobs=1):
            pass
