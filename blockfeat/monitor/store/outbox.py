"""Outbox of events for receivers, in order, with dead letters and the detection of spikes."""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, text, update

from blockfeat.monitor.store.engine import insert_or
from blockfeat.monitor.store.records import iso
from blockfeat.monitor.store.schema import SPAN_COLUMNS, SQL, announced, dead_letter, mention, outbox, page, sink, told


def add_sinks(connection: Connection, names: Sequence[str]) -> None:
    """Set the receivers: a new one gets what comes from here on, one that is no longer named is forgotten."""
    # Events that all receivers have are dropped.
    numbers = (connection.scalar(select(func.max(each))) for each in (outbox.c.id, sink.c.delivered, announced.c.event))
    last = max(number or 0 for number in numbers)
    connection.execute(delete(sink).where(sink.c.name.not_in(names)))
    for name in names:
        added = insert_or(connection.dialect.name, sink).values(name=name, delivered=last, since=last, failures=0)
        connection.execute(added.on_conflict_do_nothing())
    _prune(connection)


def first_event(connection: Connection, name: str) -> int:
    """Return the number of the first event that a receiver could get."""
    return 1 + (connection.scalar(select(sink.c.since).where(sink.c.name == name)) or 0)


def undelivered(connection: Connection, name: str, *, limit: int, now: float | None = None) -> list[tuple[int, str]]:
    """Return the next events for a receiver, each with its number; none before its ``retry_at``."""
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


NOT_THERE = "the article no longer has it"
"""Why a mention of an older version of a page, that it has no longer, does not count."""
_ABOUT = text(SQL["judged"]["page"])


def version_of(number: int) -> Any:
    """Return the version of a page, for statements."""
    return select(page.c.version).where(page.c.id == number).scalar_subquery()


def queue_events(
    connection: Connection, number: int, changes: Mapping[str, str], *, moment: str, is_asked: bool = False
) -> None:
    """Put what is new of a page's mentions into the outbox; what is older than the monitor as such, unless asked.

    What was told to count and no longer does is an update, which ``withdraws`` the event of that number.
    """
    known = select(announced.c.key, announced.c.event).where(announced.c.page_id == number)
    counting = dict(map(tuple, connection.execute(known)))
    if not changes and not counting:
        return
    about = connection.execute(_ABOUT, {"number": number}).one()
    wanted = (mention.c.version == about.version) | mention.c.key.in_(counting)
    rows = connection.execute(select(mention).where(mention.c.page_id == number, wanted).order_by(mention.c.id))
    since = connection.scalar(select(page.c.first_seen).order_by(page.c.id).limit(1)) or ""
    # What names a day alone stands as its midnight.
    published = (about.published or since).removesuffix("T00:00:00Z")
    found = {"backfill": not is_asked and published < since[: len(published)], "found_at": moment}
    events = []
    for row in {row.key: row for row in rows}.values():
        event = _event(row, about, changes.get(row.key, "update")) | found
        if row.key in counting and not event["counted"]:
            events.append(event | {"withdraws": counting[row.key]})
        elif row.key in changes and row.version == about.version:
            events.append(event)
    if events:
        _announce(connection, number, events)


def _announce(connection: Connection, number: int, events: Sequence[Mapping[str, Any]]) -> None:
    """Put events of a page's mentions into the outbox, and note which were told to count."""
    written = [{"event": as_json(event)} for event in events]
    first = min(connection.scalars(insert(outbox).returning(outbox.c.id), written))
    keys = [event["id"] for event in events]
    connection.execute(delete(announced).where(announced.c.page_id == number, announced.c.key.in_(keys)))
    counting = [{"page_id": number, "key": event["id"], "event": first} for event in events if event["counted"]]
    if counting:
        connection.execute(insert(announced), counting)


