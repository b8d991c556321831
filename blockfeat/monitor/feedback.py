"""Learning from feedback: derive proposals from judged mentions, and store accepted ones as lessons."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from blockfeat.models import SiteRule, plain_path
from blockfeat.monitor.mentions.brand import Brand, SenseModel, is_unsure, sense_features, senses_of, shown_feature
from blockfeat.monitor.store.store import Store
from blockfeat.page import registered_domain

LEAST_JUDGED = 10
"""Least number of judged mentions for proposals."""
_LEAST_OF_A_PLACE = 3
_MOST_DOUBT = 0.2
_MOST_PASSED = 0.3
_EXAMPLES = 3


@dataclass(frozen=True)
class Proposal:
    """Something to teach a monitor.

    Attributes
    ----------
    kind, subject : str
        ``"sense"`` of a brand, or ``"site"`` for a place of a host.
    says : str
        What it does, in a sentence.
    judged : int
        How many judged mentions it rests on.
    changes : int
        How many stored mentions it would change.
    examples : tuple of str
        Some of their sentences.
    value : mapping
        What is stored once it is accepted.
    """

    kind: str
    subject: str
    says: str
    judged: int
    changes: int
    examples: tuple[str, ...]
    value: Mapping[str, Any]


def proposals(store: Store, brands: Sequence[Brand]) -> list[Proposal]:
    """Return what the judged mentions of a store teach; none below ten of them."""
    judged = store.mentions_for_learning(judged_only=True)
    if len(judged) < LEAST_JUDGED:
        return []
    given = senses_of(brands)
    by_brand, by_place = defaultdict(list), defaultdict(list)
    for row in judged:
        by_brand[row["brand"]].append(row)
        by_place[registered_domain(row["host"]) or "", plain_path(row["xpath"])].append(row)
    found = [_sense(store, brand, rows, given.get(brand, SenseModel())) for brand, rows in sorted(by_brand.items())]
    found += [_place(store, site, path, rows) for (site, path), rows in sorted(by_place.items())]
    return [proposal for proposal in found if proposal is not None and proposal.changes]


def accept(store: Store, proposal: Proposal, *, now: float) -> None:
    """Store a proposal as a lesson: runs follow it, and `blockfeat.monitor.rematch` in the past."""
    store.save_lesson(proposal.kind, proposal.subject, proposal.value, now=now)


def _sense(store: Store, brand: str, rows: Sequence[Mapping[str, Any]], given: SenseModel) -> Proposal | None:
    """Return what the judged mentions of a brand teach of its sense."""
    wrong = [row for row in rows if row["verdict"] == "wrong sense"]
    if not wrong and not given.given:
        return None
    # Mentions between those that were judged were seen, and passed over: they count as right.
    numbers = [row["number"] for row in wrong or rows]
    seen = store.mentions_for_learning(brand=brand, first=min(numbers), last=max(numbers))
    seen = [row for row in seen if row["counted"] or row["verdict"]]
    model = given.learn([(_features(row, given), row["verdict"] != "wrong sense") for row in seen])
    stored = [row for row in store.mentions_for_learning(brand=brand) if row["verdict"] != "right"]
    changed = [row for row in stored if _changes(row, model.rule(_features(row, given)))]
    words = Counter(model.weights).most_common()
    # A word counts near the name and anywhere.
    against = ", ".join(dict.fromkeys(shown_feature(word) for word, weight in reversed(words[-5:]) if weight < 0))
    says = f"{brand}: no mention where more speaks for a namesake ({against})"
    return Proposal("sense", brand, says, len(rows), len(changed), _sentences(changed), asdict(model))


def _changes(row: Mapping[str, Any], rule: str) -> bool:
    """Return whether another rule makes a mention count, or not: outside of the article none does."""
    return bool(rule) if row["counted"] else not rule and is_unsure(row["because"])


def _place(store: Store, site: str, path: str, rows: Sequence[Mapping[str, Any]]) -> Proposal | None:
    """Return what judged mentions teach of a place of a site."""
    if place_lesson(Counter(row["verdict"] for row in rows)) is None:
        return None
    numbers = [row["number"] for row in rows]
    stored = [row for host in {row["host"] for row in rows} for row in store.mentions_for_learning(host=host)]
    there = [row for row in stored if plain_path(row["xpath"]) == path and row["rule"] is None]
    # Mentions between those that were judged were seen, and passed over.
    seen = [row for row in there if not row["verdict"] and min(numbers) <= row["number"] <= max(numbers)]
    passed = ("passed, counted" if row["counted"] else "passed, not counted" for row in seen)
    inside = place_lesson(Counter([*(row["verdict"] for row in rows), *passed]))
    if inside is None:
        return None
    changed = [row for row in there if bool(row["counted"]) != inside]
    rule = SiteRule("keep" if inside else "drop", path, f"{len(rows)} judged mentions")
    says = f"{site}: {rule.do} {path}, {'part' if inside else 'no part'} of the article"
    value = {"host": site, **rule._asdict()}
    return Proposal("site", f"{site} {path}", says, len(rows), len(changed), _sentences(changed), value)


def place_lesson(verdicts: Mapping[str, int]) -> bool | None:
    """Return whether judged mentions say that their place is part of the article; None where they say neither.

    Parameters
    ----------
    verdicts : mapping of str to int
        How many there are of each of `blockfeat.monitor.store.mentions.VERDICTS`, and of those that were seen and
        passed over, ``"passed, counted"`` and ``"passed, not counted"``.
    """
    count = Counter(verdicts)
    outside, inside = count["not in the article"], count["missed"]
    for inside_is_said, said, denied, passed in (
        (False, outside, count["right"] + inside, count["passed, counted"]),
        (True, inside, outside, count["passed, not counted"]),
    ):
        if said >= _LEAST_OF_A_PLACE and denied <= _MOST_DOUBT * said and passed <= _MOST_PASSED * said:
            return inside_is_said
    return None


def _features(row: Mapping[str, Any], model: SenseModel) -> frozenset[str]:
    """Return what is near a stored mention, in its article where that has its sentence."""
    text, start = row["text"] or "", row["text_start"]
    at = text.find(row["match"], start) if start is not None else -1
    if at < 0:
        text = row["sentence"]
        at = max(0, text.find(row["match"]))
    return sense_features(text, at, at + len(row["match"]), lang=row["lang"], given=model.given)


def _sentences(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(row["sentence"] for row in rows[:_EXAMPLES])
