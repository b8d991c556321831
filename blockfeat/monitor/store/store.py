"""``Store``: what a monitor has seen, found and still has to do."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, select, text
from sqlalchemy.exc import SQLAlchemyError

from blockfeat.errors import StoreError
from blockfeat.monitor.config import Source
from blockfeat.monitor.store import feedback, feeds, mentions, pages, retention, runs, search, spikes
from blockfeat.monitor.store.engine import WRITES, Check, locked, open_engine, shown, take_turn
from blockfeat.monitor.store.migrations import migrate, schema_version
from blockfeat.monitor.store.records import DueFeed, NewEntry
from blockfeat.monitor.store.schema import SCHEMA_VERSION, VIEWS, page

P = ParamSpec("P")
T = TypeVar("T")

_ROWS_AT_ONCE = 500


def _reads(function: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Return the method of a store that calls a function in a transaction that only reads."""

    @wraps(function)
    def method(store: Store, /, *args: P.args, **options: P.kwargs) -> T:
        with store._reading() as connection:
            return function(connection, *args, **options)

    return method


def _writes(function: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Return the method of a store that calls a function in a transaction that writes."""

    @wraps(function)
    def method(store: Store, /, *args: P.args, **options: P.kwargs) -> T:
        with store._writing() as connection:
            return function(connection, *args, **options)

    return method


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
    _checks: list[Check] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def open(cls, where: str, *, create: bool = True) -> Store:
        """Open a store and bring its tables to this version.

        Parameters
        ----------
        where : str
            Path of an SQLite file, or ``postgresql://user@host/name``.
        create : bool
            Whether an absent SQLite file is made.

        Raises
        ------
        StoreError
            It cannot be opened, or a newer version has written it.
        """
        store = cls(shown(where), open_engine(where, create=create))
        with store._reading() as connection:
            is_current = schema_version(connection) == SCHEMA_VERSION
        if not is_current:
            with store._writing() as connection:
                migrate(connection, name=store.name)
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

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the store."""
        with self._named_errors(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Yield a connection whose changes are all kept or all dropped."""
        with self._named_errors(), self.engine.connect() as connection:
            writing = connection.execution_options(**{WRITES: True})
            with writing.begin():
                take_turn(writing)
                for check in self._checks:
                    check(writing)
                yield writing

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Turn errors of the database into one that names the store."""
        try:
            yield
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
            raise StoreError(f"{self.name}: {reason}") from error

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the store's lock, which one run at a time has.

        Raises `StoreError` where another process has it. Where it is lost in between, this store refuses to write.
        """
        with locked(self.engine, name=self.name) as check:
            self._checks.append(check)
            try:
                yield
            finally:
                self._checks.remove(check)

    def add_sources(self, sources: Sequence[Source], entries: Iterable[NewEntry], *, now: float) -> int:
        """Set the feeds, and add the pages, that the configuration names; return the number of new pages."""
        wanted = [source for source in sources if source.kind == "feed"]
        with self._writing() as connection:
            given = [(source.url, source.lang, source.every) for source in wanted]
            feeds.add_feeds(connection, given, now=now)
            feeds.retire_absent(connection, [source.url for source in wanted], now=now)
            return feeds.add_entries(connection, entries, now=now)

    def add_entries(self, feed: DueFeed, entries: Iterable[NewEntry], *, now: float) -> int:
        """Add some pages that a feed names, before its poll is saved; return the number of new or updated ones."""
        with self._writing() as connection:
            return feeds.add_entries(connection, entries, now=now, feed_id=feed.id, lang=feed.lang)

    def begin_run(self, *, now: float, process: str, environment: str = "") -> int:
        """Note that a run begins, and mend what one with a wrong clock or in another environment has left.

        Returns the number of the run.
        """
        with self._writing() as connection:
            feeds.mend_clock(connection, now=now)
            runs.retry(connection, now=now, environment=environment)
            return runs.begin_run(connection, now=now, process=process)

    due_feeds = _reads(feeds.due_feeds)
    held_hosts = _writes(feeds.held_hosts)
    delay_feed = _writes(feeds.delay_feed)
    save_poll = _writes(feeds.save_poll)
    entry_text = _reads(feeds.entry_text)
    next_due = _reads(feeds.next_due)

    due_hosts = _reads(pages.due_hosts)
    due_pages = _reads(pages.due_pages)
    save_visits = _writes(pages.save_visits)

    stored_pages = _reads(mentions.stored_pages)
    count_stored_pages = _reads(mentions.count_stored_pages)
    add_past_mentions = _writes(mentions.add_past_mentions)

    articles = _reads(search.search)
    has_article = _reads(search.has_article)

    purge = _writes(retention.purge)
    forget_old = _writes(retention.forget_old)
    set_timezone = _writes(retention.set_timezone)

    judge = _writes(feedback.judge)
    count_judged = _reads(feedback.count_judged)
    mentions_for_learning = _reads(feedback.mentions_for_learning)
    save_lesson = _writes(feedback.save_lesson)
    lessons = _reads(feedback.lessons)
    forget_lesson = _writes(feedback.forget_lesson)

    set_sinks = _writes(runs.add_sinks)
    undelivered = _reads(runs.undelivered)
    note_delivery = _writes(runs.note_delivery)
    last_turn = _writes(runs.last_turn)
    note_turn = _writes(runs.note_turn)
    note_spikes = _writes(spikes.note_spikes)
    note_failed_delivery = _writes(runs.note_failure)
    failures_of = _reads(runs.failures_of)
    give_up = _writes(runs.give_up)
    dead_letters = _reads(runs.dead_letters)
    forget_letters = _writes(runs.forget_letters)
    end_run = _writes(runs.end_run)
    retry = _writes(runs.retry)
    unexpected_failures = _reads(runs.unexpected_failures)
    status = _reads(runs.status_of)

    def rows(
        self, view: str, *, where: str = "", values: Mapping[str, object] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of a view, some at a time in memory.

        Parameters
        ----------
        view : str
            A key of `blockfeat.monitor.store.schema.VIEWS`.
        where : str
            An SQL condition with ``:names`` of ``values``.
        """
        if view not in VIEWS:
            raise StoreError(f"{self.name}: there is no view {view!r}; known are {', '.join(VIEWS)}")
        yield from self.stream(f"SELECT * FROM {view} {'WHERE ' + where if where else ''}", values)

    def stream(self, statement: str, values: Mapping[str, object] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of an SQL query over the views, some at a time in memory."""
        with self._reading() as connection:
            options = connection.execution_options(yield_per=_ROWS_AT_ONCE)
            for row in options.execute(text(statement), dict(values or {})).mappings():
                yield dict(row)

    def query(self, statement: str, values: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """Return the rows of an SQL query over the views."""
        with self._reading() as connection:
            return [dict(row) for row in connection.execute(text(statement), dict(values or {})).mappings()]

    def evidence(self, url: str) -> list[dict[str, Any]]:
        """Return the blocks of a page, each with its text and reason; empty where they were not kept."""
        with self._reading() as connection:
            packed = connection.scalar(select(page.c.evidence).where(page.c.url == url))
        return json.loads(zlib.decompress(packed)) if packed else []
