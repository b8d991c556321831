"""Feeds and pages that fail, move, change or hide: what a monitor still gets of them."""

from __future__ import annotations

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

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")
pytest.importorskip("feedparser", reason="needs the extra monitor")

from blockfeat.errors import ModelError
from blockfeat.monitor.config import CopySettings, MonitorConfig, PageSettings, Source
from blockfeat.monitor.crawl.visiting import OwnText, PolledFeed, Readers, poll, visit
from blockfeat.monitor.fetching.options import Fetched
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.monitor.store.records import PageRecord, Poll
from blockfeat.monitor.store.store import Store
from pages import article_page
from stored_pages import save_visit

_OLD, _NEW = "https://old.example/feed", "https://new.example/feed"
_STORY = "The ferry Corvane left the harbour at nine, said its captain, and nobody on the quay was surprised by that."


class _Web:
    """Answers for addresses, and what was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, Fetched] = {}
        self.asked: list[str] = []

    def put(self, url: str, body: str = "", status: int = 200, **values: object) -> None:
        error = None if status == 200 else f"{url}: the server answered {status}"
        permanent = 400 <= status < 500
        answer = Fetched(url, url, status=status, data=body.encode(), error=error, permanent=permanent)
        self.answers[url] = replace(answer, **values)  # type: ignore[arg-type]

    async def fetch(
        self, url: str, *, etag: str | None = None, last_modified: str | None = None, kind: str = "page"
    ) -> Fetched:
        self.asked.append(url)
        return self.answers[url]


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
def web() -> _Web:
    return _Web()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "monitor.db")) as opened:
        opened.add_sources([Source(_OLD)], [], now=0.0)
        yield opened


_CONFIG = MonitorConfig(store="", sources=(), brands=(), pages=PageSettings(max_age=None, attempts=1))


def _item(name: str, text: str = "", date: datetime | None = None, link: bool = True) -> str:
    shown = f"<pubDate>{format_datetime(date)}</pubDate>" if date else ""
    where = f"<link>https://a.example/{name}</link>" if link else ""
    return f"<item><title>{name}</title>{where}<guid isPermaLink='false'>{name}</guid>{shown}" + (
        f"<description>{text}</description></item>"
    )


def _rss(*items: str) -> str:
    return f'<rss version="2.0"><channel><title>News</title>{"".join(items)}</channel></rss>'


def _polled(store: Store, web: _Web) -> tuple[PolledFeed, int]:
    """Poll the feed, due or not; return what came of it, and how many pages are new or updated."""
    (feed,) = store.due_feeds(now=time.time() + 9e9, limit=9)
    found = asyncio.run(poll(feed, web, _CONFIG, every=0.0))
    entries = [entry for batch in found.batches for entry in batch]
    return found, store.save_poll(feed, found.poll, entries, found.feeds)


def _visited(store: Store, web: _Web, readers: _Readers) -> list[str]:
    """Fetch and save every page that is due; return what they became."""
    outcomes = []

    for page in store.due_pages(now=time.time(), limit=99, of_each_host=99):

        async def own(which: object) -> OwnText | None:
            return store.entry_text(which)  # type: ignore[arg-type]

        seen, record = asyncio.run(visit(page, web, readers, _CONFIG, entry_text=own))
        (saved,) = store.save_visits([(seen, record)], copies=CopySettings())
        outcomes.append(saved.outcome)
    return outcomes


def test_a_redirect_to_what_is_no_feed_is_forgotten(store: Store, web: _Web) -> None:
    web.put(_OLD, "<html><p>We have a new site", moved_permanently_to=_NEW, final_url=_NEW)
    assert _polled(store, web)[0].outcome == "failed"
    (feed,) = store.rows("feeds")
    assert (feed["moved_to"], feed["failures"]) == (None, 1)
    assert "a web page" in feed["error"]
    assert feed["failing_since"]
    web.put(_OLD, _rss(_item("one")))
    assert _polled(store, web)[1] == 1
    assert web.asked == [_OLD, _OLD]
    (feed,) = store.rows("feeds")
    assert (feed["failures"], feed["failing_since"], feed["error"]) == (0, None, None)


def test_a_feed_that_has_moved_is_asked_at_both_addresses_when_it_fails(store: Store, web: _Web) -> None:
    web.put(_OLD, _rss(_item("one")), moved_permanently_to=_NEW, final_url=_NEW)
    web.put(_NEW, status=500)
    _polled(store, web)
    assert [row["moved_to"] for row in store.rows("feeds")] == [_NEW]
    (feed,) = store.due_feeds(now=time.time() + 3600, limit=9)
    assert feed.url == _NEW
    store.save_poll(feed, Poll(at=time.time(), due_at=0.0, error="no"))
    web.put(_OLD, status=404)
    web.asked.clear()
    for _ in range(3):
        _polled(store, web)
    assert web.asked == [_OLD, _NEW, _OLD]
    web.put(_NEW, _rss(_item("two")))
    _polled(store, web)
    assert [row["failures"] for row in store.rows("feeds")] == [0]
    (feed,) = store.due_feeds(now=time.time() + 3600, limit=9)
    assert feed.url == _NEW
    (feed,) = store.due_feeds(now=time.time() + 8 * 86400, limit=9)
    assert feed.url == _OLD


def test_a_feed_that_is_gone_is_asked_again(store: Store, web: _Web) -> None:
    web.put(_OLD, status=410)
    found, _ = _polled(store, web)
    assert found.poll.due_at - found.poll.at == 86400
    for _ in range(5):
        found, _ = _polled(store, web)
    assert found.poll.due_at - found.poll.at == 7 * 86400
    (failing,) = store.status(now=time.time()).failing_feeds
    assert (failing["failures"], failing["error"]) == (6, f"{_OLD}: the server answered 410")
    assert failing["failing_since"].startswith(datetime.now(UTC).strftime("%Y-"))


def test_a_feed_with_the_same_bytes_is_not_read_again(store: Store, web: _Web) -> None:
    text = _rss("<lastBuildDate>Mon</lastBuildDate>", _item("one"))
    web.put(_OLD, text)
    assert _polled(store, web)[0].outcome == "read"
    web.put(_OLD, text.replace("Mon", "Tue"), etag='"2"')
    assert _polled(store, web)[0].outcome == "unchanged"
    assert store.due_feeds(now=9e9, limit=9)[0].etag == '"2"'
    web.put(_OLD, _rss(_item("one"), _item("two")))
    assert [_polled(store, web)[1], _polled(store, web)[1]] == [1, 0]


def test_an_update_is_seen_where_the_entry_changed(store: Store, web: _Web, readers: _Readers) -> None:
    day = datetime(2026, 1, 1, 9, tzinfo=UTC)
    web.put(_OLD, _rss(_item("one", "Before.", day), _item("two", "Same.", day + timedelta(hours=3))))
    for name in ("one", "two"):
        web.put(f"https://a.example/{name}", f"<html><body><h1>{name}</h1><p>{_STORY}</p></body></html>")
    assert _polled(store, web)[1] == 2
    _visited(store, web, readers)
    web.put(_OLD, _rss(_item("one", "After.", day), _item("two", "Same.", day + timedelta(hours=3))))
    assert _polled(store, web)[1] == 1
    assert [page.url for page in store.due_pages(now=time.time(), limit=9, of_each_host=9)] == ["https://a.example/one"]


def test_a_feed_that_is_always_dated_now_costs_no_fetches(store: Store, web: _Web) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    for minutes in (20, 10, 0):
        date = now - timedelta(minutes=minutes)
        web.put(_OLD, _rss(_item("one", "Text.", date), _item("two", "Text.", date + timedelta(seconds=2))))
        found, new = _polled(store, web)
        assert (found.outcome, new) == ("read", 2 if minutes == 20 else 0)
    assert {row["published"] for row in store.rows("pages")} == {None}


def test_a_page_that_cannot_be_had_is_read_in_the_feed(store: Store, web: _Web, readers: _Readers) -> None:
    web.put(_OLD, _rss(_item("paid", _STORY), _item("silent"), _item("no page", _STORY, link=False)))
    web.put("https://a.example/paid", status=402)
    web.put("https://a.example/silent", status=403)
    _polled(store, web)
    assert sorted(_visited(store, web, readers)) == ["failed", "new", "new"]
    pages = {row["url"]: row for row in store.rows("pages")}
    assert {url: (row["status"], row["from"]) for url, row in pages.items()} == {
        "https://a.example/paid": ("ok", "feed"),
        "https://a.example/silent": ("error", None),
        f"{_OLD}#no%20page": ("ok", "feed"),
    }
    assert "402" in pages["https://a.example/paid"]["error"]
    found = {(row["url"], row["from"], row["counted"]) for row in store.rows("mentions")}
    assert {(url, origin) for url, origin, _ in found} == {(url, "feed") for url in pages if "silent" not in url}
    assert web.asked.count(f"{_OLD}#no%20page") == 0


def test_a_refused_page_is_tried_again_over_days(store: Store, web: _Web, readers: _Readers) -> None:
    web.put(_OLD, _rss(_item("late", _STORY)))
    _polled(store, web)
    waits = []
    config = replace(_CONFIG, pages=PageSettings())
    for status in (404, 403, 401, 404, 503, 403, 404, 404):
        web.put("https://a.example/late", status=status)
        (page,) = store.due_pages(now=9e9, limit=9, of_each_host=9)
        seen, record = asyncio.run(visit(page, web, readers, config))
        save_visit(store, seen)
        assert record is None
        waits.append(None if seen.due_at is None else round(seen.due_at - seen.at))
    assert waits[-1] is None
    assert waits[:2] == [900, 3600]
    assert 2 * 86400 < sum(wait or 0 for wait in waits) < 7 * 86400


def test_a_login_that_many_pages_lead_to_swallows_none(store: Store, web: _Web, readers: _Readers) -> None:
    web.put(_OLD, _rss(_item("one"), _item("two"), _item("three", _STORY)))
    # Without a word that is content.
    wall = "<html><body><form><input type=password></form><nav><a href=/>Home</a></nav></body></html>"
    for name in ("one", "two", "three"):
        web.put(f"https://a.example/{name}", wall, final_url="https://a.example/home?back")
    _polled(store, web)
    _visited(store, web, readers)
    pages = {row["url"].rpartition("/")[2]: row for row in store.rows("pages")}
    assert {row["same_as"] for row in pages.values()} == {None}
    assert {row["copy_of"] for row in pages.values()} == {None}
    assert (pages["three"]["from"], pages["three"]["status"]) == ("feed", "ok")
    assert pages["one"]["status"] in ("no content", "empty")


_STUB = (
    f"<html lang=en><head><title>A ferry</title></head><body><article><h1>A ferry</h1><p>{_STORY}</p>"
    "<p>Subscribe to continue reading. Already a subscriber? Sign in.</p></article></body></html>"
)


def test_a_stub_of_an_article_is_no_article(store: Store, web: _Web, readers: _Readers) -> None:
    web.put(_OLD, _rss(_item("one"), _item("two"), _item("three", _STORY)))
    for name in ("one", "two", "three"):
        web.put(f"https://a.example/{name}", _STUB, final_url="https://a.example/plans")
    _polled(store, web)
    _visited(store, web, readers)
    pages = {row["url"].rpartition("/")[2]: row for row in store.rows("pages")}
    assert {(row["same_as"], row["copy_of"]) for row in pages.values()} == {(None, None)}
    assert [pages[name]["status"] for name in ("one", "two", "three")] == ["no content", "no content", "ok"]
    assert (pages["one"]["kind"], pages["three"]["from"]) == ("paywall stub", "feed")
    assert "Corvane" in pages["one"]["text"]
    counted = {row["url"] for row in store.rows("mentions", where="counted = 1")}
    assert counted == {"https://a.example/three"}


def test_a_wall_does_not_replace_what_was_read(store: Store, web: _Web, readers: _Readers) -> None:
    url, day = "https://a.example/one", datetime(2026, 1, 1, 9, tzinfo=UTC)
    web.put(url, f"<html><body><h1>A ferry</h1><p>{_STORY} {_STORY}</p></body></html>", etag="article")
    for date, outcome in ((day, "new"), (day + timedelta(days=1), "unchanged")):
        web.put(_OLD, _rss(_item("one", date=date)))
        _polled(store, web)
        assert _visited(store, web, readers) == [outcome]
        web.put(url, _STUB, etag="wall")
    (page,) = store.rows("pages")
    assert (page["status"], page["version"]) == ("ok", 1)
    assert list(store.rows("mentions", where="counted = 1"))
    assert store.query("SELECT etag FROM page")[0]["etag"] == "article"


def test_a_clock_that_was_ahead_mends_itself(store: Store) -> None:
    now, ahead = time.time(), time.time() + 4 * 365 * 86400
    (feed,) = store.due_feeds(now=now, limit=9)
    entry = PolledFeed("read", Poll(at=ahead, due_at=ahead + 600)).poll
    store.save_poll(feed, replace(entry, host="a.example", retry_at=ahead + 60))
    assert store.due_feeds(now=now, limit=9) == []
    store.begin_run(now=now, process="x")
    assert [found.id for found in store.due_feeds(now=now, limit=9)] == [feed.id]
    assert store.held_hosts(now=now) == {}


def test_a_large_sitemap_comes_in_small_pieces(store: Store, web: _Web) -> None:
    from blockfeat.monitor.feeds.reading import open_feed, read_feed

    count = 5_000
    # A megabyte: what is smaller is read at once.
    addresses = (f"https://a.example/{'long-' * 30}{number}" for number in range(count))
    places = "".join(f"<url><loc>{url}</loc><lastmod>2026-01-01</lastmod></url>" for url in addresses)
    data = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'.encode()
    feed, entries = open_feed(data, url=_OLD)
    assert (feed.kind, feed.entries) == ("sitemap", ())
    assert tuple(entries) == read_feed(data, url=_OLD).entries
    cut = list(open_feed(data[:-30], url=_OLD)[1])
    assert len(cut) == count - 1
    web.put(_OLD, data.decode())
    (due,) = store.due_feeds(now=time.time(), limit=9)
    sizes = [len(batch) for batch in asyncio.run(poll(due, web, _CONFIG, every=0.0)).batches]
    assert sum(sizes) == count
    assert max(sizes) <= 1000


def test_a_redirect_to_a_login_is_no_article_whatever_it_says(store: Store, web: _Web, readers: _Readers) -> None:
    web.put(_OLD, _rss(_item("one"), _item("two", _STORY), _item("login")))
    page = f"<html><body><h1>Read with us</h1><p>{_STORY}</p><input type=password></body></html>"
    for name in ("one", "two"):
        web.put(f"https://a.example/{name}", page, final_url="https://a.example/account/login?back")
    # An article about logins, at its own address.
    web.put("https://a.example/login", f"<html><body><h1>Ferries</h1><p>{_STORY} {_STORY}</p></body></html>")
    _polled(store, web)
    assert sorted(_visited(store, web, readers)) == ["failed", "new", "new"]
    pages = {row["url"].rpartition("/")[2]: row for row in store.rows("pages")}
    assert {name: (row["status"], row["from"]) for name, row in pages.items()} == {
        "one": ("error", None),
        "two": ("ok", "feed"),
        "login": ("ok", "page"),
    }
    assert "a login" in pages["one"]["error"]


_SETTINGS = ReaderSettings("default", (Brand("Harbour Council", case="fold"),), evidence=True)
_PAGE = FetchedPage(article_page().encode(), "https://example.org/1")


def test_a_killed_process_is_replaced_and_the_page_read() -> None:
    async def run() -> list[str]:
        async with Readers(_SETTINGS, jobs=1) as readers:
            first = await readers.read(_PAGE)
            assert readers.processes is not None
            for number in readers.processes.pids:
                os.kill(number, signal.SIGKILL)
            second = await readers.read(_PAGE)
            return [first.text, second.text]

    first, second = asyncio.run(run())
    assert first == second != ""


def test_a_page_that_takes_too_long_fails_alone() -> None:
    async def run() -> PageRecord:
        async with Readers(_SETTINGS, jobs=1, deadline=0.0001) as readers:
            return await readers.read(FetchedPage(article_page().encode() * 50, "https://example.org/slow"))

    record = asyncio.run(run())
    assert "took longer" in (record.error or "")
    assert record.is_fault


class _Deadly(bytes):
    """A page that ends the process that reads it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


def test_a_page_that_ends_its_process_costs_no_other_page() -> None:
    async def run() -> list[tuple[str | None, bool]]:
        deadly = FetchedPage(_Deadly(), "https://example.org/deadly")
        async with Readers(_SETTINGS, jobs=1) as readers:
            found = await asyncio.gather(*(readers.read(page) for page in (_PAGE, deadly, _PAGE)))
        return [(record.error, record.is_fault) for record in found]

    assert asyncio.run(run()) == [(None, False), ("its worker process died", True), (None, False)]


def test_what_is_no_page_becomes_a_record_with_an_error() -> None:
    async def run() -> PageRecord:
        async with Readers(_SETTINGS, jobs=0) as readers:
            return await readers.read(FetchedPage(b"%PDF-1.7 \x00\x01", "https://example.org/x"))

    record = asyncio.run(run())
    assert "PDF" in (record.error or "")
    assert not record.is_fault


def test_an_unknown_model_is_named_before_anything_starts() -> None:
    async def run() -> None:
        async with Readers(ReaderSettings("nothing", (), evidence=False), jobs=1):
            pass

    with pytest.raises(ModelError, match="nothing"):
        asyncio.run(run())
