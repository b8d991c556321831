"""Learning curves: how well each kind of model does by the number of pages that it is trained on.

Usage::

    python -m experiments.learning_curves --lang de,fr --corpus A.jsonl.xz --corpus B.jsonl.xz

30 % of the pages, by host, are the test part of all models. The training parts are nested: whole hosts in random order
until there are as many pages as asked for. Pages with gold text are scored by word F1, pages with snippets only by
snippet F1. Trained with the default hyperparameters of each kind, thresholds with ``fitness = "f1"``.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from blockfeat.data import LabelledPage, load_corpora, split_by_host
from blockfeat.data.split import identified_language
from blockfeat.extraction.extractor import Extractor
from blockfeat.training.config import CONFIGS, make_trainer
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.evaluation.strategies import GroupedScores, StrategyScores, compare_strategies
from experiments.needs import check_needs

__all__ = ["Point", "learning_curve", "main", "nested_parts"]

KINDS = ("thresholds", "margin", "sequence")
SIZES = (50, 100, 300, 1_000)
TRAINING_SHARE = 0.7
_logger = logging.getLogger("experiments.learning_curves")


@dataclass(frozen=True)
class Point:
    """One model: its kind, its training pages, its scores on the test part, and the process time of its training."""

    kind: str
    pages: int
    scores: GroupedScores
    seconds: float


def nested_parts(pages: Sequence[LabelledPage], sizes: Sequence[int], seed: int) -> list[list[LabelledPage]]:
    """Return parts of about the sizes asked for, each a part of the next; all pages where there are not enough."""
    hosts: dict[str, list[LabelledPage]] = {}
    for page in pages:
        hosts.setdefault(page.host, []).append(page)
    names = sorted(hosts)
    order = np.random.default_rng(seed).permutation(len(names)).tolist()
    ordered = [page for place in order for page in hosts[names[place]]]
    return [ordered[:size] for size in sorted({min(size, len(ordered)) for size in sizes})]


def learning_curve(
    pages: Sequence[LabelledPage], *, kinds: Sequence[str], sizes: Sequence[int], seed: int, langs: Sequence[str] = ()
) -> Iterator[Point]:
    """Train each kind on each number of pages and score it on the same pages of other hosts."""
    training, test = split_by_host(pages, TRAINING_SHARE, seed)
    for part in nested_parts(training, sizes, seed):
        for kind in kinds:
            config = CONFIGS[kind]()
            if kind == "thresholds":
                config = replace(config, fitness="f1")
            start = time.process_time()
            model = make_trainer(kind, config, seed=seed, name=kind, languages=tuple(langs)).fit(part)
            seconds = time.process_time() - start
            point = Point(kind, len(part), compare_strategies(Extractor.of(model), test, "f1"), seconds)
            _logger.info("%s on %d pages: %s, %.0f s", kind, len(part), point.scores.to_dict(), seconds)
            yield point


def _cell(group: StrategyScores | None) -> str:
    return "" if group is None else f"{group.extraction:.3f}"


def table(points: Sequence[Point]) -> str:
    """Return the points as a Markdown table."""
    rows = [
        (str(point.pages), point.kind, _cell(point.scores.text), _cell(point.scores.snippets), f"{point.seconds:.0f} s")
        for point in points
    ]
    return markdown_table(("training pages", "kind", "word F1", "snippet F1", "process time"), rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--corpus", action="append", required=True, help="corpus file; repeatable")
    parser.add_argument("--lang", default="", help="languages, separated by commas")
    parser.add_argument("--kinds", default=",".join(KINDS), help="kinds of models, separated by commas")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="training pages, separated by commas")
    parser.add_argument("--seed", type=int, default=1, help="seed of split, order of hosts and training")
    options = parser.parse_args(arguments)
    modules = ["torch", "lightgbm"] if "sequence" in options.kinds.split(",") else []
    check_needs(modules=modules, files=options.corpus)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    langs = [code for code in options.lang.split(",") if code]
    pages = load_corpora(options.corpus, langs or None, identify=identified_language)
    sizes = [int(size) for size in options.sizes.split(",")]
    points = list(learning_curve(pages, kinds=options.kinds.split(","), sizes=sizes, seed=options.seed, langs=langs))
    test = points[0].scores
    groups = ", ".join(f"{group.pages} by {group.metric}" for group in test.groups)
    print(f"{len(pages)} pages; test part of other hosts: {test.pages} pages ({groups}); seed {options.seed}\n")
    print(table(points), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
