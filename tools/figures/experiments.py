"""The tables of experiments/results: `growth.md` is the first of that page, `searches.md 2` the second."""

from __future__ import annotations

from pathlib import Path

from tools.figures.measure import markdown_tables
from tools.figures.results import Table


def experiments(root: Path) -> dict[str, Table]:
    """Return the tables of the pages that experiments write, by file name, from the second on with their number."""
    pages = sorted((root / "experiments" / "results").glob("*.md"))
    return {
        f"{page.name} {number}" if number > 1 else page.name: table
        for page in pages
        for number, table in enumerate(markdown_tables(page.read_text(encoding="utf-8")), start=1)
    }
