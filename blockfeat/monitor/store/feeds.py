"""Feeds and their entries in the store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from typing import Any, cast

from sqlalchemy import Connection, case, delete, func, insert, or_, select, text, update

from blockfeat.monitor.config import Source
from blockfeat.monitor.store.engine import insert_or, upsert
from blockfeat.monitor.store.records import DueFeed, DuePage, NewEntry, Poll, PollPolicy, faults_of, iso, iso_of
from blockfeat.monitor.store.schema import SQL, entry, feed, host, page, run, sink

_NOT_MODIFIED = 304
_ENTRIES_AT_ONCE = 500
CLOCK_SECONDS = 60.0
OF_RUNS = (run.c.started_at, run.c.ended_at)
# The longest that Retry-After counts is a week.
_LONGEST_HOLD = 8 * 86_400.0
_SOONEST_RECHECK, _LATEST_RECHECK = 86_400.0, 7 * 86_400.0


def add_sources(connection: Connection, sources: Sequence[Source], entries: Iterable[NewEntry], *, now: float) -> int:
    """Set the feeds, and add the pages, that the configuration names; return the number of new pages."""
    given = [(source.url, source.lang, source.every) for source in sources if source.kind == "feed"]
    add_feeds(connection, given, now=now)
    retire_absent(connection, [url for url, _, _ in given], now=now)
    return add_entries(connection, entries, now=now)


def add_named(connection: Connection, feed: DueFeed, entries: Iterable[NewEntry], *, now: float) -> int:
    """Add some pages that a feed names, before its poll is saved; return the number of new or updated ones."""
    return add_entries(connection, entries, now=now, feed_id=feed.id, lang=feed.lang)


def add_feeds(
    connection: Connection,
    urls: Iterable[tuple[str, str | None, float | None]],
    *,
    now: float,
    parent: int | None = None,
    depth: int = 0,
) -> None:
    """Add feeds, each with its language and interval; known ones keep what is known of them."""
    for url, lang, every in urls:
        given = {"lang": lang, "every": every, "parent": parent, "depth": depth}
        added = insert_or(connection.dialect.name, feed).values(url=url, due_at=now, failures=0, **given)
        if parent is None:
            # Configured again: what the configuration says holds, and a feed that had been taken out is back.
            connection.execute(added.on_conflict_do_update(index_elements=[feed.c.url], set_=given))
            back = (feed.c.url == url) & feed.c.retired.is_not(None)
            connection.execute(update(feed).where(back).values(retired=None, due_at=now))
        else:
            connection.execute(added.on_conflict_do_nothing())


def retire_absent(connection: Connection, urls: Sequence[str], *, now: float) -> None:
    """Retire the feeds, and those that they named, that the configuration no longer has."""
    roots = select(feed.c.id, feed.c.url).where(feed.c.parent.is_(None), feed.c.retired.is_(None))
    wanted = set(urls)
    gone = [row.id for row in connection.execute(roots) if row.url not in wanted]
    while gone:
        connection.execute(update(feed).where(feed.c.id.in_(gone)).values(retired=iso(now), fault=None))
        gone = list(connection.scalars(select(feed.c.id).where(feed.c.parent.in_(gone), feed.c.retired.is_(None))))


def due_feeds(connection: Connection, *, now: float, limit: int) -> list[DueFeed]:
    """Return the feeds that are due, the one that has waited longest first.

    A feed that has moved is asked at its old address from time to time, and at both in turn while it fails.
    """
    is_time = (feed.c.failures == 0) & (feed.c.recheck_at <= now)
    asks_old = or_(feed.c.moved_to.is_(None), feed.c.failures % 2 == 1, is_time)
    url = case((asks_old, feed.c.url), else_=feed.c.moved_to)
    columns = [feed.c[name] for name in DueFeed.__dataclass_fields__ if name != "url"]
    query = (
        select(url.label("url"), *columns)
        .where(feed.c.retired.is_(None), feed.c.due_at <= now)
        .order_by(feed.c.due_at, feed.c.id)
        .limit(limit)
    )
    rows = connection.execute(query).mappings()
    return [DueFeed(**{**row, "manners": _manners(row["manners"])}) for row in rows]


def mend_clock(connection: Connection, *, now: float) -> None:
    """Make due what a clock that was ahead has set for a time too far in the future; pauses keep their length."""
    ahead = iso(now + CLOCK_SECONDS)
    connection.execute(delete(host).where(host.c.retry_at > now + _LONGEST_HOLD))
    moments = [connection.scalar(select(func.max(column))) for column in (feed.c.polled_at, *OF_RUNS)]
    latest = max(filter(None, moments), default="")
    if latest > ahead:
        shift = datetime.fromisoformat(latest).timestamp() - now
        for table in (host, sink):
            later = update(table).where(table.c.retry_at > now)
            connection.execute(later.values(retry_at=table.c.retry_at - shift))
        for column in OF_RUNS:
            connection.execute(update(run).where(column > ahead).values({column.name: iso(now)}))
    # Entries may have been too old for that clock: the feed is read as a whole.
    anew = {"polled_at": iso(now), "due_at": now, "digest": None, "etag": None, "last_modified": None}
    connection.execute(update(feed).where(feed.c.polled_at > ahead).values(anew))
    connection.execute(update(feed).where(feed.c.polled_at.is_(None), feed.c.due_at > now).values(due_at=now))
    seen = func.coalesce(page.c.fetched_at, page.c.first_seen) > ahead
    connection.execute(update(page).where(page.c.due_at > now, seen).values(due_at=now))


def save_poll(
    connection: Connection, polled: DueFeed, poll: Poll, entries: Iterable[NewEntry] = (), feeds: Iterable[str] = ()
) -> int:
    """Save what came of a poll, with the entries and feeds that it named; return the number of new or updated pages."""
    values: dict[str, Any] = {
        "http_status": poll.http_status,
        "error": poll.error,
        "fault": faults_of(polled, poll.fault),
        "failures": 0 if poll.error is None else polled.failures + 1,
        "failing_since": None if poll.error is None else func.coalesce(feed.c.failing_since, iso(poll.at)),
        "polled_at": iso(poll.at),
        "due_at": poll.due_at,
    }
    validators = {"etag": poll.etag, "last_modified": poll.last_modified}
    if poll.error is None and poll.http_status != _NOT_MODIFIED:
        # Those of an earlier answer would confirm what is no longer the feed.
        values |= validators
    known = {"kind": poll.kind, "title": poll.title, "digest": poll.digest, **validators}
    values |= {name: value for name, value in known.items() if value is not None}
    if poll.manners is not None:
        values["manners"] = json.dumps(asdict(poll.manners))
    if poll.error is None:
        values |= _place(polled, poll)
    if poll.retired:
        values["retired"] = iso(poll.at)
    connection.execute(update(feed).where(feed.c.id == polled.id).values(values))
    if poll.retry_at is not None:
        hold_host(connection, poll.host, poll.retry_at)
    named = [(url, polled.lang, polled.every) for url in feeds]
    add_feeds(connection, named, now=poll.at, parent=polled.id, depth=polled.depth + 1)
    return add_entries(connection, entries, now=poll.at, feed_id=polled.id, lang=polled.lang)


def _place(polled: DueFeed, poll: Poll) -> dict[str, Any]:
    """Return where a feed that was read is asked from now on, and when at its old address again: a redirect may end."""
    is_moved = polled.url == polled.moved_to
    target = poll.moved_to or (polled.moved_to if is_moved else None)
    if target is None:
        return {"moved_to": None, "moved_at": None, "recheck_at": None}
    if is_moved and not polled.failures:
        return {"moved_to": target}
    moved_at = poll.at if polled.moved_to is None or polled.moved_at is None else polled.moved_at
    wait = min(max(poll.at - moved_at, _SOONEST_RECHECK), _LATEST_RECHECK)
    return {"moved_to": target, "moved_at": moved_at, "recheck_at": poll.at + wait}


def _manners(stored: str | None) -> PollPolicy:
    """Return the poll policy of a feed from its stored JSON."""
    values: dict[str, Any] = {} if stored is None else json.loads(stored)
    values |= {name: tuple(values[name]) for name in values.keys() & {"skip_hours", "skip_days"}}
    return PollPolicy(**values)


def add_entries(
    connection: Connection,
    entries: Iterable[NewEntry],
    *,
    now: float,
    feed_id: int | None = None,
    lang: str | None = None,
) -> int:
    """Add pages that are to be fetched; return how many are new, or were updated according to their feed.

    The first stamp of a page that had none is no update: it may stand in two feeds, and in only one with a date. What
    another feed says of a page in its own words is no update either.
    """
    unique: dict[str, NewEntry] = {}
    for item in entries:
        unique.setdefault(item.key, item)
    left = iter(unique.values())
    changed = 0
    while some := {item.key: item for item in islice(left, _ENTRIES_AT_ONCE)}:
        columns = (page.c.id, page.c.key, page.c.stamp, page.c.digest, page.c.feed_id, page.c.same_as, page.c.status)
        known = {row.key: row for row in connection.execute(select(*columns).where(page.c.key.in_(some)))}
        # Not by a conflict: each would use up a number of PostgreSQL's sequence.
        fresh = [item for key, item in some.items() if key not in known]
        _insert(connection, fresh, now=now, feed_id=feed_id, lang=lang)
        updated = [_update(connection, row, some[key], now=now, feed_id=feed_id) for key, row in known.items()]
        changed += len(fresh) + sum(updated)
    return changed


def _insert(
    connection: Connection, fresh: Sequence[NewEntry], *, now: float, feed_id: int | None, lang: str | None
) -> None:
    """Insert pages, each with the feed's own text."""
    rows = [
        {
            **{name: getattr(item, name) for name in ("key", "url", "host", "stamp", "digest", "linked")},
            **{"feed_id": feed_id, "lang_hint": item.lang or lang, "published": (published := iso_of(item.published))},
            **{"first_seen": iso(now), "day": (published or iso(now))[:10], "due_at": now, "status": "waiting"},
        }
        for item in fresh
    ]
    if rows:
        numbers = {row.key: row.id for row in connection.execute(insert(page).returning(page.c.id, page.c.key), rows)}
        lent = [{"page_id": numbers[item.key], "title": item.title, "text": item.text} for item in fresh if item.text]
        if lent:
            connection.execute(insert(entry), lent)


