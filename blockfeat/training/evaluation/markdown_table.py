"""A Markdown table of cells that are text already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table: the first column to the left, all others to the right, with a newline at its end."""
    alignment = ["---", *["---:"] * (len(columns) - 1)]
    lines = [columns, alignment, *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines) + "\n"
