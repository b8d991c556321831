"""How much faster several processes extract pages than one.

Usage::

    python -m experiments.processes --corpora ../shared/corpora --every 10

Pages of four corpora with the model ``default``: wall time, best of several rounds, of `Extractor.extract_many` with
one process and with two. The machine should be otherwise idle. The start of the processes counts.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from blockfeat.evaluation.markdown_table import markdown_table
from blockfeat.extraction.extractor import Extractor
from experiments.corpora import Corpora

__all__ = ["main", "seconds_of"]

_CORPORA = ("fundus", "daniel", "l3s-gn1", "wcxb-dev")


def seconds_of(extractor: Extractor, pages: Sequence[bytes], *, jobs: int, rounds: int) -> float:
    """Return the wall time that the extraction of some pages takes, in seconds, best of some rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _extraction in extractor.extract_many(pages, jobs=jobs):
            pass
        best = min(best, time.perf_counter() - start)
    return best


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Corpora.add_options(parser)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    corpora = Corpora.of_options(options)
    pages = [page.html.encode("utf-8", "replace") for name in _CORPORA for page in corpora.sample(corpora.pages(name))]
    extractor = Extractor.load("default")
    seconds = {jobs: seconds_of(extractor, pages, jobs=jobs, rounds=options.rounds) for jobs in (1, 2)}
    rows = [[str(jobs), f"{taken:.2f}", f"{seconds[1] / taken:.2f}"] for jobs, taken in seconds.items()]
    sys.stdout.write(f"{len(pages)} pages\n\n{markdown_table(('processes', 'seconds', 'times as fast'), rows)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
