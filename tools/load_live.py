"""Measure the live page of a monitor on a store of 100,000 mentions.

Command: python tools/load_live.py [--mentions 100000]

Makes a store in a temporary folder (five mentions a page of 600 words, six brands, four languages, forty feeds, half a
year), asks for pages of several filters, and prints the process time of each, best of three.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import insert
from starlette.testclient import TestClient

from blockfeat.monitor.store import schema
from blockfeat.monitor.store.store import Store
from blockfeat.web.guard import ServeSettings
from blockfeat.web.live.app import create_live_app

_BRANDS = ("Apple", "Orange", "Shell", "Target", "Total", "Visa")
_ADDRESSES = (
    *("/", "/?brand=Apple", "/?counted=no", "/?counted=all", "/?q=harbour&lang=de", "/?since=2026-01-01"),
    *("/?before=50000", "/article/30", "/feed.atom", "/feed.atom?brand=Visa", "/mentions.csv?brand=Visa"),
)
_FEEDS, _EACH, _AT_ONCE = 40, 5, 2000


def fill(store: Store, mentions: int) -> None:
    """Add pages and mentions to an empty store."""
    feeds = [{"id": n, "url": f"https://f{n}.example/feed", "due_at": 0, "title": f"Paper {n}"} for n in range(1, 41)]
    with store.engine.begin() as connection:
        connection.execute(insert(schema.feed), feeds)
        rows = list(_pages(mentions // _EACH))
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            connection.execute(insert(schema.page), [page for page, _ in part])
            connection.execute(insert(schema.mention), [mention for _, own in part for mention in own])


def _pages(count: int) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield pages, each with its mentions."""
    chosen = random.Random(1)
    words = ("the", "harbour", "was", "quiet", "on", "monday", "and", "people", "said", "that", "boats", "leave")
    for number in range(1, count + 1):
        moment = f"2026-{chosen.randint(6, 11):02d}-{chosen.randint(1, 28):02d}T08:00:00+00:00"
        text = " ".join(chosen.choices(words, k=600))
        row = {"index": 0, "text": text, "words": 600, "xpath": "/html", "kept": True, "reason": "kept: prose"}
        evidence = zlib.compress(json.dumps([row]).encode())
        is_copy = number % 15 == 0
        page = {
            **{"id": number, "key": f"k{number}", "url": f"https://h{number % 200}.example/{number}"},
            **{"host": f"h{number % 200}.example", "feed_id": number % _FEEDS + 1, "published": moment},
            **{"first_seen": moment, "fetched_at": moment, "status": "ok", "kind": "article", "origin": "page"},
            **{"day": moment[:10]},
            **{"version": 1, "lang": chosen.choice(["de", "en", "fr", "tr"]), "title": f"Quiet day {number}"},
            **{"text": text, "words": 600, "copy_of": number - 1 if is_copy else None, "evidence": evidence},
        }
        own = [
            {
                **{"page_id": number, "version": 1, "first_version": 1, "key": f"m{number}-{each}"},
                **{"brand": chosen.choice(_BRANDS), "place": chosen.choice(["headline", "body", "body", "caption"])},
                **{"counted": chosen.random() < 0.8, "copied": is_copy, "start": 4, "stop": 11, "match": "harbour"},
                **{"sentence": "The harbour was quiet on Monday.", "block": 0, "xpath": "/html", "score": 1.0},
            }
            for each in range(_EACH)
        ]
        yield page, own


def main() -> None:
    """Print the time of each address."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mentions", type=int, default=100_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Store.open(str(Path(folder) / "live.db")) as store:
        fill(store, arguments.mentions)
        app = create_live_app(store, settings=ServeSettings(requests_per_minute=0))
        with TestClient(app, base_url="http://localhost") as client:
            for address in _ADDRESSES:
                times = []
                for _ in range(3):
                    start = time.process_time()
                    status = client.get(address).status_code
                    times.append(time.process_time() - start)
                print(f"{status} {min(times):6.3f} s  {address}")


if __name__ == "__main__":
    main()
