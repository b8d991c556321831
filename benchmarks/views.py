"""Every view of a page under one law: memory, seconds a megabyte and growth of each view over all shapes."""

from __future__ import annotations

import gc
import math
import resource
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lxml.html
import numpy as np

from benchmarks.shapes import SHAPES, synthetic_page
from blockfeat._files import writing
from blockfeat._pool import in_order
from blockfeat.errors import LimitExceeded
from blockfeat.extraction.extractor import Extractor
from blockfeat.io.outputs import explanation_page, to_json_line
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.papers.crunch.clean import Cleaner
from blockfeat.training.evaluation.metrics import markdown_table

if TYPE_CHECKING:
    import pandas

View = Callable[[bytes], Any]

SIZES = tuple(4**step * 1024 for step in range(3, 8))
"""Sizes in bytes: 64, 256 KB, 1, 4, 16 MB."""

FREE_BYTES, BYTES_A_BYTE = 64 * 1024 * 1024, 25
"""The law of memory: so much whatever the size of a page, and so many times its bytes."""

_ADDRESS_SPACE = 4 << 30
_MEGABYTE = 1024 * 1024
_FIT_FROM = 64 * 1024
_FIRST = b"<p>The ferry leaves at nine and returns before dark.</p>" * 3
_LOOP_PAGE = synthetic_page("article", 8_192)
_PATIENCE = 10.0  # seconds of a process beyond the call that is timed
_TIMES_AS_LONG = 100  # on a loaded machine, which makes no failure


def views_of(model: str = "default") -> dict[str, View]:
    """Return what can be made of a page with a model, by name: each from the bytes on."""
    extractor, cleaner = Extractor.load(model), Cleaner.of()
    reader = PageReader.of(ReaderSettings(model, (Brand("Corvane"),), evidence=True))
    of_extraction: Mapping[str, Callable[..., object]] = {
        "text": lambda found: found.text,
        "blocks": lambda found: found.blocks,
        "explain": explanation_page,
        "record": to_json_line,
        "record with evidence": lambda found: to_json_line(found, evidence=True),
        "Markdown": lambda found: found.to_markdown(links=True, images=True),
        "HTML": lambda found: found.to_html(images=True),
        "TEI": lambda found: found.to_xml(images=True),
        "page": lambda found: found.to_page(),
    }

    def made(write: Callable[..., object]) -> View:
        return lambda data: write(extractor.extract(data, url="https://example.org/a"))

    return {
        **{name: made(write) for name, write in of_extraction.items()},
        "clean": lambda data: cleaner.clean(data).html,
        "monitor": lambda data: reader.read(FetchedPage(data, "https://example.org/a")),
    }


@dataclass(frozen=True, slots=True)
class Cell:
    """One view of one page.

    Attributes
    ----------
    view, shape : str
        Their names.
    size : int
        Bytes of the page.
    seconds, memory : float
        Process time, and bytes resident at the peak beyond those before; NaN where it did not end.
    outcome : str
        ``"result"``, ``"refused"`` (`LimitExceeded`), or what went wrong.
    loop : float
        Process time of a loop that is always the same, mean of before and behind: a loaded machine makes it longer.
    """

    view: str
    shape: str
    size: int
    seconds: float = math.nan
    memory: float = math.nan
    outcome: str = "result"
    loop: float = math.nan

    def __str__(self) -> str:
        """Return shape and size."""
        return f"`{self.shape}` {self.size // 1024} KB"

    @property
    def factor(self) -> float:
        """Bytes of memory beyond the free ones for each byte of the page."""
        return max(self.memory - FREE_BYTES, 0.0) / self.size

    @property
    def rate(self) -> float:
        """Seconds a megabyte."""
        return self.seconds * _MEGABYTE / self.size

    @property
    def failed(self) -> bool:
        """Whether there is neither a result nor a refusal."""
        return self.outcome not in ("result", "refused")


@dataclass(frozen=True)
class ViewsResult:
    """All cells, view after view."""

    cells: tuple[Cell, ...]

    @property
    def quiet(self) -> ViewsResult:
        """The same with the seconds of a machine that does nothing else.

        Each time is divided by how much longer than at its fastest the loop took that ran beside it.
        """
        fastest = min((cell.loop for cell in self.cells if cell.loop > 0), default=math.nan)
        return ViewsResult(
            tuple(replace(cell, seconds=cell.seconds * fastest / cell.loop, loop=fastest) for cell in self.cells)
        )

    def to_frame(self) -> pandas.DataFrame:
        """Return one row for each view, shape and size."""
        import pandas

        columns = ["view", "shape", "size", "seconds", "memory", "outcome", "loop"]
        return pandas.DataFrame([[getattr(cell, name) for name in columns] for cell in self.cells], columns=columns)

    def exponent(self, view: str, shape: str) -> float:
        """Return how the time of a view grows with a shape, of the pages that have a result."""
        cells = [c for c in self.cells if (c.view, c.shape, c.outcome) == (view, shape, "result")]
        return fit_exponent([cell.size for cell in cells], [cell.seconds for cell in cells])

    def to_markdown(self) -> str:
        """Return a row a view: the worst memory factor, seconds a megabyte and exponent with their shapes."""
        columns = ["view", "memory beyond 64 MB, × page", "s a MB (1 MB or more)", "exponent", "refused", "failed"]
        columns.append("more memory than the law allows")
        rows = []
        for view in dict.fromkeys(cell.view for cell in self.cells):
            cells = [cell for cell in self.cells if cell.view == view]
            large = [cell for cell in cells if cell.size >= _MEGABYTE]
            shapes = list(dict.fromkeys(cell.shape for cell in cells))
            refused = {cell.shape for cell in cells if cell.outcome == "refused"}
            failed = [f"{cell}: {cell.outcome}" for cell in cells if cell.failed]
            over = [f"{cell}: {cell.memory / 1e6:.0f} MB" for cell in cells if cell.factor > BYTES_A_BYTE]
            worst = [
                _worst([(cell.factor, cell.shape) for cell in cells]),
                _worst([(cell.rate, cell.shape) for cell in large]),
                _worst([(self.exponent(view, shape), shape) for shape in shapes]),
            ]
            told = ["; ".join(found) or "none" for found in (failed, over)]
            rows.append([view, *worst, f"{len(refused)} of {len(shapes)} shapes", *told])
        return markdown_table(columns, rows)

    def write(self, folder: Path) -> None:
        """Write ``views.csv`` into a folder, which is made where it is missing."""
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self.to_frame().to_csv(folder / "views.csv", index=False)


