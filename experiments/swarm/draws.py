"""Training pages drawn from other corpora, and test pages of the corpora left out; what a table is made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from blockfeat.data import read_page_list, without_listed
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.examples import LabelOptions, PageLabeller, TrainingPage, context_measurer, label_pages
from blockfeat.training.margin import PackedPages
from experiments.corpora import CLEANEVAL, CUT_SHORT, DEVELOPMENT, FAMILIES, WRONG_GOLD, Corpora

__all__ = ["READ", "Draw", "block_order", "draws", "labelled_families", "table"]

Families = dict[str, list[TrainingPage]]
_SEED = 1
READ = tuple(
    name for family in FAMILIES for name in family if name in DEVELOPMENT and name not in (*CLEANEVAL, CUT_SHORT)
)
"""The corpora that articles are taken from."""


@dataclass(frozen=True)
class Draw:
    """Pages to train on, and the pages of the family of corpora that is left out."""

    left_out: str
    seed: int
    training: list[TrainingPage]
    test: list[TrainingPage]


def labelled_families(corpora: Corpora, most: int, jobs: int) -> Families:
    """Return up to so many articles of each family of corpora that has some, drawn at random, measured and labelled."""
    labeller = PageLabeller(context_measurer("html5"), LabelOptions())
    wrong = read_page_list(WRONG_GOLD)
    found: Families = {}
    for family in FAMILIES:
        pages = without_listed([page for name in family if name in READ for page in corpora.pages(name)], wrong)
        if pages:
            order = np.random.default_rng(_SEED).permutation(len(pages))[:most].tolist()
            labelled, _ = label_pages([pages[place] for place in order], labeller, jobs=jobs)
            articles = [page for page in labelled if page.importance == 1 and (page.share > 0).any()]
            if articles:
                found[family[0]] = articles
    return found


def draws(families: Families, sizes: Sequence[int], seeds: Iterable[int]) -> Iterator[Draw]:
    """Yield a draw for each seed, family and size: the larger has the pages of the smaller; hosts are on one side."""
    for seed in seeds:
        for name, test in families.items():
            hosts = {page.source.host for page in test if page.source}
            others = [page for other, pages in families.items() if other != name for page in pages]
            others = [page for page in others if page.source is not None and page.source.host not in hosts]
            order = np.random.default_rng(seed).permutation(len(others)).tolist()
            for size in sizes:
                yield Draw(name, seed, [others[place] for place in order[:size]], test)


def block_order(pages: Sequence[TrainingPage]) -> NDArray[np.int64]:
    """Return the number of each block, counted over all pages, in the order of `PackedPages`."""
    starts = np.cumsum([0, *(page.words.size for page in pages)])
    # The number of a block goes along as a feature: it tells where packing has put the block.
    numbered = [
        replace(page, matrix=np.arange(first, first + page.words.size, dtype=np.float32)[:, None])
        for first, page in zip(starts.tolist(), pages, strict=False)
    ]
    order: NDArray[np.int64] = PackedPages.build(numbered, np.array([0])).values[0].astype(np.int64)
    return order


def table(scores: Iterable[tuple[str, int, int, float]], sizes: Sequence[int]) -> str:
    """Return a Markdown table of scores by system, size and seed: means, and how far those of seeds spread."""
    by_cell: dict[tuple[str, int], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for system, size, seed, score in scores:
        by_cell[system, size][seed].append(score)
    rows = []
    for system in dict.fromkeys(name for name, _ in by_cell):
        row = [system]
        for size in sizes:
            means = [fmean(found) for found in by_cell[system, size].values()]
            row.append(f"{fmean(means):.3f} ± {stdev(means) if len(means) > 1 else 0:.3f}")
        rows.append(row)
    return markdown_table(("training pages", *map(str, sizes)), rows)
