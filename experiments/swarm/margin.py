"""The model `margin`: gradient alone, and the swarm behind it against word F1 or the F1 of mentions."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.names import find_names
from blockfeat.data import LabelledPage
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.matcher import BrandMatcher
from blockfeat.pso.swarm import SwarmOptions, maximise
from blockfeat.training.examples import TrainingPage
from blockfeat.training.margin import PackedPages, tune
from blockfeat.training.margin_fit import MarginOptions, Parameters, start_of
from experiments.swarm.draws import block_order

__all__ = ["PageNames", "names_of", "systems_of_margin", "systems_of_mentions"]

Array = NDArray[np.float64]
PageNames = dict[tuple[str, str], list[tuple[list[int], bool]]]
"""By corpus and id of a page its names: the blocks that have each, and whether the gold text does."""
_OPTIONS = MarginOptions()
_COSTS = 0.1
_NAMES_A_PAGE = 20
_REACH = 1.5
_GRID = (np.linspace(-_REACH, _REACH, 9), np.linspace(-_REACH, _REACH, 5), np.linspace(-_REACH, _REACH, 5))


def systems_of_margin(training: Sequence[TrainingPage], test: Sequence[TrainingPage], seed: int) -> dict[str, float]:
    """Return the mean word F1 of the test pages: gradient alone, then the swarm over costs, over all parameters."""
    start = _start(training, seed)
    options = replace(_OPTIONS, swarm=replace(_OPTIONS.swarm, seed=seed))
    fitted = {
        "margin, gradient": start,
        "margin, swarm over bias and costs": tune(start, training, replace(options, tuned="costs")).parameters,
        "margin, swarm over all numbers": tune(start, training, replace(options, tuned="all")).parameters,
    }
    unseen = PackedPages.build(test, start.columns)
    return {name: unseen.evaluate(parameters) for name, parameters in fitted.items()}


def _start(training: Sequence[TrainingPage], seed: int) -> Parameters:
    options = replace(_OPTIONS, swarm=replace(_OPTIONS.swarm, seed=seed))
    return replace(start_of(training, options), enter=_COSTS, leave=_COSTS)


def names_of(pages: Sequence[TrainingPage]) -> PageNames:
    """Return up to 20 names of each page, drawn by a hash; names are those of all gold texts of a language."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for page in pages:
        texts[_source(page).lang or ""].append(_source(page).text or "")
    matchers = {lang: BrandMatcher.of(map(Brand, own)) for lang, own in find_names(texts).items()}
    return {_key(page): _names_on(page, matchers[_source(page).lang or ""]) for page in pages}


def _source(page: TrainingPage) -> LabelledPage:
    assert page.source is not None
    return page.source


def _key(page: TrainingPage) -> tuple[str, str]:
    return _source(page).corpus, _source(page).id


def _names_on(page: TrainingPage, matcher: BrandMatcher) -> list[tuple[list[int], bool]]:
    source = _source(page)
    blocks: defaultdict[str, list[int]] = defaultdict(list)
    for number, text in enumerate(page.texts):
        for name in {hit.brand for hit in matcher.find(text, lang=source.lang)}:
            blocks[name].append(number)
    in_gold = {hit.brand for hit in matcher.find(source.text or "", lang=source.lang)}
    chosen = sorted(blocks, key=lambda name: hashlib.blake2b(f"{source.id}{name}".encode()).digest())
    return [(blocks[name], name in in_gold) for name in chosen[:_NAMES_A_PAGE]]


@dataclass(frozen=True)
class _Names:
    """Names of pages: which block has which (names × blocks of the packed pages), and which the gold text has."""

    found_in: sparse.csr_array
    mentioned: NDArray[np.bool_]

    def f1(self, kept: NDArray[np.bool_]) -> Array:
        """Return the F1 of mentions, pooled over all names, for each row of labels."""
        found = (self.found_in @ kept.T.astype(np.float32)) > 0
        right = (found & self.mentioned[:, None]).sum(axis=0)
        return np.asarray(2 * right / np.maximum(found.sum(axis=0) + self.mentioned.sum(), 1), dtype=np.float64)


def _packed(pages: Sequence[TrainingPage], columns: NDArray[np.int64], names: PageNames) -> tuple[PackedPages, _Names]:
    """Put pages side by side, and their names over them."""
    rows: list[int] = []
    places: list[int] = []
    mentioned: list[bool] = []
    first = 0
    for page in pages:
        for blocks, is_mentioned in names[_key(page)]:
            rows += [len(mentioned)] * len(blocks)
            places += [first + block for block in blocks]
            mentioned.append(is_mentioned)
        first += page.words.size
    entries = (np.ones(len(rows), dtype=np.float32), (rows, places))
    found_in = sparse.csr_array(entries, shape=(len(mentioned), first))[:, block_order(pages)]
    return PackedPages.build(pages, columns), _Names(found_in, np.array(mentioned, dtype=bool))


def systems_of_mentions(
    training: Sequence[TrainingPage], test: Sequence[TrainingPage], seed: int, names: PageNames
) -> dict[str, float]:
    """Return the F1 of mentions on the test pages: bias and two costs by gradient, or by search."""
    start = _start(training, seed)
    packed, own = _packed(training, start.columns, names)
    unseen, asked = _packed(test, start.columns, names)
    swarm = replace(_OPTIONS.swarm, seed=seed)
    grid = np.array(list(product(*_GRID)))
    found = {
        "gradient": np.zeros(3),
        "swarm, word F1": _searched(lambda changes: packed.fitness(_kept(packed, start, changes)), swarm),
        "swarm, F1 of mentions": _searched(lambda changes: own.f1(_kept(packed, start, changes)), swarm),
        "grid of 225, F1 of mentions": grid[int(np.argmax(own.f1(_kept(packed, start, grid))))],
    }
    return {f"margin, {name}": float(asked.f1(_kept(unseen, start, one[None]))[0]) for name, one in found.items()}


def _searched(fitness: Callable[[Array], Array], swarm: SwarmOptions) -> Array:
    result = maximise(lambda at: fitness((2 * np.clip(at, 0, 1) - 1) * _REACH), 3, swarm, known=np.full(3, 0.5))
    return np.asarray((2 * np.clip(result.position, 0, 1) - 1) * _REACH)


def _kept(packed: PackedPages, start: Parameters, changes: Array) -> NDArray[np.bool_]:
    """Return the labels of the start with bias and costs changed: changes × blocks."""
    own = [values[None] for values in (start.thresholds, start.softnesses, start.weights)]
    score = packed.scores(own[0], own[1], own[2], np.array([start.bias]))
    enter, leave = np.maximum(0, start.enter + changes[:, 1]), np.maximum(0, start.leave + changes[:, 2])
    return packed.labels(score + changes[:, :1].astype(np.float32), enter, leave)
