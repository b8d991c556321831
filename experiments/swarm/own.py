"""Learning from own pages: six numbers on top of the bundled network, for pages of one type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from blockfeat.features.measuring import context_places
from blockfeat.models.sequence import SequenceModel
from blockfeat.training.examples import LabelOptions, PageLabeller, TrainingPage, context_measurer, label_pages
from blockfeat.training.margin import PackedPages
from experiments.corpora import Corpora
from experiments.left_out import left_out_models
from experiments.swarm.draws import Draw, block_order
from experiments.swarm.eight import Problem

__all__ = ["MIXED", "OWN", "own_draws", "own_pages", "scored", "six_numbers"]

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Pages = Sequence[TrainingPage]
OWN = ("wcxb-dev", "lists", "harvest")
"""The corpora with types of pages that the network is weakest on."""
TYPES = ("listing", "forum")
MIXED = "all but articles"
"""Pages of every type but articles: the only set of which 200 can be drawn."""
_NEIGHBOURS = 4
_CLIPPED = 6.0
_REACH = np.array([4.0, 1.0, 4.0, 1.0, 4.0, 4.0])
"""How far each number goes to either side: cut, share of the neighbours, place, words, links, cost of a change."""


def own_pages(corpora: Corpora, jobs: int) -> dict[str, list[TrainingPage]]:
    """Return the pages of each type and of all but articles: scores of the network that saw none, and four measures."""
    labeller = PageLabeller(context_measurer("html5"), LabelOptions())
    models, places = left_out_models(), context_places()
    found: dict[str, list[TrainingPage]] = {name: [] for name in (*TYPES, MIXED)}
    for corpus in OWN:
        model = models[corpus]
        assert isinstance(model, SequenceModel)
        columns = [places[name] for name in model.feature_names]
        pages = [page for page in corpora.pages(corpus) if page.page_type not in (None, "article")]
        labelled, _ = label_pages(pages, labeller, jobs=jobs)
        for page in labelled:
            if page.source is not None and (page.share > 0).any():
                logits = np.clip(model.logits(page.matrix[:, columns]), -_CLIPPED, _CLIPPED)
                matrix = _measures(logits, page.words, page.matrix[:, places["anchor_ratio"]])
                own = replace(page, matrix=matrix, importance=1.0)
                for name in found.keys() & {MIXED, page.source.page_type or ""}:
                    found[name].append(own)
    return found


def _measures(logits: Floats, words: Floats, links: Floats) -> Floats:
    around, count = np.ones(2 * _NEIGHBOURS + 1), logits.size
    sums = (np.convolve(each, around)[_NEIGHBOURS : _NEIGHBOURS + count] for each in (logits, np.ones(count)))
    mean, place = np.divide(*sums), np.linspace(-0.5, 0.5, count)
    return np.column_stack((logits, mean - logits, place, np.log1p(words) - 2, links)).astype(np.float32)


def own_draws(pages: dict[str, list[TrainingPage]], sizes: Sequence[int], seeds: Sequence[int]) -> Iterator[Draw]:
    """Yield a draw for each seed, type and size: half of the hosts are tested on, the larger has the smaller."""
    for seed in seeds:
        for name, own in pages.items():
            hosts = sorted({page.source.host for page in own if page.source})
            chosen = set(np.random.default_rng(seed).permutation(hosts)[: len(hosts) // 2].tolist())
            parts: tuple[list[TrainingPage], list[TrainingPage]] = ([], [])
            for page in own:
                parts[page.source is not None and page.source.host in chosen].append(page)
            order = np.random.default_rng(seed).permutation(len(parts[0])).tolist()
            for size in sizes:
                if size <= len(order):
                    yield Draw(name, seed, [parts[0][place] for place in order[:size]], parts[1])


def six_numbers(training: Pages) -> Problem:
    """Return the search for six numbers: cut, share of the neighbours' scores, place, words, links, cost of a change.

    A position of .5 in all is the bundled network: nothing is added to its scores, and a change costs nothing.
    """
    packed = _packed(training)

    def objective(at: Array) -> Array:
        return packed.fitness(_labels(packed, at))

    return Problem(objective, np.full(_REACH.size, 0.5), _kept)


def _packed(pages: Pages) -> PackedPages:
    return PackedPages.build(pages, np.arange(5))


def _labels(packed: PackedPages, at: Array) -> Mask:
    numbers = (2 * np.clip(at, 0, 1) - 1) * _REACH
    scores = (packed.values[0] - numbers[:, :1] + numbers[:, 1:5] @ packed.values[1:]).astype(np.float32)
    cost = np.maximum(numbers[:, 5], 0)
    return packed.labels(scores, cost, cost)


def _kept(position: Array) -> Callable[[Pages], Mask]:
    def kept(pages: Pages) -> Mask:
        labels = np.empty(sum(page.words.size for page in pages), dtype=np.bool_)
        labels[block_order(pages)] = _labels(_packed(pages), position[None])[0]
        return labels

    return kept


def scored(kept: Callable[[Pages], Mask], pages: Pages) -> float:
    """Return the mean word F1 of pages."""
    return float(_packed(pages).fitness(kept(pages)[block_order(pages)][None])[0])
