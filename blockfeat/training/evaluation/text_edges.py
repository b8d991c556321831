"""Where a text differs from its gold beside the choice of blocks: paragraphs, words, repeated lines, begin and end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_WORD = re.compile(r"\w+")
# Words on each side of a place that say which place it is.
_AROUND = 3
_SHORTEST_LINE, _LETTERS = 40, 60
_SHORTEST_REPEATED = 20


@dataclass(frozen=True, slots=True)
class Edges:
    """Counts of one text against its gold; they add up.

    Attributes
    ----------
    boundaries, given, gold : int
        Places between two words at which both texts, this one, and the gold break the line; of places whose three words
        before and behind stand in both texts.
    words : int
        Words of the text that stand in the gold, glued or broken too.
    glued, broken : int
        Words of the text that are two neighbours of the gold in one; pairs that are one word of the gold in two.
    repeated : int
        Lines of twenty characters or more beyond as many as the gold has of them.
    first_lost, last_lost : int
        Whether the first, and the last, line of forty characters or more of the gold is missing, by its first
        60 letters.
    """

    boundaries: int = 0
    given: int = 0
    gold: int = 0
    words: int = 0
    glued: int = 0
    broken: int = 0
    repeated: int = 0
    first_lost: int = 0
    last_lost: int = 0

    def __add__(self, other: Edges) -> Edges:
        """Return the sum of the counts."""
        names = self.__dataclass_fields__
        return Edges(*(getattr(self, name) + getattr(other, name) for name in names))

    @property
    def boundary_f1(self) -> float:
        """F1 of the boundaries, 1 where there are none in either."""
        total = self.given + self.gold
        return 2 * self.boundaries / total if total else 1.0


def edges_of(text: str, gold: str) -> Edges:
    """Count how a text differs from its gold; linear in both.

    Glued and broken words are those of scripts with spaces; of others whole runs between spaces and marks are compared.
    """
    ours, theirs = _places(text), _places(gold)
    common = ours.keys() & theirs.keys()
    words, wanted = _words(text), _words(gold)
    first, last = _long_lines(gold)
    letters = _letters(text)
    return Edges(
        boundaries=sum(ours[place] and theirs[place] for place in common),
        given=sum(ours[place] for place in common),
        gold=sum(theirs[place] for place in common),
        words=len(words),
        glued=_joined(words, wanted),
        broken=_joined(wanted, words),
        repeated=_repeated(text, gold),
        first_lost=int(first not in letters),
        last_lost=int(last not in letters),
    )


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _places(text: str) -> dict[tuple[str, ...], bool]:
    """Return whether the line breaks between the three words before and the three behind, of places found once."""
    found = [(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(text)]
    places: dict[tuple[str, ...], bool] = {}
    twice: set[tuple[str, ...]] = set()
    for index in range(_AROUND, len(found) - _AROUND + 1):
        key = tuple(word for word, _, _ in found[index - _AROUND : index + _AROUND])
        if key in places:
            twice.add(key)
        places[key] = "\n" in text[found[index - 1][2] : found[index][1]]
    return {key: breaks for key, breaks in places.items() if key not in twice}


def _joined(words: list[str], wanted: list[str]) -> int:
    """Return how many words are two neighbours of the wanted ones in one, and no wanted words themselves."""
    vocabulary = {*wanted}
    pairs = {first + second for first, second in pairwise(wanted)}
    return sum(word in pairs and word not in vocabulary for word in words)


def _repeated(text: str, gold: str) -> int:
    counts = Counter(line for line in _lines(text) if len(line) >= _SHORTEST_REPEATED)
    wanted = Counter(_lines(gold))
    return sum(max(count - max(wanted[line], 1), 0) for line, count in counts.items())


def _lines(text: str) -> Iterator[str]:
    return (" ".join(line.split()) for line in text.splitlines())


def _long_lines(gold: str) -> tuple[str, str]:
    """Return the letters that the first and the last long line of a gold text begin with; empty where there is none."""
    long = [line for line in _lines(gold) if len(line) >= _SHORTEST_LINE]
    return (_letters(long[0])[:_LETTERS], _letters(long[-1])[:_LETTERS]) if long else ("", "")


def _letters(text: str) -> str:
    return "".join(_words(text))
