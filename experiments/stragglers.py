"""What hostile pages do to a large job, and what a deadline for each page saves: a simulation.

Usage::

    python -m experiments.stragglers
    python -m experiments.stragglers --pages 1e6 --cores 64 --per-partition 1000 --hostile 1e-4 --seed 3

Ordinary pages take log-normal times with the mean and spread given. A share of pages is hostile: their times have a
Pareto distribution (``--tail`` is its index; 1 has no mean) from one second on, cut at ``--worst`` seconds. Partitions
hold pages in the order of the crawl and are given to cores that become idle, as Spark does. With a deadline, a page is
cut there and its process is replaced. The ordinary pages of a partition are drawn together, as a normal variable, the
hostile ones one by one. The drawing repeats with the seed.
"""

from __future__ import annotations

import argparse
import heapq
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.training.evaluation.metrics import markdown_table

__all__ = ["Crawl", "Outcome", "main", "outcome"]

_HOUR = 3600.0


@dataclass(frozen=True)
class Crawl:
    """The pages of a job.

    Attributes
    ----------
    pages : int
        How many.
    per_partition : int
        Pages of a partition, the last one has the rest.
    mean, spread : float
        Mean time of an ordinary page in seconds, and the standard deviation of its logarithm.
    hostile : float
        Share of hostile pages.
    tail, worst : float
        Index of the distribution of their times, and the longest in seconds.
    """

    pages: int
    per_partition: int
    mean: float
    spread: float
    hostile: float
    tail: float
    worst: float

    def partitions(
        self, generator: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
        """Draw the time of the ordinary pages of each partition, the partition of each hostile page, and its time."""
        count = -(-self.pages // self.per_partition)
        sizes = np.full(count, self.per_partition, dtype=np.int64)
        sizes[-1] = self.pages - self.per_partition * (count - 1)
        hostile = generator.binomial(sizes, self.hostile)
        deviation = self.mean * math.sqrt(math.expm1(self.spread**2))
        ordinary = sizes - hostile
        times = generator.normal(ordinary * self.mean, np.sqrt(ordinary) * deviation)
        drawn = np.minimum((1.0 - generator.random(int(hostile.sum()))) ** (-1.0 / self.tail), self.worst)
        return np.maximum(times, 0.0), np.repeat(np.arange(count), hostile), drawn


@dataclass(frozen=True)
class Outcome:
    """How a job went.

    Attributes
    ----------
    hours : float
        From the start to the end of the last partition.
    core_hours : float
        Time of all pages together.
    idle : float
        Share of the cores' time that they wait for the last partitions.
    longest : float
        Hours of the longest partition.
    cut : int
        Pages that passed the deadline.
    """

    hours: float
    core_hours: float
    idle: float
    longest: float
    cut: int


def outcome(crawl: Crawl, cores: int, *, deadline: float | None, restart: float = 0.05, seed: int = 0) -> Outcome:
    """Simulate a job.

    Parameters
    ----------
    crawl : Crawl
        Its pages.
    cores : int
        Partitions that are worked on at a time.
    deadline : float, optional
        Seconds that one page may take.
    restart : float
        Seconds until the process of a page that was cut is replaced.
    seed : int
        Of the drawing; the same pages are drawn for every deadline.
    """
    times, where, hostile = crawl.partitions(np.random.default_rng(seed))
    cut = 0
    if deadline is not None:
        late = hostile > deadline
        cut = int(late.sum())
        hostile = np.where(late, deadline + restart, hostile)
    times = times + np.bincount(where, weights=hostile, minlength=len(times))
    end = _end(times, cores)
    total = float(times.sum())
    return Outcome(end / _HOUR, total / _HOUR, 1.0 - total / (end * cores), float(times.max()) / _HOUR, cut)


def _end(times: NDArray[np.float64], cores: int) -> float:
    """Return when the last of some partitions ends that are given, in order, to cores that become idle."""
    busy = [0.0] * min(cores, len(times))
    for time in times.tolist():
        heapq.heapreplace(busy, busy[0] + time)
    return max(busy)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--pages", type=float, default=1e9)
    add("--cores", type=int, default=1000)
    add("--per-partition", type=int, nargs="+", default=[4_000, 40_000, 400_000])
    add("--deadlines", type=float, nargs="+", default=[math.inf, 60.0, 10.0, 1.0])
    add("--mean", type=float, default=0.01, help="seconds of an ordinary page, reading and writing counted")
    add("--spread", type=float, default=1.0, help="standard deviation of the logarithm of its time")
    add("--hostile", type=float, default=1e-5, help="share of hostile pages")
    add("--tail", type=float, default=1.0)
    add("--worst", type=float, default=24 * _HOUR, help="longest time of a hostile page, in seconds")
    add("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rows = []
    for size in options.per_partition:
        values = (options.mean, options.spread, options.hostile, options.tail, options.worst)
        crawl = Crawl(int(options.pages), size, *values)
        for deadline in options.deadlines:
            found = outcome(
                crawl, options.cores, deadline=None if math.isinf(deadline) else deadline, seed=options.seed
            )
            shown = "none" if math.isinf(deadline) else f"{deadline:g} s"
            cells = (f"{found.hours:.2f}", f"{found.core_hours:,.0f}", f"{100 * found.idle:.1f} %")
            rows.append([f"{size:,}", shown, *cells, f"{found.longest:.2f}", f"{found.cut:,}"])
    columns = ("pages a partition", "deadline", "hours", "core-hours", "idle", "longest partition, hours", "pages cut")
    sys.stdout.write(f"{int(options.pages):,} pages, {options.cores:,} cores\n\n{markdown_table(columns, rows)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
