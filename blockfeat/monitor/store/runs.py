"""Runs in the store: what they did, what is tried again, what is forgotten, and what state the store is in."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from hashlib import scrypt
from hmac import compare_digest
from itertools import pairwise
from shutil import disk_usage
from statistics import median
from typing import Any, cast
from unicodedata import normalize
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, delete, func, insert, or_, select, text, true, update

from blockfeat.errors import StoreError
from blockfeat.monitor.fetching.urls import netloc_of
from blockfeat.monitor.store.engine import upsert
from blockfeat.monitor.store.feeds import OF_RUNS, mend_clock
from blockfeat.monitor.store.records import iso, local_day
from blockfeat.monitor.store.schema import OF_PAGES, SQL, feed, feedback, mention, meta, page, run, version
from blockfeat.monitor.store.search import forget_article

# A week of rounds that begin every minute.
_RUNS_KEPT = 11_000
_AT_ONCE = 500
# Seconds without a sign of a round that are no trouble: these at least, three usual pauses, or a day after one round.
_LEAST_SILENCE, _PAUSES, _FIRST_SILENCE = 900.0, 3, 86_400.0
_RUNS_COMPARED, _BROKEN_OFF = 10, 3
# Days before in whose hours a silence may have been, too.
_RHYTHMS = (1, 7)
# Status codes below 500 that may be temporary.
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
    own_mentions : int
        Mentions that only copies have, and that count.
    waiting_hosts : mapping of str to str
        Hosts that asked for a pause, each with its end.
    trouble : str or None
        Why the monitor needs somebody; see `trouble_of`.
    alive_at : str or None
        The last sign of a round.
    failing : int
        Feeds that failed at the last poll.
    store_bytes, free_bytes : int, int or None
        Size of the store, and what is free on its disk; the latter is not known of PostgreSQL.
    """

    trouble: str | None = None
    alive_at: str | None = None
    store_bytes: int = 0
    free_bytes: int | None = None
    runs: tuple[Mapping[str, Any], ...] = ()
    pages: Mapping[str, int] = field(default_factory=dict)
    due: int = 0
    later: int = 0
    retried: int = 0
    unexpected: int = 0
    copies: int = 0
    own_mentions: int = 0
    versions: int = 0
    mentions: int = 0
    counted: int = 0
    feed_count: int = 0
    failing: int = 0
    retired: int = 0
    failing_feeds: tuple[Mapping[str, Any], ...] = ()
    failed_pages: tuple[Mapping[str, Any], ...] = ()
    waiting_hosts: Mapping[str, str] = field(default_factory=dict)
    sinks: tuple[Mapping[str, Any], ...] = ()
    dead_letters: tuple[Mapping[str, Any], ...] = ()


def begin_run(connection: Connection, *, now: float, process: str, environment: str = "") -> int:
    """Note that a run begins, correct times set by a wrong clock, and retry failures of other environments.

    Runs of long ago are forgotten. Returns the number of the run.
    """
    mend_clock(connection, now=now)
    keep_alive(connection, now=now)
    retry(connection, now=now, environment=environment)
    started = insert(run).values(started_at=iso(now), process=process).returning(run.c.id)
    number = int(connection.execute(started).scalar_one())
    connection.execute(delete(run).where(run.c.id <= number - _RUNS_KEPT))
    return number


def end_run(connection: Connection, number: int, *, now: float, summary: Mapping[str, Any]) -> None:
    """Note that a run has ended, and what it did."""
    values = {"ended_at": iso(now), "summary": json.dumps(summary, ensure_ascii=False)}
    connection.execute(update(run).where(run.c.id == number).values(values))
    keep_alive(connection, now=now)


def keep_alive(connection: Connection, *, now: float) -> None:
    """Note that a run is at work."""
    upsert(connection, meta, {"key": _ALIVE, "value": str(now)}, "key")


def trouble_of(connection: Connection, *, now: float) -> str | None:
    """Return why the monitor needs somebody, None where all is well: no round, or the last one is too long ago.

    Too long is three times the usual pause between the last rounds, and a quarter of an hour at least; hours that were
    silent a day or a week before do not count. Trouble are also three rounds in a row that broke off.

    Raises
    ------
    StoreError
        The file of the store is gone.
    """
    _disk(connection)
    alive = float(connection.scalar(select(meta.c.value).where(meta.c.key == _ALIVE)) or 0)
    if not alive:
        return "no round has been run"
    rows = connection.execute(select(*OF_RUNS).order_by(run.c.id.desc()).limit(_RUNS_COMPARED)).all()
    if len(rows) > _BROKEN_OFF and not any(row.ended_at for row in rows[1 : _BROKEN_OFF + 1]):
        return f"the last {_BROKEN_OFF} rounds before this one broke off"
    starts = [datetime.fromisoformat(row.started_at) for row in rows]
    pauses = [(later - earlier).total_seconds() for later, earlier in pairwise(starts)]
    usual = median(pauses) if pauses else _FIRST_SILENCE / _PAUSES
    most = max(_LEAST_SILENCE, _PAUSES * usual)
    # A moment to come is of a clock that was set back since.
    is_usual = now > alive and _was_silent(connection, alive + usual / 2, now - most)
    if abs(now - alive) <= most or is_usual:
        return None
    return f"no sign of a round since {iso(alive)}; rounds used to begin every {usual / 60:,.0f} minutes"


