"""Runs against the demo server: what is found, what is not fetched again, how a run ends."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blockfeat.errors import StoreError
from blockfeat.monitor import run
from blockfeat.monitor.config import MonitorConfig, PageSettings, Source
from blockfeat.monitor.crawl.cycle import Summary
from blockfeat.monitor.fetching.options import Fetched, FetchOptions
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.receivers import Webhook
from blockfeat.monitor.run import Monitor, run_once, stay
from blockfeat.monitor.store.records import PageRecord, Saved, Visit
from blockfeat.monitor.store.store import Store
from examples.demo import DemoServer
from hooks import Hook
from stored_pages import column, execute

_FETCH = FetchOptions(delay=0.0, per_host=4, attempts=1, allow_networks=("127.0.0.1/32",))
_PAGES = PageSettings(max_age=None, jobs=0)


@pytest.fixture
def server(many_sites: DemoServer) -> DemoServer:
    return many_sites


@pytest.fixture
def config(many_pages: MonitorConfig) -> MonitorConfig:
    return many_pages


def test_what_feeds_name_is_found_once_and_copies_are_known(server: DemoServer, config: MonitorConfig) -> None:
    summary = asyncio.run(run_once(config))
    assert not summary.failures
    assert (summary.feeds["read"], summary.pages["new"], summary.copies) == (5, 24, 2)
    with Store.open(config.store) as store:
        found, around = (set(column(store, "mentions", "url", "brand", where=f"in_article = {n}")) for n in (1, 0))
    pages = [
        (f"http://{site.name}.localhost:{server.port}", page) for site in server.sites("many") for page in site.pages
    ]
    wanted = {(host + page.path, brand) for host, page in pages for brand in page.brands}
    assert len(found & wanted) >= 0.95 * len(wanted)
    assert around - found
    served = len(server.log)
    again = asyncio.run(run_once(config))
    assert (again.pages.total(), again.mentions) == (0, 0)
    assert len(server.log) - served <= 1


def test_a_run_in_postgresql(server: DemoServer, config: MonitorConfig, postgres: str) -> None:
    summary = asyncio.run(run_once(replace(config, store=postgres)))
    assert (summary.pages["new"], summary.copies) == (24, 2)
    with Store.open(postgres) as store:
        assert store.status(now=0).pages == {"ok": 24}


def test_each_mention_arrives_once_at_stream_and_webhook(config: MonitorConfig, tmp_path: Path, hook: Hook) -> None:
    hook.answers = [(503, {})] * 99
    stream = tmp_path / "mentions.jsonl"
    config = replace(config, stream=str(stream), webhooks=(Webhook(url=hook.url, batch=7, clutter=True),))
    first = asyncio.run(run_once(config))
    assert any("answered 503" in reason for reason in first.failures.values())
    stream.write_text(stream.read_text(encoding="utf-8") + '{"id": "cut o', encoding="utf-8")
    hook.answers.clear()
    refused = len(hook.bodies)
    asyncio.run(run_once(config))
    received = [mention for body in hook.bodies[refused:] for mention in body["mentions"]]
    with Store.open(config.store) as store:
        ids, counted = (sorted(column(store, "mentions", "id", where=where)) for where in ("", "counted = 1"))
        assert {sink["pending"] for sink in store.status(now=0).sinks} == {0}
    assert sorted(str(mention["id"]) for mention in received) == ids
    assert sorted(json.loads(line)["id"] for line in stream.read_text(encoding="utf-8").splitlines()) == counted


def test_the_deadline_leaves_the_rest_for_the_next_run(config: MonitorConfig) -> None:
    slow = replace(config, fetch=replace(_FETCH, delay=10.0, per_host=1))
    summary = asyncio.run(run_once(slow, deadline=5.0))
    assert (summary.stopped, summary.left > 0) == ("the time was over", True)
    assert asyncio.run(run_once(config)).pages["new"] == 24 - summary.pages["new"]


def test_a_stopped_run_finishes_the_pages_in_hand(config: MonitorConfig) -> None:
    rounds: list[Summary] = []
    monitors: list[Monitor] = []

    def on_progress(summary: Summary) -> None:
        if summary.pages["new"] == 3:
            monitors[0].stop()

    asyncio.run(stay(config, every=60, on_start=monitors.append, on_progress=on_progress, on_round=rounds.append))
    (summary,) = rounds
    assert (summary.stopped, summary.left) == ("stopped by a signal", 24 - summary.pages["new"])
    with Store.open(config.store) as store:
        assert store.status(now=9e9).pages["ok"] == summary.pages["new"]


def test_staying_polls_again_and_stops(config: MonitorConfig, server: DemoServer) -> None:
    rounds: list[Summary] = []
    monitors: list[Monitor] = []
    url = f"http://many-0.localhost:{server.port}{server.sites('many')[0].pages[0].path}"

    def on_round(summary: Summary) -> None:
        rounds.append(summary)
        if len(rounds) == 2:
            monitors[0].stop()

    once = replace(config, sources=(Source(url, kind="page"),), pages=replace(_PAGES, revisit=0.5))
    asyncio.run(stay(once, every=60, on_start=monitors.append, on_round=on_round))
    assert [dict(summary.pages) for summary in rounds] == [{"new": 1}, {"unchanged": 1}]


def test_a_page_that_breaks_something_ends_no_run(config: MonitorConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    save_visits = Store.save_visits

    def broken(self: Store, visits: list[tuple[Visit, PageRecord | None]], **options: object) -> list[Saved]:
        if any(seen.page.id == 3 and record is not None for seen, record in visits):
            raise ValueError("not this one")
        return save_visits(self, visits, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "save_visits", broken)
    summary = asyncio.run(run_once(config))
    assert dict(summary.pages) == {"new": 23, "failed": 1}
    assert list(summary.failures.values()) == ["unexpected ValueError: not this one"]
    assert summary.to_dict()["unexpected"] == 1
    with Store.open(config.store) as store:
        assert column(store, "pages", "unexpected", where="status = 'error'") == [1]
    assert asyncio.run(run_once(config)).pages.total() == 0


@pytest.fixture
def run_over(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Summary, list[float]]]:
    """A function that runs a monitor over pages that it answers; it returns when each was asked for, too."""

    class Site:
        async def __aenter__(self) -> Site:
            return self

        async def __aexit__(self, *error: object) -> None:
            pass

        def hold(self, host: str, until: float) -> None:
            pass

    def run_it(answer: Callable[[str, int], Awaitable[Fetched]], store: Any, urls: Iterable[str]) -> Any:
        async def fetch(site: Site, url: str, **options: object) -> Fetched:
            asked.append(time.time())
            return await answer(url, len(asked))

        asked: list[float] = []
        monkeypatch.setattr(Site, "fetch", fetch, raising=False)
        monkeypatch.setattr(run, "Fetcher", lambda options: Site())
        sources = tuple(Source(url, kind="page") for url in urls)
        made = MonitorConfig(store=str(store), sources=sources, brands=(Brand("Corvane"),), fetch=_FETCH, pages=_PAGES)
        return asyncio.run(asyncio.wait_for(run_once(made), timeout=300)), asked

    return run_it


def _page(url: str) -> Fetched:
    words = f"<h1>{url}</h1><p>The Corvane ferry left the harbour of {url} at nine and returned before it was dark."
    return Fetched(url, url, 200, {}, words.encode(), "utf-8")


def test_a_slow_host_with_many_pages_holds_up_no_other(tmp_path: Path, run_over: Callable[..., Any]) -> None:
    slow = [f"http://slow.example/{number}" for number in range(300)]
    fast = [f"http://fast{host}.example/{number}" for number in range(5) for host in range(10)]
    done: list[str] = []
    all_fast = asyncio.Event()

    async def answer(url: str, asked: int) -> Fetched:
        if "slow" in url:
            # It answers its first pages only when all of the others are done.
            await all_fast.wait()
            return Fetched(url, url, 404, error=f"{url}: the server answered 404", permanent=True)
        done.append(url)
        if len(done) == len(fast):
            all_fast.set()
        return _page(url)

    summary, _ = run_over(answer, tmp_path / "m.db", [*slow, *fast])
    assert dict(summary.pages) == {"new": len(fast), "failed": len(slow)}


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_asks_for_a_pause_gets_it_in_the_run(
    tmp_path: Path, run_over: Callable[..., Any], status: int
) -> None:
    until = 0.0

    async def answer(url: str, asked: int) -> Fetched:
        nonlocal until
        if asked == 3:
            until = time.time() + 2
            return Fetched(url, url, status, error=f"{url}: busy", retry_at=until, host="a.example")
        return _page(url)

    summary, asked = run_over(answer, tmp_path / "m.db", [f"http://a.example/{number}" for number in range(9)])
    assert (dict(+summary.pages), summary.failures) == ({"new": 9}, {})
    # Four were in hand as it was asked to pause.
    assert all(until <= at for at in asked[6:])


@pytest.mark.parametrize("set_by", [86_400.0, -86_400.0])
def test_a_clock_that_is_set_by_a_day_in_a_run_loses_and_doubles_nothing(
    tmp_path: Path, run_over: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, set_by: float
) -> None:
    clock, is_set = time.time, 0.0
    monkeypatch.setattr(time, "time", lambda: clock() + is_set)

    async def answer(url: str, asked: int) -> Fetched:
        nonlocal is_set
        if asked == 3 and not is_set:
            return Fetched(url, url, 429, error=f"{url}: busy", retry_at=time.time() + 2, host="a.example")
        is_set = set_by if asked == 4 else is_set
        return _page(url)

    urls = [f"http://a.example/{number}" for number in range(99)]
    new: list[int] = []
    while sum(new) < 99 and len(new) < 9:
        new.append(run_over(answer, tmp_path / "m.db", urls)[0].pages["new"])
        time.sleep(0.5)
    assert (sum(new), new[0]) == (99, 99)


def test_a_host_that_pauses_too_often_is_left_to_the_next_run(tmp_path: Path, run_over: Callable[..., Any]) -> None:
    async def answer(url: str, asked: int) -> Fetched:
        return Fetched(url, url, 429, error=f"{url}: busy", retry_at=time.time() + 0.1, host="a.example")

    urls = {"http://a.example/1", "http://a.example/2"}
    summary, asked = run_over(answer, tmp_path / "m.db", urls)
    assert (set(summary.failures), summary.pages.total(), len(asked) < 12) == (urls, 2, True)


def test_a_run_that_loses_the_lock_writes_nothing_more_and_ends(
    address: str, run_over: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[object] = []

    async def answer(url: str, asked: int) -> Fetched:
        if asked == 5:
            with Store.open(address) as store:
                if "://" in address:
                    held = "SELECT pg_terminate_backend(pid, 20000) FROM pg_locks WHERE locktype = 'advisory'"
                    execute(store, held)
                else:
                    Path(f"{address}.lock").unlink()
                with store.lock():
                    seen.append(store.query("SELECT url, status, attempts FROM pages ORDER BY url"))
        return _page(url)

    with pytest.raises(StoreError, match="the lock of the store was lost"):
        run_over(answer, address, [f"http://a.example/{number}" for number in range(50)])
    with Store.open(address) as store:
        assert seen == [store.query("SELECT url, status, attempts FROM pages ORDER BY url")]
    assert not [record for record in caplog.records if record.exc_info]


def test_addresses_that_fail_are_named(config: MonitorConfig, server: DemoServer) -> None:
    absent = f"http://many-0.localhost:{server.port}/absent"
    sources = (Source(absent, kind="page"), Source(f"{server.url}nothing.xml"), Source("http://10.1.2.3/", kind="page"))
    summary = asyncio.run(run_once(replace(config, sources=sources)))
    assert set(summary.failures) == {source.url for source in sources}
    assert summary.is_fruitless


def test_a_round_says_that_it_is_at_work(config: MonitorConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[float] = []
    monkeypatch.setattr(Store, "keep_alive", lambda store, *, now: said.append(now))
    monkeypatch.setattr(run, "_DELIVER_SECONDS", 0.01)
    monkeypatch.setattr(run, "_ALIVE_EVERY", 0.0)
    start = time.time()
    asyncio.run(run_once(config))
    assert len(said) > 1
    assert start < said[0] < said[-1] < time.time()