def _update(connection: Connection, known: Any, item: NewEntry, *, now: float, feed_id: int | None) -> bool:
    """Note what a feed says of a page that is known; return whether the page is fetched again."""
    is_own = known.feed_id == feed_id
    is_later = item.stamp is not None and known.stamp is not None and item.stamp > known.stamp
    is_other = is_own and item.digest is not None and known.digest is not None and item.digest != known.digest
    is_due = known.same_as is None and known.status != "purged" and (is_later or is_other)
    values: dict[str, Any] = {}
    if item.stamp is not None and (is_later or known.stamp is None):
        values["stamp"] = item.stamp
    if is_own and item.digest is not None and item.digest != known.digest:
        values["digest"] = item.digest
    if is_due:
        values |= {"due_at": now, "attempts": 0}
        if item.text:
            upsert(connection, entry, {"page_id": known.id, "title": item.title, "text": item.text}, "page_id")
    if values:
        connection.execute(update(page).where(page.c.id == known.id).values(values))
    return is_due


def entry_text(connection: Connection, lent: DuePage) -> tuple[str | None, str] | None:
    """Return title and HTML of the feed's own text for a page; None where there is none, or the page was read."""
    row = connection.execute(select(entry.c.title, entry.c.text).where(entry.c.page_id == lent.id)).one_or_none()
    return None if row is None else (row.title, row.text)


def hold_host(connection: Connection, name: str, retry_at: float) -> None:
    """Store the time before which no request may be sent to a host; the later of two times wins."""
    statement = insert_or(connection.dialect.name, host).values(name=name, retry_at=retry_at)
    later = {"retry_at": case((host.c.retry_at > retry_at, host.c.retry_at), else_=retry_at)}
    connection.execute(statement.on_conflict_do_update(index_elements=[host.c.name], set_=later))


def delay_feed(connection: Connection, delayed: DueFeed, until: float) -> None:
    """Poll a feed not before a moment."""
    connection.execute(update(feed).where(feed.c.id == delayed.id).values(due_at=until))


def held_hosts(connection: Connection, *, now: float) -> dict[str, float]:
    """Return the hosts that asked for a pause, each with its end, and forget those whose pause is over."""
    connection.execute(delete(host).where(host.c.retry_at <= now))
    return {row.name: row.retry_at for row in connection.execute(select(host))}


def next_due(connection: Connection) -> float | None:
    """Return when the next feed or page is due, in seconds since 1970; None where nothing is left to do."""
    return cast("float | None", connection.scalar(text(SQL["due"]["next"])))
