"""Pages in the store: which are due, everything about one page in one transaction, and copies."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, cast
from zoneinfo import ZoneInfo

from sqlalchemy import BindParameter, Connection, bindparam, delete, insert, select, text, update

from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.store.feeds import hold_host
from blockfeat.monitor.store.mentions import differ, judge_copy, newly_counted, save_mentions
from blockfeat.monitor.store.outbox import as_json, queue_events
from blockfeat.monitor.store.records import DuePage, PageRecord, Saved, Visit, day_or_moment, faults_of, iso, local_day
from blockfeat.monitor.store.schema import SQL, band, entry, page, version
from blockfeat.monitor.store.search import forget_article, index_article
from blockfeat.monitor.store.similar import bands_of, containment, original_of, runs_of_words, save_bands, story_of

_GONE = frozenset({404, 410})
_UTC = ZoneInfo("UTC")


# Made once: making a statement costs more than running it.
_NUMBER: BindParameter[int] = bindparam("number")
_ADDRESSES = {name: text(sql) for name, sql in SQL["addresses"].items()}
_BEFORE = select(
    *(page.c[name] for name in ("id", "key", "url", "version", "status", "kind", "title", "headline", "text")),
    *(page.c[name] for name in ("metadata", "fetched_at", "published", "first_seen")),
).where(page.c.id.in_(bindparam("numbers", expanding=True)))
_UPDATE = update(page).where(page.c.id == _NUMBER)
_FORGET_ENTRIES = delete(entry).where(entry.c.page_id.in_(bindparam("numbers", expanding=True)))


def _judge_copies(connection: Connection, number: int, settings: CopySettings, *, moment: str, announce: bool) -> None:
    """Decide again what the copies of a page are copies of, now that its text has changed."""
    copies = select(page.c.id, page.c.text).where(page.c.copy_of == number).order_by(page.c.id)
    for copy in connection.execute(copies).all():
        rows = connection.execute(select(band.c.hash).where(band.c.page_id == copy.id).order_by(band.c.number))
        runs = runs_of_words(copy.text or "")
        original, similarity = original_of(connection, copy.id, runs, [row.hash for row in rows], settings)
        values = {"copy_of": original, "similarity": similarity}
        connection.execute(update(page).where(page.c.id == copy.id).values(values))
        counted = judge_copy(connection, copy.id, original)
        if announce:
            queue_events(connection, copy.id, counted, moment=moment)


_COLUMNS = ", ".join("lang_hint" if name == "lang" else name for name in (*DuePage.__dataclass_fields__, "due_at"))
_DUE = {dialect: sql.format(columns=_COLUMNS) for dialect, sql in SQL["due"].items()}


def due_hosts(connection: Connection, *, now: float, after: str = "", limit: int) -> tuple[list[str], str | None]:
    """Return hosts that have pages due, in order of their names, without those that asked for a pause.

    At most ``limit`` hosts are looked at; the last of them is returned too, to go on after it, or None at the end.
    The index leads from host to host, however many pages each of them has.
    """
    rows = connection.execute(text(SQL["hosts"]["due"]), {"after": after, "most": limit}).all()
    names = [name for name, due_at, retry_at in rows if due_at <= now and (retry_at is None or retry_at <= now)]
    return names, rows[-1][0] if len(rows) == limit else None


def due_pages(
    connection: Connection,
    *,
    now: float,
    limit: int,
    of_each_host: int,
    besides: Sequence[int] = (),
    hosts: Sequence[str] | None = None,
) -> list[DuePage]:
    """Return pages that are due, a few of each host, those that have waited longest first.

    Parameters
    ----------
    hosts : sequence of str, optional
        Whose pages; by default those of the first hosts that `due_hosts` gives.
    """
    names = due_hosts(connection, now=now, limit=limit)[0] if hosts is None else hosts
    most = min(of_each_host, -(-limit // max(len(names), 1)))
    values = {"names": json.dumps(list(names)), "besides": json.dumps(list(besides)), "now": now, "most": most}
    turns: Counter[str] = Counter()
    found = []
    for row in connection.execute(text(_DUE[connection.dialect.name]), values):
        turns[row.host] += 1
        found.append((turns[row.host], row))
    return [DuePage(*row[:-1]) for _, row in sorted(found, key=itemgetter(0))[:limit]]


def _save_failure(connection: Connection, visit: Visit) -> Saved:
    """Save that a page could not be fetched; what was read of it before stays."""
    values = _fetched(visit)
    if visit.page.version == 0:
        values["status"] = "error" if visit.due_at is None else "waiting"
    elif visit.http_status in _GONE:
        values["removed_at"] = iso(visit.at)
    if visit.tried:
        values["attempts"] = visit.page.attempts + 1
    connection.execute(_UPDATE, {"number": visit.page.id, **values})
    return Saved("failed")


def _save_same(connection: Connection, visit: Visit, values: dict[str, Any]) -> Saved:
    """Save that the content of a page is unchanged."""
    connection.execute(_UPDATE, {"number": visit.page.id, **values, "attempts": 0, "removed_at": None})
    return Saved("unchanged")


def _save_page(
    connection: Connection,
    visit: Visit,
    record: PageRecord,
    before: Any,
    *,
    copies: CopySettings,
    announce: bool,
    zone: ZoneInfo,
) -> Saved:
    """Save a page that was read, with its mentions; what it was before becomes a version with its time."""
    number = visit.page.id
    if before.version > 0 and not differ(connection, before, record):
        return _save_same(connection, visit, _answered(visit))
    canonical = record.canonical_url or visit.canonical_url
    is_new = before.version == 0
    if not is_new:
        connection.execute(insert(version).values(_version(before, visit)))
    elif _is_known_address(connection, visit, canonical):
        # A login or a wall that many addresses lead to makes none of them another's.
        is_content = record.status == "ok" and record.origin == "page"
        same = is_content and (
            _at_same_address(connection, visit) or _alike(connection, number, canonical, record, copies)
        )
        if same:
            values = {**_answered(visit), "status": "same", "same_as": same, "canonical_url": canonical, "due_at": None}
            connection.execute(_UPDATE, {"number": number, **values})
            return Saved("same")
        taken = {"number": number, "canonical": record.canonical_url}
        if record.canonical_url is not None and connection.scalar(_ADDRESSES["taken"], taken) is not None:
            # Many pages that call themselves the same one: the name is worth nothing.
            canonical = visit.canonical_url
    runs = runs_of_words(record.text)
    # A login or a wall is neither a copy nor has it copies.
    bands = bands_of(runs, min_words=copies.min_words) if record.status == "ok" else ()
    original, similarity = original_of(connection, number, runs, bands, copies)
    values = {**_answered(visit), **_read(record), "canonical_url": canonical, "copy_of": original, "attempts": 0}
    values["similarity"] = similarity
    published = before.published or day_or_moment(record.published)
    values |= {"version": before.version + 1, "published": published, "removed_at": None}
    values["day"] = local_day(published or before.first_seen, zone)
    values["story"] = story_of(connection, number, original, record, published or before.first_seen)
    connection.execute(_UPDATE, {"number": number, **values})
    save_bands(connection, number, bands, is_new=is_new)
    if not is_new:
        forget_article(connection, number, before.title, before.text)
    index_article(connection, number, record.title, record.text)
    changes = save_mentions(connection, before, record)
    if original is not None:
        judge_copy(connection, number, original)
    if announce:
        counted = {} if is_new else newly_counted(connection, before)
        changes |= {key: change for key, change in counted.items() if changes.get(key) != "new"}
        queue_events(connection, number, changes, moment=iso(visit.at))
    if not is_new:
        _judge_copies(connection, number, copies, moment=iso(visit.at), announce=announce)
    outcome = "new" if is_new else "updated"
    return Saved(outcome, len(record.mentions), original is not None)


def save_visits(
    connection: Connection,
    visits: Sequence[tuple[Visit, PageRecord | None]],
    *,
    copies: CopySettings,
    announce: bool = False,
    zone: ZoneInfo = _UTC,
) -> list[Saved]:
    """Save what came of visits to different pages: they were read, they failed, or they are as they were.

    Parameters
    ----------
    announce : bool
        Whether mentions that a page did not have before, or not so, go into the outbox.
    zone : ZoneInfo
        Where the days of pages are counted.
    """
    saved = []
    read = [visit.page.id for visit, record in visits if record is not None]
    befores = {row.id: row for row in connection.execute(_BEFORE, {"numbers": read})} if read else {}
    for visit, record in visits:
        if visit.retry_at is not None:
            hold_host(connection, visit.retry_host or visit.page.host, visit.retry_at)
        if record is not None:
            before = befores.pop(visit.page.id)
            saved.append(_save_page(connection, visit, record, before, copies=copies, announce=announce, zone=zone))
        elif visit.error is not None:
            saved.append(_save_failure(connection, visit))
        else:
            tags = {"etag": visit.etag, "last_modified": visit.last_modified}
            renewed = {name: tag for name, tag in tags.items() if tag is not None}
            saved.append(_save_same(connection, visit, _fetched(visit) | renewed))
    # The feed's own text of a page that was read is of no more use.
    whole = [visit.page.id for visit, record in visits if record and (record.origin, record.status) == ("page", "ok")]
    if whole:
        connection.execute(_FORGET_ENTRIES, {"numbers": whole})
    return saved


def _fetched(visit: Visit) -> dict[str, Any]:
    """Return what a visit says of the fetching; what validates the text that the store has stays."""
    values: dict[str, Any] = {
        "due_at": visit.due_at,
        "http_status": visit.http_status,
        "error": visit.error,
        "fault": faults_of(visit.page, visit.fault),
        "fetched_at": iso(visit.at),
    }
    if visit.final_url is not None:
        values["final_url"] = visit.final_url
    return values


def _answered(visit: Visit) -> dict[str, Any]:
    """Return what a visit says of the fetching of a page that was read: only its own validators hold from now on."""
    return {**_fetched(visit), "etag": visit.etag, "last_modified": visit.last_modified}


_AS_READ = (
    *("status", "error", "lang", "title", "headline", "author", "section", "text", "words", "encoding", "model"),
    *("origin", "kind"),
)


def _read(record: PageRecord) -> dict[str, Any]:
    return {
        **{name: getattr(record, name) for name in _AS_READ},
        "metadata": as_json(dict(record.metadata)),
        "warnings": as_json(list(record.warnings)),
        "evidence": record.evidence or None,
    }


def _is_known_address(connection: Connection, visit: Visit, canonical: str | None) -> bool:
    """Return whether another page was read at an address of this one, or has one for its canonical address."""
    values = {"number": visit.page.id, "canonical": canonical, "final_url": visit.final_url}
    return connection.scalar(_ADDRESSES["known"], {**values, "own_canonical": visit.canonical_url}) is not None


def _at_same_address(connection: Connection, visit: Visit) -> int | None:
    """Return the page that was read before, as content, at the address that this one has led to."""
    values = {"number": visit.page.id, "canonical": visit.canonical_url, "final_url": visit.final_url}
    return cast("int | None", connection.scalar(_ADDRESSES["same"], values))


def _alike(
    connection: Connection, number: int, canonical: str | None, record: PageRecord, copies: CopySettings
) -> int | None:
    """Return the page that has the same canonical address and nearly the same text."""
    runs = runs_of_words(record.text)
    for other in connection.execute(_ADDRESSES["alike"], {"number": number, "canonical": canonical}):
        if other.text == record.text or containment(runs, runs_of_words(other.text or "")) >= copies.similarity:
            return int(other.id)
    return None


def _version(before: Any, visit: Visit) -> dict[str, Any]:
    kept = {name: getattr(before, name) for name in ("version", "status", "title", "headline", "text", "metadata")}
    return {**kept, "page_id": before.id, "fetched_at": before.fetched_at, "replaced_at": iso(visit.at)}
