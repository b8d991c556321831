"""What a change of a page is: relative times and counters are none, a corrected sentence is the same one."""

from __future__ import annotations

import re
import tomllib
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files

# Stamps are short; in longer paragraphs a number is news.
_MOST_WORDS = 14
_SIMILAR = 0.6
_NUMBER = r"\d[\d.,\u00a0\u202f'’ ]{0,14}(?:[kKmM]\b|万|萬|만|mln\b|mil\b|тыс\.?)?"


def steady(text: str) -> str:
    """Return a text without what changes by itself: relative times and counters in its short paragraphs.

    Examples
    --------
    >>> steady("Updated 5 minutes ago") == steady("Updated an hour ago")
    True
    >>> steady("1,204 views") == steady("1,377 views"), steady("12 shops") == steady("13 shops")
    (True, False)
    """
    pattern = _passing()
    return "\n".join(pattern.sub("#", line) if len(line.split()) <= _MOST_WORDS else line for line in text.splitlines())


@cache
def _passing() -> re.Pattern[str]:
    """Return what matches a relative time or a counter."""
    listed = tomllib.loads(files("blockfeat.monitor").joinpath("passing.toml").read_text(encoding="utf-8"))
    phrases = (phrase.replace("N", _NUMBER) for group in listed.values() for phrase in group)
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.IGNORECASE)


def is_similar(one: str, other: str) -> bool:
    """Return whether one sentence may be the other one corrected; at most a few hundred letters of each count."""
    return similarity(one, other) >= _SIMILAR


def similarity(one: str, other: str) -> float:
    """Return how much of two sentences is the same, from 0 to 1; 0 where it is clearly little."""
    if one == other:
        return 1.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.real_quick_ratio() < _SIMILAR or matcher.quick_ratio() < _SIMILAR:
        return 0.0
    return matcher.ratio()
