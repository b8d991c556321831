"""Where a particle swarm beats gradients: eight thresholds, `margin`, and the F1 of mentions, on corpora left out.

Command: python -m experiments.swarm --corpora ../shared/corpora --repeat 5 --jobs 2

Articles of six families of corpora, up to 200 of each; each family is left out in turn, and 10, 20, 50 and 200 pages
are drawn from the others, anew for each repetition. The tables have the mean over the families and repetitions, and the
standard deviation of the repetitions. The part ``eight`` needs LightGBM (pip install lightgbm).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from experiments.corpora import Corpora
from experiments.needs import check_needs
from experiments.swarm.draws import READ, Draw, draws, labelled_families, table
from experiments.swarm.eight import systems_of_eight
from experiments.swarm.margin import PageNames, names_of, systems_of_margin, systems_of_mentions

_SIZES = (10, 20, 50, 200)
_PARTS = ("eight", "margin", "mentions")
Scores = Iterator[tuple[str, int, int, float]]


def _scored(systems: Callable[..., dict[str, float]], draw: Draw) -> list[tuple[str, int, int, float]]:
    found = systems(draw.training, draw.test, draw.seed)
    return [(name, len(draw.training), draw.seed, score) for name, score in found.items()]


def _systems(part: str, names: PageNames) -> Callable[..., dict[str, float]]:
    if part == "mentions":
        return partial(systems_of_mentions, names=names)
    return {"eight": systems_of_eight, "margin": systems_of_margin}[part]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m experiments.swarm", description=(__doc__ or "").splitlines()[0])
    Corpora.add_options(parser)
    parser.add_argument("--repeat", type=int, default=5, help="draws of training pages")
    parser.add_argument("--pages", type=int, default=200, help="most pages of a family of corpora")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(_SIZES), help="numbers of training pages")
    parser.add_argument("--parts", nargs="+", choices=_PARTS, default=list(_PARTS), help="tables to make")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(arguments)
    check_needs(modules=["lightgbm"] if "eight" in options.parts else [], folder=options.corpora, corpora=READ)
    families = labelled_families(Corpora.of_options(options), options.pages, options.jobs)
    print(", ".join(f"{name} {len(pages)}" for name, pages in families.items()), "pages")
    names = names_of([page for pages in families.values() for page in pages]) if "mentions" in options.parts else {}
    with ProcessPoolExecutor(options.jobs) as pool:
        for part in options.parts:
            drawn = draws(families, options.sizes, range(1, options.repeat + 1))
            scores = [row for rows in pool.map(partial(_scored, _systems(part, names)), drawn) for row in rows]
            print(f"\n{part}\n\n{table(scores, options.sizes)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
