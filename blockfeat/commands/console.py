"""What the command line shows: tables, progress bars, messages; never in a pipe where it would disturb."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

__all__ = ["Ticker", "error", "progress", "show", "show_table"]


class Ticker(Protocol):
    """Moves a progress bar on: steps done, all steps if known, and a word beside the bar."""

    def __call__(self, done: int, total: int | None = None, note: str = "") -> None:
        """Show how far the work is."""
        ...


def show(text: str) -> None:
    """Print a line to standard output."""
    sys.stdout.write(text + "\n")


def error(text: str) -> None:
    """Print a line to standard error."""
    sys.stderr.write(f"blockfeat: {text}\n")


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: int = 0) -> None:
    """Print a table; the columns from number ``right`` on are set to the right (0: none)."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if right and number >= right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console()
    if not sys.stdout.isatty():
        console = Console(width=160)
    console.print(table)


@contextmanager
def progress(description: str, *, quiet: bool = False) -> Iterator[Ticker]:
    """Show a progress bar on a terminal's standard error; nothing in a pipe."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total=None, note="": None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None, note="")

        def tick(done: int, total: int | None = None, note: str = "") -> None:
            bar.update(task, completed=done, total=total, note=note)

        yield tick
