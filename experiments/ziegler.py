"""Table 1 of Ziegler & Skubacz (2007) over repeated splits: FE, PR, TB, each feature alone, decoders, tag tables.

Commands: python -m experiments.ziegler --corpora ../shared/corpora --repeat 10 --jobs 2
          python -m experiments.ziegler --corpora ../shared/corpora --repeat 2 --figure 3

German and French news with gold text are split by host, 70 to 30, with a seed for each repetition; pages with snippets
train too. The mean over the test pages of a split is cosine × length ratio; the table has the mean of these over the
splits, and its interval of 95 % (t distribution). ``--figure 3`` runs the paper's swarm on each training part, with
cognition ahead of the social component and with both equal, and with other inertia, velocity and pulls.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean, stdev

from scipy.stats import t as student

from blockfeat.data import LabelledPage, load_corpora
from blockfeat.features.schema import CANONICAL_NAMES
from blockfeat.pso.search import CoordinateAscent
from blockfeat.training.config import load_config
from blockfeat.training.train import TrainingOptions, train

_CORPORA = ("fundus", "trafilatura", "newspaper4k", "htmltotext")
_LANGS = ("de", "fr")
_NEARLY = 0.99
_PAPER = {"FE": 0.857, "PR, ziegler2007": 0.601, "TB": 0.424, "HL": 0.909}
_GENERATIONS = (1, 5, 10, 20, 50, 100)
_SWARMS = (
    (2.5, 1.5, 0.98, None),
    (2.0, 2.0, 0.98, None),
    (2.0, 2.0, 0.7, None),
    (1.5, 1.5, 0.7, None),
    (2.5, 1.5, 0.98, 0.5),
    (2.0, 2.0, 0.7, 0.5),
)
"""Cognition, social, inertia and limit of the velocity: Fig. 3's two, then one thing changed after another."""
_SYSTEMS = tuple((table, decoder) for table in ("html5", "ziegler2007") for decoder in ("conjunction", "mss"))


def scores_of_split(corpora: Path, seed: int) -> dict[str, float]:
    """Return the score of each system on the test part of one split."""
    return dict(_scores(_pages(corpora), seed))


def _pages(corpora: Path) -> list[LabelledPage]:
    pages = load_corpora([corpora / f"{name}.jsonl.xz" for name in _CORPORA])
    return [page for page in pages if page.lang in _LANGS]


def _scores(pages: Sequence[LabelledPage], seed: int) -> Iterator[tuple[str, float]]:
    for table, decoder in _SYSTEMS:
        options = TrainingOptions(table=table, decoder=decoder)
        found = _trained(pages, seed, options)
        yield f"FE, {table}, {decoder}", found[0]
        if decoder == "conjunction":
            yield f"PR, {table}", found[1]
        if (table, decoder) == _SYSTEMS[0]:
            yield "TB", found[2]
    for name in CANONICAL_NAMES:
        single = TrainingOptions(features=(name,), decoder="conjunction", polish=CoordinateAscent(ascent=0))
        yield f"{name} alone, html5", _trained(pages, seed, single)[0]


def _trained(pages: Sequence[LabelledPage], seed: int, options: TrainingOptions) -> tuple[float, float, float]:
    report = train(pages, kind="thresholds", seed=seed, options=options).report
    assert report is not None
    assert report.test is not None
    assert report.test.text is not None
    text = report.test.text
    return text.extraction, text.all_blocks, text.all_text or 0.0


def convergence(corpora: Path, repeat: int) -> None:
    """Print how the swarm of Fig. 3 converges, with what may be the reason that it does not: means over the splits.

    The mean fitness of the whole population by generation, for both swarms of the figure, and with other inertia, with
    a limit of the velocity (as a share of the range) and with smaller pulls.
    """
    _, config = load_config("paper")
    pages = _pages(corpora)
    heads = ("cognition, social", "inertia", "limit", "best", "99 % of it in generation", *map(str, _GENERATIONS))
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for cognitive, social, inertia, limit in _SWARMS:
        moves = replace(
            config.swarm, cognitive=cognitive, social=social, inertia=inertia, velocity_limit=limit or float("inf")
        )
        rows: list[tuple[float, ...]] = []
        for seed in range(1, repeat + 1):
            report = train(pages, kind="thresholds", seed=seed, config=replace(config, swarm=moves)).report
            assert report is not None
            found = report.history
            final = found[-1].best_so_far
            early = next(one.number for one in found if one.best_so_far >= _NEARLY * final)
            rows.append((final, early, *(found[number - 1].mean for number in _GENERATIONS)))
        best, soon, *means = [fmean(column) for column in zip(*rows, strict=True)]
        cells = (f"{cognitive}, {social}", inertia, limit or "none", f"{best:.3f}", f"{soon:.0f}")
        print(f"| {' | '.join(map(str, cells))} | {' | '.join(f'{mean:.3f}' for mean in means)} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--figure", type=int, choices=[3], help="the convergence of two swarms in place of Table 1")
    options = parser.parse_args()
    if options.figure:
        convergence(options.corpora, options.repeat)
        return
    by_system: dict[str, list[float]] = defaultdict(list)
    with ProcessPoolExecutor(options.jobs) as pool:
        for found in pool.map(partial(scores_of_split, options.corpora), range(1, options.repeat + 1)):
            for name, score in found.items():
                by_system[name].append(score)
    print(f"{options.repeat} splits by host\n")
    print("| system | mean | interval of 95 % | least, most |\n|---|---:|---:|---:|")
    for name, scores in by_system.items():
        half = 0.0
        if len(scores) > 1:
            half = float(student.ppf(0.975, len(scores) - 1)) * stdev(scores) / len(scores) ** 0.5
        mean = fmean(scores)
        print(
            f"| {name} | {mean:.3f} | {mean - half:.3f} to {mean + half:.3f} | {min(scores):.3f}, {max(scores):.3f} |"
        )
    print("\nThe paper: " + ", ".join(f"{name} {score}" for name, score in _PAPER.items()))


if __name__ == "__main__":
    main()
