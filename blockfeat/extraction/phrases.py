"""Phrases by which kinds of pages, lines and boxes are known, in several languages: the data files of ``phrase_lists``.

They are in lower case, and compared with every run of white space as one space, from the start of a word on.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.page.utf_8 import Marks

Mask = NDArray[np.bool_]

_START = re.compile(r"[\W_]+")
# Scripts from Thai on (Chinese, Japanese, Korean …) mostly do not part words; dashes and quotes between them do.
_UNSPACED = re.compile("[\u0e00-\u1dff\u2e80-\uffff]")
_NEVER = r"(?!)"
_LONGEST = 100


def has_any(kind: str, text: str) -> bool:
    """Return whether a text has a phrase of a kind: ``"error"``, ``"consent"``, ``"paywall"`` ….

    Linear in the length of the text.
    """
    plain = _plain(text)
    return stands_in(kind, _bytes(plain)) and any(pattern.search(plain) for pattern in _patterns(kind, plain))


def begins_with(kind: str, text: str) -> bool:
    """Return whether a text begins with a phrase of a kind, after marks such as arrows and dashes."""
    found = _START.match(text)
    return _plain(text[found.end() if found else 0 :][:_LONGEST]).startswith(_phrases(kind))


def phrases_in(kind: str, text: str) -> list[str]:
    """Return the phrases of a kind that occur in a text, each as often as it does."""
    plain = _plain(text)
    patterns = _patterns(kind, plain) if stands_in(kind, _bytes(plain)) else ()
    return [found[0] for pattern in patterns for found in pattern.finditer(plain)]


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _bytes(plain: str) -> bytes:
    return plain.encode("utf-8", "surrogatepass")


def stands_in(kind: str, source: bytes) -> bool:
    """Return whether a phrase of a kind stands in UTF-8, if perhaps inside of a word: in most texts none does.

    True for kinds that have phrases of less than four bytes.
    """
    marks = _marks(kind)
    return marks is None or marks.are_in(source)


@cache
def _marks(kind: str) -> Marks | None:
    """Return the phrases of a kind as marks, a constant that is made at its first use; None where one is too short."""
    words = [phrase.encode() for phrase in _phrases(kind)]
    return Marks.of(words) if min(map(len, words)) >= Marks.SHORTEST else None


@cache
def _phrases(kind: str) -> tuple[str, ...]:
    """Return the bundled phrases of a kind, the longest first; a constant that is read at its first use."""
    text = files("blockfeat.extraction").joinpath("phrase_lists", f"{kind}.toml").read_text(encoding="utf-8")
    phrases = {phrase.replace("’", "'") for phrase in tomllib.loads(text)["phrases"]}
    return tuple(sorted(phrases, key=len, reverse=True))


def _patterns(kind: str, text: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a kind that may occur in a text: of scripts with spaces, and those of the others."""
    spaced, unspaced = _compiled(kind)
    return (spaced, unspaced) if not text.isascii() and _UNSPACED.search(text) else (spaced,)


@cache
def _compiled(kind: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of all phrases with spaces and of the others, constants that are made at their first use."""
    spaced = [_atoms(phrase) for phrase in _phrases(kind) if not _UNSPACED.match(phrase)]
    unspaced = [_atoms(phrase) for phrase in _phrases(kind) if _UNSPACED.match(phrase)]
    # From the start of a word on, where words are parted.
    return re.compile(rf"\b{_any_of(spaced)}"), re.compile(_any_of(unspaced) or _NEVER)


def _atoms(phrase: str) -> tuple[str, ...]:
    """Return the pattern of each letter of a phrase; numbers are whole."""
    letters = tuple(map(re.escape, phrase))
    return (*letters, r"(?!\w)") if phrase[-1].isdigit() else letters


def _any_of(phrases: list[tuple[str, ...]]) -> str:
    """Return a pattern of the longest of some phrases; letters that they share stand in it once.

    An alternation of whole phrases takes four times as long: it tries each at the start of every word.
    """
    after: dict[str, list[tuple[str, ...]]] = {}
    for phrase in phrases:
        if phrase:
            after.setdefault(phrase[0], []).append(phrase[1:])
    branches = [first + _any_of(rest) for first, rest in after.items()]
    if len(branches) == 1 and () not in phrases:
        return branches[0]
    return f"(?:{'|'.join(branches)}){'?' if () in phrases else ''}" if branches else ""


_EDGE, _BEGIN = 2, 200


def edges_of(kept: Mask) -> list[int]:
    """Return the first two and the last two blocks that are kept."""
    chosen = kept.nonzero()[0]
    return list(dict.fromkeys([*chosen[:_EDGE].tolist(), *chosen[-_EDGE:].tolist()]))


def asks_at_an_edge(blocks: Blocks, kept: Mask) -> bool:
    """Return whether one of the first or last kept blocks has a phrase of consent, as banners and walls have; cheap."""
    edges = edges_of(kept)
    spans = zip(blocks.block_starts[edges].tolist(), blocks.page_text.block_ends[edges].tolist(), strict=True)
    begins = (blocks.page_text.text[start : min(start + _BEGIN, end - 1)] for start, end in spans)
    return has_any("consent", " ".join(begins))
