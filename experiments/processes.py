"""How much faster several processes extract pages than one, and what the machine itself allows.

Usage::

    python -m experiments.processes --corpora ../shared/corpora --every 5

Pages of four corpora with the model ``default``, in rounds; each row is the round with the least wall time.
`Extractor.extract_many` with one process and with two, beside two processes that have half of the pages each from the
start and send nothing: no pool can be faster than those. The machine should be otherwise idle; the start of the
processes counts. CPU seconds are those of all processes together: where two processes take more of them for the same
pages than one, the two cores share what they compute with (hyper-threads of one core, caches, memory).
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from blockfeat.extraction.extractor import Extractor
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.corpora import Corpora
from experiments.needs import check_needs
from experiments.timed_pages import TIMED, cpu_seconds, sampled_bytes

__all__ = ["Taken", "apart", "main", "pooled", "taken"]


@dataclass(frozen=True, order=True)
class Taken:
    """What some work takes: wall time and CPU time of all processes, in seconds."""

    wall: float
    cpu: float


def taken(work: Callable[[], None], *, rounds: int) -> Taken:
    """Return what the fastest of some rounds took."""
    found = []
    for _ in range(rounds):
        start, cpu = time.perf_counter(), cpu_seconds()
        work()
        found.append(Taken(time.perf_counter() - start, cpu_seconds() - cpu))
    return min(found)


def pooled(extractor: Extractor, pages: Sequence[bytes], *, jobs: int) -> None:
    """Extract pages as a program does."""
    for _extraction in extractor.extract_many(pages, jobs=jobs):
        pass


def apart(extractor: Extractor, pages: Sequence[bytes], *, jobs: int) -> None:
    """Extract pages in processes that have their share from the start and send nothing."""
    # Forked: the pages are there without being sent.
    context = multiprocessing.get_context("fork")
    processes = [
        context.Process(target=pooled, args=(extractor, pages[number::jobs]), kwargs={"jobs": 1})
        for number in range(jobs)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Corpora.add_options(parser)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    check_needs(folder=options.corpora, corpora=TIMED)
    corpora = Corpora.of_options(options)
    pages = sampled_bytes(corpora)
    extractor = Extractor.load("default")
    ways: dict[str, Callable[[], None]] = {
        "1 process": lambda: pooled(extractor, pages, jobs=1),
        "2 processes": lambda: pooled(extractor, pages, jobs=2),
        "2 processes, nothing sent": lambda: apart(extractor, pages, jobs=2),
    }
    # What is loaded on the first pages is no part of the comparison.
    pooled(extractor, pages[::10], jobs=1)
    found = {name: taken(work, rounds=options.rounds) for name, work in ways.items()}
    one = found["1 process"].wall
    rows = [[name, f"{of.wall:.2f}", f"{one / of.wall:.2f}", f"{of.cpu:.2f}"] for name, of in found.items()]
    table = markdown_table(("processes", "seconds", "times as fast", "CPU seconds"), rows)
    sys.stdout.write(f"{len(pages)} pages\n\n{table}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
