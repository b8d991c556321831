"""Mentions in the store: ids that stay, which of a copy's are its own, events of them, verdicts and lessons."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict, deque
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import count
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, text, update

from blockfeat.errors import InputError
from blockfeat.monitor.mentions.brand import is_unsure
from blockfeat.monitor.store.engine import upsert
from blockfeat.monitor.store.outbox import queue_events, version_of
from blockfeat.monitor.store.records import FoundMention, PageRecord, StoredPage, iso
from blockfeat.monitor.store.schema import SQL, feedback, lesson, mention, page
from blockfeat.monitor.store.similar import is_similar, similarity, steady

_KEY_LENGTH = 24
# So many sentences of the version before are compared with one that is new.
_COMPARED = 8
NOT_FOUND = "nothing in the configuration finds it any more"
"""The rule of mentions that a rematch did not find."""
# What was unsure still says why, for who decides otherwise later.
_DECIDED: dict[str, Any] = {"rule": None, "counted": True}
_NOT_FOUND = {"rule": NOT_FOUND, "because": NOT_FOUND, "counted": False, "relevance": 0.0}
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
    is_found = mention.c.rule.is_distinct_from(NOT_FOUND)
    rows = connection.execute(select(*columns).where(*_current(before), is_found))
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
    for found, key in zip(record.mentions, keys, strict=True):
        item = _as_decided(connection, found, key) if key in known else found
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
    mine = mention.c.page_id == number, mention.c.version == version_of(number)
    columns = (mention.c.id, mention.c.key, mention.c.brand, mention.c.sentence, mention.c.counted, mention.c.copied)
    rows = connection.execute(select(*columns).where(*mine)).all()
    there = (mention.c.page_id == original) & (mention.c.version == version_of(original or 0)) & mention.c.counted
    brands = set(connection.scalars(select(mention.c.brand).where(there).distinct()))
    others: defaultdict[str, list[str]] = defaultdict(list)
    if original is not None:
        joined = mention.join(page, (page.c.id == mention.c.page_id) & (page.c.version == mention.c.version))
        own = (page.c.copy_of == original) & (page.c.id < number) & mention.c.counted & ~mention.c.copied
        said = select(mention.c.brand, mention.c.sentence).select_from(joined).where(own)
        for brand, sentence in connection.execute(said):
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


_LANG = func.coalesce(page.c.lang, page.c.lang_hint).label("lang")
_STORED = [_LANG if name == "lang" else page.c[name] for name in StoredPage.__dataclass_fields__]


def stored_pages(connection: Connection, *, after: int, limit: int) -> list[StoredPage]:
    """Return the next pages that were read, behind one, in the order of their numbers."""
    is_read = page.c.version > 0, page.c.same_as.is_(None), page.c.id > after
    rows = connection.execute(select(*_STORED).where(*is_read).order_by(page.c.id).limit(limit))
    return [StoredPage(*row) for row in rows]


def stored_page(connection: Connection, url: str) -> StoredPage | None:
    """Return the page that was read at an address."""
    row = connection.execute(select(*_STORED).where(page.c.url == url)).first()
    return None if row is None else StoredPage(*row)


def count_stored_pages(connection: Connection) -> int:
    """Return the number of pages that `stored_pages` returns in all."""
    is_read = page.c.version > 0, page.c.same_as.is_(None)
    return connection.scalar(select(func.count()).select_from(page).where(*is_read)) or 0


@dataclass(frozen=True, slots=True)
class Rematched:
    """Counts of a rematch over the pages of a store.

    Attributes
    ----------
    pages : int
        Pages that were looked through.
    added, counted : int
        Mentions that they did not have; those of them that count.
    changed : int
        Mentions that are found otherwise than before: in another place, or that a rule rules out now, or no longer.
    gone : int
        Mentions that nothing in the configuration finds any more.
    failed : int
        Pages that could not be looked through, and are as they were.
    """

    pages: int = 0
    added: int = 0
    counted: int = 0
    changed: int = 0
    gone: int = 0
    failed: int = 0

    def __add__(self, other: Rematched) -> Rematched:
        """Return the sum of the numbers."""
        return Rematched(*map(sum, zip(astuple(self), astuple(other), strict=True)))


def match_again(
    connection: Connection,
    found: Sequence[tuple[StoredPage, Sequence[FoundMention]]],
    *,
    brands: Collection[str] = (),
    announce: bool,
    now: float,
) -> Rematched:
    """Make the mentions of pages those that were found now; what was not found is kept, with that reason.

    Pages with a newer version are left out.

    Parameters
    ----------
    brands : collection of str
        Only mentions of these were looked for; of all where it is empty.
    """
    numbers = [each.id for each, _ in found]
    columns = page.c.id, page.c.version, func.coalesce(page.c.copy_of, page.c.id)
    current = {row[0]: row[1:] for row in connection.execute(select(*columns).where(page.c.id.in_(numbers)))}
    done, families, events = Rematched(len(found)), set[int](), dict[int, dict[str, str]]()
    for each, mentions in found:
        version, original = current.get(each.id, (None, None))
        if version != each.version:
            continue
        step, changes = _match_page(connection, each, mentions, brands)
        if step != Rematched():
            families.add(original)
        events[each.id] = changes
        done += step
    for original in sorted(families):
        for number in connection.scalars(select(page.c.id).where(page.c.copy_of == original).order_by(page.c.id)):
            counts = judge_copy(connection, number, original)
            events[number] = counts | events.get(number, {})
    for number, changes in events.items() if announce else ():
        queue_events(connection, number, changes, moment=iso(now), is_asked=True)
    return done


_BESIDE_THE_TEXT = ("clutter", "table", "description")


def _match_page(
    connection: Connection, stored: StoredPage, found: Sequence[FoundMention], brands: Collection[str]
) -> tuple[Rematched, dict[str, str]]:
    """Make the mentions of a page those that were found; return how many changed, and what is to be announced."""
    rows = connection.execute(select(mention).where(*_current(stored)).order_by(mention.c.id)).all()
    # Where no blocks were kept, what stands outside of the text cannot be found, nor where a name stands in its block.
    sought = [row for row in rows if not brands or row.brand in brands]
    if not stored.evidence:
        words = f"{stored.headline}\n{stored.text}"
        sought = [row for row in sought if row.place not in _BESIDE_THE_TEXT and row.sentence in words]
        sought.sort(key=lambda row: row.text_start is None)
    known: defaultdict[tuple[str, str], deque[Any]] = defaultdict(deque)
    for row in sought:
        known[row.brand, row.sentence].append(row)
    there = (known[item.brand, item.sentence] for item in found)
    pairs = [(item, same.popleft() if same else None) for item, same in zip(found, there, strict=True)]
    met = [(item if was is None else _as_decided(connection, item, was.key), was) for item, was in pairs]
    changed, changes = 0, dict[str, str]()
    for item, was in met:
        if was is not None and _update(connection, was, item, is_whole=bool(stored.evidence)):
            changed += 1
            changes |= {was.key: "counted"} if item.counted and not was.counted else {}
    new = [item for item, was in met if was is None]
    keys = _unused_keys(stored.key, new, {row.key for row in rows})
    where = {"page_id": stored.id, "version": stored.version, "first_version": stored.version}
    if new:
        connection.execute(_ADD, [_row(item, key, **where) for item, key in zip(new, keys, strict=True)])
    left = [row for same in known.values() for row in same]
    gone = [row.id for row in left if row.rule != NOT_FOUND and (stored.evidence or row.counted or row.rule)]
    if gone:
        connection.execute(update(mention).where(mention.c.id.in_(gone)).values(**_NOT_FOUND))
    counted = sum(item.counted for item in new)
    return Rematched(0, len(new), counted, changed, len(gone)), changes | dict.fromkeys(keys, "new")


def _as_decided(connection: Connection, item: FoundMention, key: str) -> FoundMention:
    """Return a mention, one of which nothing but its sense is unsure as a person has decided it."""
    if not is_unsure(item.because):
        return item
    verdict = connection.scalar(select(feedback.c.verdict).where(feedback.c.mention_key == key))
    return replace(item, **_DECIDED) if verdict == "right" else item


def _update(connection: Connection, row: Any, item: FoundMention, *, is_whole: bool) -> bool:
    """Make a stored mention what was found, or only its rule what it is now; return whether it was otherwise."""
    values = {name: getattr(item, name) for name in FoundMention.__dataclass_fields__}
    if not is_whole:
        values = {name: values[name] for name in ("rule", "because", "counted")} if row.rule != item.rule else {}
    if all(getattr(row, name) == value for name, value in values.items()):
        return False
    connection.execute(update(mention).where(mention.c.id == row.id).values(**values))
    return True


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
    counts = mention.c.page_id == before.id, mention.c.counted, ~mention.c.copied, mention.c.version >= before.version
    rows = connection.execute(select(mention.c.key, mention.c.version).where(*counts))
    versions: defaultdict[str, set[int]] = defaultdict(set)
    for key, number in rows:
        versions[key].add(number)
    return {key: "counted" for key, numbers in versions.items() if before.version not in numbers}


VERDICTS = ("right", "wrong sense", "not in the article", "missed")
"""Verdicts of feedback: correct, a namesake's, outside of the article, or wrongly left out of it."""

_JUDGED = text(SQL["judged"]["mentions"])
_LAST = 2**62


def judge(connection: Connection, key: str, verdict: str, *, now: float) -> None:
    """Store a verdict on a mention; it replaces an earlier one. One that is but unsure counts where it is right.

    Raises
    ------
    InputError
        There is no such mention, or no such verdict.
    """
    if verdict not in VERDICTS:
        raise InputError(f"verdict {verdict!r} is none of {', '.join(VERDICTS)}")
    row = connection.execute(select(mention).where(mention.c.key == key).order_by(mention.c.id.desc())).first()
    if row is None:
        raise InputError(f"the store has no mention {key!r}")
    upsert(connection, feedback, {"mention_key": key, "verdict": verdict, "judged_at": iso(now)}, "mention_key")
    is_right = verdict == "right"
    if is_right != row.counted and is_unsure(row.because):
        decided = _DECIDED if is_right else {"rule": row.because, "counted": False}
        connection.execute(update(mention).where(mention.c.id == row.id).values(**decided))
        queue_events(connection, row.page_id, {key: "counted"} if is_right else {}, moment=iso(now), is_asked=True)


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
