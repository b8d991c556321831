"""How the time of systems grows with the size of a page: exponents over synthetic pages from 1 KB to 16 MB."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.shapes import SHAPES, synthetic_page
from benchmarks.speed import PageInput, System
from blockfeat._files import writing
from blockfeat._pool import in_order
from blockfeat.training.evaluation.metrics import markdown_table

if TYPE_CHECKING:
    import pandas


SIZES = tuple(4**step * 1024 for step in range(8))
"""Sizes in bytes: 1, 4, 16, 64, 256 KB, 1, 4, 16 MB."""

_FIT_FROM = 64 * 1024
_RATIO_FROM = 1024 * 1024
_REPEATS = 5
_PATIENCE = 5.0  # seconds of a process beyond the call that is timed: its start, the page, repetitions
_REPEAT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Growth:
    """Times of one system on one shape.

    Attributes
    ----------
    system, shape : str
        Their names.
    sizes : tuple of int
        Bytes of the pages, rising.
    seconds : tuple of float
        Best process time at each size.
    stopped : str or None
        Why larger pages were not measured.
    """

    system: str
    shape: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    stopped: str | None = None

    @property
    def exponent(self) -> float:
        """Fitted exponent from 64 KB up; NaN with fewer than two sizes."""
        return fit_exponent(self.sizes, self.seconds)

    @property
    def largest_ratio(self) -> float:
        """Largest t(4n) / t(n) with n of 1 MB or more; NaN where nothing that large was measured."""
        pairs = zip(self.sizes, self.seconds, self.seconds[1:], strict=False)
        return max(
            (after / before for size, before, after in pairs if size >= _RATIO_FROM and before), default=math.nan
        )


@dataclass(frozen=True)
class GrowthResult:
    """Growth of systems over shapes.

    Attributes
    ----------
    growths : tuple of Growth
        Shape after shape, in each the systems in their order.
    """

    growths: tuple[Growth, ...]

    def to_frame(self) -> pandas.DataFrame:
        """Return one row for each system, shape and size: with seconds and the fitted exponent of its growth."""
        import pandas

        columns = ["system", "shape", "size", "seconds", "exponent", "stopped"]
        rows = [
            (growth.system, growth.shape, size, seconds, growth.exponent, growth.stopped)
            for growth in self.growths
            for size, seconds in zip(growth.sizes, growth.seconds, strict=True)
        ]
        return pandas.DataFrame(rows, columns=columns)

    def to_markdown(self) -> str:
        """Return a table: exponent, largest t(4n)/t(n) from 1 MB up, and milliseconds at each size."""
        sizes = sorted({size for growth in self.growths for size in growth.sizes})
        columns = ["shape", "system", "exponent", "t(4n)/t(n)", *(f"{_size(size)}, ms" for size in sizes), "stopped"]
        rows = []
        for growth in self.growths:
            found = dict(zip(growth.sizes, growth.seconds, strict=True))
            times = [f"{1000 * found[size]:.4g}" if size in found else "" for size in sizes]
            exponents = [_two_places(growth.exponent), _two_places(growth.largest_ratio)]
            rows.append([f"`{growth.shape}`", growth.system, *exponents, *times, growth.stopped or ""])
        return markdown_table(columns, rows)

    def write(self, folder: Path) -> None:
        """Write ``growth.csv`` and ``growth.png`` into a folder, which is made where it is missing."""
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self.to_frame().to_csv(folder / "growth.csv", index=False)
            self.plot(folder / "growth.png")

    def plot(self, path: str | Path) -> None:
        """Draw time against size, both logarithmic, one panel a shape, to a PNG, SVG or PDF file."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        shapes = list(dict.fromkeys(growth.shape for growth in self.growths))
        systems = list(dict.fromkeys(growth.system for growth in self.growths))
        width = min(4, len(shapes))
        height = -(-len(shapes) // width)
        figure = Figure(figsize=(3.2 * width, 2.6 * height + 0.5), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(height, width, squeeze=False, sharex=True, sharey=True).ravel()
        for axes, shape in zip(grid, shapes, strict=False):
            axes.set_title(shape, fontsize="small", parse_math=False)
            axes.set_xscale("log")
            axes.set_yscale("log")
            for growth in self.growths:
                if growth.shape == shape and growth.sizes:
                    colour = f"C{systems.index(growth.system) % 10}"
                    label = f"{growth.system}: {_two_places(growth.exponent)}"
                    axes.plot(growth.sizes, growth.seconds, "o-", color=colour, markersize=3, label=label)
            axes.legend(fontsize="x-small", title="exponent", title_fontsize="x-small")
        for axes in grid[len(shapes) :]:
            axes.set_axis_off()
        figure.supxlabel("bytes")
        figure.supylabel("process time, s")
        figure.savefig(path, dpi=150)


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


def measure_growth(
    systems: Sequence[System],
    *,
    shapes: Iterable[str] = SHAPES,
    sizes: Sequence[int] = SIZES,
    limit: float = 20.0,
    on_page: Callable[[str, str, int], None] | None = None,
) -> GrowthResult:
    """Time systems on synthetic pages of growing size, each size in a process of its own.

    Parameters
    ----------
    systems : sequence of System
        What `benchmarks.speed.systems_of` returns.
    shapes : iterable of str
        Some of `benchmarks.shapes.SHAPES`.
    sizes : sequence of int
        Bytes, rising.
    limit : float
        Seconds that one page may take. A process that takes longer is ended, and a system is not tried on a larger
        page of a shape where its growth so far says that it would.
    on_page : callable, optional
        Called with system, shape and size before each measurement.
    """
    found = []
    for shape in shapes:
        smallest = PageInput.of_text(synthetic_page(shape, min(sizes)))
        for system in systems:
            _best(system, smallest)  # load whatever the first page loads before the fork
        found += [_grow(system, shape, sizes, limit, on_page) for system in systems]
    return GrowthResult(tuple(found))


def _grow(
    system: System, shape: str, sizes: Sequence[int], limit: float, on_page: Callable[[str, str, int], None] | None
) -> Growth:
    """Measure one system on one shape until it takes too long or fails."""
    done: list[tuple[int, float]] = []
    stopped = None
    for size in sizes:
        expected = _expected(done, size)
        if expected > limit:
            stopped = f"would take about {expected:.0f} s at {_size(size)}"
            break
        if on_page is not None:
            on_page(system.name, shape, size)
        seconds, stopped = _measured(system, shape, size, limit)
        if stopped is not None:
            stopped = f"{stopped} at {_size(size)}"
            break
        done.append((size, seconds))
    return Growth(system.name, shape, tuple(size for size, _ in done), tuple(time for _, time in done), stopped)


def _expected(done: Sequence[tuple[int, float]], size: int) -> float:
    """Return the time extrapolated from the last two, with at least linear growth; 0 with fewer than two."""
    if len(done) < 2:
        return 0.0
    (before, earlier), (after, later) = done[-2:]
    exponent = math.log(later / earlier) / math.log(after / before) if earlier > 0 and later > 0 else 1.0
    return float(later * (size / after) ** max(1.0, exponent))


def _measured(system: System, shape: str, size: int, limit: float) -> tuple[float, str | None]:
    """Measure in a child process; return the time, or the reason why there is none."""

    def work(size: int) -> tuple[float, str | None]:
        gc.freeze()  # in this child process, collections skip the inherited objects
        return _best(system, PageInput.of_text(synthetic_page(shape, size)))

    def failure(size: int, reason: str) -> tuple[float, str | None]:
        return math.nan, reason

    # Systems are functions that only a copy of this process has.
    [(_, result)] = in_order(work, [size], jobs=1, failure=failure, deadline=limit + _PATIENCE, start="fork")
    return result


def _best(system: System, page: PageInput) -> tuple[float, str | None]:
    """Return the best process time of up to five calls, of one if it takes long."""
    best = math.inf
    spent = 0.0
    try:
        for _ in range(_REPEATS):
            gc.collect()
            start = time.process_time()
            system.run(page)
            seconds = time.process_time() - start
            best, spent = min(best, seconds), spent + seconds
            if spent > _REPEAT_SECONDS:
                break
    except Exception as error:  # any failure of any system is a result
        return math.nan, f"{type(error).__name__}: {error}"[:80]
    return best, None


def _size(size: int) -> str:
    for unit, name in ((1024 * 1024, "MB"), (1024, "KB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} B"


def _two_places(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.2f}"
