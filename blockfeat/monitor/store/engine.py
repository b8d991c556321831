"""Connections to SQLite and PostgreSQL; one writer and one run at a time."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError

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
    if "://" not in where:
        return URL.create("sqlite", database=where)
    try:
        address = make_url(where)
    except ArgumentError as error:
        raise StoreError(f"{where}: is no database address") from error
    backend = address.get_backend_name()
    if backend == "postgresql":
        return address.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and address.database:
        return address
    raise StoreError(f"{shown(where)}: a store is an SQLite file or a PostgreSQL address")


def shown(where: str) -> str:
    """Return a store's name for messages, without a password."""
    if "://" not in where:
        return where
    try:
        return make_url(where).render_as_string(hide_password=True)
    except ArgumentError:
        return where


def open_engine(where: str, *, create: bool = True) -> Engine:
    """Return an engine for a store; nothing is connected yet.

    Raises
    ------
    StoreError
        The address is bad, the file is absent and ``create`` is false, or its folder cannot be made.
    """
    address = address_of(where)
    if address.get_backend_name() == "postgresql":
        options = f"{address.query.get('options', '')} {_NOTICES_DEATH}".strip()
        return create_engine(address, pool_size=2, pool_pre_ping=True, connect_args={"options": options})
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


def _prepare(connection: sqlite3.Connection, record: Any) -> None:
    """Set up a connection: readers never wait for the writer, and a commit survives a power cut."""
    connection.isolation_level = None
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


def take_turn(connection: Connection) -> None:
    """Let transactions that write follow each other, as SQLite does: what one has read, no other changes meanwhile."""
    if connection.dialect.name == "postgresql":
        connection.execute(_TURN, {"number": _NUMBER + 1})


def insert_or(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Return an insert that knows ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


# The number of the advisory lock in a PostgreSQL database: "blockfeat" as bytes, cut to eight.
_NUMBER = int.from_bytes(b"blockfea", "big")
_IS_HELD = text(
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = :pid "
    f"AND classid = {_NUMBER >> 32} AND objid = {_NUMBER & 0xFFFFFFFF} "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
# A machine that vanishes in the middle of a transaction holds the others up for two minutes.
_TURN = text("SELECT pg_advisory_xact_lock(:number), set_config('idle_in_transaction_session_timeout', '120s', true)")
_NOTICES_DEATH = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"


Check = Callable[[Connection], None]
"""Raises `StoreError` where a lock was lost."""


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
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as session:
            # Closed at the end, not given back to the pool with the lock.
            session.detach()
            if not session.scalar(text("SELECT pg_try_advisory_lock(:number)"), {"number": _NUMBER}):
                raise StoreError(f"{name}: another run is at work on this store")
            holder = {"pid": session.scalar(text("SELECT pg_backend_pid()"))}

            def check_session(connection: Connection) -> None:
                if not connection.scalar(_IS_HELD, holder):
                    raise lost

            try:
                yield check_session
            finally:
                # The server would notice only some time later that the session is closed.
                with suppress(SQLAlchemyError):
                    session.execute(text("SELECT pg_advisory_unlock(:number)"), {"number": _NUMBER})
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
            try:
                is_mine = all(os.path.samestat(known, os.stat(file)) for known, file in zip(mine, files, strict=True))
            except FileNotFoundError:
                is_mine = False
            if not is_mine:
                raise lost

        yield check_files
