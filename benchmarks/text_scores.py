"""Differences of a text from its gold apart from the choice of blocks: paragraphs, words, edges, structure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from blockfeat._files import parse_object, read_lines

STRUCTURES = ("code found", "code right", "rows", "headings", "items", "raised")
"""Names of the scores."""

_GOLD = ("code", "tables", "headings", "list_items", "sup", "sub")
_MARKUP = re.compile(r"</?(?:sup|sub|br|code|b|i|em|strong|span|a)\b[^>]*>", re.IGNORECASE)
_SPACES = re.compile(r"[\s\\*`]+")
_BEGIN_OF_ITEM = 40
_RAISED = str.maketrans("0123456789+-=()niaeorstx", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵉᵒʳˢᵗˣ")
_LOWERED = str.maketrans("0123456789+-=()aeox", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓ")
# Ordinals read the same on the line.
_ORDINALS = frozenset(("st", "nd", "rd", "th", "e", "er", "re", "ème", "o", "a"))

_WORD = re.compile(r"\w+")
# Words on each side that identify a place.
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


@dataclass(frozen=True)
class MarkdownParts:
    """What a text in Markdown holds: lines of code, rows of tables, headings and beginnings of list items."""

    code: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)


def structure_gold(paths: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    """Return the structure of pages by their ids, of the corpus files that have any.

    Raises
    ------
    CorpusError
        A file cannot be read.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for path in paths:
        for _, line in read_lines(Path(path)):
            record = parse_object(line)
            if any(record.get(name) for name in _GOLD):
                found[str(record.get("id"))] = {name: record.get(name) or [] for name in _GOLD}
    return found


def structure_scores(markdown: str, gold: Mapping[str, Any]) -> dict[str, float]:
    """Return the shares, of `STRUCTURES`, of what the gold has that stands as such in a text in Markdown.

    Of code the share of its lines, and of the lines of code of the text those that are code in the gold; of tables the
    rows whose cells stand in one row, in order; of headings those that are headings of any level; of list items those
    whose own first text begins an item; of raised and lowered texts those that are not glued to the word before. Cells,
    headings and items are compared by letters and digits. What the gold has none of is left out.
    """
    parts = parts_of(markdown)
    scores: dict[str, float] = {}
    wanted = [line.strip() for code in gold["code"] for line in code.split("\n") if line.strip()]
    given = [line.strip() for line in parts.code if line.strip()]
    if wanted:
        scores["code found"] = (Counter(wanted) & Counter(given)).total() / len(wanted)
    if given:
        scores["code right"] = sum(line in {*wanted} for line in given) / len(given)
    rows = [cells for table in gold["tables"] for row in table if (cells := [k for k in map(_key, row) if k])]
    if rows:
        scores["rows"] = sum(any(_in_order(row, ours) for ours in parts.rows) for row in rows) / len(rows)
    headings = [_key(text) for _, text in gold["headings"]]
    if headings:
        scores["headings"] = sum(heading in parts.headings for heading in headings) / len(headings)
    items = [key for text in gold["list_items"] if (key := _key(text))]
    if items:
        begins = {item[:_BEGIN_OF_ITEM] for item in parts.items}
        scores["items"] = sum(_begins(item, begins) for item in items) / len(items)
    raised = [(*each, "sup") for each in gold["sup"] if each[1] not in _ORDINALS]
    raised += [(*each, "sub") for each in gold["sub"]]
    if raised:
        scores["raised"] = sum(_is_raised(markdown, *each) for each in raised) / len(raised)
    return scores


def parts_of(markdown: str) -> MarkdownParts:
    """Return the parts of a text in Markdown, CommonMark with tables; all but code by letters and digits."""
    parts = MarkdownParts()
    expected: str | None = None
    for token in _parser().parse(markdown):
        if token.type in ("fence", "code_block"):
            parts.code.extend(token.content.splitlines())
        elif token.type == "tr_open":
            parts.rows.append([])
        elif token.type in ("heading_open", "list_item_open", "td_open", "th_open"):
            expected = token.type
        elif token.type == "inline" and expected is not None:
            key = _key(_plain(token.children or ()))
            if expected in ("td_open", "th_open"):
                parts.rows[-1].append(key)
            else:
                (parts.headings if expected == "heading_open" else parts.items).append(key)
            expected = None
    return parts


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _plain(children: Sequence[Any]) -> str:
    """Return the text of a line without its marks."""
    return "".join(
        child.content if child.type in ("text", "code_inline") else " " if child.type.endswith("break") else ""
        for child in children
    )


def _key(text: str) -> str:
    """Return the letters and digits of a text, or else its other characters."""
    plain = _MARKUP.sub("", text)
    return re.sub(r"[\W_]+", "", plain).casefold() or re.sub(r"[\s\\`*|]+", "", plain)


def _in_order(wanted: list[str], row: list[str]) -> bool:
    cells = iter(row)
    return all(cell in cells for cell in wanted)


def _begins(item: str, begins: set[str]) -> bool:
    return item[:_BEGIN_OF_ITEM] in begins or (
        len(item) < _BEGIN_OF_ITEM and any(begin.startswith(item) for begin in begins)
    )


def _is_raised(markdown: str, base: str, raised: str, kind: str) -> bool:
    """Return whether a raised or lowered text stands behind its word as such."""
    text = _SPACES.sub("", markdown).replace("−", "-")
    base, raised = base.replace(" ", ""), raised.replace(" ", "").replace("−", "-")
    mark, table = ("^", _RAISED) if kind == "sup" else ("_", _LOWERED)
    forms = [f"<{kind}>{raised}</{kind}>", f"{mark}{raised}", f"{mark}{{{raised}}}", f"{mark}({raised})"]
    if raised.translate(table) != raised:
        forms.append(raised.translate(table))
    return any(f"{base}{form}" in text for form in forms)
