"""Judgements of mentions in the store, and the lessons that were accepted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, select, text

from blockfeat.errors import InputError
from blockfeat.monitor.store.engine import insert_or
from blockfeat.monitor.store.records import iso
from blockfeat.monitor.store.schema import feedback, lesson, mention

VERDICTS = ("right", "wrong sense", "not in the article", "missed")
"""What a person says of a mention: it counts rightly, is a namesake's, is outside of the article, or inside."""

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
    """Note what a person says of a mention; the last word counts.

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
    added = insert_or(connection.dialect.name, feedback).values(values)
    connection.execute(added.on_conflict_do_update(index_elements=[feedback.c.mention_key], set_=values))


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
    added = insert_or(connection.dialect.name, lesson).values(values)
    connection.execute(added.on_conflict_do_update(index_elements=[lesson.c.kind, lesson.c.subject], set_=values))


def lessons(connection: Connection) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Return the accepted lessons: kind, subject and value of each."""
    rows = connection.execute(select(lesson.c.kind, lesson.c.subject, lesson.c.value).order_by(lesson.c.subject))
    return [(row.kind, row.subject, json.loads(row.value)) for row in rows]


def forget_lesson(connection: Connection, subject: str) -> int:
    """Forget the lessons of a subject; return how many there were."""
    return connection.execute(delete(lesson).where(lesson.c.subject == subject)).rowcount
