"""Mentions in the store: ids that stay, which of a copy's are its own, events of them, verdicts and lessons."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, text, update

from blockfeat.errors import InputError
from blockfeat.monitor.store.engine import upsert
from blockfeat.monitor.store.records import FoundMention, PageRecord, StoredPage, iso
from blockfeat.monitor.store.schema import SPAN_COLUMNS, feed, feedback, lesson, mention, outbox, page
from blockfeat.monitor.store.similar import is_similar, similarity, steady

_KEY_LENGTH = 24
# So many sentences of the version before are compared with one that is new.
_COMPARED = 8
# Made once: making a statement costs more than running it.
_ADD = insert(mention)


def differ(connection: Connection, before: Any, record: PageRecord) -> bool:
    """Return whether a page differs from its stored version in text, title or mentions.

    Relative times and counters are no difference.
    """
    if before.status != record.status or before.kind not in (None, record.kind):
        return True
    if steady(before.title or "") != steady(record.title or ""):
        return True
    if before.text != record.text and steady(before.text or "") != steady(record.text):
        return True
    columns = (mention.c.brand, mention.c.place, mention.c.sentence)
    rows = connection.execute(select(*columns).where(*_current(before)))
    was = sorted((row.brand, row.place, steady(row.sentence)) for row in rows)
    return was != sorted((item.brand, item.place, steady(item.sentence)) for item in record.mentions)


def save_mentions(connection: Connection, before: Any, record: PageRecord) -> dict[str, str]:
    """Add the mentions of a new version of a page; return what is to be announced: ``"new"`` or ``"update"`` by key."""
    known: dict[str, int] = {}
    olds: Sequence[Any] = ()
    if before.version > 0:
        oldest = select(mention.c.key, func.min(mention.c.version)).where(mention.c.page_id == before.id)
        known = dict(map(tuple, connection.execute(oldest.group_by(mention.c.key))))
        columns = (mention.c.key, mention.c.brand, mention.c.sentence)
        olds = connection.execute(select(*columns).where(*_current(before)).order_by(mention.c.id)).all()
    keys = _keys(before.key, record.mentions, olds)
    sentences = {row.key: row.sentence for row in olds}
    current, rows, changes = before.version + 1, [], {}
    for item, key in zip(record.mentions, keys, strict=True):
        rows.append(_row(item, key, page_id=before.id, version=current, first_version=known.get(key, current)))
        if key not in known:
            changes[key] = "new"
        elif key in sentences and steady(sentences[key]) != steady(item.sentence):
            changes[key] = "update"
    if rows:
        connection.execute(_ADD, rows)
    return changes


def _row(item: FoundMention, key: str, **numbers: int) -> dict[str, Any]:
    """Return a mention as a row of its table."""
    values = {name: getattr(item, name) for name in FoundMention.__dataclass_fields__}
    return {**values, **numbers, "key": key, "copied": False}


def _current(row: Any) -> tuple[Any, Any]:
    return mention.c.page_id == row.id, mention.c.version == row.version


def _keys(page_key: str, found: Sequence[FoundMention], olds: Sequence[Any]) -> list[str]:
    """Return the key of each mention: that of the same sentence before, or of one that was corrected, or its own."""
    keys: list[str | None] = [None] * len(found)
    same: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for row in reversed(olds):
        same[row.brand, steady(row.sentence)].append(row.key)
    for number, item in enumerate(found if olds else ()):
        if matching := same.get((item.brand, steady(item.sentence))):
            keys[number] = matching.pop()
    used = set(keys)
    left: defaultdict[str, list[Any]] = defaultdict(list)
    for row in olds:
        if row.key not in used:
            left[row.brand].append(row)
    for number, item in enumerate(found):
        near = left[item.brand][:_COMPARED] if keys[number] is None else []
        best = max(near, key=lambda row: similarity(row.sentence, item.sentence), default=None)
        if best is not None and is_similar(best.sentence, item.sentence):
            left[item.brand].remove(best)
            keys[number] = best.key
            used.add(best.key)
    rest = [item for item, key in zip(found, keys, strict=True) if key is None]
    own = iter(_unused_keys(page_key, rest, used))
    return [key or next(own) for key in keys]


def _key(page_key: str, item: FoundMention, time: int) -> str:
    whole = "\0".join((page_key, item.brand, item.sentence, str(time)))
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:_KEY_LENGTH]


def judge_copy(connection: Connection, number: int, original: int | None) -> dict[str, str]:
    """Note which mentions of a page repeat what its original says; return those that count from now on.

    A copy's own are those in the article of a brand that neither the original's article names nor, in a similar
    sentence, an earlier copy of it.
    """
    mine = mention.c.page_id == number, mention.c.version == _version_of(number)
    columns = (mention.c.id, mention.c.key, mention.c.brand, mention.c.sentence, mention.c.counted, mention.c.copied)
    rows = connection.execute(select(*columns).where(*mine)).all()
    there = (mention.c.page_id == original) & (mention.c.version == _version_of(original or 0)) & mention.c.counted
    brands = set(connection.scalars(select(mention.c.brand).where(there).distinct()))
    others: defaultdict[str, list[str]] = defaultdict(list)
    if original is not None:
        joined = mention.join(page, (page.c.id == mention.c.page_id) & (page.c.version == mention.c.version))
        own = (page.c.copy_of == original) & (page.c.id < number) & mention.c.counted & ~mention.c.copied
        for brand, sentence in connection.execute(
            select(mention.c.brand, mention.c.sentence).select_from(joined).where(own)
        ):
            others[brand].append(sentence)
    counts: dict[str, str] = {}
    for row in rows:
        is_own = row.counted and row.brand not in brands
        is_own = is_own and not any(is_similar(row.sentence, sentence) for sentence in others[row.brand])
        copied = original is not None and not is_own
        if copied != row.copied:
            connection.execute(update(mention).where(mention.c.id == row.id).values(copied=copied))
            if row.counted and not copied:
                counts[row.key] = "counted"
    return counts


def stored_pages(connection: Connection, *, after: int, limit: int) -> list[StoredPage]:
    """Return the next pages that were read, behind one, in the order of their numbers."""
    lang = func.coalesce(page.c.lang, page.c.lang_hint).label("lang")
    columns = (lang if name == "lang" else page.c[name] for name in StoredPage.__dataclass_fields__)
    is_read = page.c.version > 0, page.c.same_as.is_(None), page.c.id > after
    rows = connection.execute(select(*columns).where(*is_read).order_by(page.c.id).limit(limit))
    return [StoredPage(*row) for row in rows]


def count_stored_pages(connection: Connection) -> int:
    """Return the number of pages that `stored_pages` returns in all."""
    is_read = page.c.version > 0, page.c.same_as.is_(None)
    return connection.scalar(select(func.count()).select_from(page).where(*is_read)) or 0


def add_past_mentions(
    connection: Connection, found: Sequence[tuple[StoredPage, list[FoundMention]]], *, announce: bool, now: float
) -> tuple[int, int, int]:
    """Add the mentions that pages do not have, and note what rules say of those that they have.

    Returns how many were added, how many of these count, and how many changed. Pages with a newer version are left out.
    """
    numbers = [each.id for each, _ in found]
    versions = dict(map(tuple, connection.execute(select(page.c.id, page.c.version).where(page.c.id.in_(numbers)))))
    added = counted = changed = 0
    for each, mentions in found:
        if versions.get(each.id) != each.version:
            continue
        rows = connection.execute(select(mention).where(*_current(each))).all()
        known = {_where(row): row for row in rows}
        new = [item for item in mentions if _where(item) not in known]
        changed += _note_rules(connection, known, mentions)
        keys = _unused_keys(each.key, new, {row.key for row in rows})
        where = {"page_id": each.id, "version": each.version, "first_version": each.version}
        values = [_row(item, key, **where) for item, key in zip(new, keys, strict=True)]
        if values:
            connection.execute(_ADD, values)
            original = connection.scalar(select(page.c.copy_of).where(page.c.id == each.id))
            if original is not None:
                judge_copy(connection, each.id, original)
            if announce:
                queue_events(connection, each.id, dict.fromkeys(keys, "new"), moment=iso(now))
        added += len(new)
        counted += sum(item.counted for item in new)
    return added, counted, changed


def _note_rules(connection: Connection, known: Mapping[tuple[object, ...], Any], found: Sequence[FoundMention]) -> int:
    """Note where another rule, or none, rules out a mention than did before; return how many there are."""
    changed = 0
    for item in found:
        row = known.get(_where(item))
        if row is not None and (row.rule, row.counted) != (item.rule, item.counted):
            values = {"rule": item.rule, "counted": item.counted, "because": item.because}
            connection.execute(update(mention).where(mention.c.id == row.id).values(**values))
            changed += 1
    return changed


def _where(item: Any) -> tuple[object, ...]:
    """Return what is found and where; a figure's description begins anew beside the block before it."""
    return item.brand, item.block, item.start, item.place == "description"


