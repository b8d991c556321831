"""What is forgotten: pages by age, host or address, evidence and older versions by age; and days in another zone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, delete, func, or_, select, update

from blockfeat.monitor.store.records import iso, local_day
from blockfeat.monitor.store.schema import band, entry, feedback, mention, meta, page, version
from blockfeat.monitor.store.search import forget_article

_AT_ONCE = 500
_PURGED = "purged"
_KEPT = frozenset(
    ("id", "key", "url", "host", "feed_id", "published", "stamp", "digest", "linked", "first_seen", "day", "attempts")
)
"""What stays of a purged page, so that a feed that still names it does not bring it back."""
_ZONE = "timezone"


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
    done = 0
    while rows := connection.execute(
        select(page.c.id, page.c.version, page.c.same_as, page.c.title, page.c.text).where(*chosen).limit(_AT_ONCE)
    ).all():
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
    for table in (mention, band, entry, version):
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


def set_timezone(connection: Connection, zone: ZoneInfo) -> int:
    """Count the days of all pages in a zone; return how many changed: none where the store has it already."""
    known = connection.scalar(select(meta.c.value).where(meta.c.key == _ZONE))
    if known == zone.key:
        return 0
    changed, last = 0, 0
    columns = (page.c.id, page.c.published, page.c.first_seen, page.c.day)
    while rows := connection.execute(
        select(*columns).where(page.c.id > last).order_by(page.c.id).limit(_AT_ONCE)
    ).all():
        last = rows[-1].id
        for row in rows:
            day = local_day(row.published or row.first_seen, zone)
            if day != row.day:
                connection.execute(update(page).where(page.c.id == row.id).values(day=day))
                changed += 1
    if known is None:
        connection.execute(meta.insert().values(key=_ZONE, value=zone.key))
    else:
        connection.execute(update(meta).where(meta.c.key == _ZONE).values(value=zone.key))
    return changed
