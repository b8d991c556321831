"""The drill: every trap of the demo server, through ten kills and restarts."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from blockfeat.errors import StoreError
from blockfeat.monitor.store.engine import open_engine
from blockfeat.monitor.store.store import Store
from examples.drill_server import DrillServer
from examples.drill_sites import BRAND, BRAND_AROUND, OUTCOMES
from hooks import Hook
from stored_pages import column, execute

pytestmark = pytest.mark.slow

_CALL = [sys.executable, "-c", "from blockfeat.cli import main; main()", "monitor"]
_KILL_AT = (1, 2, 4, 6, 8, 10, 12, 14, 16, 18)
_CONFIG = """
monitor = {{ store = "{store}", stream = "mentions.jsonl", stream_clutter = true }}
sources = [{{ url = "{feeds}" }}]
brands = [{{ name = "{brand}" }}, {{ name = "{around}" }}]
webhooks = [{{ url = "{hook}" }}]
pages = {{ max_age = "off", attempts = 1 }}
fetch = {{ {fetch} }}
"""
_FETCH = (
    'delay = "30ms", per_host = 2, attempts = 2, first_wait = "20ms", max_wait = "50ms", read_timeout = "2s", '
    'timeout = "3s", max_bytes = "1 MB", allow_networks = ["127.0.0.1/32"]'
)


@pytest.fixture
def server() -> Iterator[DrillServer]:
    with DrillServer(retry_after=1) as demo:
        yield demo


def _configured(folder: Path, server: DrillServer, address: str, hook: str) -> Path:
    path = folder / "monitor.toml"
    brands = {"brand": BRAND, "around": BRAND_AROUND}
    text = _CONFIG.format(fetch=_FETCH, hook=hook, feeds=server.list_url("drill"), store=address, **brands)
    path.write_text(text, encoding="utf-8")
    return path


def _finished(address: str) -> dict[str, tuple[str, int]]:
    """Return what the store reports as done: the pages with status and version."""
    try:
        with Store(address, open_engine(address, create=False)) as store:
            rows = store.query("SELECT url, status, version FROM pages WHERE status != 'waiting'")
    except StoreError:
        # The file or the tables are not there yet.
        return {}
    return {row["url"]: (row["status"], row["version"]) for row in rows}


def _run_and_kill(config: Path, address: str, at: int) -> dict[str, tuple[str, int]]:
    """Run the monitor, kill it once some pages are done, and return what was reported done before the kill."""
    process = subprocess.Popen([*_CALL, str(config), "--once"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    before: dict[str, tuple[str, int]] = {}
    while process.poll() is None and len(before := _finished(address)) < at:
        time.sleep(0.01)
    assert process.poll() is None, "the run ended before it could be killed"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return before


def _run_to_the_end(config: Path, address: str) -> list[str]:
    """Run the monitor until nothing is due and all is delivered, also what a receiver asked to wait with."""
    said = []
    for _ in range(8):
        done = subprocess.run([*_CALL, str(config), "--once"], capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode in (0, 1), done.stderr
        said += done.stderr.splitlines()
        with Store.open(address) as store:
            state = store.status(now=time.time())
        if not state.due and not state.later and not any(sink["pending"] for sink in state.sinks):
            return said
        time.sleep(1.1)
    raise AssertionError("pages are still due")


def _served(server: DrillServer, urls: dict[str, tuple[str, int]]) -> dict[str, int]:
    places = {url: urlsplit(url) for url in urls}
    return {url: server.served((parts.hostname or "").split(".")[0], parts.path) for url, parts in places.items()}


def test_nothing_is_lost_and_nothing_repeated_through_ten_kills(
    tmp_path: Path, server: DrillServer, address: str, hook: Hook
) -> None:
    # It asks for patience first, and refuses what is of one page until it is told not to.
    hook.answers = [(429, {"Retry-After": "1"})]
    hook.refuses = lambda mention: mention["url"].endswith("/updated")
    config = _configured(tmp_path, server, address, hook.url)
    for at in _KILL_AT:
        before = _run_and_kill(config, address, at)
        served = _served(server, before)
        after = _finished(address)
        assert before.items() <= after.items()
    with Store(address, open_engine(address)) as store:
        # Its address led elsewhere at the first poll; a minute later it is asked again.
        execute(store, "UPDATE feed SET due_at = 0 WHERE url LIKE '%stray%'")
    said = _run_to_the_end(config, address)
    assert _served(server, before).items() >= served.items()
    assert not server.forbidden
    with Store.open(address) as store:
        _check_pages(store, server)
        _check_mentions(store, tmp_path / "mentions.jsonl")
        failed = {row["url"] for row in store.rows("pages", where="status = 'error'")}
        assert all(any(url in line for line in said) for url in failed if url not in before)
        _check_deliveries(store, hook, config)
        _check_update(store, server, config, address)
        _check_copies(store, server, config, address)
    assert not server.forbidden


def _check_pages(store: Store, server: DrillServer) -> None:
    """Each page has become what the drill says, once, and each was sent in full as seldom as kills allow."""
    parts = [(urlsplit(row["url"]), row) for row in store.rows("pages")]
    rows = {(url.hostname.split(".")[0], url.path): row for url, row in parts}
    assert set(rows) == {(host, path) for host, paths in OUTCOMES.items() for path in paths}
    for (host, path), row in rows.items():
        outcome = OUTCOMES[host][path]
        assert (row["status"] == "error") == (outcome == "error"), row["url"]
        assert row["copy_of"] is None or path.endswith("/plain"), row["url"]
        assert row["from"] == {"error": None, "feed": "feed"}.get(outcome, "page" if row["version"] else None)
        assert row["same_as"] is None or path == "/moved", row["url"]
        if outcome != "error":
            assert row["version"] == 1
        if outcome not in ("error", "feed"):
            assert server.served(host, path if path != "/moved" else "/moved/here") <= 1 + len(_KILL_AT)
    # Which of the two is the copy depends on which feed came first.
    pair = [rows["drill", "/plain"], rows["agency", "/wire/plain"]]
    assert sorted(row["copy_of"] or "" for row in pair) in (["", pair[0]["url"]], ["", pair[1]["url"]])
    feeds = {row["url"].split("//")[1].split(".")[0]: row for row in store.rows("feeds")}
    assert (feeds["gone"]["retired"], feeds["gone"]["http_status"]) == (None, 410)
    assert feeds["gone"]["failing_since"]
    assert (feeds["stray"]["moved_to"], feeds["stray"]["failures"]) == (None, 0)
    assert "steady" in feeds["moved"]["moved_to"]


def _check_mentions(store: Store, stream: Path) -> None:
    """No mention twice; the brand of the teasers is only clutter; each mention has arrived at the stream."""
    mentions = list(store.rows("mentions"))
    keys = Counter(row["id"] for row in mentions)
    assert max(keys.values()) == 1
    # What a feed says of a page that is not there need not name the brand.
    read = {row["url"] for row in store.rows("pages", where=f"status = 'ok' AND text LIKE '%{BRAND}%'")}
    assert {row["url"] for row in mentions if row["in_article"] and row["brand"] == BRAND} == read
    assert all(row["place"] == "clutter" and not row["counted"] for row in mentions if row["brand"] == BRAND_AROUND)
    assert {row["not_counted_because"] for row in mentions if row["in_copy"] and row["in_article"]} != {None}
    arrived = {json.loads(line)["id"] for line in stream.read_text(encoding="utf-8").splitlines()}
    assert arrived == set(keys)


def _check_deliveries(store: Store, hook: Hook, config: Path) -> None:
    """What the receiver refused waits as dead letters, and arrives when it is delivered again; all else is there."""
    counted = {row["id"]: row["url"] for row in store.rows("mentions", where="counted = 1")}
    refused = {key for key, url in counted.items() if url.endswith("/updated")}
    assert hook.times[1] - hook.times[0] >= 1
    assert hook.taken >= set(counted) - refused
    assert not hook.taken & refused
    (letters,) = store.status(now=time.time()).dead_letters
    assert letters["number"] == len(refused) > 0
    hook.refuses = lambda mention: False
    subprocess.run([*_CALL, "redeliver", str(config)], check=True, capture_output=True, timeout=60)
    assert hook.taken >= set(counted)
    assert store.status(now=time.time()).dead_letters == ()


def _check_copies(store: Store, server: DrillServer, config: Path, address: str) -> None:
    """Where one of two like articles tells another story, none of them is a copy, and the mentions of both count."""
    server.revise()
    execute(store, "UPDATE page SET due_at = 0 WHERE url LIKE '%drill.%/plain'")
    _run_to_the_end(config, address)
    pair = column(store, "pages", "url", "copy_of", where="url LIKE '%/plain'")
    counted = column(store, "mentions", "url", where="url LIKE '%/plain' AND counted = 1")
    assert {(url, None) for url in counted} == set(pair)


def _check_update(store: Store, server: DrillServer, config: Path, address: str) -> None:
    """A changed page replaces its mentions, and what it said before stays as a version."""
    server.revise()
    execute(store, "UPDATE page SET due_at = 0 WHERE url LIKE '%/updated' OR url LIKE '%drill.%/plain'")
    _run_to_the_end(config, address)
    (row,) = store.rows("pages", where="url LIKE '%/updated'")
    (old,) = store.rows("versions")
    assert (row["version"], row["url"]) == (2, old["url"])
    assert ("will vote" in old["text"], "has voted" in row["text"]) == (True, True)
    replaced = {mention["id"] for mention in store.rows("replaced_mentions")}
    current = {mention["id"]: mention for mention in store.rows("mentions", where="url LIKE '%/updated'")}
    assert len(set(current) - replaced) == 1
    # Its sentence was corrected: it is the same mention.
    assert [key in replaced for key, mention in current.items() if "can repair" in mention["sentence"]] == [True]
    assert column(store, "pages", "version", where="url LIKE '%drill.%/plain'") == [1]
