"""What fails by a fault of the program: told apart, kept, and tried again elsewhere or by `retry`."""

import asyncio
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from blockfeat.errors import LimitExceeded, MissingExtraError, ModelError, NotHTML
from blockfeat.extraction.extractor import Extractor
from blockfeat.monitor import reading, run
from blockfeat.monitor.config import MonitorConfig, PageSettings, Source
from blockfeat.monitor.crawl.cycle import Summary
from blockfeat.monitor.crawl.visiting import OwnText, poll, visit
from blockfeat.monitor.fetching.fetcher import Fetcher
from blockfeat.monitor.fetching.options import Fetched, FetchOptions
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.monitor.run import run_once
from blockfeat.monitor.store.records import DueFeed, DuePage, PageRecord, Poll
from blockfeat.monitor.store.schema import VIEWS
from blockfeat.monitor.store.store import Store
from examples.demo import DemoServer
from fetching import Web
from pages import article_page
from stored_pages import NOW, add, column, due, entry, execute, save

_LATER = NOW + 3600
_REASON = "unexpected KeyError: 'a'"
_URL = "https://a.example/1"


def _fail(store: Store, page: DuePage, environment: str | None, **values: Any) -> None:
    """Save that a page failed: by the program in an environment, or for a reason of its own."""
    save(store, page, **{"error": _REASON, "fault": environment, "http_status": None} | values)


def _begin(store: Store, environment: str, *, at: float = _LATER) -> list[str]:
    """Begin a run in an environment; return the addresses that are due."""
    store.begin_run(now=at, process="x", environment=environment)
    return [page.url for page in due(store, at=at)]