def _unused_keys(page_key: str, found: Sequence[FoundMention], used: Container[str | None]) -> list[str]:
    """Return a key of its own for each mention: the first of its sentence that is not in use."""
    times: defaultdict[tuple[str, str], Iterator[int]] = defaultdict(lambda: count(1))
    keys = (
        (key for time in times[item.brand, item.sentence] if (key := _key(page_key, item, time)) not in used)
        for item in found
    )
    return [next(each) for each in keys]


def newly_counted(connection: Connection, before: Any) -> dict[str, str]:
    """Return the mentions that the version before had too, and that count only now."""
    counts = mention.c.page_id == before.id, mention.c.counted, ~mention.c.copied
    rows = connection.execute(
        select(mention.c.key, mention.c.version).where(*counts, mention.c.version >= before.version)
    )
    versions: defaultdict[str, set[int]] = defaultdict(set)
    for key, number in rows:
        versions[key].add(number)
    return {key: "counted" for key, numbers in versions.items() if before.version not in numbers}


def _version_of(number: int) -> Any:
    return select(page.c.version).where(page.c.id == number).scalar_subquery()


def queue_events(connection: Connection, number: int, changes: dict[str, str], *, moment: str) -> None:
    """Put what is new of a page's mentions into the outbox."""
    if not changes:
        return
    lang = func.coalesce(page.c.lang, page.c.lang_hint).label("lang")
    names = ("url", "host", "copy_of", "published", "canonical_url", "title", "author", "section", "origin", "kind")
    columns = (*(page.c[name] for name in names), lang, feed.c.url.label("source"))
    joined = page.outerjoin(feed, feed.c.id == page.c.feed_id)
    about = connection.execute(select(*columns).select_from(joined).where(page.c.id == number)).one()
    mine = mention.c.page_id == number, mention.c.version == _version_of(number)
    rows = connection.execute(select(mention).where(*mine).order_by(mention.c.id))
    events = [_event(row, about, changes[row.key], moment) for row in rows if row.key in changes]
    if events:
        connection.execute(insert(outbox), [{"event": event} for event in events])


