"""PostgreSQL that goes away in a run: the run waits and goes on, and nothing is stored twice or lost."""

import os
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import create_engine, text

from blockfeat.errors import StoreError
from blockfeat.monitor.store import store as module
from blockfeat.monitor.store.store import Store
from stored_pages import NOW, add, execute, mention, save


class Wire(socketserver.ThreadingUnixStreamServer):
    """Stands between a store and its server, and cuts every connection at the ``cut``-th message of the store.

    The server still does what that message says; that it has done so, the store does not learn.
    """

    daemon_threads = True

    def __init__(self, folder: Path, server: str) -> None:
        self.cut, self.is_open, self.server, self.ends = 0, True, server, list[socket.socket]()
        super().__init__(str(folder / ".s.PGSQL.5432"), _Passing)

    def end(self) -> None:
        """Cut every connection."""
        for end in (self.ends.pop() for _ in range(len(self.ends))):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class _Passing(socketserver.BaseRequestHandler):
    server: Wire

    def handle(self) -> None:
        if self.server.is_open:
            with socket.socket(socket.AF_UNIX) as other:
                other.connect(self.server.server)
                self.server.ends += [self.request, other]
                back = threading.Thread(target=self._pass_back, args=(other,), daemon=True)
                back.start()
                with suppress(OSError):
                    while data := self.request.recv(1 << 16):
                        self.server.cut -= 1
                        if self.server.cut == 0:
                            self.server.ends.remove(other)
                            self.server.end()
                        other.sendall(data)
                with suppress(OSError):
                    other.shutdown(socket.SHUT_WR)
                back.join()

    def _pass_back(self, other: socket.socket) -> None:
        with suppress(OSError):
            while data := other.recv(1 << 16):
                self.request.sendall(data)
            self.request.shutdown(socket.SHUT_RDWR)


def _database(server: str, name: str, options: str = "") -> str:
    """Make a database in the server; return its address."""
    engine = create_engine(server.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE IF EXISTS {name}"))
        connection.execute(text(f"CREATE DATABASE {name} {options}"))
    engine.dispose()
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture
def wire(postgres: str) -> Iterator[tuple[Wire, Store]]:
    address = _database(postgres, f"away_{os.getpid()}")
    start, _, there = address.rpartition("=")
    with TemporaryDirectory() as folder, Wire(Path(folder), f"{there}/.s.PGSQL.5432") as wire:
        serving = threading.Thread(target=wire.serve_forever, args=(0.01,), daemon=True)
        serving.start()
        with Store.open(f"{start}={folder}") as store:
            yield wire, store
        wire.end()
        wire.shutdown()
        serving.join()


def test_each_transaction_is_done_once_whenever_the_server_goes(
    wire: tuple[Wire, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    between, store = wire
    monkeypatch.setattr(module, "_PAUSE", 0.01)
    tables = ("mention", "entry", "band", "version", "page", "outbox", "run", "sink", "dead_letter", "article_words")
    cut, is_whole = 0, False
    while not is_whole:
        cut += 1
        execute(store, *(f"DELETE FROM {table}" for table in tables))
        with store.lock():
            between.cut = cut
            store.begin_run(now=NOW, process="here")
            store.set_sinks(["one"])
            assert save(store, "a.example/1", "Corvane sails.", mention(), announce=True).mentions == 1
            (event,) = store.undelivered("one", limit=9)
            store.give_up("one", event[0], [event[1]], "refused", now=NOW)
            is_whole, between.cut = between.cut > 0, 0
        status = store.status(now=NOW)
        assert (len(status.runs), status.pages, status.mentions) == (1, {"ok": 1}, 1)
        assert [letters["number"] for letters in status.dead_letters] == [1]
    assert cut > 20


def test_a_run_waits_a_minute_for_its_server_and_no_longer(
    wire: tuple[Wire, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    between, store = wire
    with store.lock():
        for patience, waits in ((60.0, True), (0.5, False)):
            monkeypatch.setattr(module, "_PATIENCE", patience)
            between.is_open = False
            between.end()
            if waits:
                threading.Timer(1.5, setattr, (between, "is_open", True)).start()
                add(store, "a.example/1")
                assert store.next_due() == NOW
        with pytest.raises(StoreError, match=r"away_.* \(for more than 0 s\)"):
            add(store, "a.example/2")
    # Nothing else than a run waits.
    with pytest.raises(StoreError, match="closed the connection"):
        store.next_due()


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_of_another_encoding_is_refused_by_name(postgres: str, encoding: str) -> None:
    made = f"TEMPLATE template0 ENCODING {encoding} LC_COLLATE 'C' LC_CTYPE 'C'"
    address = _database(postgres, f"other_{encoding.lower()}", made)
    with pytest.raises(StoreError, match=f"other_.*has the encoding {encoding}, and a store needs UTF8"):
        Store.open(address)
