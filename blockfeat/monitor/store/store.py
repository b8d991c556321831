"""``Store``: the database of a monitor, with migrations of older tables to this version."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, wraps
from os import PathLike, fspath
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from sqlalchemy import BigInteger, Connection, Engine, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateColumn

from blockfeat.errors import StoreError
from blockfeat.monitor.store import engine as sql_engine
from blockfeat.monitor.store import feeds, mentions, outbox, pages, runs, search
from blockfeat.monitor.store.schema import SCHEMA_VERSION, SQL, VIEWS, meta, metadata
from blockfeat.monitor.store.search import create_index
from blockfeat.monitor.store.similar import renew_bands

Migration = str | Callable[[Connection], None]


def widen_numbers(connection: Connection) -> None:
    """Give PostgreSQL's numbers 64 bits; SQLite has them."""
    if connection.dialect.name != "postgresql":
        return
    for name, table in metadata.tables.items():
        columns = [column.name for column in table.columns if isinstance(column.type, BigInteger)]
        for column in columns:
            connection.execute(text(f"ALTER TABLE {name} ALTER COLUMN {column} TYPE BIGINT"))
        if "id" in columns:
            connection.execute(text(f"ALTER SEQUENCE {name}_id_seq AS BIGINT"))


def add_missing(connection: Connection) -> None:
    """Add the tables and columns that a store lacks."""
    metadata.create_all(connection)
    for table in metadata.tables.values():
        present = {column["name"] for column in inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in present:
                words = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {words}"))


_STEPS: Mapping[str, Migration] = {
    step.__name__: step for step in (add_missing, widen_numbers, renew_bands, create_index)
}
MIGRATIONS: Mapping[int, tuple[Migration, ...]] = {
    int(version): tuple(_STEPS.get(step, step) for step in steps) for version, steps in SQL["migrations"].items()
}
"""What brings a store to a version, in order: SQL that both databases know, or a function."""


def schema_version(connection: Connection) -> int:
    """Return the version of a store's tables; 0 for an empty database."""
    if not inspect(connection).has_table(meta.name):
        return 0
    found = connection.scalar(select(meta.c.value).where(meta.c.key == "schema_version"))
    return int(found) if found is not None else 0


def migrate(
    connection: Connection,
    *,
    name: str,
    target: int = SCHEMA_VERSION,
    migrations: Mapping[int, tuple[Migration, ...]] = MIGRATIONS,
) -> None:
    """Make the tables, or bring them to the version of this program; all of it in the transaction of ``connection``.

    Raises
    ------
    StoreError
        The store was made by a newer version, or the database is that of another program.
    """
    found = schema_version(connection)
    if found == target:
        return
    looked_at = inspect(connection)
    there = [] if found else [*looked_at.get_table_names(), *looked_at.get_view_names()]
    if there and (connection.dialect.name == "sqlite" or {*there} & {*metadata.tables, *VIEWS}):
        raise StoreError(f"{name}: is a database of another program, with {there[0]!r}")
    if found > target:
        raise StoreError(f"{name}: was written by a newer blockfeat (schema {found}, this one knows {target})")
    for view in reversed(VIEWS):
        connection.execute(text(f"DROP VIEW IF EXISTS {view}"))
    if found == 0:
        metadata.create_all(connection)
        create_index(connection)
        connection.execute(meta.insert().values(key="schema_version", value=str(target)))
    else:
        for statement in (each for version, some in migrations.items() if version > found for each in some):
            if callable(statement):
                statement(connection)
            else:
                connection.execute(text(statement))
        connection.execute(meta.update().where(meta.c.key == "schema_version").values(value=str(target)))
    for view, query in VIEWS.items():
        connection.execute(text(f"CREATE VIEW {view} AS {query}"))


P = ParamSpec("P")
T = TypeVar("T")

_ROWS_AT_ONCE = 500
# Seconds for which a run waits for a database that is away, and between two tries.
_PATIENCE, _PAUSE = 60.0, 1.0


def _method(function: Callable[Concatenate[Connection, P], T], *, writes: bool) -> Callable[Concatenate[Store, P], T]:
    """Return the method of a store that calls a function in a transaction."""

    @wraps(function)
    def method(store: Store, /, *args: P.args, **options: P.kwargs) -> T:
        return store._do(lambda connection: function(connection, *args, **options), writes=writes)

    return method


_reads, _writes = partial(_method, writes=False), partial(_method, writes=True)


@dataclass(frozen=True)
class Store:
    """An open store; make one with `Store.open`. Each method is one transaction.

    Attributes
    ----------
    name : str
        Path or address, without a password.
    engine : sqlalchemy.Engine
        For queries of your own; the views are `blockfeat.monitor.store.schema.VIEWS`.
    """

    name: str
    engine: Engine
    _checks: list[sql_engine.Check] = field(default_factory=list, repr=False, compare=False)
    # Since when the database is away in a run, by time.monotonic().
    _away: list[float] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def open(cls, where: str | PathLike[str], *, create: bool = True) -> Store:
        """Open a store and bring its tables to this version.

        Parameters
        ----------
        where : str or path
            Path of an SQLite file, or ``postgresql://user@host/name``.
        create : bool
            Whether an absent SQLite file is made.

        Raises
        ------
        StoreError
            It cannot be opened, or a newer version has written it.
        """
        where = fspath(where)
        store = cls(sql_engine.shown(where), sql_engine.open_engine(where, create=create))
        if store._do(schema_version) != SCHEMA_VERSION:
            store._do(partial(migrate, name=store.name), writes=True)
        return store

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def __enter__(self) -> Store:
        """Return the store."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the store."""
        self.close()

    def _do(self, work: Callable[[Connection], T], *, writes: bool = False) -> T:
        """Return what some work gives in a transaction, whose changes are all kept or all dropped.

        Where PostgreSQL goes away in a run, this waits for it and does the transaction again, unless it was kept.
        """
        tried: int | None = None
        result: Any = None
        while True:
            try:
                plain = self.engine.connect()
                with plain.execution_options(**{sql_engine.WRITES: writes}) as connection, connection.begin():
                    if writes:
                        number = sql_engine.take_turn(connection)
                        if sql_engine.was_kept(connection, tried):
                            return cast("T", result)
                        tried = number
                        for check in self._checks:
                            check(connection)
                    result = work(connection)
            except SQLAlchemyError as error:
                self._wait(error)
            else:
                self._away.clear()
                return cast("T", result)

    def _wait(self, error: SQLAlchemyError) -> None:
        """Wait a moment in a run whose database is away; raise StoreError for all else, and where it stays away."""
        reason = f"{self.name}: {sql_engine.reason_of(error, self.engine)}"
        if not self._checks or not sql_engine.is_away(error):
            raise StoreError(reason) from error
        if not self._away:
            self._away.append(time.monotonic())
            logging.getLogger("blockfeat.monitor").warning("%s: the run waits", reason, extra={"event": "store away"})
        if time.monotonic() - self._away[0] > _PATIENCE:
            raise StoreError(f"{reason} (for more than {_PATIENCE:.0f} s)") from error
        time.sleep(_PAUSE)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the store's lock, which one run at a time has.

        Raises `StoreError` where another process has it. Where it is lost in between, this store refuses to write.
        """
        with sql_engine.locked(self.engine, name=self.name) as check:
            self._checks.append(check)
            try:
                yield
            finally:
                self._checks.remove(check)

    add_sources = _writes(feeds.add_sources)
    add_entries = _writes(feeds.add_named)
    begin_run = _writes(runs.begin_run)
    mend_clock = _writes(feeds.mend_clock)
    due_feeds = _reads(feeds.due_feeds)
    held_hosts = _writes(feeds.held_hosts)
    delay_feed = _writes(feeds.delay_feed)
    save_poll = _writes(feeds.save_poll)
    entry_text = _reads(feeds.entry_text)
    next_due = _reads(feeds.next_due)

    due_hosts = _reads(pages.due_hosts)
    due_pages = _reads(pages.due_pages)
    save_visits = _writes(pages.save_visits)

    stored_page = _reads(mentions.stored_page)
    stored_pages = _reads(mentions.stored_pages)
    count_stored_pages = _reads(mentions.count_stored_pages)
    match_again = _writes(mentions.match_again)

    articles = _reads(search.search)
    fulfilling = _reads(search.fulfilling)
    has_article = _reads(search.has_article)

    purge = _writes(runs.purge)
    forget_old = _writes(runs.forget_old)
    set_timezone = _writes(runs.set_timezone)
    today = _reads(runs.today)
    collecting_since = _reads(runs.collecting_since)

    judge = _writes(mentions.judge)
    count_judged = _reads(mentions.count_judged)
    mentions_for_learning = _reads(mentions.mentions_for_learning)
    save_lesson = _writes(mentions.save_lesson)
    lessons = _reads(mentions.lessons)
    forget_lesson = _writes(mentions.forget_lesson)

    set_sinks = _writes(outbox.add_sinks)
    first_event = _reads(outbox.first_event)
    undelivered = _reads(outbox.undelivered)
    note_delivery = _writes(outbox.note_delivery)
    last_turn = _writes(outbox.last_turn)
    note_turn = _writes(outbox.note_turn)
    note_spikes = _writes(outbox.note_spikes)
    note_failed_delivery = _writes(outbox.note_failure)
    failures_of = _reads(outbox.failures_of)
    give_up = _writes(outbox.give_up)
    dead_letters = _reads(outbox.dead_letters)
    forget_letters = _writes(outbox.forget_letters)
    end_run = _writes(runs.end_run)
    keep_alive = _writes(runs.keep_alive)
    trouble = _reads(runs.trouble_of)
    set_password = _writes(runs.set_password)
    password_hash = _reads(runs.password_hash)
    retry = _writes(runs.retry)
    unexpected_failures = _reads(runs.unexpected_failures)
    status = _reads(runs.status_of)

    def rows(self, view: str, *, where: str = "") -> Iterator[dict[str, Any]]:
        """Yield the rows of a view, some at a time in memory.

        Parameters
        ----------
        view : str
            A key of `blockfeat.monitor.store.schema.VIEWS`.
        where : str
            An SQL condition.
        """
        if view not in VIEWS:
            raise StoreError(f"{self.name}: there is no view {view!r}; known are {', '.join(VIEWS)}")
        yield from self.stream(f"SELECT * FROM {view} {'WHERE ' + where if where else ''}")

    def columns(self, view: str) -> list[str]:
        """Return the names of the columns of a view."""
        return self._do(lambda connection: list(connection.execute(text(f"SELECT * FROM {view} LIMIT 0")).keys()))

    def stream(self, statement: str, values: Mapping[str, object] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of an SQL query over the views, some at a time in memory."""
        try:
            with self.engine.begin() as connection:
                options = connection.execution_options(yield_per=_ROWS_AT_ONCE)
                found = options.execute(text(statement), dict(values or {}))
                names = tuple(found.keys())
                yield from (dict(zip(names, row, strict=True)) for row in found)
        except SQLAlchemyError as error:
            raise StoreError(f"{self.name}: {sql_engine.reason_of(error, self.engine)}") from error

    def query(self, statement: str, values: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """Return the rows of an SQL query over the views."""
        return list(self.stream(statement, values))
