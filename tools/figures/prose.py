"""Figures in sentences, without a comment in the document: tools/figures/prose.toml has the words around them.

A template is a piece of a document with ``{TABLE/ROW/COLUMN}`` where a number stands, as `tools.figures.render` names
figures. ``#2`` behind the name takes the second number of a cell, such as the end of an interval; ``100*`` and ``-1*``
in front of it multiply; a second name behind `` minus `` is subtracted. What is written has as many decimals as what
stands there, and a sign, a zero before the point and commas in thousands where that has them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from tools.figures.render import cell
from tools.figures.results import Table

_FILE = Path("tools", "figures", "prose.toml")
_SLOT = re.compile(r"\{(?P<factor>-?\d+\*)?(?P<name>[^{}#]+)(?:#(?P<place>\d))?\}")
_NUMBER = r"[-+]?(?:\d[\d,]*)?\.?\d+"


def templates(root: Path) -> dict[str, list[str]]:
    """Return the pieces of text of a checkout by document."""
    path = root / _FILE
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def with_prose(text: str, pieces: list[str], tables: Mapping[str, Table], name: str) -> str:
    """Return a document with the numbers of its sentences as the tables have them.

    Raises
    ------
    SystemExit
        A piece stands nowhere in the document, or twice; or a figure is not there.
    """
    for piece in pieces:
        found = list(pattern(piece).finditer(text))
        if len(found) != 1:
            raise SystemExit(f"{name}: {len(found)} times in the text: {piece}")
        for place, slot in reversed(list(enumerate(_SLOT.finditer(piece), start=1))):
            start, end = found[0].span(place)
            try:
                text = text[:start] + _written(_value(slot, tables), text[start:end]) + text[end:]
            except (ArithmeticError, LookupError, ValueError) as error:
                raise SystemExit(f"{name}: {slot[0]}: {error}") from error
    return text


def pattern(piece: str) -> re.Pattern[str]:
    """Return what finds a piece, wherever its lines end; a group for each number."""
    words = [r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in _SLOT.sub("\0", piece).split("\0")]
    return re.compile(f"({_NUMBER})".join(words))


def _value(slot: re.Match[str], tables: Mapping[str, Table]) -> Decimal:
    cells = (re.findall(_NUMBER, str(cell(tables, name))) for name in slot["name"].split(" minus "))
    value, *taken = (Decimal(numbers[int(slot["place"] or 1) - 1].replace(",", "")) for numbers in cells)
    return Decimal((slot["factor"] or "1*")[:-1]) * (value - sum(taken))


def _written(value: Decimal, there: str) -> str:
    """Return a number written as another; halves are rounded up."""
    value = value.quantize(Decimal(10) ** -len(there.partition(".")[2]), ROUND_HALF_UP) + 0  # no -0
    sign = "+" if there[0] == "+" or (there[0] == "-" and value > 0) else "-"
    number = format(value, f"{sign}{',' if ',' in there else ''}")
    return number if there.lstrip("+-")[0] != "." else number.replace("0.", ".", 1)
