"""Reasons as sentences, in the languages of readers (``sentences.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from blockfeat.errors import LanguageError

if TYPE_CHECKING:
    from blockfeat.extraction.reasons.facts import Fact


_DROPPED = "dropped: "


@cache
def _bundled() -> dict[str, Any]:
    """Return the sentences by language, a constant that is read at its first use."""
    text = files("blockfeat.extraction.reasons").joinpath("sentences.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def part_in(part: str, lang: str = "en", *, kept: bool) -> str:
    """Return the name of a part of a page in a language: ``"a menu"``."""
    words = _words(lang)
    name: str = words["parts"].get(part, part)
    return name if kept else str(words["dropped_parts"].get(part, name))


def reason(part: str, facts: Sequence[Fact], *, kept: bool, lang: str = "en") -> str:
    """Return why a block is kept or dropped, in one sentence.

    Parameters
    ----------
    part : str
        A role of what is kept, or a class of what is dropped.
    facts : sequence of (str, str or int)
        What argues for the decision (`blockfeat.extraction.reasons.facts`).
    kept : bool
        The decision.
    lang : str
        ``"en"``, ``"de"`` or ``"fr"``.

    Raises
    ------
    LanguageError
        There are no sentences in the language; the message names those that there are.
    """
    words = _words(lang)
    said = said_facts(facts, lang=lang)
    state = "kept" if kept else "unclear" if part in ("other", "headline") else "dropped"
    begun = words[state].format(part=part_in(part, lang, kept=kept))
    return f"{begun}: {said or words['none']['kept' if kept else 'dropped']}"


def said_facts(facts: Sequence[Fact], *, lang: str = "en") -> str:
    """Return facts as one phrase; empty for none."""
    words = _words(lang)
    return str(words["join"].join(_fact(words["facts"], key, value) for key, value in facts))


def with_part(part: str, said: str) -> str:
    """Return a reason of a model that drops a block, in English, with the class of the block."""
    if part in ("other", "headline") or not said.startswith(_DROPPED):
        return said
    return f"{_DROPPED}looks like {part_in(part, kept=False)}: {said.removeprefix(_DROPPED)}"


def _words(lang: str) -> dict[str, Any]:
    found = _bundled().get(lang)
    if not isinstance(found, dict):
        raise LanguageError(f"no reasons in language {lang!r}; there are {', '.join(_bundled())}")
    return found


def _fact(words: dict[str, str], key: str, value: str | int) -> str:
    single = words.get(f"1 {key}") if value == 1 else None
    return single or words[key].format(f"'{value}'" if isinstance(value, str) else value)
