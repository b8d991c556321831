"""The live page of a store of a year: CPU seconds for its numbers and the whole page, over all days and by default.

``python -m benchmarks.live_page`` makes a store of 40,000 articles and 100,000 mentions; ``--store FILE`` keeps it.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from blockfeat.monitor.page import choices, overview, page_values
from blockfeat.monitor.reports import Filters
from blockfeat.monitor.store.schema import feed, mention, page
from blockfeat.monitor.store.store import Store

_FEEDS, _PAGES, _MENTIONS, _BRANDS = 480, 40_000, 100_000, 25
_LANGS = ("en", "de", "fr", "pl", "ru", "zh", "ja", "es", "it", "el")
_FIRST = date(2025, 12, 1)
_TIMES = 3


def _feeds() -> Iterator[dict[str, Any]]:
    for number in range(_FEEDS):
        yield {"id": number + 1, "url": f"https://{number}.example/feed.xml", "due_at": 0.0, "failures": 0}


def _pages(chance: random.Random) -> Iterator[dict[str, Any]]:
    text = "The ferry leaves at nine and returns before dark. " * 60
    for number in range(_PAGES):
        day = (_FIRST + timedelta(days=number * 365 // _PAGES)).isoformat()
        source = chance.randrange(_FEEDS)
        url = f"https://{source}.example/{number}"
        known = {"id": number + 1, "key": url, "url": url, "host": f"{source}.example", "feed_id": source + 1}
        moments = {"day": day, "first_seen": f"{day}T08:00:00Z", "published": f"{day}T07:00:00Z", "attempts": 1}
        read = {"status": "ok", "kind": "article", "version": 1, "lang": chance.choice(_LANGS), "origin": "page"}
        yield known | moments | read | {"title": f"Article {number}", "text": text, "evidence": os.urandom(6_000)}


def _mentions(chance: random.Random) -> Iterator[dict[str, Any]]:
    for number in range(_MENTIONS):
        brand = f"Brand {min(int(chance.expovariate(0.3)), _BRANDS - 1)}"
        sentence = f"What {brand} said of it on that day was nothing new to the people of the town."
        place = {"place": "body", "counted": chance.random() < 0.7, "copied": False, "block": 3, "score": 1.0}
        where = {"start": 5, "stop": 5 + len(brand), "text_start": 10, "xpath": "/html/body/p[3]", "relevance": 0.4}
        on = {"page_id": number * _PAGES // _MENTIONS + 1, "version": 1, "first_version": 1, "key": f"{number:024x}"}
        yield {"id": number + 1, "brand": brand, "match": brand, "sentence": sentence} | place | where | on


def fill(store: Store) -> None:
    """Put a year of articles into an empty store."""
    chance = random.Random(7)
    with store.engine.begin() as connection:
        for table, rows in ((feed, _feeds()), (page, _pages(chance)), (mention, _mentions(chance))):
            while some := [*islice(rows, 2000)]:
                connection.execute(table.insert(), some)


def _seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(_TIMES):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return median(times)


def measure(store: Store) -> dict[str, float]:
    """Return the seconds of the processor for parts of the page."""
    today = datetime.now(UTC).date()
    year = Filters(since=_FIRST, until=_FIRST + timedelta(days=364))
    return {
        "choices": _seconds(lambda: choices(store)),
        "numbers of the year": _seconds(lambda: overview(store, year, today=today)),
        "page of the year": _seconds(lambda: page_values(store, year)),
        "page of thirty days": _seconds(lambda: page_values(store, Filters())),
        "page of one brand": _seconds(lambda: page_values(store, year.model_copy(update={"brand": ["Brand 3"]}))),
    }


def main() -> None:
    """Print a line for each part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, help="SQLite file, made where it is absent")
    given = parser.parse_args().store
    with TemporaryDirectory() as folder:
        file = given or Path(folder) / "year.db"
        is_new = not file.exists()
        with Store.open(str(file)) as store:
            if is_new:
                fill(store)
            for name, seconds in measure(store).items():
                print(f"{name:20} {seconds:.3f} s")


if __name__ == "__main__":
    main()
