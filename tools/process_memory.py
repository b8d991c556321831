"""The children of a process, and its memory with theirs, for the load tests; reads /proc, so Linux only."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

__all__ = ["children_of", "resident_megabytes"]


def children_of(process: int) -> list[int]:
    """Return the numbers of a process's children, of those too that have ended and that nobody has waited for."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended in between
            if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == process:
                found.append(int(folder.name))
    return found


def resident_megabytes(process: int, *, without: int | None = None) -> float:
    """Return the resident memory of a process and its children, but for one of them, in MB.

    What several of them share counts in proportion (PSS), so that it counts once.
    """
    kilobytes = 0
    for number in (process, *children_of(process)):
        with suppress(OSError, ValueError, IndexError):
            if number != without:
                shares = Path(f"/proc/{number}/smaps_rollup").read_text()
                kilobytes += int(shares.partition("\nPss:")[2].split()[0])
    return kilobytes * 1024 / 1e6