def as_json(value: object) -> str:
    """Return a value as JSON; what JSON does not know as text."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _event(row: Any, about: Any, change: str) -> dict[str, Any]:
    """Return one event; ``id`` is the same whenever the mention is delivered again."""
    is_there = row.version == about.version
    counted = row.counted and not row.copied and is_there
    because = row.because if not row.counted else "copy" if row.copied else None
    values = {"id": row.key, "event": change, "brand": row.brand, "place": row.place, "counted": counted}
    values["not_counted_because"] = because if is_there else NOT_THERE
    values |= {name: getattr(row, name) for name in ("rule", "variant", *SPAN_COLUMNS)}
    values |= {"url": about.url, "copy": about.copy_of is not None, "published": about.published}
    values |= {name: getattr(about, name) for name in ("canonical_url", "title", "author", "section", "lang", "host")}
    evidence = f"/article/{row.page_id}#b{row.block}"
    return values | {"source": about.source, "from": about.origin, "kind": about.kind, "evidence": evidence}


_HOUR, _WEEK = 3600.0, 7 * 86_400.0
_WEEKS, _FEWEST_WEEKS = 4, 2
_FEWEST_ARTICLES = 5
_LEAST_SURPRISE = 0.001
_TITLES = 5
_COUNTS, _ARTICLES = text(SQL["spikes"]["hours"]), text(SQL["spikes"]["articles"])


def surprise(number: int, expected: float) -> float:
    """Return the probability of so many events or more where so many are expected (Poisson)."""
    below = sum(math.exp(k * math.log(expected) - expected - math.lgamma(k + 1)) for k in range(number))
    return max(0.0, 1.0 - below)


def expected_articles(hours: Mapping[str, int], begin: float, *, weeks: int) -> float:
    """Return how many articles an hour usually has.

    The mean of the same hour of the same weekday in the weeks before, and of an hour in general, which counts as one
    week more: a few weeks say little of one hour.

    Parameters
    ----------
    hours : mapping
        Articles by hour (``"2026-11-22T14"``, UTC).
    begin : float
        When the hour begins, in seconds since 1970.
    weeks : int
        How many weeks before it are known.
    """
    same = sum(hours.get(iso(begin - week * _WEEK)[:13], 0) for week in range(1, weeks + 1))
    first, last = iso(begin - weeks * _WEEK)[:13], iso(begin)[:13]
    general = sum(count for hour, count in hours.items() if first <= hour < last) / (weeks * _WEEK / _HOUR)
    return (same + general) / (weeks + 1)


def note_spikes(connection: Connection, *, now: float) -> int:
    """Put the spikes of this hour and the one before into the outbox, each once; return how many are new.

    A spike has five articles or more, without copies, and so many would come by chance less than once in a thousand
    hours. Stores of less than two weeks have none: nothing is known to be usual.
    """
    first = connection.scalar(select(func.min(page.c.first_seen)).where(page.c.version > 0))
    current = now - now % _HOUR
    weeks = next((n for n in range(_WEEKS, _FEWEST_WEEKS - 1, -1) if first and iso(current - n * _WEEK) >= first), 0)
    if not weeks:
        return 0
    hours: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for brand, hour, count in connection.execute(_COUNTS, {"since": iso(current - (weeks + 1) * _WEEK)}):
        hours[brand][hour] = count
    found = 0
    for brand, counts in hours.items():
        for begin in (current - _HOUR, current):
            number = counts.get(iso(begin)[:13], 0)
            expected = expected_articles(counts, begin, weeks=weeks)
            if number >= _FEWEST_ARTICLES and surprise(number, max(expected, 0.01)) < _LEAST_SURPRISE:
                found += _note(connection, brand, begin, number, expected, now=now)
    connection.execute(delete(told).where(told.c.hour < iso(now - _WEEK)[:13]))
    return found


def _note(connection: Connection, brand: str, begin: float, number: int, expected: float, *, now: float) -> bool:
    """Put one spike into the outbox, unless it is there or was."""
    hour = iso(begin)[:13]
    added = insert_or(connection.dialect.name, told).values(brand=brand, hour=hour).on_conflict_do_nothing()
    if connection.execute(added.returning(told.c.hour)).scalar() is None:
        return False
    rows = connection.execute(_ARTICLES, {"brand": brand, "hour": hour, "most": _TITLES})
    key, titles = hashlib.sha256(f"{brand}\0{hour}".encode()).hexdigest()[:24], [row.title for row in rows if row.title]
    event = {"id": key, "event": "spike", "brand": brand, "counted": True, "hour": begin, "articles": number}
    event |= {"expected": round(expected, 2), "titles": titles, "found_at": iso(now)}
    connection.execute(insert(outbox).values(event=as_json(event)))
    return True
