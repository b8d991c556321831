"""Feeds and their entries in the store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from sqlalchemy import Connection, Engine, case, delete, func, or_, select, update

from blockfeat.monitor.store.engine import insert_or
from blockfeat.monitor.store.records import DueFeed, FeedManners, NewEntry, Poll, iso, iso_of
from blockfeat.monitor.store.schema import feed, host, page

_NOT_MODIFIED = 304


def add_feeds(
    engine: Engine,
    connection: Connection,
    urls: Iterable[tuple[str, str | None, float | None]],
    *,
    now: float,
    parent: int | None = None,
    depth: int = 0,
) -> None:
    """Add feeds, each with its language and interval; known ones keep what is known of them."""
    for url, lang, every in urls:
        values = {"url": url, "lang": lang, "every": every, "parent": parent, "depth": depth, "due_at": now}
        values["failures"] = 0
        statement = insert_or(engine, feed).values(values)
        if parent is None:
            # Configured again: what the configuration says holds, and a feed that had been taken out is back.
            statement = statement.on_conflict_do_update(
                index_elements=[feed.c.url], set_={"lang": lang, "every": every, "parent": None, "depth": 0}
            )
            connection.execute(statement)
            back = feed.c.retired.is_not(None) & or_(feed.c.http_status.is_(None), feed.c.http_status != 410)
            connection.execute(update(feed).where(feed.c.url == url, back).values(retired=None, due_at=now))
        else:
            connection.execute(statement.on_conflict_do_nothing())


def retire_absent(connection: Connection, urls: Sequence[str], *, now: float) -> None:
    """Retire the feeds, and those that they named, that the configuration no longer has."""
    roots = connection.execute(
        select(feed.c.id, feed.c.url).where(feed.c.parent.is_(None), feed.c.retired.is_(None))
    ).all()
    wanted = set(urls)
    gone = [row.id for row in roots if row.url not in wanted]
    while gone:
        connection.execute(update(feed).where(feed.c.id.in_(gone)).values(retired=iso(now)))
        gone = list(connection.scalars(select(feed.c.id).where(feed.c.parent.in_(gone), feed.c.retired.is_(None))))


def due_feeds(connection: Connection, *, now: float, limit: int, besides: Sequence[int] = ()) -> list[DueFeed]:
    """Return the feeds that are due, the one that has waited longest first."""
    url = func.coalesce(feed.c.moved_to, feed.c.url)
    columns = [feed.c[name] for name in DueFeed.__dataclass_fields__ if name != "url"]
    query = (
        select(url.label("url"), *columns)
        .where(feed.c.retired.is_(None), feed.c.due_at <= now, feed.c.id.not_in(besides))
        .order_by(feed.c.due_at, feed.c.id)
        .limit(limit)
    )
    rows = connection.execute(query).mappings()
    return [DueFeed(**{**row, "manners": _manners(row["manners"])}) for row in rows]


def save_poll(
    engine: Engine,
    connection: Connection,
    polled: DueFeed,
    poll: Poll,
    entries: Iterable[NewEntry],
    feeds: Iterable[str],
) -> int:
    """Save what came of a poll, with the entries and feeds that it named; return the number of new or updated pages."""
    values = {
        "http_status": poll.http_status,
        "error": poll.error,
        "failures": 0 if poll.error is None else polled.failures + 1,
        "polled_at": iso(poll.at),
        "due_at": poll.due_at,
    }
    validators = {"etag": poll.etag, "last_modified": poll.last_modified}
    if poll.error is None and poll.http_status != _NOT_MODIFIED:
        # Those of an earlier answer would confirm what is no longer the feed.
        values |= validators
    known = {"kind": poll.kind, "title": poll.title, **validators}
    values |= {name: value for name, value in known.items() if value is not None}
    if poll.manners is not None:
        values["manners"] = json.dumps(asdict(poll.manners))
    if poll.moved_to is not None:
        values["moved_to"] = poll.moved_to
    if poll.retired:
        values["retired"] = iso(poll.at)
    connection.execute(update(feed).where(feed.c.id == polled.id).values(values))
    if poll.retry_at is not None:
        hold_host(engine, connection, poll.host, poll.retry_at)
    named = [(url, polled.lang, polled.every) for url in feeds]
    add_feeds(engine, connection, named, now=poll.at, parent=polled.id, depth=polled.depth + 1)
    return add_entries(engine, connection, entries, now=poll.at, feed_id=polled.id, lang=polled.lang)


def _manners(stored: str | None) -> FeedManners:
    """Return how a feed wants to be polled, as it is stored."""
    if stored is None:
        return FeedManners()
    values = json.loads(stored)
    return FeedManners(values["ttl_seconds"], tuple(values["skip_hours"]), tuple(values["skip_days"]))


def add_entries(
    engine: Engine,
    connection: Connection,
    entries: Iterable[NewEntry],
    *,
    now: float,
    feed_id: int | None = None,
    lang: str | None = None,
) -> int:
    """Add pages that are to be fetched; return how many are new, or were updated according to their feed.

    The first stamp of a page that had none is no update: it may stand in two feeds, and in only one with a date.
    """
    changed = 0
    for entry in entries:
        values = {
            "key": entry.key,
            "url": entry.url,
            "host": entry.host,
            "feed_id": feed_id,
            "lang_hint": entry.lang or lang,
            "published": iso_of(entry.published),
            "stamp": entry.stamp,
            "first_seen": iso(now),
            "due_at": now,
            "status": "waiting",
            "attempts": 0,
            "version": 0,
        }
        adding = insert_or(engine, page).values(values).on_conflict_do_nothing().returning(page.c.id)
        if connection.scalar(adding) is not None:
            changed += 1
        elif entry.stamp is not None:
            is_older = page.c.stamp < entry.stamp
            again = connection.execute(
                update(page)
                .where(page.c.key == entry.key, page.c.same_as.is_(None), is_older)
                .values(stamp=entry.stamp, due_at=now, attempts=0)
            )
            changed += again.rowcount
            connection.execute(
                update(page).where(page.c.key == entry.key, page.c.stamp.is_(None)).values(stamp=entry.stamp)
            )
    return changed


def hold_host(engine: Engine, connection: Connection, name: str, retry_at: float) -> None:
    """Note that a host is not to be asked before a moment."""
    statement = insert_or(engine, host).values(name=name, retry_at=retry_at)
    connection.execute(statement.on_conflict_do_update(index_elements=[host.c.name], set_={"retry_at": retry_at}))


def delay_feed(connection: Connection, delayed: DueFeed, until: float) -> None:
    """Poll a feed not before a moment."""
    connection.execute(update(feed).where(feed.c.id == delayed.id).values(due_at=until))


def held_hosts(connection: Connection, *, now: float) -> dict[str, float]:
    """Return the hosts that are not to be asked before a moment, and forget those whose moment has passed."""
    connection.execute(delete(host).where(host.c.retry_at <= now))
    return {row.name: row.retry_at for row in connection.execute(select(host))}


def next_due(connection: Connection) -> float | None:
    """Return when the next feed or page is due, in seconds since 1970; None where nothing is left to do."""
    of_feeds = connection.scalar(select(func.min(feed.c.due_at)).where(feed.c.retired.is_(None)))
    later = case((host.c.retry_at > page.c.due_at, host.c.retry_at), else_=page.c.due_at)
    with_hosts = page.outerjoin(host, host.c.name == page.c.host)
    of_pages = connection.scalar(select(func.min(later)).select_from(with_hosts).where(page.c.due_at.is_not(None)))
    moments = [moment for moment in (of_feeds, of_pages) if moment is not None]
    return min(moments) if moments else None
