"""Table 1 of Ziegler & Skubacz (2007) over repeated splits: FE, PR, TB, each feature alone, decoders, tag tables.

Commands: python -m experiments.ziegler --corpora ../shared/corpora --repeat 10 --jobs 2
          python -m experiments.ziegler --corpora ../shared/corpora --repeat 5 --figure 3

German and French news with gold text are split by host, 70 to 30, with a seed for each repetition; pages with snippets
train too. The mean over the test pages of a split is cosine × length ratio; the table has the mean of these over the
splits, and its interval of 95 % (t distribution). ``--figure 3`` runs the paper's swarm twice on each training part:
cognition ahead of the social component, and both equal.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import pairwise
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
    """Print how both swarms of Fig. 3 converge: means over the splits."""
    _, config = load_config("paper")
    pages = _pages(corpora)
    columns = ("swarm", "fitness", "99 % of it in generation", "population, last ten", "bumps of best", "bumps of mean")
    print(f"| {' | '.join(columns)} |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, cognitive, social in (("cognition ahead, 2.5 and 1.5", 2.5, 1.5), ("both equal, 2.0 and 2.0", 2.0, 2.0)):
        own = replace(config, swarm=replace(config.swarm, cognitive=cognitive, social=social))
        rows: list[tuple[float, ...]] = []
        for seed in range(1, repeat + 1):
            report = train(pages, kind="thresholds", seed=seed, config=own).report
            assert report is not None
            found = report.history
            final = found[-1].best_so_far
            early = next(one.number for one in found if one.best_so_far >= _NEARLY * final)
            curves = [one.best for one in found], [one.mean for one in found]
            bumps = [fmean(abs(after - before) for before, after in pairwise(curve)) for curve in curves]
            rows.append((final, early, fmean(one.mean for one in found[-10:]), *bumps))
        means = [fmean(column) for column in zip(*rows, strict=True)]
        print(f"| {name} | {means[0]:.3f} | {means[1]:.0f} | {means[2]:.3f} | {means[3]:.3f} | {means[4]:.3f} |")


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