def _was_silent(connection: Connection, since: float, until: float) -> bool:
    """Return whether no round began in the same hours a day or a week before: rounds may keep office hours."""
    zone, first = _zone(connection), connection.scalar(select(func.min(run.c.started_at)))
    for days in _RHYTHMS:
        hours = [datetime.fromtimestamp(moment, zone) - timedelta(days=days) for moment in (since, until)]
        start, end = (iso(moment.timestamp()) for moment in hours)
        begun = select(run.c.id).where(run.c.started_at.between(start, end)).limit(1)
        if first <= start and connection.scalar(begun) is None:
            return True
    return False


def _disk(connection: Connection) -> tuple[int, int | None]:
    """Return the size of the store in bytes, and how many are free where it is a file."""
    if connection.dialect.name == "postgresql":
        return connection.scalar(select(func.pg_database_size(func.current_database()))) or 0, None
    file = os.path.abspath(connection.engine.url.database or "")
    try:
        sizes = [os.path.getsize(file), *map(os.path.getsize, filter(os.path.exists, [f"{file}-wal"]))]
        return sum(sizes), disk_usage(os.path.dirname(file)).free
    except OSError as error:
        raise StoreError(f"{file}: cannot be read: {error.strerror}") from error


def status_of(connection: Connection, *, now: float, limit: int = 10) -> StoreStatus:
    """Return what is in a store; lists have at most ``limit`` rows."""
    lists: dict[str, Any] = {name: _rows(connection, sql, now=now, most=limit) for name, sql in SQL["status"].items()}
    (numbers,) = lists.pop("numbers")
    alive = numbers.pop("alive")
    size, free = _disk(connection)
    return StoreStatus(
        trouble=trouble_of(connection, now=now),
        alive_at=iso(float(alive)) if alive else None,
        store_bytes=size,
        free_bytes=free,
        runs=tuple({**row, "summary": json.loads(row["summary"] or "{}")} for row in lists.pop("runs")),
        pages={row["status"]: row["number"] for row in lists.pop("pages")},
        waiting_hosts={row["name"]: iso(row["retry_at"]) for row in lists.pop("waiting_hosts")},
        failed_pages=tuple({**row, "unexpected": bool(row["unexpected"])} for row in lists.pop("failed_pages")),
        **lists,
        **numbers,
    )


def _rows(connection: Connection, sql: str, **values: Any) -> tuple[dict[str, Any], ...]:
    return tuple(map(dict, connection.execute(text(sql), values).mappings()))


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
        rows = [row for row in rows if host is None or netloc_of(row.url) == host]
        wanted = [row for row in rows if reason.casefold() in (row.error or "").casefold()]
        for start in range(0, len(wanted), _AT_ONCE):
            numbers = [row.id for row in wanted[start : start + _AT_ONCE]]
            connection.execute(update(table).where(table.c.id.in_(numbers)).values(again))
        whys = ((row.error or "unknown").removeprefix(f"{row.url}: ").partition("\n")[0] for row in wanted)
        reasons.update(_ADDRESS.sub("…", why) for why in whys)
    return reasons


_PURGED = "purged"
_KEPT = frozenset(
    ("id", "key", "url", "host", "feed_id", "published", "stamp", "digest", "linked", "first_seen", "day", "attempts")
)
"""What stays of a purged page, so that a feed that still names it does not bring it back."""
_ZONE, _ALIVE, _PASSWORD = "timezone", "alive", "password"


def purge(connection: Connection, *, before: str | None = None, host: str | None = None, url: str | None = None) -> int:
    """Forget everything that was read of some pages, all conditions together; return how many they are.

    Their addresses stay, so that they are not fetched again.

    Parameters
    ----------
    before : str, optional
        Pages that appeared before this day.
    host, url : str, optional
        Pages of a host, or one page.
    """
    chosen: list[Any] = [page.c.status != _PURGED]
    if before is not None:
        chosen.append(func.coalesce(page.c.published, page.c.first_seen) < before)
    if host is not None:
        chosen.append(page.c.host == host)
    if url is not None:
        chosen.append(or_(page.c.url == url, page.c.final_url == url, page.c.canonical_url == url))
    done, columns = 0, (page.c.id, page.c.version, page.c.same_as, page.c.title, page.c.text)
    while rows := connection.execute(select(*columns).where(*chosen).limit(_AT_ONCE)).all():
        numbers = [row.id for row in rows]
        for row in rows:
            if row.version > 0 and row.same_as is None:
                forget_article(connection, row.id, row.title, row.text)
        _empty(connection, numbers)
        done += len(rows)
    return done


