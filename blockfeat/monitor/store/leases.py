"""Hosts in the hands of one of several runs on a store: a lease ends with its run, however that ends."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from sqlalchemy import Connection, delete, insert, or_, select, text, update

from blockfeat.monitor.fetching.urls import host_of
from blockfeat.monitor.store.engine import HOLDERS
from blockfeat.monitor.store.feeds import due_feeds
from blockfeat.monitor.store.pages import due_pages
from blockfeat.monitor.store.records import DueFeed, DuePage
from blockfeat.monitor.store.schema import lease

Item = TypeVar("Item", DueFeed, DuePage)

_FEEDS_LOOKED_AT = 20_000
# What a host is left alone for after the run that had it: a dead run tells nothing of its last request.
_AFTER_A_DEAD_RUN = 5.0


def claim(connection: Connection, names: Sequence[str], *, holder: int, now: float) -> set[str]:
    """Return those of some names that are the holder's from here on, or were already.

    A name is free that no run at work has, and whose last one wished it to be left alone no longer.
    """
    rows = {row.name: row for row in connection.execute(select(lease).where(lease.c.name.in_(names)))}
    living = set(connection.scalars(text(HOLDERS))) if rows else set()
    mine, taken = {name for name, row in rows.items() if row.holder == holder}, set()
    for name, row in rows.items():
        is_abandoned = row.holder is not None and row.holder not in living
        if (
            name not in mine
            and row.free_at + _AFTER_A_DEAD_RUN * is_abandoned <= now
            and (row.holder is None or is_abandoned)
        ):
            taken.add(name)
    connection.execute(update(lease).where(lease.c.name.in_(taken)).values(holder=holder, free_at=now))
    fresh = [name for name in dict.fromkeys(names) if name not in rows]
    if fresh:
        connection.execute(insert(lease), [{"name": name, "holder": holder, "free_at": now} for name in fresh])
    return mine | taken | set(fresh)


def release(connection: Connection, free_at: Mapping[str, float], *, holder: int) -> None:
    """Give names back, each with the moment from which another run may have it."""
    for name, moment in free_at.items():
        mine = (lease.c.name == name) & (lease.c.holder == holder)
        connection.execute(update(lease).where(mine).values(holder=None, free_at=moment))


def forget_leases(connection: Connection, *, holder: int, now: float) -> None:
    """Forget what an earlier run with this number had, and what has long been free."""
    gone = or_(lease.c.holder == holder, lease.c.holder.is_(None) & (lease.c.free_at <= now))
    connection.execute(delete(lease).where(gone))


class Claimed(NamedTuple, Generic[Item]):
    """What is due, and the holder's from here on.

    Attributes
    ----------
    hosts : set of str
        The hosts that are the holder's.
    is_all : bool
        False where another run has hosts of what is due.
    """

    items: list[Item]
    hosts: set[str]
    is_all: bool


def claim_feeds(
    connection: Connection, *, holder: int, now: float, limit: int, besides: Collection[int]
) -> Claimed[DueFeed]:
    """Return feeds that are due, at most ``limit``, with their hosts."""
    due = [feed for feed in due_feeds(connection, now=now, limit=_FEEDS_LOOKED_AT) if feed.id not in besides]
    chosen: list[DueFeed] = []
    hosts: set[str] = set()
    place = 0
    while place < len(due) and len(chosen) < limit:
        some = due[place : place + limit - len(chosen)]
        place += len(some)
        hosts |= claim(connection, [host_of(feed.url) for feed in some], holder=holder, now=now)
        chosen += [feed for feed in some if host_of(feed.url) in hosts]
    return Claimed(chosen, hosts, is_all=len(chosen) == len(due))


def claim_pages(
    connection: Connection,
    *,
    holder: int,
    now: float,
    limit: int,
    of_each_host: int,
    besides: Sequence[int],
    hosts: Sequence[str],
) -> Claimed[DuePage]:
    """Return pages that are due of some hosts, with those that could be had."""
    mine = claim(connection, hosts, holder=holder, now=now)
    wanted = [name for name in hosts if name in mine]
    found = due_pages(connection, now=now, limit=limit, of_each_host=of_each_host, besides=besides, hosts=wanted)
    return Claimed(found, mine, is_all=len(wanted) == len(hosts))
