"""Connections to SQLite and PostgreSQL; one writer and one run at a time."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, cast

from sqlalchemy import Connection, Dialect, Engine, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from blockfeat._files import held_alone
from blockfeat.errors import StoreError

WRITES = "blockfeat_writes"
"""Execution option of connections that will write."""
_WAIT_SECONDS = 30


def address_of(where: str) -> URL:
    """Return the database address of a store: a path is an SQLite file.

    Raises
    ------
    StoreError
        The address is of another database, or none.
    """
    if "\0" in where:
        raise StoreError(f"{where!r}: no file has such a name")
    if "://" not in where:
        return URL.create("sqlite", database=where)
    try:
        address = make_url(where)
    except (ArgumentError, ValueError) as error:
        raise StoreError(f"{where}: is no database address") from error
    backend = address.get_backend_name()
    if backend == "postgresql":
        return address.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and address.database:
        return address
    raise StoreError(f"{shown(where)}: a store is an SQLite file or a PostgreSQL address")


def shown(where: str) -> str:
    """Return a store's name for messages, without a password."""
    with suppress(ArgumentError, ValueError):
        return make_url(where).render_as_string(hide_password=True) if "://" in where else where
    return where


def open_engine(where: str, *, create: bool = True) -> Engine:
    """Return an engine for a store; nothing is connected yet.

    Raises
    ------
    StoreError
        The address is bad, the file is absent and ``create`` is false, its folder cannot be made, or the clock stands
        behind the last year that a time has.
    """
    if time.time() > 253_370_764_800:
        raise StoreError("the clock of this machine stands in the year 9999 or later")
    address = address_of(where)
    if address.get_backend_name() == "postgresql":
        options = f"{address.query.get('options', '')} {_NOTICES_DEATH}".strip()
        known = {name: value for name, value in _NOTICES_ABSENCE.items() if name not in address.query}
        engine = create_engine(address, pool_size=2, pool_pre_ping=True, connect_args={**known, "options": options})
        event.listen(engine, "do_connect", partial(_connect, shown(where)))
        return engine
    path = Path(address.database or "")
    if not path.exists():
        if not create:
            raise StoreError(f"{path}: there is no store; blockfeat monitor makes it")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{path}: cannot be made: {error.strerror or error}") from error
    engine = create_engine(address, connect_args={"timeout": _WAIT_SECONDS})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _connect(name: str, dialect: Dialect, record: Any, words: Any, options: dict[str, Any]) -> Any:
    """Return a connection to PostgreSQL; raise StoreError where its database cannot hold every character."""
    connection: Any = dialect.connect(*words, **options)
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        connection.close()
        raise StoreError(f"{name}: has the encoding {encoding}, and a store needs UTF8 (createdb -T template0 -E UTF8)")
    return connection


def _prepare(connection: sqlite3.Connection, record: Any) -> None:
    """Set up a connection: readers never wait for the writer, and a commit survives a power cut."""
    connection.isolation_level = None
    # SQLite's own knows the letters of ASCII only.
    connection.create_function("lower", 1, lambda text: text and text.lower(), deterministic=True)
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    """Begin a transaction explicitly: the driver would leave DDL statements out of it."""
    is_writing = connection.get_execution_options().get(WRITES)
    # A transaction that reads first and writes then fails where another has written in between.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


def is_of_database(error: Exception) -> bool:
    """Return whether an error of the store is one of its disk or server, and not of what was to be stored."""
    return isinstance(error.__cause__, OperationalError)


def take_turn(connection: Connection) -> int | None:
    """Let transactions that write follow each other, as SQLite does: what one has read, no other changes meanwhile.

    Returns the number by which PostgreSQL knows the transaction.
    """
    if connection.dialect.name != "postgresql":
        return None
    return cast("int", connection.execute(_TURN, {"number": _NUMBER + 1}).scalar_one())


def was_kept(connection: Connection, number: int | None) -> bool:
    """Return whether a transaction, whose end was not learnt, is among what PostgreSQL has kept."""
    return number is not None and connection.scalar(_OUTCOME, {"number": number}) == "committed"


def is_away(error: SQLAlchemyError) -> bool:
    """Return whether PostgreSQL could not be reached, was ended, or is starting."""
    if not isinstance(error, DBAPIError):
        return False
    state = getattr(error.orig, "sqlstate", "")
    is_lost = isinstance(error, OperationalError) and (state is None or state.startswith(("08", "57P")))
    return error.connection_invalidated or is_lost


def reason_of(error: SQLAlchemyError, engine: Engine) -> str:
    """Return in one line why the database refused, as the system says it where SQLite does not."""
    reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
    file = engine.url.database
    if engine.dialect.name == "sqlite" and file and isinstance(error, OperationalError):
        try:
            with TemporaryFile(dir=os.path.dirname(file) or ".") as probe:
                probe.write(bytes(_PROBED))
            with suppress(FileNotFoundError), open(file, "r+b"):
                pass
        except OSError as cause:
            return f"{reason} ({cause.strerror})"
    return reason


