"""Figures in documents: comments name them, what stands behind a comment is written from the results.

In running text, not at the beginning of a line::

    three points above (<!--=demo/default/f1:100*.1f-->87.0<!--/-->)

A block, such as a table, has its template in the comment in front of it::

    <!-- figures
    | default | {demo/default/f1:.3f} |
    -->

    | default | 0.870 |

    <!-- end -->

``TABLE/ROW/COLUMN`` names a figure, as docs/figures.json has it; a row needs no version behind its name. Behind a colon
stands how it is written: a format of Python, after ``100*`` or ``1/`` where it is multiplied or divided first.
``{TABLE}`` alone is the whole table, ``{TABLE/*/COLUMN; COLUMN:FORMAT}`` some columns; ``system`` is the row. With
``* without TEXT; TEXT`` in place of the star the rows with such a text in their name are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from tools.figures.results import Table

INLINE = re.compile(r"<!--=(?P<name>[^>]*?)-->(?P<value>[^<>\n]*)<!--/-->")
BLOCK = re.compile(r"^<!-- figures\n(?P<template>.*?)\n-->\n(?P<body>.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?P<table>[^/]+)/\*(?: without (?P<without>[^/]+))?/(?P<columns>.+)")
_SLOT = re.compile(r"\{([^{}\n]+)\}")
_AT_LINE_START = re.compile(r"^\s*<!--=", re.MULTILINE)
_IS_WORD = re.compile(r"[^\W\d]")
_FORMAT = re.compile(r"(?P<change>100\*|1/)?(?P<format>.*)")


def documents(root: Path) -> list[Path]:
    """Return the documents that may have figures."""
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]


def rendered(text: str, tables: Mapping[str, Table], name: str) -> str:
    """Return a document with its figures as the tables have them.

    Raises
    ------
    SystemExit
        A figure is not there, or a comment is not one that this module reads.
    """
    opened = text.count("<!-- figures\n") + text.count("<!--=")
    if opened != len(BLOCK.findall(text)) + len(INLINE.findall(text)):
        raise SystemExit(f"{name}: a figure has a beginning without an end")
    if _AT_LINE_START.search(text):  # Markdown would take the line for a block of HTML
        raise SystemExit(f"{name}: a figure at the beginning of a line")
    try:
        text = BLOCK.sub(partial(_block, tables), text)
        return INLINE.sub(lambda found: f"<!--={found['name']}-->{_value(tables, found['name'])}<!--/-->", text)
    except (KeyError, ValueError) as error:
        raise SystemExit(f"{name}: {error}") from error


def _block(tables: Mapping[str, Table], found: re.Match[str]) -> str:
    body = _SLOT.sub(lambda slot: _value(tables, slot[1]), found["template"])
    return f"<!-- figures\n{found['template']}\n-->\n\n{body}\n\n<!-- end -->"


def _value(tables: Mapping[str, Table], slot: str) -> str:
    """Return a figure as it is written, or a whole table."""
    if slot in tables:
        return _markdown(tables[slot])
    if whole := _TABLE.fullmatch(slot):
        without = whole["without"].split("; ") if whole["without"] else []
        rows = {name: row for name, row in tables[whole["table"]].items() if not any(text in name for text in without)}
        return _markdown(_columns(rows, whole["columns"].split("; ")))
    name, _, written = slot.partition(":")
    return _written(cell(tables, name), written)


def cell(tables: Mapping[str, Table], name: str) -> float | str:
    """Return what a table has under ``TABLE/ROW/COLUMN``."""
    table, row, column = name.split("/", 2)
    rows = tables.get(table, {})
    found = next((cells for label, cells in rows.items() if f"{label} ".startswith(f"{row} ")), {})
    if column not in found:
        raise KeyError(f"docs/figures.json has no {name}")
    return found[column]


def _columns(table: Table, wanted: Sequence[str]) -> Table:
    """Return a table of these columns alone, each with its format behind a colon; empty cells stay empty."""
    pairs = [name.partition(":")[::2] for name in wanted]
    return {
        label: {name: _written(row[name], written) if row.get(name, "") != "" else "" for name, written in pairs}
        for label, row in ((label, {"system": label, **row}) for label, row in table.items())
    }


def _written(value: object, written: str) -> str:
    if not written:
        return str(value)
    change, form = _FORMAT.fullmatch(written).groups()  # type: ignore[union-attr]  # any text matches
    number = float(str(value).split()[0])  # what stands behind it, such as an interval, is left out
    return format({"100*": 100 * number, "1/": 1 / (number or 1)}.get(change, number), form)


def _markdown(table: Table) -> str:
    """Return a table: the first column to the left, and those that begin with words."""
    first = next(iter(table.values()))
    sides = ["---" if not place or _IS_WORD.match(str(cell)) else "---:" for place, cell in enumerate(first.values())]
    lines = [list(first), sides, *([str(row[head]) for head in first] for row in table.values())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
