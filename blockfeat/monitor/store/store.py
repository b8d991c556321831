"""``Store``: what a monitor has seen, found and still has to do."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, delete, select, text
from sqlalchemy.exc import SQLAlchemyError

from blockfeat.errors import StoreError
from blockfeat.monitor.config.settings import CopySettings, Source
from blockfeat.monitor.store import feeds, pages, runs
from blockfeat.monitor.store.engine import WRITES, Check, locked, open_engine, shown
from blockfeat.monitor.store.migrations import migrate, schema_version
from blockfeat.monitor.store.records import DueFeed, DuePage, NewEntry, PageRecord, Poll, Saved, Visit
from blockfeat.monitor.store.schema import SCHEMA_VERSION, VIEWS, dead_letter, page

_ROWS_AT_ONCE = 500


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
        """Hold the store's lock: one run at a time; raises `StoreError` where another process has it.

        Where it is lost in between, this store refuses to write.
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
            feeds.add_feeds(self.engine, connection, given, now=now)
            feeds.retire_absent(connection, [source.url for source in wanted], now=now)
            return feeds.add_entries(connection, entries, now=now)

    def due_feeds(self, *, now: float, limit: int, besides: Sequence[int] = ()) -> list[DueFeed]:
        """Return feeds to poll."""
        with self._reading() as connection:
            return feeds.due_feeds(connection, now=now, limit=limit, besides=besides)

    def held_hosts(self, *, now: float) -> dict[str, float]:
        """Return the hosts that asked to be left alone, each with the moment until when."""
        with self._writing() as connection:
            return feeds.held_hosts(connection, now=now)

    def delay_feed(self, feed: DueFeed, until: float) -> None:
        """Poll a feed not before a moment."""
        with self._writing() as connection:
            feeds.delay_feed(connection, feed, until)

    def save_poll(
        self, polled: DueFeed, poll: Poll, entries: Iterable[NewEntry] = (), named: Iterable[str] = ()
    ) -> int:
        """Save a poll with the entries and feeds that it named; return the number of new or updated pages."""
        with self._writing() as connection:
            return feeds.save_poll(self.engine, connection, polled, poll, entries, named)

    def add_entries(self, feed: DueFeed, entries: Iterable[NewEntry], *, now: float) -> int:
        """Add some pages that a feed names, before its poll is saved; return the number of new or updated ones."""
        with self._writing() as connection:
            return feeds.add_entries(connection, entries, now=now, feed_id=feed.id, lang=feed.lang)

    def entry_text(self, page: DuePage) -> tuple[str | None, str] | None:
        """Return title and HTML of the feed's own text for a page; None where there is none, or the page was read."""
        with self._reading() as connection:
            return feeds.entry_text(connection, page.id)

    def due_hosts(self, *, now: float, after: str = "", limit: int) -> tuple[list[str], str | None]:
        """Return hosts that have pages due, of the next ``limit`` ones, and the last that was looked at."""
        with self._reading() as connection:
            return pages.due_hosts(connection, now=now, after=after, limit=limit)

    def due_pages(
        self,
        *,
        now: float,
        limit: int,
        of_each_host: int,
        besides: Sequence[int] = (),
        hosts: Sequence[str] | None = None,
    ) -> list[DuePage]:
        """Return pages to fetch."""
        with self._reading() as connection:
            return pages.due_pages(
                connection, now=now, limit=limit, of_each_host=of_each_host, besides=besides, hosts=hosts
            )

    def site_profile(self, host: str) -> str | None:
        """Return the profile of a host, as `blockfeat.SiteProfile.to_bytes` gives it; None for a new host."""
        with self._reading() as connection:
            return pages.packed_profile(connection, host)

    def save_failure(self, visit: Visit) -> Saved:
        """Save that a page could not be fetched."""
        with self._writing() as connection:
            return pages.save_failure(self.engine, connection, visit)

    def save_unchanged(self, visit: Visit) -> Saved:
        """Save that a page is as it was."""
        with self._writing() as connection:
            return pages.save_unchanged(self.engine, connection, visit)

    def save_page(self, visit: Visit, record: PageRecord, *, copies: CopySettings, announce: bool = False) -> Saved:
        """Save a page with its mentions."""
        with self._writing() as connection:
            return pages.save_page(self.engine, connection, visit, record, copies=copies, announce=announce)

    def save_visits(
        self,
        visits: Sequence[tuple[Visit, PageRecord | None]],
        *,
        copies: CopySettings,
        announce: bool = False,
    ) -> list[Saved]:
        """Save what came of visits, in one transaction: pages that were read, that failed, or that are as they were."""
        with self._writing() as connection:
            saved = []
            for visit, record in visits:
                if record is not None:
                    saved.append(
                        pages.save_page(self.engine, connection, visit, record, copies=copies, announce=announce)
                    )
                elif visit.error is not None:
                    saved.append(pages.save_failure(self.engine, connection, visit))
                else:
                    saved.append(pages.save_unchanged(self.engine, connection, visit))
            return saved

    def next_due(self) -> float | None:
        """Return when there is something to do; None for never."""
        with self._reading() as connection:
            return feeds.next_due(connection)

    def set_sinks(self, names: Sequence[str]) -> None:
        """Set who receives new mentions."""
        with self._writing() as connection:
            runs.add_sinks(self.engine, connection, names)

    def undelivered(self, sink: str, *, limit: int, now: float | None = None) -> list[tuple[int, str]]:
        """Return the next mentions for a receiver."""
        with self._reading() as connection:
            return runs.undelivered(connection, sink, limit=limit, now=now)

    def note_delivery(self, sink: str, last: int) -> None:
        """Note that a receiver has all mentions up to a number."""
        with self._writing() as connection:
            runs.note_delivery(connection, sink, last)

    def note_failed_delivery(self, sink: str, error: str, *, retry_at: float | None = None) -> None:
        """Note that a receiver could not be reached, and when it is tried again."""
        with self._writing() as connection:
            runs.note_failure(connection, sink, error, retry_at=retry_at)

    def failures_of(self, sink: str) -> int:
        """Return how often in a row a receiver could not be reached."""
        with self._reading() as connection:
            return runs.failures_of(connection, sink)

    def give_up(self, sink: str, last: int, events: Sequence[str], error: str, *, now: float) -> None:
        """Keep events up to a number as dead letters of a receiver."""
        with self._writing() as connection:
            runs.give_up(connection, sink, last, events, error, now=now)

    def dead_letters(self, sink: str, *, after: int = 0, limit: int) -> list[tuple[int, str]]:
        """Return dead letters of a receiver, each with its number."""
        with self._reading() as connection:
            return runs.dead_letters(connection, sink, after=after, limit=limit)

    def forget_letters(self, numbers: Sequence[int]) -> None:
        """Forget dead letters that have arrived after all."""
        with self._writing() as connection:
            connection.execute(delete(dead_letter).where(dead_letter.c.id.in_(numbers)))

    def begin_run(self, *, now: float, process: str) -> int:
        """Note that a run begins, and mend what one with a wrong clock has left; return its number."""
        with self._writing() as connection:
            feeds.mend_clock(connection, now=now)
            return runs.begin_run(connection, now=now, process=process)

    def end_run(self, number: int, *, now: float, summary: Mapping[str, Any]) -> None:
        """Note that a run has ended."""
        with self._writing() as connection:
            runs.end_run(connection, number, now=now, summary=summary)

    def status(self, *, now: float, limit: int = 10) -> runs.StoreStatus:
        """Return what is in the store."""
        with self._reading() as connection:
            return runs.status_of(connection, now=now, limit=limit)

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
        query = text(f"SELECT * FROM {view} {'WHERE ' + where if where else ''}")
        with self._reading() as connection:
            found = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query, dict(values or {}))
            for row in found.mappings():
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
