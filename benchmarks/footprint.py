"""Memory over many pages, and the time of a cold start."""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.training.evaluation.metrics import markdown_table

if TYPE_CHECKING:
    import pandas


_MEGABYTE = 1024 * 1024
_SAMPLES = 100
_PAGE = (
    "<!DOCTYPE html><html lang=en><title>A page</title><body><nav><a href=/>Home</a></nav><main>"
    + "<p>This is a paragraph of the page, and it is as long as one that somebody has written for it.</p>" * 20
    + "</main></body></html>"
)
_COMMAND = "import sys; from blockfeat.cli import main; sys.argv[0] = 'blockfeat'; main()"


@dataclass(frozen=True)
class MemoryGrowth:
    """Resident memory while pages were extracted, after the warm-up.

    Attributes
    ----------
    pages : int
        Pages extracted after the warm-up.
    warm_up : int
        Pages extracted before.
    resident : tuple of int
        Bytes at the end of the warm-up, then after each hundredth part of the pages.
    """

    pages: int
    warm_up: int
    resident: tuple[int, ...]

    @property
    def growth(self) -> int:
        """Bytes by which the last value is above the first."""
        return self.resident[-1] - self.resident[0]

    @property
    def peak_growth(self) -> int:
        """Bytes by which the highest value is above the first."""
        return max(self.resident) - self.resident[0]

    def to_frame(self) -> pandas.DataFrame:
        """Return one row a sample: pages, resident (bytes)."""
        import pandas

        steps = max(1, len(self.resident) - 1)
        pages = [round(self.pages * step / steps) for step in range(len(self.resident))]
        return pandas.DataFrame({"pages": pages, "resident": self.resident})

    def to_markdown(self) -> str:
        """Return a table of one row."""
        columns = ["pages", "warm-up", "resident before, MB", "growth at the end, MB", "growth at the peak, MB"]
        sizes = (self.resident[0], self.growth, self.peak_growth)
        return markdown_table(columns, [[str(self.pages), str(self.warm_up), *(f"{x / _MEGABYTE:.1f}" for x in sizes)]])


def memory_growth(
    extractor: Extractor, pages: Iterable[str], n: int = 10_000, *, warm_up: int | None = None
) -> MemoryGrowth:
    """Extract many pages in this process and watch its resident memory.

    Pages are taken in turn, again and again; a paragraph of new words is added to each, so that no two are alike.

    Parameters
    ----------
    extractor : Extractor
        The extractor.
    pages : iterable of str
        At least one.
    n : int
        Pages to extract after the warm-up.
    warm_up : int, optional
        Pages to extract before; each page twice by default, so that the largest one has been seen. After half of
        them free memory goes back to the system, so that what others left behind cannot hide growth.

    Raises
    ------
    InputError
        There are no pages.
    """
    found = list(pages)
    if not found:
        raise InputError("memory cannot be measured without pages")
    first = 2 * len(found) if warm_up is None else warm_up
    numbers = count()
    for done in range(first):
        if done == first // 2:
            _release_free_memory()
        _extract_next(extractor, found, next(numbers))
    gc.collect()
    resident = [_resident_bytes()]
    step = max(1, n // _SAMPLES)
    for done in range(1, n + 1):
        _extract_next(extractor, found, next(numbers))
        if done % step == 0 or done == n:
            resident.append(_resident_bytes())
    return MemoryGrowth(n, first, tuple(resident))


def results_table(extractor: Extractor, pages: Iterable[str], n: int) -> str:
    """Extract pages in turn into a list of ``n`` results; return a table of its memory and of the results pickled.

    Raises
    ------
    InputError
        There are no pages.
    """
    found = list(pages)
    if not found:
        raise InputError("results cannot be measured without pages")
    for page in found:  # what is loaded once, such as the words of a language, is not the list's
        extractor.extract(page)
    _release_free_memory()
    before = _resident_bytes()
    results = [extractor.extract(found[number % len(found)]) for number in range(n)]
    grown = _resident_bytes() - before
    beside = sorted(len(pickle.dumps(one)) - len(one.text.encode("utf-8", "replace")) for one in results[: len(found)])
    shown = (beside[len(beside) // 2], beside[len(beside) * 99 // 100], beside[-1])
    columns = ["results", "list, MB", "pickled, beside the text, kB: median", "99 %", "most"]
    return markdown_table(columns, [[str(n), f"{grown / 1_000_000:.0f}", *(f"{size / 1000:.1f}" for size in shown)]])


def _extract_next(extractor: Extractor, pages: list[str], number: int) -> None:
    words = " ".join(f"word{number}x{place}" for place in range(40))
    extractor.extract(f"{pages[number % len(pages)]}<p class=c{number} id=i{number}>{words}.</p>")


def _release_free_memory() -> None:
    """Give free memory back to the system, where the C library can."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


@dataclass(frozen=True)
class ColdStart:
    """Best times of new processes, in seconds: process time (user and system) and time on the wall.

    Attributes
    ----------
    what : str
        What the process did.
    process_seconds, wall_seconds : float
        Of the whole process, the start of Python included.
    """

    what: str
    process_seconds: float
    wall_seconds: float


def cold_starts(*, model: str | Path = "default", passes: int = 5) -> tuple[ColdStart, ...]:
    """Time bare Python, ``import blockfeat``, and ``blockfeat extract`` of one page, each in new processes.

    Raises
    ------
    InputError
        A process failed; the message has what it said.
    """
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(_PAGE, encoding="utf-8")
        commands = {
            "python": ["-c", "pass"],
            "import blockfeat": ["-c", "import blockfeat"],
            "blockfeat extract": ["-c", _COMMAND, "extract", str(page), "--model", str(model), "--quiet"],
        }
        return tuple(_cold_start(what, command, passes) for what, command in commands.items())


def _cold_start(what: str, command: list[str], passes: int) -> ColdStart:
    process, wall = [], []
    # As installed: where no bytecode may be written, each start compiles the modules that were edited since.
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    for _ in range(max(1, passes)):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, env=env)
        wall.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            raise InputError(f"{what}: the process failed: {done.stderr.strip()[-500:]}")
        process.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return ColdStart(what, min(process), min(wall))


def cold_start_table(starts: Iterable[ColdStart]) -> str:
    """Return a Markdown table of cold starts, in milliseconds."""
    rows = [[f"`{one.what}`", f"{1000 * one.process_seconds:.0f}", f"{1000 * one.wall_seconds:.0f}"] for one in starts]
    return markdown_table(["process", "process time, ms", "wall time, ms"], rows)


def _resident_bytes() -> int:
    """Return the resident memory of this process; without /proc its highest value so far."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
