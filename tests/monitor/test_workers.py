"""Several runs on one store: every page once, one killed in the middle."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from sqlalchemy import create_engine, text

from blockfeat.monitor.store.store import Store
from examples.demo import DemoServer
from examples.demo.sites import many_sites

pytestmark = pytest.mark.slow

_CALL = [sys.executable, "-c", "from blockfeat.cli import main; main()", "monitor"]
_HOSTS, _PAGES, _RUNS = 12, 8, 3
_CONFIG = """
[monitor]
store = "{store}"
shared = true
stream = "mentions.jsonl"
stream_clutter = true

[[sources]]
url = "{feeds}"

[[brands]]
name = "{brand}"

[fetch]
delay = "50ms"
allow_networks = ["127.0.0.1/32"]

[pages]
max_age = "off"
"""


@pytest.fixture
def shared(postgres: str) -> str:
    """Address of an empty store in PostgreSQL."""
    engine = create_engine(postgres.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("CREATE DATABASE workers"))
    engine.dispose()
    return postgres.replace("/postgres?", "/workers?")


def _read(store: Store) -> int:
    return int(store.query("SELECT count(*) AS n FROM pages WHERE status != 'waiting'")[0]["n"])


def test_three_runs_do_the_work_of_one_though_one_is_killed(shared: str, tmp_path: Path) -> None:
    with DemoServer(lists={"many": many_sites(_HOSTS, _PAGES)}) as server:
        brand = next(name for site in server.sites("many") for page in site.pages for name in page.brands)
        config = tmp_path / "monitor.toml"
        config.write_text(_CONFIG.format(store=shared, feeds=server.list_url("many"), brand=brand), encoding="utf-8")

        def started() -> subprocess.Popen[bytes]:
            return subprocess.Popen([*_CALL, str(config), "--once", "--quiet"])

        with Store.open(shared) as store:
            runs = [started() for _ in range(_RUNS)]
            while _read(store) < _HOSTS * _PAGES // 4:
                assert None in [run.poll() for run in runs]
                time.sleep(0.05)
            hit = random.Random(2).randrange(_RUNS)
            os.kill(runs[hit].pid, signal.SIGKILL)
            assert [run.wait(timeout=240) for run in runs] == [
                -signal.SIGKILL if number == hit else 0 for number in range(_RUNS)
            ]
            pages = store.query("SELECT url, status, version FROM pages")
            mentions = {row["id"]: row for row in store.rows("mentions")}
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/-/log") as answer:
            visits = [json.loads(line) for line in answer]
    assert len(pages) == _HOSTS * _PAGES
    assert {(page["status"], page["version"]) for page in pages} == {("ok", 1)}
    fetched = Counter((visit["host"], visit["target"]) for visit in visits if visit["target"].startswith("/20"))
    assert len(fetched) == _HOSTS * _PAGES
    # What the killed run had in hand is fetched again, nothing else: one page of a host at a time, and some unsaved.
    assert fetched.total() - len(fetched) <= 32 + 2 * _HOSTS
    polls = Counter((visit["host"], visit["target"]) for visit in visits if "feed" in visit["target"])
    assert max(polls.values()) <= 2
    told = Counter(json.loads(line)["id"] for line in (tmp_path / "mentions.jsonl").read_text("utf-8").splitlines())
    assert set(told) == set(mentions)
    assert mentions
