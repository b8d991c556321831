"""Table 1 of Ziegler & Skubacz (2007) over repeated splits: FE, PR, TB, each feature alone, decoders, tag tables.

Command: python -m experiments.ziegler --corpora ../shared/corpora --repeat 10 --jobs 2

German and French news with gold text are split by host, 70 to 30, with a seed for each repetition; pages with snippets
train too. The mean over the test pages of a split is cosine × length ratio; the table has the mean of these over the
splits, and its interval of 95 % (t distribution).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import fmean, stdev

from scipy.stats import t as student

from blockfeat.data import LabelledPage, load_corpora
from blockfeat.features.ziegler2007 import CANONICAL_NAMES
from blockfeat.pso.search import Polish
from blockfeat.training.train import TrainingOptions, train

_CORPORA = ("fundus", "trafilatura", "newspaper4k", "htmltotext")
_LANGS = ("de", "fr")
_PAPER = {"FE": 0.857, "PR, ziegler2007": 0.601, "TB": 0.424, "HL": 0.909}
_SYSTEMS = tuple((table, decoder) for table in ("html5", "ziegler2007") for decoder in ("conjunction", "mss"))


def scores_of_split(corpora: Path, seed: int) -> dict[str, float]:
    """Return the score of each system on the test part of one split."""
    pages = load_corpora([corpora / f"{name}.jsonl.xz" for name in _CORPORA])
    chosen = [page for page in pages if page.lang in _LANGS]
    return dict(_scores(chosen, seed))


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
        single = TrainingOptions(features=(name,), decoder="conjunction", polish=Polish(ascent=0))
        yield f"{name} alone, html5", _trained(pages, seed, single)[0]


def _trained(pages: Sequence[LabelledPage], seed: int, options: TrainingOptions) -> tuple[float, float, float]:
    report = train(pages, kind="thresholds", seed=seed, options=options).report
    assert report is not None
    assert report.test is not None
    assert report.test.text is not None
    text = report.test.text
    return text.extraction, text.all_blocks, text.all_text or 0.0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
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
