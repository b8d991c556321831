"""Both databases, SQLite in a file and PostgreSQL as a server of its own in a temporary folder; servers on loopback."""

import os
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from examples.demo import DemoServer
from hooks import Hook
from small_site import Site, serving
from tools.torture import database

# Without the extra monitor there is nothing to test.
collect_ignore_glob = [] if find_spec("sqlalchemy") else ["*"]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Address of an empty server without a network: it listens on a socket in a temporary folder."""
    pytest.importorskip("psycopg", reason="needs the extra monitor")
    with database.running() as server:
        if server is None:
            pytest.skip(database.MISSING)
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Address of an empty store in either database."""
    if request.param == "sqlite":
        return str(tmp_path / "folder" / "monitor.db")
    server: str = request.getfixturevalue("postgres")
    from databases import database as made

    return made(server, f"test_{os.getpid()}_{abs(hash(request.node.nodeid)) % 10**9}")


@pytest.fixture
def store(address: str) -> Iterator[Any]:
    """An empty store in either database."""
    from blockfeat.monitor.store.store import Store

    with Store.open(address) as opened:
        yield opened


@pytest.fixture(scope="session")
def many_sites() -> Iterator[DemoServer]:
    """Four sites with six pages each; the last pages of two are copies."""
    with DemoServer(feeds=4, pages=6) as demo:
        yield demo


@pytest.fixture
def many_pages(many_sites: DemoServer, tmp_path: Path) -> Any:
    """What has a monitor look for all brands in the many sites."""
    from blockfeat.monitor.config import MonitorConfig, PageSettings, Source
    from blockfeat.monitor.fetching import FetchOptions
    from blockfeat.monitor.mentions.brand import Brand

    pages = (page for site in many_sites.sites("many") for page in site.pages)
    return MonitorConfig(
        store=str(tmp_path / "monitor.db"),
        sources=(Source(many_sites.list_url("many")),),
        brands=tuple(map(Brand, sorted({name for page in pages for name in page.brands + page.around}))),
        fetch=FetchOptions(delay=0.0, per_host=4, attempts=1, allow_networks=("127.0.0.1/32",)),
        pages=PageSettings(max_age=None, jobs=0),
    )


@pytest.fixture
def site() -> Iterator[Site]:
    """A fresh server whose answers a test sets."""
    with serving() as running:
        yield running


@pytest.fixture
def hook() -> Iterator[Hook]:
    """A server that takes what is posted to it, and answers as the test says."""
    with Hook() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()
