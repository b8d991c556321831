"""Run the monitor twice over generated feeds; print pages a second, CPU a page, memory, and what a second poll costs.

    python tools/load_monitor.py --hosts 400 --feeds 2000 --pages 20
    python tools/load_monitor.py --waiting 1000000

The server runs in a process of its own; neither its memory nor its CPU is counted, but on two cores it takes its share
of them. Memory is that of the run and of its reading processes, sampled while the pages come in. With ``--waiting``
nothing is fetched: a store with so many waiting pages is made, and asked for those that are due.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import multiprocessing.connection
import os
import resource
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from sqlalchemy import text

from blockfeat.monitor import MonitorConfig, Source, Store, Summary, run_once
from blockfeat.monitor.config.settings import PageSettings
from blockfeat.monitor.demo import DemoServer
from blockfeat.monitor.demo.server import DOMAIN, FRONT, Reply
from blockfeat.monitor.demo.sites import many_sites
from blockfeat.monitor.fetching.options import FetchOptions
from blockfeat.monitor.mentions.brand import Brand
from process_memory import resident_megabytes

_MADE = """
    WITH RECURSIVE made (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < :waiting)
    INSERT INTO page (key, url, host, first_seen, due_at, status, attempts, version)
    SELECT 'http://h' || (n % :hosts) || '.example/' || n, 'http://h' || (n % :hosts) || '.example/' || n,
           'h' || (n % :hosts) || '.example', '2026-01-01T00:00:00Z', n, 'waiting', 0, 0 FROM made
"""


class _LoadServer(DemoServer):
    """Generated sites, each with several feeds of some of its pages."""

    def __init__(self, *, hosts: int, feeds: int, pages: int) -> None:
        each = -(-feeds // hosts)
        super().__init__(lists={"load": many_sites(hosts, each * pages)})
        self._feeds = feeds
        self._of_a_feed = pages

    def answer(self, host: str, target: str) -> Reply:
        """Return the list of feeds, a feed, or a page."""
        sites = self.sites("load")
        if host == FRONT and target == "/load.opml":
            places = ((sites[n % len(sites)].name, n // len(sites)) for n in range(self._feeds))
            urls = (f"http://{name}.{DOMAIN}:{self.port}/feed/{number}" for name, number in places)
            outlines = "".join(f'<outline type="rss" text="feed" xmlUrl="{url}"/>' for url in urls)
            return Reply(f'<opml version="2.0"><body>{outlines}</body></opml>'.encode(), content_type="text/x-opml")
        if target.startswith("/feed/"):
            site = next(site for site in sites if site.name == host)
            first = int(target.removeprefix("/feed/")) * self._of_a_feed
            return self._feed(replace(site, pages=site.pages[first : first + self._of_a_feed]))
        return super().answer(host, target)


def main() -> None:
    """Serve, run, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--feeds", type=int, default=100)
    parser.add_argument("--pages", type=int, default=50, help="pages of each feed")
    parser.add_argument("--jobs", type=int, default=1, help="processes that read; 0: in the process itself")
    parser.add_argument("--seconds", type=float, help="end the first run after so long")
    parser.add_argument("--store", help="address of an empty store; a temporary SQLite file by default")
    parser.add_argument("--waiting", type=int, help="only ask an SQLite store with so many waiting pages for those due")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or str(Path(folder) / "load.db")
        if options.waiting:
            _measure_due(store, options.waiting, options.hosts)
            return
        ours, theirs = multiprocessing.Pipe()
        served = (theirs, options.hosts, options.feeds, options.pages)
        process = multiprocessing.Process(target=_serve, args=served, daemon=True)
        process.start()
        feeds, brands = ours.recv()
        try:
            config = MonitorConfig(
                store=store,
                sources=(Source(feeds),),
                brands=tuple(map(Brand, brands)),
                fetch=FetchOptions(delay=0.0, per_host=2, allow_networks=("127.0.0.0/8",)),
                pages=PageSettings(max_age=None, jobs=options.jobs),
            )
            _measure(config, options.feeds * options.pages, process.pid or 0, options.seconds)
        finally:
            process.kill()


