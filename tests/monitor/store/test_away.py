"""PostgreSQL that goes away in a run: the run waits and goes on, and nothing is stored twice or lost."""

import threading
from typing import Any

import pytest
from sqlalchemy import event

from blockfeat.errors import StoreError
from blockfeat.monitor.store import store as module
from blockfeat.monitor.store.store import Store
from databases import database
from stored_pages import NOW, add, execute, mention, save

_END = "SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "


@pytest.fixture
def store(postgres: str) -> Any:
    with Store.open(database(postgres, "away")) as opened:
        yield opened


def _end_sessions(store: Store) -> None:
    """End the sessions of a store, as the server does that is stopped."""
    with Store.open(store.engine.url.render_as_string()) as other:
        execute(other, f"{_END} pg_backend_pid()")


@pytest.mark.parametrize("is_kept", [False, True])
def test_each_transaction_is_done_once_whenever_the_server_goes(
    store: Store, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    left, is_whole, number = 0, False, 0
    dialect = store.engine.dialect

    def end(*_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            _end_sessions(store)

    def commit(connection: Any) -> None:
        connection.commit()
        end()
        if left == 0:
            raise dialect.loaded_dbapi.OperationalError("the server has committed, and could not say so")

    if is_kept:
        monkeypatch.setattr(dialect, "do_commit", commit)
    else:
        event.listen(store.engine, "before_cursor_execute", end)
    monkeypatch.setattr(module, "_PAUSE", 0.01)
    tables = (
        "announced",
        "mention",
        "entry",
        "band",
        "version",
        "page",
        "outbox",
        "run",
        "sink",
        "dead_letter",
        "article_words",
    )
    while not is_whole:
        number += 1
        execute(store, *(f"DELETE FROM {table}" for table in tables))
        with store.lock():
            left = number
            store.begin_run(now=NOW, process="here")
            store.set_sinks(["one"])
            assert save(store, "a.example/1", "Corvane sails.", mention(), announce=True).mentions == 1
            ((last, waiting),) = store.undelivered("one", limit=9)
            store.give_up("one", last, [waiting], "refused", now=NOW)
            is_whole, left = left > 0, 0
        status = store.status(now=NOW)
        assert (len(status.runs), status.pages, status.mentions) == (1, {"ok": 1}, 1)
        assert [letters["number"] for letters in status.dead_letters] == [1]
    assert number > 6


def test_a_run_waits_a_minute_for_its_server_and_no_longer(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect, connect, refusing = store.engine.dialect, store.engine.dialect.connect, threading.Event()

    def refuse(*words: Any, **options: Any) -> Any:
        if refusing.is_set():
            raise dialect.loaded_dbapi.OperationalError("connection refused")
        return connect(*words, **options)

    monkeypatch.setattr(dialect, "connect", refuse)
    with store.lock():
        refusing.set()
        _end_sessions(store)
        threading.Timer(1.5, refusing.clear).start()
        add(store, "a.example/1")
        assert store.next_due() == NOW
        monkeypatch.setattr(module, "_PATIENCE", 0.5)
        refusing.set()
        _end_sessions(store)
        with pytest.raises(StoreError, match=r"away.*: connection refused \(for more than 0 s\)"):
            add(store, "a.example/2")
    # Nothing else than a run waits.
    with pytest.raises(StoreError, match="refused"):
        store.next_due()


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_of_another_encoding_is_refused_by_name(postgres: str, encoding: str) -> None:
    address = database(postgres, "other", f"TEMPLATE template0 ENCODING {encoding} LC_COLLATE 'C' LC_CTYPE 'C'")
    with pytest.raises(StoreError, match=f"other.*has the encoding {encoding}, and a store needs UTF8"):
        Store.open(address)


def test_a_server_that_is_away_when_the_lock_is_taken_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = store.engine.dialect

    def refuse(*words: Any, **options: Any) -> Any:
        raise dialect.loaded_dbapi.OperationalError("connection refused\nIs the server running?")

    store.engine.dispose()
    monkeypatch.setattr(dialect, "connect", refuse)
    with pytest.raises(StoreError, match=r"/away: connection refused$|: connection refused$"), store.lock():
        pass
