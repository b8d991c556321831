"""Runs in the store, mentions that receivers wait for, and what state the store is in."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BigInteger, Connection, cast, delete, func, insert, or_, select, true, update

from blockfeat.monitor.fetching.urls import host_of
from blockfeat.monitor.store.engine import insert_or
from blockfeat.monitor.store.records import iso
from blockfeat.monitor.store.schema import dead_letter, feed, host, mention, outbox, page, run, sink, version

_RUNS_KEPT = 1000
_AT_ONCE = 500
# Of the answers that say something of the page itself: those that a site may think better of.
_PASSING = (401, 402, 403, 404, 408, 425, 429)
_ADDRESS = re.compile(r"https?://\S+")


@dataclass(frozen=True)
class StoreStatus:
    """What is in a store.

    Attributes
    ----------
    runs : tuple of mapping
        The last runs, the newest first: started_at, ended_at, process, and what the run has counted.
    pages : mapping of str to int
        Number of pages by status.
    feeds : tuple of mapping
        The feeds that failed at the last poll, with their errors, those that fail longest first.
    retried : int
        Pages that failed and are tried again later; in ``later`` too.
    unexpected : int
        Pages and feeds on which the program itself failed.
    exact_copies, own_mentions : int
        Copies that have all that the original says, or the other way round; mentions that only copies have, and count.
    waiting_hosts : mapping of str to str
        Hosts that asked not to be asked before a moment.
    """

    runs: tuple[Mapping[str, Any], ...] = ()
    pages: Mapping[str, int] = field(default_factory=dict)
    due: int = 0
    later: int = 0
    retried: int = 0
    unexpected: int = 0
    copies: int = 0
    exact_copies: int = 0
    own_mentions: int = 0
    versions: int = 0
    mentions: int = 0
    counted: int = 0
    feed_count: int = 0
    retired: int = 0
    failing_feeds: tuple[Mapping[str, Any], ...] = ()
    failed_pages: tuple[Mapping[str, Any], ...] = ()
    waiting_hosts: Mapping[str, str] = field(default_factory=dict)
    sinks: tuple[Mapping[str, Any], ...] = ()
    dead_letters: tuple[Mapping[str, Any], ...] = ()


def begin_run(connection: Connection, *, now: float, process: str) -> int:
    """Note that a run has begun, and forget those of long ago; return its number."""
    started = insert(run).values(started_at=iso(now), process=process).returning(run.c.id)
    number = int(connection.execute(started).scalar_one())
    connection.execute(delete(run).where(run.c.id <= number - _RUNS_KEPT))
    return number


def end_run(connection: Connection, number: int, *, now: float, summary: Mapping[str, Any]) -> None:
    """Note that a run has ended, and what it did."""
    values = {"ended_at": iso(now), "summary": json.dumps(summary, ensure_ascii=False)}
    connection.execute(update(run).where(run.c.id == number).values(values))


def status_of(connection: Connection, *, now: float, limit: int = 10) -> StoreStatus:
    """Return what is in a store; lists have at most ``limit`` rows."""
    runs = connection.execute(select(run).order_by(run.c.id.desc()).limit(limit)).mappings().all()
    counted = select(func.count()).select_from(mention.join(page, _current())).where(mention.c.counted)
    columns = (feed.c.url, feed.c.error, feed.c.failures, feed.c.failing_since)
    failing = select(*columns).where(feed.c.failures > 0, feed.c.retired.is_(None)).order_by(feed.c.failing_since)
    failed = select(page.c.url, page.c.error, page.c.attempts, page.c.fault.is_not(None).label("unexpected"))
    failed = failed.where(or_(page.c.status == "error", page.c.fault.is_not(None)))
    failed = failed.order_by(page.c.fault.is_(None), page.c.id.desc())
    waiting = select(host.c.name, host.c.retry_at).where(host.c.retry_at > now).order_by(host.c.retry_at)
    pending = func.coalesce(select(func.max(outbox.c.id)).scalar_subquery(), sink.c.delivered) - sink.c.delivered
    sinks = select(sink.c.name, cast(pending, BigInteger).label("pending"), sink.c.failures, sink.c.error)
    dead = select(dead_letter.c.sink, func.count().label("number"), func.max(dead_letter.c.error).label("error"))
    return StoreStatus(
        runs=tuple({**row, "summary": json.loads(row["summary"] or "{}")} for row in runs),
        pages={
            row.status: row.number
            for row in connection.execute(select(page.c.status, func.count().label("number")).group_by(page.c.status))
        },
        due=_count(connection, page.c.due_at <= now),
        later=_count(connection, page.c.due_at > now),
        retried=_count(connection, (page.c.due_at > now) & (page.c.attempts > 0)),
        unexpected=unexpected_failures(connection),
        copies=_count(connection, page.c.copy_of.is_not(None)),
        exact_copies=_count(connection, page.c.similarity == 1.0),
        own_mentions=connection.scalar(counted.where(~mention.c.copied, page.c.copy_of.is_not(None))) or 0,
        versions=connection.scalar(select(func.count()).select_from(version)) or 0,
        mentions=connection.scalar(select(func.count()).select_from(mention.join(page, _current()))) or 0,
        counted=connection.scalar(counted.where(~mention.c.copied)) or 0,
        feed_count=connection.scalar(select(func.count()).select_from(feed)) or 0,
        retired=connection.scalar(select(func.count()).select_from(feed).where(feed.c.retired.is_not(None))) or 0,
        failing_feeds=tuple(map(dict, connection.execute(failing.limit(limit)).mappings())),
        failed_pages=tuple(map(dict, connection.execute(failed.limit(limit)).mappings())),
        waiting_hosts={row.name: iso(row.retry_at) for row in connection.execute(waiting.limit(limit))},
        dead_letters=tuple(map(dict, connection.execute(dead.group_by(dead_letter.c.sink)).mappings())),
        sinks=tuple(map(dict, connection.execute(sinks).mappings())),
    )


def unexpected_failures(connection: Connection) -> int:
    """Return the number of pages and feeds on which the program itself failed."""
    counts = (select(func.count()).select_from(table).where(table.c.fault.is_not(None)) for table in (page, feed))
    return sum(connection.scalar(count) or 0 for count in counts)


def retry(
    connection: Connection,
    *,
    now: float,
    environment: str | None = None,
    host: str | None = None,
    reason: str = "",
    is_any: bool = False,
) -> Counter[str]:
    """Make due what failed by an error of the program itself; return for which reasons, and how often each.

    Parameters
    ----------
    environment : str, optional
        Only what has not failed yet in this one.
    host : str, optional
        Only pages and feeds of a host.
    reason : str
        Only where the reason has these words.
    is_any : bool
        Also what failed for another reason that may pass: no answer, an error of the server, a refusal, not there.
    """
    reasons: Counter[str] = Counter()
    for table, is_wanted, again in (
        (page, true(), {"due_at": now, "attempts": 0}),
        (feed, feed.c.retired.is_(None), {"due_at": now}),
    ):
        chosen: Any = table.c.fault.is_not(None)
        if environment is not None:
            chosen &= ~table.c.fault.contains(environment)
        if is_any:
            passing = or_(table.c.http_status.is_(None), table.c.http_status >= 500, table.c.http_status.in_(_PASSING))
            chosen |= table.c.error.is_not(None) & passing
        columns = (table.c.id, table.c.url, table.c.error, table.c.due_at)
        rows = connection.execute(select(*columns).where(is_wanted, chosen)).all()
        # Not by the query: it would go through every page that is done, by the index of due ones.
        rows = [row for row in rows if row.due_at is None or row.due_at > now]
        rows = [row for row in rows if host is None or host_of(row.url) == host]
        wanted = [row for row in rows if reason.casefold() in (row.error or "").casefold()]
        for start in range(0, len(wanted), _AT_ONCE):
            numbers = [row.id for row in wanted[start : start + _AT_ONCE]]
            connection.execute(update(table).where(table.c.id.in_(numbers)).values(again))
        whys = ((row.error or "unknown").removeprefix(f"{row.url}: ").partition("\n")[0] for row in wanted)
        reasons.update(_ADDRESS.sub("…", why) for why in whys)
    return reasons


def _current() -> Any:
    """Return the condition that joins the mentions of the current version of a page."""
    return (page.c.id == mention.c.page_id) & (page.c.version == mention.c.version)


def _count(connection: Connection, condition: Any) -> int:
    return connection.scalar(select(func.count()).select_from(page).where(condition)) or 0


def add_sinks(connection: Connection, names: Sequence[str]) -> None:
    """Set the receivers: a new one gets what comes from here on, one that is no longer named is forgotten."""
    connection.execute(delete(sink).where(sink.c.name.not_in(names)))
    last = connection.scalar(select(func.max(outbox.c.id))) or connection.scalar(select(func.max(sink.c.delivered)))
    for name in names:
        added = insert_or(connection.dialect.name, sink).values(name=name, delivered=last or 0, failures=0)
        connection.execute(added.on_conflict_do_nothing())
    _prune(connection)


def undelivered(connection: Connection, name: str, *, limit: int, now: float | None = None) -> list[tuple[int, str]]:
    """Return the next events for a receiver, each with its number; none while it asks, at ``now``, to be left alone."""
    held = None if now is None else connection.scalar(select(sink.c.retry_at).where(sink.c.name == name))
    if held is not None and now is not None and held > now:
        return []
    delivered = select(sink.c.delivered).where(sink.c.name == name).scalar_subquery()
    query = select(outbox.c.id, outbox.c.event).where(outbox.c.id > delivered).order_by(outbox.c.id).limit(limit)
    return [(row.id, row.event) for row in connection.execute(query)]


def note_delivery(connection: Connection, name: str, last: int, *, now: float | None = None) -> None:
    """Note that a receiver has all events up to a number, and when; events that all have are dropped."""
    values: dict[str, Any] = {"delivered": last, "failures": 0, "error": None, "retry_at": None}
    if now is not None:
        values["turn_at"] = now
    connection.execute(update(sink).where(sink.c.name == name).values(values))
    _prune(connection)


def last_turn(connection: Connection, name: str, *, now: float) -> float:
    """Return when a receiver last had its turn; for one that is new, this moment, which is noted."""
    found = connection.scalar(select(sink.c.turn_at).where(sink.c.name == name))
    if found is not None and found <= now:
        return float(found)
    note_turn(connection, name, now=now)
    return now


def note_turn(connection: Connection, name: str, *, now: float) -> None:
    """Note that a receiver has had its turn."""
    connection.execute(update(sink).where(sink.c.name == name).values(turn_at=now))


def note_failure(connection: Connection, name: str, error: str, *, retry_at: float | None = None) -> None:
    """Note that a receiver could not be reached, and when it is tried again."""
    values = {"failures": sink.c.failures + 1, "error": error, "retry_at": retry_at}
    connection.execute(update(sink).where(sink.c.name == name).values(values))


def failures_of(connection: Connection, name: str) -> int:
    """Return how often in a row a receiver could not be reached."""
    return connection.scalar(select(sink.c.failures).where(sink.c.name == name)) or 0


def give_up(connection: Connection, name: str, last: int, events: Sequence[str], error: str, *, now: float) -> None:
    """Keep events that a receiver does not take as dead letters, and go on behind them."""
    rows = [{"sink": name, "event": event, "error": error, "given_up_at": iso(now)} for event in events]
    if rows:
        connection.execute(insert(dead_letter), rows)
    note_delivery(connection, name, last)


def dead_letters(connection: Connection, name: str, *, after: int = 0, limit: int) -> list[tuple[int, str]]:
    """Return dead letters of a receiver, each with its number."""
    mine = (dead_letter.c.sink == name) & (dead_letter.c.id > after)
    query = select(dead_letter.c.id, dead_letter.c.event).where(mine).order_by(dead_letter.c.id).limit(limit)
    return [(row.id, row.event) for row in connection.execute(query)]


def forget_letters(connection: Connection, numbers: Sequence[int]) -> None:
    """Forget dead letters that have arrived after all."""
    connection.execute(delete(dead_letter).where(dead_letter.c.id.in_(numbers)))


def _prune(connection: Connection) -> None:
    least = connection.scalar(select(func.min(sink.c.delivered)))
    if least is not None:
        connection.execute(delete(outbox).where(outbox.c.id <= least))
