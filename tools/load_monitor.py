"""Run the monitor once over many generated feeds and print pages a second and memory.

    python tools/load_monitor.py --feeds 100 --pages 50

The demo server runs in a process of its own, and its time is not counted apart: on two cores it takes its share of
them. Memory is that of the run and of its reading processes, sampled while the pages come in.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import multiprocessing.connection
import os
import tempfile
import time
from pathlib import Path

from blockfeat.monitor import MonitorConfig, Source, Store, Summary, run_once
from blockfeat.monitor.config.settings import PageSettings
from blockfeat.monitor.demo import DemoServer
from blockfeat.monitor.fetching.options import FetchOptions
from blockfeat.monitor.mentions.brand import Brand
from process_memory import resident_megabytes


def main() -> None:
    """Serve, run, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=100)
    parser.add_argument("--pages", type=int, default=50, help="pages of each feed")
    parser.add_argument("--jobs", type=int, default=1, help="processes that read; 0: in the process itself")
    parser.add_argument("--store", help="address of an empty store; a temporary SQLite file by default")
    options = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_serve, args=(theirs, options.feeds, options.pages), daemon=True)
    process.start()
    feeds, brands = ours.recv()
    try:
        with tempfile.TemporaryDirectory() as folder:
            config = MonitorConfig(
                store=options.store or str(Path(folder) / "load.db"),
                sources=(Source(feeds),),
                brands=tuple(map(Brand, brands)),
                fetch=FetchOptions(delay=0.0, per_host=2, allow_networks=("127.0.0.0/8",)),
                pages=PageSettings(max_age=None, jobs=options.jobs),
            )
            _measure(config, options.feeds * options.pages, process.pid or 0)
    finally:
        process.kill()


def _serve(line: multiprocessing.connection.Connection, feeds: int, pages: int) -> None:
    """Serve until killed; send the address of the list of feeds, and the brands that their pages name."""
    with DemoServer(feeds=feeds, pages=pages) as server:
        named = {name for site in server.sites("many") for page in site.pages for name in (*page.brands, *page.around)}
        line.send((server.list_url("many"), sorted(named)))
        line.recv()


def _measure(config: MonitorConfig, expected: int, server: int) -> None:
    samples: list[tuple[int, float, float]] = []
    start = time.monotonic()

    def on_progress(summary: Summary) -> None:
        if summary.done // max(expected // 20, 1) >= len(samples) and summary.done:
            samples.append((summary.done, time.monotonic() - start, resident_megabytes(os.getpid(), without=server)))

    summary = asyncio.run(run_once(config, on_progress=on_progress))
    seconds = time.monotonic() - start
    print(f"{'pages':>7} {'seconds':>8} {'MB':>7}")
    for done, at, memory in samples:
        print(f"{done:>7} {at:>8.1f} {memory:>7.1f}")
    with Store.open(config.store) as store:
        status = store.status(now=time.time())
    print(f"{summary.done} of {expected} pages in {seconds:.1f} s: {summary.done / seconds:.1f} pages a second")
    failed = len(summary.failures)
    print(f"pages {dict(summary.pages)}, {status.copies} copies, {status.mentions} mentions, {failed} failed")


if __name__ == "__main__":
    main()