def fit_exponent(sizes: Sequence[int], seconds: Sequence[float], *, from_size: int = _FIT_FROM) -> float:
    """Return the slope of log time over log size: 1 is linear, 2 quadratic.

    Parameters
    ----------
    sizes, seconds : sequence of numbers
        Sizes with their times; times of 0 or NaN are left out.
    from_size : int
        Smaller sizes are left out: fixed costs hide growth there.

    Returns
    -------
    float
        NaN with fewer than two different sizes.
    """
    pairs = [(size, time) for size, time in zip(sizes, seconds, strict=True) if size >= from_size and time > 0]
    if len({size for size, _ in pairs}) < 2:
        return math.nan
    logarithms = np.log(np.array(pairs, dtype=np.float64))
    return float(np.polyfit(logarithms[:, 0], logarithms[:, 1], 1)[0])


def measure_views(
    views: Mapping[str, View],
    *,
    shapes: Iterable[str] = SHAPES,
    sizes: Sequence[int] = SIZES,
    limit: float = 60.0,
    on_cell: Callable[[Cell], None] | None = None,
) -> ViewsResult:
    """Measure views of synthetic pages of growing size, each page in a process of its own with a memory limit.

    Parameters
    ----------
    views : mapping
        What `views_of` returns, or some of it.
    shapes : iterable of str
        Some of `benchmarks.shapes.SHAPES`.
    sizes : sequence of int
        Bytes, rising. What fails or takes too long is not tried on a larger page.
    limit : float
        Seconds of the processor that one page may take.
    on_cell : callable, optional
        Called with each cell.
    """
    for view in views.values():
        view(_FIRST)  # load whatever the first page loads before the fork
    cells: list[Cell] = []
    for shape in shapes:
        for size in sizes:
            page = synthetic_page(shape, size).encode()
            failed = {cell.view for cell in cells if cell.shape == shape and cell.failed}
            for name in [name for name in views if name not in failed]:
                cells.append(_measured(Cell(name, shape, size), views[name], page, limit))
                if on_cell is not None:
                    on_cell(cells[-1])
    return ViewsResult(tuple(sorted(cells, key=lambda cell: list(views).index(cell.view))))


def _measured(cell: Cell, view: View, page: bytes, limit: float) -> Cell:
    """Measure one view of one page in a child process."""

    def work(cell: Cell) -> Cell:
        # Beside what the process has mapped when it begins, which may be any number of libraries.
        most = _kilobytes("VmSize") * 1024 + _ADDRESS_SPACE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CPU, (round(limit + _PATIENCE), round(limit + _PATIENCE)))
        view(_FIRST)  # a copy of a process has the code of its libraries in memory once that is run
        gc.collect()
        gc.freeze()  # in this child process, collections skip the inherited objects
        before, outcome = _kilobytes("VmRSS"), "result"
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        loop = _loop()
        start = time.process_time()
        try:
            found = view(page)
            error = getattr(found, "error", None)
            outcome = "result" if not error else "refused" if "at most" in error else f"error: {error}"
        except LimitExceeded:
            outcome = "refused"
        except Exception as error:  # any failure of any view is a result
            outcome = f"{type(error).__name__}: {error}"[:80]
        seconds = time.process_time() - start
        memory = 1024.0 * (_kilobytes("VmHWM") - before)
        return replace(cell, seconds=seconds, memory=memory, outcome=outcome, loop=(loop + _loop()) / 2)

    def failure(cell: Cell, reason: str) -> Cell:
        return replace(cell, outcome=reason)

    # Views are functions that only a copy of this process has.
    most = _TIMES_AS_LONG * limit
    [(_, measured)] = in_order(work, [cell], jobs=1, failure=failure, deadline=most, start="fork")
    return measured


def _loop() -> float:
    """Return the process time of some work of the kind that views do, always the same and small in memory."""
    start = time.process_time()
    for number in range(40):
        words = f"the river had risen {number} times over night " * 40
        counted: dict[str, int] = {}
        for word in words.split():
            counted[word] = counted.get(word, 0) + 1
        _ = lxml.html.fromstring(_LOOP_PAGE)
    return time.process_time() - start


def _kilobytes(key: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))


def _worst(found: Sequence[tuple[float, str]]) -> str:
    known = [pair for pair in found if not math.isnan(pair[0])]
    return "{:.2f} (`{}`)".format(*max(known)) if known else ""
