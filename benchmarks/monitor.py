"""What the monitor costs: a page beside its text, an unchanged feed, and memory over many rounds of feeds.

``python -m benchmarks.monitor`` polls 480 feeds of this machine 120 times, as an hour does every 30 seconds; pages are
measured by ``python -m benchmarks monitor``.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.speed import PageInput, SpeedResult, System, measure_speed
from blockfeat.data.corpus import LabelledPage
from blockfeat.extraction.extractor import Extractor
from blockfeat.monitor.config import MonitorConfig, PageSettings, Source
from blockfeat.monitor.crawl.cycle import Summary
from blockfeat.monitor.fetching.options import FetchOptions
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.monitor.run import Monitor, stay
from blockfeat.training.evaluation.metrics import markdown_table

BRANDS = (
    *("Apple", "Google", "BBC", "World Health Organization", "Volkswagen"),
    *("Microsoft", "Amazon", "Facebook", "Netflix", "Tesla", "Samsung", "Toyota", "Siemens", "Lufthansa", "Reuters"),
    *("Deutsche Bank", "Bayern", "Nestlé", "Airbus", "Boeing", "Pfizer", "European Union", "United Nations"),
    *("Le Monde", "Coca-Cola"),
)
"""Names that news has; the first five are those of the small monitor."""
_TEXT = "text"


def measure_pages(model: str, pages: Iterable[LabelledPage], *, passes: int = 5) -> SpeedResult:
    """Time the text, the record and what the monitor makes of the same pages, in turn."""
    extractor = Extractor.load(model)
    systems = [
        System(_TEXT, "", "blockfeat", lambda page: extractor.extract(page.data, url=page.url).text),
        System("record", "", "blockfeat", lambda page: extractor.extract(page.data, url=page.url).to_dict()),
    ]
    for count in (5, len(BRANDS)):
        for evidence in (False, True):
            brands = tuple(map(Brand, BRANDS[:count]))
            settings = ReaderSettings(model, brands, evidence=evidence, least_score=PageSettings().least_score)
            reader = PageReader.of(settings)
            name = f"monitor, {count} brands" + (", evidence" if evidence else "")
            systems.append(System(name, "", "blockfeat", partial(_read, reader)))
    return measure_speed(systems, pages, passes=passes)


def _read(reader: PageReader, page: PageInput) -> object:
    return reader.read(FetchedPage(page.data, page.url or "https://example.org/"))


def pages_table(result: SpeedResult) -> str:
    """Return a row each: milliseconds a page, and the ratio to the text with its quartiles over the passes."""
    rows = []
    for name in result.names:
        low, high = result.quartiles(name, _TEXT) or (float("nan"), float("nan"))
        rows.append(
            [name, f"{1000 * result.mean(name):.2f}", f"{result.ratio(name, _TEXT):.2f} ({low:.2f} to {high:.2f})"]
        )
    return markdown_table(["what", "ms a page", "× text"], rows)


_FEEDS, _ROUNDS = 480, 120
_FEED = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>Ferries</title><link>http://127.0.0.1/</link>
<description>What comes and goes.</description></channel></rss>"""


class _Feeds(BaseHTTPRequestHandler):
    """Answers every address with the same feed, which has not changed for whoever knows it."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer."""
        is_known = self.headers.get("If-None-Match") == '"1"'
        self.send_response(304 if is_known else 200)
        self.send_header("ETag", '"1"')
        if not is_known:
            self.send_header("Content-Type", "application/rss+xml")
            self.send_header("Content-Length", str(len(_FEED)))
        self.end_headers()
        self.wfile.write(b"" if is_known else _FEED)

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""


def serve() -> None:
    """Serve feeds at a free port, which is printed; for a process of its own."""
    with ThreadingHTTPServer(("0.0.0.0", 0), _Feeds) as server:
        sys.stdout.write(f"{server.server_address[1]}\n")
        sys.stdout.flush()
        server.serve_forever()


@contextmanager
def _served() -> Iterator[str]:
    """Yield the port of a server in another process."""
    words = [sys.executable, "-c", "from benchmarks.monitor import serve; serve()"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


class Round(NamedTuple):
    """Seconds of the processor for a round of feeds, and the most memory until its end, in megabytes."""

    seconds: float
    megabytes: float


def measure_feeds(feeds: int, rounds: int) -> list[Round]:
    """Poll feeds round by round; all but the first time they have not changed."""
    found: list[Round] = []
    begun = time.process_time()
    monitors: list[Monitor] = []

    def note(summary: Summary) -> None:
        nonlocal begun
        unread = {name: number for name, number in summary.feeds.items() if name != "unchanged" and number}
        assert not (found and unread), f"{unread} of {summary.feeds}"
        now = time.process_time()
        found.append(Round(now - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
        begun = now
        if len(found) == rounds:
            monitors[0].stop()

    with TemporaryDirectory() as folder, _served() as port:
        addresses = (f"http://127.0.{1 + number // 250}.{1 + number % 250}:{port}/feed" for number in range(feeds))
        fetch = FetchOptions(delay=0.0, allow_networks=("127.0.0.0/8",), render="off")
        config = MonitorConfig(
            sources=tuple(map(Source, addresses)),
            brands=(Brand("Corvane"),),
            store=str(Path(folder) / "store.db"),
            fetch=fetch,
        )
        asyncio.run(stay(config, every=0.0, on_start=monitors.append, on_round=note))
    return found


def main() -> None:
    """Print milliseconds a feed and the memory, of the first rounds and of the last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--feeds", type=int, default=_FEEDS)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    options = parser.parse_args()
    found = measure_feeds(options.feeds, options.rounds)
    best = min(each.seconds for each in found[1:])
    print(f"unchanged feed       {1000 * best / options.feeds:.2f} ms")
    for number in sorted({1, 2, len(found) // 4, len(found) // 2, len(found)}):
        print(f"memory, round {number:<4}   {found[number - 1].megabytes:.1f} MB")


if __name__ == "__main__":
    main()
