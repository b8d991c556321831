"""The memory of a process and its children, for the load tests; reads /proc, so Linux only."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["resident_megabytes"]


def resident_megabytes(process: int, *, without: int | None = None) -> float:
    """Return the resident memory of a process and its children, but for one of them, in MB."""
    pages = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            number, parent = int(folder.name), int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if process in (number, parent) and number != without:
                pages += int((folder / "statm").read_text().split()[1])
        except OSError:  # it has ended in between
            continue
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