def _serve(line: multiprocessing.connection.Connection, hosts: int, feeds: int, pages: int) -> None:
    """Serve until killed; send the address of the list of feeds, and the brands that their pages name."""
    with _LoadServer(hosts=hosts, feeds=feeds, pages=pages) as server:
        named = {name for site in server.sites("load") for page in site.pages for name in (*page.brands, *page.around)}
        line.send((server.list_url("load"), sorted(named)))
        line.recv()


def _cpu_seconds() -> float:
    """Return the CPU time of this process and of the children that have ended: the server is none of them."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _measure(config: MonitorConfig, expected: int, server: int, limit: float | None) -> None:
    samples: list[tuple[int, float, float]] = []
    start, cpu = time.monotonic(), _cpu_seconds()

    def on_progress(summary: Summary) -> None:
        if summary.done // max(expected // 20, 1) >= len(samples) and summary.done:
            samples.append((summary.done, time.monotonic() - start, resident_megabytes(os.getpid(), without=server)))
            print(f"{samples[-1][0]:>7} {samples[-1][1]:>8.1f} {samples[-1][2]:>7.1f}", flush=True)

    print(f"{'pages':>7} {'seconds':>8} {'MB':>7}", flush=True)
    summary = asyncio.run(run_once(config, time_limit=limit, on_progress=on_progress))
    seconds, used = time.monotonic() - start, _cpu_seconds() - cpu
    with Store.open(config.store) as store:
        status = store.status(now=time.time())
        entries = sum(status.pages.values())
    print(f"feeds {dict(summary.feeds)}; {summary.done} of {expected} pages in {seconds:.1f} s, {entries} in the store")
    if summary.done:
        print(
            f"{summary.done / seconds:.1f} pages a second, {used / summary.done * 1e3:.1f} ms CPU a page with its feed"
        )
    failed = len(summary.failures)
    print(f"pages {dict(summary.pages)}, {status.copies} copies, {status.mentions} mentions, {failed} failed")
    _measure_poll(config)


def _measure_poll(config: MonitorConfig) -> None:
    """Poll all feeds again, without the pages that are still due."""
    with Store.open(config.store) as store, store.engine.begin() as connection:
        connection.execute(text("UPDATE feed SET due_at = 0"))
        connection.execute(text("UPDATE page SET due_at = NULL"))
    start, cpu = time.monotonic(), _cpu_seconds()
    summary = asyncio.run(run_once(config))
    seconds, used = time.monotonic() - start, _cpu_seconds() - cpu
    count = max(summary.feeds.total(), 1)
    print(f"second poll: {dict(summary.feeds)}, {summary.done} pages in {seconds:.1f} s, ", end="")
    print(f"{used / count * 1e3:.1f} ms CPU a feed")


def _measure_due(name: str, waiting: int, hosts: int) -> None:
    """Print how long a store takes to name hosts and pages that are due."""
    with Store.open(name) as store:
        with store.engine.begin() as connection:
            connection.execute(text(_MADE), {"waiting": waiting, "hosts": hosts})
        now = waiting + 1.0
        for _ in range(5):
            start, cpu = time.perf_counter(), time.process_time()
            found, _ = store.due_hosts(now=now, limit=200)
            between, used = time.perf_counter(), time.process_time()
            pages = store.due_pages(now=now, limit=256, of_each_host=16, besides=range(32), hosts=found[:16])
            end, all_used = time.perf_counter(), time.process_time()
            print(
                f"due_hosts: {len(found)} in {(between - start) * 1e3:.1f} ms ({(used - cpu) * 1e3:.1f} CPU)", end="; "
            )
            print(f"due_pages: {len(pages)} in {(end - between) * 1e3:.1f} ms ({(all_used - used) * 1e3:.1f} CPU)")


if __name__ == "__main__":
    main()