def _event(row: Any, about: Any, change: str, moment: str) -> str:
    """Return the JSON of one event; ``id`` is the same whenever the mention is delivered again."""
    counted = row.counted and not row.copied
    because = row.because if not row.counted else "copy" if row.copied else None
    values = {"id": row.key, "event": change, "brand": row.brand, "place": row.place}
    values |= {"counted": counted, "not_counted_because": because}
    values |= {name: getattr(row, name) for name in ("rule", "variant", *SPAN_COLUMNS)}
    values |= {"url": about.url, "copy": about.copy_of is not None, "published": about.published}
    values |= {name: getattr(about, name) for name in ("canonical_url", "title", "author", "section", "lang", "host")}
    values |= {"source": about.source, "from": about.origin, "kind": about.kind}
    return json.dumps({**values, "found_at": moment}, ensure_ascii=False, default=str)


VERDICTS = ("right", "wrong sense", "not in the article", "missed")
"""Verdicts of feedback: correct, a namesake's, outside of the article, or wrongly left out of it."""

_JUDGED = text(
    "SELECT m.id AS number, m.key, m.brand, m.match, m.sentence, m.text_start, m.xpath, m.counted, m.rule, "
    "m.page_id, coalesce(p.lang, p.lang_hint) AS lang, p.host, p.text, f.verdict "
    "FROM mention m JOIN page p ON p.id = m.page_id AND p.version = m.version "
    "LEFT JOIN feedback f ON f.mention_key = m.key "
    "WHERE (:brand = '' OR m.brand = :brand) AND (:host = '' OR p.host = :host) AND m.id BETWEEN :first AND :last "
    "AND (:all OR f.verdict IS NOT NULL) ORDER BY m.id DESC LIMIT :most"
)
_LAST = 2**62


def judge(connection: Connection, key: str, verdict: str, *, now: float) -> None:
    """Store a verdict on a mention; it replaces an earlier one.

    Raises
    ------
    InputError
        There is no such mention, or no such verdict.
    """
    if verdict not in VERDICTS:
        raise InputError(f"verdict {verdict!r} is none of {', '.join(VERDICTS)}")
    if connection.scalar(select(mention.c.id).where(mention.c.key == key).limit(1)) is None:
        raise InputError(f"the store has no mention {key!r}")
    values = {"mention_key": key, "verdict": verdict, "judged_at": iso(now)}
    upsert(connection, feedback, values, "mention_key")


def count_judged(connection: Connection) -> int:
    """Return the number of mentions that were judged."""
    return connection.scalar(select(func.count()).select_from(feedback)) or 0


def mentions_for_learning(
    connection: Connection,
    *,
    brand: str = "",
    host: str = "",
    judged_only: bool = False,
    first: int = 0,
    last: int = _LAST,
    limit: int = 2000,
) -> list[Mapping[str, Any]]:
    """Return mentions of current versions with their articles and verdicts, the newest first."""
    values = {"brand": brand, "host": host, "all": not judged_only, "first": first, "last": last, "most": limit}
    return [dict(row) for row in connection.execute(_JUDGED, values).mappings()]


def save_lesson(connection: Connection, kind: str, subject: str, value: Mapping[str, Any], *, now: float) -> None:
    """Save an accepted lesson; it replaces an earlier one of the same subject."""
    values = {"kind": kind, "subject": subject, "value": json.dumps(value, ensure_ascii=False), "accepted_at": iso(now)}
    upsert(connection, lesson, values, "kind", "subject")


def lessons(connection: Connection) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Return the accepted lessons: kind, subject and value of each."""
    rows = connection.execute(select(lesson.c.kind, lesson.c.subject, lesson.c.value).order_by(lesson.c.subject))
    return [(row.kind, row.subject, json.loads(row.value)) for row in rows]


def forget_lesson(connection: Connection, subject: str) -> int:
    """Forget the lessons of a subject; return how many there were."""
    return connection.execute(delete(lesson).where(lesson.c.subject == subject)).rowcount