def test_what_failed_in_one_environment_is_due_once_in_each_other(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    _fail(store, page, "old")
    assert (_begin(store, "old"), _begin(store, "new")) == ([], [page.url])
    _fail(store, due(store, at=_LATER)[0], "new")
    # Back and forth: it has failed in both.
    assert [_begin(store, environment) for environment in ("new", "old", "new", "old")] == [[]] * 4
    assert _begin(store, "third") == [page.url]
    save(store, due(store, at=_LATER)[0], "Corvane sails.", at=_LATER)
    assert [_begin(store, environment) for environment in ("old", "new", "fourth")] == [[]] * 3
    assert store.unexpected_failures() == 0


def test_only_the_last_environments_are_remembered(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    _fail(store, page, "first")
    for number in range(22):
        assert _begin(store, f"e{number}.") == [page.url]
        _fail(store, due(store, at=_LATER)[0], f"e{number}.")
    assert (_begin(store, "e2."), _begin(store, "first")) == ([], [page.url])


def test_a_run_that_is_killed_leaves_them_due_and_in_their_place(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    _fail(store, page, "old")
    assert (_begin(store, "new"), _begin(store, "new", at=_LATER + 60)) == ([page.url], [page.url])
    assert store.query("SELECT due_at FROM page") == [{"due_at": _LATER}]
    # The next run may be one of the environment in which it failed: what is due stays due.
    assert _begin(store, "old", at=_LATER + 60) == [page.url]


def test_a_clock_that_was_ahead_delays_none(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    _fail(store, page, "old", at=NOW + 9e8)
    assert _begin(store, "new", at=NOW) == [page.url]


def test_pages_that_failed_for_reasons_of_their_own_stay_as_they_are(store: Store) -> None:
    own, forgotten = add(store, "a.example/own", "b.example/forgotten")
    _fail(store, own, None, error=f"{own.url}: the server answered 404 Not Found", http_status=404)
    _fail(store, forgotten, "old")
    store.purge(host="b.example")
    assert _begin(store, "new") == []
    assert store.retry(now=_LATER) == Counter()


def test_a_page_that_was_read_before_keeps_its_text_and_is_tried_again(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    save(store, page, "Corvane sails.", due_at=NOW)
    _fail(store, due(store)[0], "old")
    rows = column(store, "pages", "status", "text", "error", "unexpected")
    assert rows == [("ok", "Corvane sails.", _REASON, 1)]
    assert (_begin(store, "old"), _begin(store, "new")) == ([], [page.url])


def test_a_failure_of_the_host_in_between_takes_its_own_course(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    _fail(store, page, "old")
    assert _begin(store, "new") == [page.url]
    _fail(store, due(store, at=_LATER)[0], None, error=f"{page.url}: no answer", due_at=_LATER + 60, tried=True)
    assert _begin(store, "third") == []
    assert [later.attempts for later in due(store, at=_LATER + 60)] == [1]


def test_feeds_are_polled_at_once_and_those_that_were_taken_out_are_not(store: Store) -> None:
    def due_urls() -> list[str]:
        return [feed.url for feed in store.due_feeds(now=_LATER, limit=9)]

    urls = [f"https://{host}.example/feed" for host in ("a", "b", "c")]
    store.add_sources(list(map(Source, urls)), [], now=NOW)
    for feed in store.due_feeds(now=NOW, limit=9):
        fault = None if feed.url == urls[1] else "old"
        store.save_poll(feed, Poll(at=NOW, due_at=NOW + 9e6, error=_REASON, fault=fault))
    store.add_sources([Source(urls[0]), Source(urls[1])], [], now=NOW)
    assert store.unexpected_failures() == 1
    for environment, found in (("old", []), ("new", urls[:1])):
        _begin(store, environment)
        assert due_urls() == found
    assert dict(column(store, "feeds", "url", "unexpected")) == dict(zip(urls, (1, 0, 0), strict=True))
    assert (store.retry(now=_LATER, is_any=True).total(), due_urls()) == (1, urls[:2])


def test_retry_makes_them_due_and_says_why_they_had_failed(store: Store) -> None:
    pages = add(store, "a.example/1", "a.example/2", "b.example/3", "b.example/4")
    first, second, third, fourth = sorted(pages, key=lambda page: page.url)
    _fail(store, first, "now")
    _fail(store, second, "now", error="it took longer than 30 s")
    _fail(store, third, "now")
    _fail(store, fourth, None, error=f"{fourth.url}: redirected to {first.url}: no page", http_status=200)
    store.add_sources([Source("https://b.example/feed")], [], now=NOW)
    (feed,) = store.due_feeds(now=NOW, limit=9)
    store.save_poll(feed, Poll(at=NOW, due_at=NOW + 9e6, error=_REASON, fault="now"))
    status = store.status(now=NOW, limit=3)
    assert (status.unexpected, [page["unexpected"] for page in status.failed_pages]) == (4, [1, 1, 1])
    assert store.retry(now=_LATER, host="c.example") == Counter()
    assert store.retry(now=_LATER, reason="LONGER") == Counter({"it took longer than 30 s": 1})
    assert store.retry(now=_LATER, host="b.example") == Counter({_REASON: 2})
    assert (store.retry(now=_LATER), store.retry(now=_LATER)) == (Counter({_REASON: 1}), Counter())
    assert {page.id for page in due(store, at=_LATER)} == {first.id, second.id, third.id}
    assert len(store.due_feeds(now=_LATER, limit=9)) == 1
    # It fails again where it did: it rests until it is asked for once more.
    for page in due(store, at=_LATER):
        _fail(store, page, "now")
    assert (_begin(store, "now"), store.retry(now=_LATER).total()) == ([], 3)


_PASSING = {
    None: "no connection within 10 seconds",
    403: "the server answered 403 Forbidden",
    404: "the server answered 404 Not Found",
    429: "the server answered 429",
    502: "redirected to https://b.example/?x=1&y: the server answered 502 Bad Gateway",
}
_LASTING = {410: "the server answered 410 Gone", 302: "more than 5 redirects", 200: "image/png, not a web page"}


def test_retry_of_everything_takes_what_may_pass(store: Store) -> None:
    answers = {f"{status}.example/1": (status, error) for status, error in (_PASSING | _LASTING).items()}
    for page in add(store, *answers):
        status, error = answers[page.url.removeprefix("https://")]
        _fail(store, page, None, error=f"{page.url}: {error}", http_status=status, tried=True)
    save(store, "a.example/read", "Corvane.")
    assert store.retry(now=_LATER) == Counter()
    # Without addresses, which differ.
    reasons = Counter(error.replace("https://b.example/?x=1&y:", "…") for error in _PASSING.values())
    assert store.retry(now=_LATER, is_any=True) == reasons
    again = due(store, at=_LATER)
    assert {page.host for page in again} == {f"{status}.example" for status in _PASSING}
    # Tried as often as a page that is new.
    assert {page.attempts for page in again} == {0}


def test_many_are_made_due_together(store: Store) -> None:
    store.add_sources([], [entry(f"h{number % 7}.example/{number}") for number in range(1203)], now=NOW)
    execute(store, "UPDATE page SET due_at = NULL, status = 'error', error = 'x', fault = 'old'")
    store.begin_run(now=_LATER, process="x", environment="new")
    assert store.status(now=_LATER).due == 1203


_LOST = [
    ("no stop lists: the package stopwordsiso is not installed", "error"),
    ("unexpected ValueError: not this one", "error"),
    ("unexpected ValueError: of an update", "ok"),
    ("its worker process died", "error"),
    ("it took longer than 30 s", "error"),
    ("rendering pages needs Playwright: pip install 'blockfeat[render]'", "error"),
    (None, "waiting"),
]
_DONE_WITH = [
    (f"{_URL}: the server answered 404 Not Found", "error"),
    (f"{_URL}: application/pdf, not a web page", "error"),
    (None, "ok"),
    (None, "purged"),
]


def test_an_older_store_gets_back_what_it_had_lost(address: str) -> None:
    with Store.open(address) as store:
        names = [f"page{number:02}.example/1" for number in range(len(_LOST + _DONE_WITH))]
        urls = [f"https://{name}" for name in names]
        store.add_sources(list(map(Source, urls)), list(map(entry, names)), now=NOW)
        for url, (error, status) in zip(urls, _LOST + _DONE_WITH, strict=True):
            sets = "SET due_at = NULL, status = :status, error = :error"
            execute(store, f"UPDATE page {sets} WHERE url = :url", url=url, error=error, status=status)
            sets = "SET due_at = 9e9, polled_at = '2026-01-02T03:04:05Z', error = :error"
            execute(store, f"UPDATE feed {sets} WHERE url = :url", url=url, error=error)
        execute(store, *(f"DROP VIEW {view}" for view in reversed(VIEWS)), "DROP INDEX page_fault")
        execute(store, *(f"ALTER TABLE {table} DROP COLUMN fault" for table in ("page", "feed")))
        execute(store, "UPDATE blockfeat_meta SET value = '9' WHERE key = 'schema_version'")
    with Store.open(address) as store:
        lost = urls[: len(_LOST)]
        assert sorted(_begin(store, "any")) == lost
        # A feed that has no error has not failed.
        assert sorted(feed.url for feed in store.due_feeds(now=_LATER, limit=99)) == lost[:-1]
        for page in due(store, at=_LATER):
            _fail(store, page, "any")
        assert _begin(store, "any") == []


def test_the_environment_is_all_that_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "path", [*sys.path, "", str(tmp_path / "absent"), __file__])
    before = run.environment()
    (tmp_path / "module.py").write_text("", encoding="utf-8")
    assert run.environment() == before
    # Half installed, without a file in it.
    (tmp_path / "library-1.0.dist-info").mkdir()
    one = run.environment()
    (tmp_path / "library-1.0.dist-info").rename(tmp_path / "library-1.1.dist-info")
    two = run.environment()
    monkeypatch.setattr(run, "__version__", "99")
    assert len({before, one, two, run.environment()}) == 4


_SETTINGS = ReaderSettings("default", (Brand("Corvane"),), evidence=False)
_PAGE = FetchedPage(article_page().encode(), _URL)


@pytest.mark.parametrize(
    ("error", "is_fault"),
    [
        (KeyError("a"), True),
        (MemoryError(), True),
        (RecursionError(), True),
        (ImportError("no module"), True),
        (MissingExtraError("x needs y: pip install 'blockfeat[y]'"), True),
        (ModelError("the model file is damaged"), True),
        (LimitExceeded("1 MB, more than the limit"), False),
    ],
)
def test_errors_not_of_the_page_are_faults(error: Exception, is_fault: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **options: object) -> None:
        raise error

    reader = PageReader.of(_SETTINGS)
    for name in ("extract", "assemble"):
        monkeypatch.setattr(Extractor, name, broken)
    for page in (_PAGE, replace(_PAGE, origin="feed")):
        assert reader.read(page).is_fault is is_fault
        assert str(error) in (reader.read(page).error or "")


def _answering(answer: Fetched) -> Web:
    return Web(**{_URL: answer})


class _Broken:
    """Reads nothing, by its own fault."""

    async def read(self, page: FetchedPage) -> PageRecord:
        return reading.failed(KeyError("a"))


_DUE = DuePage(1, _URL, "a.example", None, None, None, 0, 0, "2026-01-01T00:00:00Z")
_CONFIG = MonitorConfig(store="", sources=(), brands=(), pages=PageSettings(attempts=1))
_EMPTY = Fetched(_URL, _URL, 200, data=b"<p>")
_GONE = Fetched(_URL, _URL, 404, error=f"{_URL}: the server answered 404", permanent=True)


@pytest.mark.parametrize(("answer", "linked"), [(_EMPTY, True), (_GONE, True), (_EMPTY, False)])
def test_a_page_whose_own_text_in_the_feed_cannot_be_read_is_not_forgotten(answer: Fetched, linked: bool) -> None:
    async def own(page: DuePage) -> OwnText:
        return "Corvane", "<p>The ferry leaves at nine."

    class Empty(_Broken):
        async def read(self, page: FetchedPage) -> PageRecord:
            return await super().read(page) if page.origin == "feed" else PageRecord("empty")

    page = replace(_DUE, linked=linked)
    seen, record = asyncio.run(visit(page, _answering(answer), Empty(), _CONFIG, entry_text=own, environment="now"))
    assert (seen.error, seen.fault, seen.due_at, record) == (_REASON, "now", None, None)


def test_what_a_browser_shows_of_a_page_is_not_forgotten_either() -> None:
    class Browser:
        def is_worth(self, url: str) -> bool:
            return True

        def note(self, url: str, *, has_text: bool) -> None:
            assert not has_text

        async def render(self, page: Fetched) -> bytes:
            return b"shown"

    class WithoutScripts(_Broken):
        async def read(self, page: FetchedPage) -> PageRecord:
            return await super().read(page) if page.data == b"shown" else PageRecord("empty")

    answer = Fetched(_URL, _URL, 200, data=b"<script>")
    known: dict[str, Any] = {"renderer": Browser(), "environment": "now"}
    seen, record = asyncio.run(visit(_DUE, _answering(answer), WithoutScripts(), _CONFIG, **known))
    assert (seen.error, seen.fault, record) == (_REASON, "now", None)


@pytest.mark.parametrize("robots", [True, False])
@pytest.mark.parametrize(
    ("error", "reason", "is_fault"),
    [
        (KeyError("a"), _REASON, True),
        (httpx2.DecodingError("incorrect header check"), "incorrect header check", False),
        (NotHTML("an image"), "an image", False),
    ],
)
def test_what_a_library_makes_of_an_answer_is_told_from_what_the_answer_is(
    robots: bool, error: Exception, reason: str, is_fault: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*args: object, **options: object) -> None:
        raise error

    async def fetched() -> Fetched:
        async with Fetcher(FetchOptions(attempts=1, robots=robots, allow_networks=("127.0.0.1/32",))) as fetcher:
            return await fetcher.fetch("http://127.0.0.1:1/")

    monkeypatch.setattr("blockfeat.io.http.fetch._exchange", broken)
    answer = asyncio.run(fetched())
    assert (answer.is_fault, (answer.error or "").endswith(f": {reason}")) == (is_fault, True)
    fault = "now" if is_fault else None
    seen, _ = asyncio.run(visit(_DUE, _answering(answer), _Broken(), _CONFIG, environment="now"))
    assert seen.fault == fault
    feed = DueFeed(1, _URL, 0, None, None, None, None, 0)
    assert asyncio.run(poll(feed, _answering(answer), _CONFIG, every=0.0, environment="now")).poll.fault == fault


def _contents(store: str) -> tuple[list[dict[str, Any]], ...]:
    """Return what a store has, but for times; of mentions in copies and originals, how many there are."""
    queries = (
        "SELECT url, status, kind, title, text, version, error FROM pages ORDER BY url",
        "SELECT id, url, brand, sentence, in_article FROM mentions ORDER BY id",
        "SELECT brand, count(*) AS n FROM mentions WHERE counted = 1 GROUP BY brand",
    )
    with Store.open(store) as opened:
        return tuple(map(opened.query, queries))


def test_a_monitor_without_a_library_misses_nothing_once_it_has_it(
    many_sites: DemoServer, many_pages: MonitorConfig, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, config = many_sites, replace(many_pages, store=address)

    def run_in(environment: str, **options: Any) -> Summary:
        monkeypatch.setattr(run, "environment", lambda: environment)
        return asyncio.run(run_once(config, **options))

    found_mentions, poll_feed = reading.found_mentions, poll

    def missing(extraction: Any, *args: Any) -> Any:
        if extraction.url.endswith(("1", "4", "5")):
            raise MissingExtraError("no lists: the package is not installed")
        return found_mentions(extraction, *args)

    async def no_feed(feed: Any, *args: Any, **options: Any) -> Any:
        if "many-3" in feed.url:
            raise KeyError("a")
        return await poll_feed(feed, *args, **options)

    with monkeypatch.context() as without:
        without.setattr(reading, "found_mentions", missing)
        without.setattr("blockfeat.monitor.crawl.cycle.poll", no_feed)
        first = run_in("bare")
        assert (first.pages["failed"], first.unexpected) == (9, 10)
        assert (first.pages["new"], first.feeds["failed"]) == (9, 1)
        asked = [visit.target for visit in server.log if "/2025/" in visit.target]
        assert run_in("bare").pages.total() == 0
        assert [visit.target for visit in server.log if "/2025/" in visit.target] == asked
    # A run that ends before it begins anything loses none of them.
    assert run_in("full", deadline=0.0).left == 9
    mended = run_in("full")
    assert (mended.pages["new"], mended.unexpected, dict(mended.failures)) == (15, 0, {})
    repaired, config = _contents(config.store), replace(config, store=str(tmp_path / "fresh.db"))
    run_in("full")
    assert repaired == _contents(config.store)
    assert {page["status"] for page in repaired[0]} == {"ok"}
