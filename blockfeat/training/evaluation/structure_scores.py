"""Structure of a text in Markdown against its gold: code, tables, headings, lists, raised and lowered text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from blockfeat._json_lines import parse_object, read_lines

STRUCTURES = ("code found", "code right", "rows", "headings", "items", "raised")
"""Names of the scores."""

_GOLD = ("code", "tables", "headings", "list_items", "sup", "sub")
_MARKUP = re.compile(r"</?(?:sup|sub|br|code|b|i|em|strong|span|a)\b[^>]*>", re.IGNORECASE)
_SPACES = re.compile(r"[\s\\*`]+")
_BEGIN = 40
_RAISED = str.maketrans("0123456789+-=()niaeorstx", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵉᵒʳˢᵗˣ")
_LOWERED = str.maketrans("0123456789+-=()aeox", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓ")
# Ordinals read the same on the line.
_ORDINALS = frozenset(("st", "nd", "rd", "th", "e", "er", "re", "ème", "o", "a"))


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
        begins = {item[:_BEGIN] for item in parts.items}
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
    return item[:_BEGIN] in begins or (len(item) < _BEGIN and any(begin.startswith(item) for begin in begins))


def _is_raised(markdown: str, base: str, raised: str, kind: str) -> bool:
    """Return whether a raised or lowered text stands behind its word as such."""
    text = _SPACES.sub("", markdown).replace("−", "-")
    base, raised = base.replace(" ", ""), raised.replace(" ", "").replace("−", "-")
    mark, table = ("^", _RAISED) if kind == "sup" else ("_", _LOWERED)
    forms = [f"<{kind}>{raised}</{kind}>", f"{mark}{raised}", f"{mark}{{{raised}}}", f"{mark}({raised})"]
    if raised.translate(table) != raised:
        forms.append(raised.translate(table))
    return any(f"{base}{form}" in text for form in forms)
