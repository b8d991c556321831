"""Run the monitor twice over generated feeds; print pages a second, CPU a page, memory, and what a second poll costs.

    python tools/load_monitor.py --hosts 400 --feeds 2000 --pages 20 --kills 10
    python tools/load_monitor.py --hosts 10 --feeds 10 --pages 40 --delay 1
    python tools/load_monitor.py --hosts 11 --feeds 11 --pages 40 --delay 1 --slow 2
    python tools/load_monitor.py --waiting 1000000
    python tools/load_monitor.py --store postgresql://… --kills 10

The server runs in a process of its own; neither its memory nor its CPU is counted, but on two cores it takes its share
of them. Memory is that of the run and of its reading processes, sampled while the pages come in (Linux only). With
``--waiting`` nothing is fetched: a store with so many waiting pages is made, and asked for those that are due.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import multiprocessing
import multiprocessing.connection
import os
import resource
import tempfile
import time
import urllib.request
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import text

from blockfeat.monitor import MonitorConfig, Source, Store, Summary, run_once
from blockfeat.monitor.config import PageSettings
from blockfeat.monitor.fetching.options import FetchOptions
from blockfeat.monitor.mentions.brand import Brand
from examples.demo import DemoServer
from examples.demo.server import DOMAIN, FRONT, Reply
from examples.demo.sites import many_sites
from process_memory import children_of, resident_megabytes

# Linux's PR_SET_CHILD_SUBREAPER.
_SUBREAPER = 36
_TELL_SECONDS = 0.2
_TWICE = """
    SELECT count(*) AS n FROM (SELECT 1 FROM mention GROUP BY page_id, version, key HAVING count(*) > 1) AS twice
"""

_MADE = """
    WITH RECURSIVE made (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < :waiting)
    INSERT INTO page (key, url, host, first_seen, due_at, status, attempts, version)
    SELECT 'http://h' || (n % :hosts) || '.example/' || n, 'http://h' || (n % :hosts) || '.example/' || n,
           'h' || (n % :hosts) || '.example', '2026-01-01T00:00:00Z', n, 'waiting', 0, 0 FROM made
"""


class _LoadServer(DemoServer):
    """Generated sites, each with several feeds of some of its pages."""

    def __init__(self, *, hosts: int, feeds: int, pages: int, slow: float) -> None:
        each = -(-feeds // hosts)
        super().__init__(lists={"load": many_sites(hosts, each * pages)})
        self._feeds = feeds
        self._of_a_feed = pages
        self._slow = slow
        self._slow_host = _slow_host(hosts) if slow else None

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
        if host == self._slow_host and target.startswith("/20"):
            time.sleep(self._slow)
        return super().answer(host, target)


def _slow_host(hosts: int) -> str:
    """Return the last of the generated hosts: those before it are the same without it."""
    return f"many-{hosts - 1}"


def main() -> None:
    """Serve, run, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--feeds", type=int, default=100)
    parser.add_argument("--pages", type=int, default=50, help="pages of each feed")
    parser.add_argument("--jobs", type=int, default=1, help="processes that read; 0: in the process itself")
    parser.add_argument("--seconds", type=float, help="end the first run after so long")
    parser.add_argument("--kills", type=int, default=0, help="kill the run so often, and go on with another")
    parser.add_argument("--delay", type=float, default=0.0, help="least seconds between two requests to a host")
    parser.add_argument("--slow", type=float, default=0.0, help="seconds that the last host takes for each page")
    parser.add_argument("--store", help="address of an empty store; a temporary SQLite file by default")
    parser.add_argument("--waiting", type=int, help="only ask an SQLite store with so many waiting pages for those due")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or str(Path(folder) / "load.db")
        if options.waiting:
            _measure_due(store, options.waiting, options.hosts)
            return
        ours, theirs = multiprocessing.Pipe()
        served = (theirs, options.hosts, options.feeds, options.pages, options.slow)
        process = multiprocessing.Process(target=_serve, args=served, daemon=True)
        process.start()
        feeds, brands = ours.recv()
        try:
            config = MonitorConfig(
                store=store,
                sources=(Source(feeds),),
                brands=tuple(map(Brand, brands)),
                fetch=FetchOptions(delay=options.delay, per_host=2, allow_networks=("127.0.0.0/8",)),
                pages=PageSettings(max_age=None, jobs=options.jobs),
            )
            expected = options.feeds * options.pages
            _measure(config, expected, process.pid or 0, options.seconds, options.kills)
            slow_host = _slow_host(options.hosts) if options.slow else None
            _show_served(f"http://127.0.0.1:{urlsplit(feeds).port}/-/log", slow_host)
        finally:
            process.kill()


