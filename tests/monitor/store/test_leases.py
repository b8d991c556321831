"""Hosts that one of several runs on a store has to itself."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from sqlalchemy import text

from blockfeat.errors import StoreError
from blockfeat.monitor.config import Source
from blockfeat.monitor.store.store import Store
from stored_pages import NOW, add


@pytest.fixture
def shared(postgres: str, request: pytest.FixtureRequest) -> str:
    """Address of an empty store in PostgreSQL."""
    from sqlalchemy import create_engine

    name = f"shared_{abs(hash(request.node.nodeid)) % 10**9}"
    engine = create_engine(postgres.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return postgres.replace("/postgres?", f"/{name}?")


def test_an_sqlite_file_is_not_shared(tmp_path: object) -> None:
    refused = pytest.raises(StoreError, match="one run at a time")
    with Store.open(f"{tmp_path}/m.db") as store, refused, store.lock(shared=True):
        pass


def test_runs_that_share_the_store_keep_others_out(shared: str) -> None:
    with Store.open(shared) as one, Store.open(shared) as two, Store.open(shared) as three:
        with one.lock(shared=True) as first, two.lock(shared=True) as second:
            assert first != second
            with pytest.raises(StoreError, match="another run"), three.lock():
                pass
        with three.lock(), pytest.raises(StoreError, match="another run"), one.lock(shared=True):
            pass


def test_a_host_is_one_runs_until_it_is_given_back_or_the_run_is_gone(shared: str) -> None:
    with Store.open(shared) as one, Store.open(shared) as two, two.lock(shared=True) as second:
        with one.lock(shared=True) as first:
            assert one.claim(["a.example", "b.example"], holder=first, now=NOW) == {"a.example", "b.example"}
            assert two.claim(["a.example", "c.example"], holder=second, now=NOW) == {"c.example"}
            assert one.claim(["a.example"], holder=first, now=NOW) == {"a.example"}
            # What is another's is not given back.
            two.release({"a.example": NOW}, holder=second)
            assert two.claim(["a.example"], holder=second, now=NOW) == set()
            one.release({"a.example": NOW + 3}, holder=first)
            assert two.claim(["a.example"], holder=second, now=NOW + 2) == set()
            assert two.claim(["a.example"], holder=second, now=NOW + 3) == {"a.example"}
            assert two.claim(["b.example"], holder=second, now=NOW + 99) == set()
        assert two.claim(["b.example"], holder=second, now=NOW + 1) == set()
        assert two.claim(["b.example"], holder=second, now=NOW + 9) == {"b.example"}


def test_feeds_and_pages_of_a_host_are_one_runs(shared: str) -> None:
    urls = ["http://a.example/1.xml", "http://a.example/2.xml", "http://b.example/1.xml", "http://c.example/1.xml"]
    with Store.open(shared) as one, Store.open(shared) as two:
        add(one, "a.example/1", "b.example/1", "d.example/1")
        one.add_sources([Source(url) for url in urls], [], now=NOW)
        with one.lock(shared=True) as first, two.lock(shared=True) as second:
            options = {"now": NOW, "besides": set()}
            mine = one.claim_feeds(holder=first, limit=2, **options)
            assert ([feed.url for feed in mine.items], mine.hosts) == (urls[:2], {"a.example"})
            theirs = two.claim_feeds(holder=second, limit=9, **options)
            assert ([feed.url for feed in theirs.items], theirs.is_all) == (urls[2:], False)
            names = {"now": NOW, "limit": 9, "of_each_host": 9, "besides": [], "hosts": ["a.example", "d.example"]}
            pages = two.claim_pages(holder=second, **names)
            assert ([page.host for page in pages.items], pages.is_all) == (["d.example"], False)
            assert [page.host for page in one.claim_pages(holder=first, **names).items] == ["a.example"]
            one.forget_leases(holder=first, now=NOW)
            assert two.claim_pages(holder=second, **names).is_all