def insert_or(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Return an insert that knows ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def upsert(connection: Connection, table: Table, values: dict[str, Any], *keys: str) -> None:
    """Add a row, or give the one with the same keys these values."""
    added = insert_or(connection.dialect.name, table).values(values)
    connection.execute(added.on_conflict_do_update(index_elements=list(keys), set_=values))


# The number of the advisory lock in a PostgreSQL database: "blockfeat" as bytes, cut to eight.
_NUMBER = int.from_bytes(b"blockfea", "big")
_IS_HELD = text(
    "SELECT 1 FROM pg_locks, blockfeat_meta WHERE locktype = 'advisory' AND granted AND pid = :pid "
    f"AND classid = {_NUMBER >> 32} AND objid = {_NUMBER & 0xFFFFFFFF} "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND key = 'holder' AND value = :mark"
)
_LOCK = text(f"SELECT pg_backend_pid() WHERE pg_try_advisory_lock({_NUMBER})")
_UNLOCK = text(f"SELECT pg_advisory_unlock({_NUMBER})")
_SIGN = text("INSERT INTO blockfeat_meta VALUES ('holder', :mark) ON CONFLICT (key) DO UPDATE SET value = :mark")
_HOLDER = text("SELECT value FROM blockfeat_meta WHERE key = 'holder'")
# A machine that vanishes in the middle of a transaction holds the others up for two minutes.
_TURN = text(
    "SELECT txid_current() FROM pg_advisory_xact_lock(:number), "
    "set_config('idle_in_transaction_session_timeout', '120s', true)"
)
_OUTCOME = text("SELECT txid_status(:number)")
_NOTICES_DEATH = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"
# The other way round: seconds, and for the last milliseconds, after which a server that is silent is taken for away.
_NOTICES_ABSENCE = {
    **{"connect_timeout": 10, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3},
    "tcp_user_timeout": 20_000,
}
_PROBED = 65_536


Check = Callable[[Connection], None]
"""Raises `StoreError` where a lock was lost."""


class _Session:
    """An advisory lock of a session, taken again where the session has ended and no other run was at work since."""

    def __init__(self, engine: Engine, lost: StoreError) -> None:
        self._engine = engine
        self._lost = lost
        self._mark = os.urandom(8).hex()
        if not self._take():
            raise BlockingIOError
        with engine.begin() as connection:
            connection.execute(_SIGN, {"mark": self._mark})

    def _take(self) -> bool:
        self._session = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        # Closed at the end, not given back to the pool with the lock.
        self._session.detach()
        self._pid = self._session.scalar(_LOCK)
        return self._pid is not None

    def check(self, connection: Connection) -> None:
        """Raise StoreError where another run has, or has had, the lock."""
        if not connection.scalar(_IS_HELD, {"pid": self._pid, "mark": self._mark}):
            self.close()
            if not self._take() or connection.scalar(_HOLDER) != self._mark:
                raise self._lost

    def close(self) -> None:
        """Release the lock."""
        # The server would notice only some time later that the session is closed.
        with suppress(SQLAlchemyError):
            self._session.execute(_UNLOCK)
        with suppress(SQLAlchemyError):
            self._session.close()


@contextmanager
def locked(engine: Engine, *, name: str) -> Iterator[Check]:
    """Hold the lock of a store; yield what checks, in a transaction that will write, that it is still held.

    For SQLite it is a locked file beside the store, which the system unlocks when the process ends; for PostgreSQL an
    advisory lock of the session.

    Raises
    ------
    StoreError
        Another process has it.
    """
    lost = StoreError(f"{name}: the lock of the store was lost, and another run may have it: this one ends")
    if engine.dialect.name == "postgresql":
        try:
            session = _Session(engine, lost)
        except BlockingIOError as error:
            raise StoreError(f"{name}: another run is at work on this store") from error
        except SQLAlchemyError as error:
            raise StoreError(f"{name}: {reason_of(error, engine)}") from error
        with closing(session):
            yield session.check
        return
    # By its own name, whatever links lead to it; the database and its lock may not change behind the run.
    database = os.path.realpath(engine.url.database or "")
    files = (database, f"{database}.lock")
    with ExitStack() as stack:
        try:
            stack.enter_context(held_alone(files[1]))
            mine = [os.stat(file) for file in files]
        except BlockingIOError as error:
            raise StoreError(f"{name}: another run is at work on this store") from error
        except OSError as error:
            raise StoreError(f"{name}: cannot be locked: {error.strerror or error}") from error
        if (names := mine[0].st_nlink) > 1:
            raise StoreError(
                f"{name}: the file has {names} names (hard links), and SQLite a log for each: only one may stay"
            )

        def check_files(connection: Connection) -> None:
            with suppress(FileNotFoundError):
                if all(os.path.samestat(known, os.stat(file)) for known, file in zip(mine, files, strict=True)):
                    return
            raise lost

        yield check_files