def _serve(line: multiprocessing.connection.Connection, hosts: int, feeds: int, pages: int, slow: float) -> None:
    """Serve until killed; send the address of the list of feeds, and the brands that their pages name."""
    with _LoadServer(hosts=hosts, feeds=feeds, pages=pages, slow=slow) as server:
        named = {name for site in server.sites("load") for page in site.pages for name in (*page.brands, *page.around)}
        line.send((server.list_url("load"), sorted(named)))
        line.recv()


def _cpu_seconds() -> float:
    """Return the CPU time of this process and of those that have ended below it: the server is none of them."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _adopt_orphans() -> None:
    """Become the parent of the reading processes whose run is killed, so that their CPU time counts (Linux)."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _reap(server: int) -> None:
    """Wait for the processes that a run has left; each ends with the line to its run."""
    while set(children_of(os.getpid())) - {server}:
        time.sleep(0.05)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _run(config: MonitorConfig, limit: float | None, line: multiprocessing.connection.Connection) -> None:
    """Run once in a process of its own; send how many pages are done, and what came of them."""
    last = 0.0

    def on_progress(summary: Summary) -> None:
        nonlocal last
        if time.monotonic() - last > _TELL_SECONDS:
            last = time.monotonic()
            line.send(summary)

    summary = asyncio.run(run_once(config, deadline=limit, on_progress=on_progress))
    line.send(summary)


def _measure(config: MonitorConfig, expected: int, server: int, limit: float | None, kills: int) -> None:
    """Run until all is done, killing the run where it has done a share of the pages."""
    _adopt_orphans()
    marks = [expected * (number + 1) // (kills + 1) for number in range(kills)]
    start, cpu, before, step = time.monotonic(), _cpu_seconds(), 0, max(expected // 20, 1)
    summary, killed, shown, most = Summary(), True, 0, 0.0
    print(f"{'pages':>7} {'seconds':>8} {'MB':>7}", flush=True)
    while killed:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(target=_run, args=(config, limit, theirs))
        process.start()
        theirs.close()
        killed = False
        with suppress(EOFError):
            while not killed:
                summary = ours.recv()
                done = before + summary.done
                if done >= shown:
                    shown += step
                    memory = resident_megabytes(process.pid or 0)
                    most = max(most, memory)
                    print(f"{done:>7} {time.monotonic() - start:>8.1f} {memory:>7.1f}", flush=True)
                if marks and done >= marks[0]:
                    marks.pop(0)
                    process.kill()
                    killed = True
        process.join()
        _reap(server)
        before = _pages_read(config.store)
        if killed:
            print(f"killed with {before} pages in the store", flush=True)
    seconds, used = time.monotonic() - start, _cpu_seconds() - cpu
    print(f"{before} of {expected} pages in {seconds:.1f} s, at most {most:.0f} MB, last run: {dict(summary.pages)}")
    if before:
        print(f"{before / seconds:.1f} pages a second, {used / before * 1e3:.1f} ms CPU a page with its feed")
    _show_store(config.store)
    _measure_poll(config)


def _pages_read(name: str) -> int:
    with Store.open(name) as store:
        return _count_read(store)


def _count_read(store: Store) -> int:
    return int(store.query("SELECT count(*) AS n FROM page WHERE status NOT IN ('waiting', 'error')")[0]["n"])


def _show_store(name: str) -> None:
    """Print what is in the store, and whether anything is there twice."""
    with Store.open(name) as store:
        status = store.status(now=time.time())
        twice = store.query(_TWICE)[0]["n"]
    entries = sum(status.pages.values())
    print(f"{entries} entries, pages {dict(status.pages)}, {status.copies} copies, {status.mentions} mentions", end="")
    print(f", {twice} mentions twice")


def _show_served(server_log: str, slow_host: str | None) -> None:
    """Print how many pages were fetched more than once, because a run was killed before it had stored them.

    Print too how long the fetching of pages took, without those of the slow host.
    """
    with urllib.request.urlopen(server_log) as answer:
        visits = [visit for line in answer if (visit := json.loads(line))["target"].startswith("/20")]
    pages = Counter((visit["host"], visit["target"]) for visit in visits)
    print(f"{len(pages)} pages fetched, {pages.total() - len(pages)} of them again after a kill")
    moments = [visit["seconds"] for visit in visits if visit["host"] != slow_host]
    print(f"{max(moments) - min(moments):.1f} s from the first to the last page of hosts that are not slow")


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