def _empty(connection: Connection, numbers: Sequence[int]) -> None:
    """Empty pages, and drop what belongs to them."""
    keys = select(mention.c.key).where(mention.c.page_id.in_(numbers))
    connection.execute(delete(feedback).where(feedback.c.mention_key.in_(keys)))
    for table in OF_PAGES:
        connection.execute(delete(table).where(table.c.page_id.in_(numbers)))
    for column in (page.c.copy_of, page.c.same_as, page.c.story):
        connection.execute(update(page).where(column.in_(numbers)).values({column.name: None}))
    nothing: dict[str, Any] = {column.name: None for column in page.columns if column.name not in _KEPT}
    connection.execute(update(page).where(page.c.id.in_(numbers)).values(nothing | {"status": _PURGED, "version": 0}))


def forget_old(
    connection: Connection, *, now: float, pages: float | None, evidence: float | None, versions: float | None
) -> tuple[int, int, int]:
    """Forget pages, evidence and older versions beyond an age in seconds; return how many of each."""
    purged = purge(connection, before=iso(now - pages)) if pages is not None else 0
    dropped = replaced = 0
    if evidence is not None:
        old = page.c.evidence.is_not(None), func.coalesce(page.c.published, page.c.first_seen) < iso(now - evidence)
        dropped = connection.execute(update(page).where(*old).values(evidence=None)).rowcount
    if versions is not None:
        replaced = connection.execute(delete(version).where(version.c.replaced_at < iso(now - versions))).rowcount
    return purged, dropped, replaced


def today(connection: Connection, *, now: float) -> date:
    """Return the day of a moment as the days of pages are counted."""
    return datetime.fromtimestamp(now, _zone(connection)).date()


def collecting_since(connection: Connection) -> date | None:
    """Return the day on which the first page was found; None for an empty store."""
    first = connection.scalar(select(page.c.first_seen).order_by(page.c.id).limit(1))
    return None if first is None else date.fromisoformat(local_day(first, _zone(connection)))


def _zone(connection: Connection) -> ZoneInfo:
    return ZoneInfo(connection.scalar(select(meta.c.value).where(meta.c.key == _ZONE)) or "UTC")


def set_timezone(connection: Connection, zone: ZoneInfo) -> int:
    """Count the days of all pages in a zone; return how many changed: none where the store has it already."""
    known = connection.scalar(select(meta.c.value).where(meta.c.key == _ZONE))
    if known == zone.key:
        return 0
    changed, last = 0, 0
    days = select(page.c.id, page.c.published, page.c.first_seen, page.c.day).order_by(page.c.id).limit(_AT_ONCE)
    while rows := connection.execute(days.where(page.c.id > last)).all():
        last = rows[-1].id
        for row in rows:
            day = local_day(row.published or row.first_seen, zone)
            if day != row.day:
                connection.execute(update(page).where(page.c.id == row.id).values(day=day))
                changed += 1
    upsert(connection, meta, {"key": _ZONE, "value": zone.key}, "key")
    return changed


def set_password(connection: Connection, password: str | None) -> None:
    """Let the live page ask for a password; None for no password. Only its hash is stored."""
    connection.execute(delete(meta).where(meta.c.key == _PASSWORD))
    if password is not None:
        salt = os.urandom(16)
        connection.execute(insert(meta).values(key=_PASSWORD, value=f"{salt.hex()}${_hashed(password, salt)}"))


def password_hash(connection: Connection) -> str | None:
    """Return what `is_password` compares with; None where no password is set."""
    return cast("str | None", connection.scalar(select(meta.c.value).where(meta.c.key == _PASSWORD)))


def is_password(password: str, stored: str) -> bool:
    """Return whether a password has a stored hash, in a time that does not tell how nearly; it takes 32 MB."""
    salt, _, known = stored.partition("$")
    return compare_digest(_hashed(password, bytes.fromhex(salt)), known)


def _hashed(password: str, salt: bytes) -> str:
    # Keyboards compose letters in different ways.
    data = normalize("NFC", password).encode("utf-8", "surrogatepass")
    return scrypt(data, salt=salt, n=2**15, r=8, p=3, maxmem=2**26).hex()
