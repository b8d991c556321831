"""The trainer of Crunch: a particle swarm searches for the best settings of its filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import floor, log
from typing import ClassVar

import numpy as np

from blockfeat.blocks.tagtable import load_table
from blockfeat.data.corpus import LabelledPage
from blockfeat.data.split import spaced
from blockfeat.errors import TrainingError
from blockfeat.lang.identify import Identifier
from blockfeat.lang.stopwords import StopWordIndex
from blockfeat.papers.crunch.model import CrunchModel
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.pso.search import CoordinateAscent, SearchResult, between, search
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.config import OnProgress, Trainer, no_progress
from blockfeat.training.examples import measured_pages
from blockfeat.training.swarm_search import Preparer, SwarmConfig, TrainingSet, swarm_progress
from experiments.crunch.fitness import CANDIDATES, Array, prepared_tree, training_set

_RATIO = (0.01, 10.0)
_MOST_LINKS = 10
_MOST_CHARACTERS = 1000.0
_NUMBERS = 4
_ON = 0.5


@dataclass(frozen=True)
class CrunchSpace:
    """The search space: four numbers, and a switch for each filter that is on or off; all dimensions lie in [0, 1].

    The numbers: links for each word in table cells and in containers (0.01 to 10, logarithmic), least links in a list
    (1 to 10), least letters and digits in a table (0 to 999, logarithmic). The switches, on from 0.5: text links,
    forms, empty tables, table cells, each candidate container. The number of letters for a word stays that of ``base``,
    as it only scales the ratios.

    Attributes
    ----------
    base : CleanSettings
        The settings that are fixed in the search.
    """

    base: CleanSettings

    @property
    def dimensions(self) -> int:
        """Number of dimensions."""
        return _NUMBERS + 4 + len(CANDIDATES)

    def settings(self, position: Array) -> CleanSettings:
        """Return the settings that a position encodes; coordinates outside of [0, 1] are clipped."""
        values = np.clip(position, 0.0, 1.0)
        ratio, container_ratio = (float(f"{between(_RATIO, share):.4g}") for share in values[:2].tolist())
        text_links, forms, tables, cells, *containers = (values[_NUMBERS:] >= _ON).tolist()
        base = self.base
        return replace(
            base,
            filters=replace(base.filters, text_links=text_links, forms=forms),
            link_lists=replace(
                base.link_lists,
                remove=cells or any(containers),
                ratio=ratio,
                container_ratio=container_ratio,
                least_links=min(_MOST_LINKS, 1 + floor(values[2] * _MOST_LINKS)),
                cells=cells,
                containers=tuple(name for name, is_on in zip(CANDIDATES, containers, strict=True) if is_on),
            ),
            empty_tables=replace(
                base.empty_tables, remove=tables, least_characters=floor(_MOST_CHARACTERS ** float(values[3])) - 1
            ),
        )

    def position(self, settings: CleanSettings) -> Array:
        """Return a position that encodes settings, clipped to the ranges of the space."""
        lists, tables = settings.link_lists, settings.empty_tables
        ratios = [_share(_RATIO, ratio) for ratio in (lists.ratio, lists.container_ratio)]
        least = [
            (lists.least_links - 0.5) / _MOST_LINKS,
            _share((1.0, _MOST_CHARACTERS), tables.least_characters + 1.5),
        ]
        is_on = [settings.filters.text_links, settings.filters.forms, tables.remove, lists.remove and lists.cells]
        is_on += [lists.remove and name in lists.containers for name in CANDIDATES]
        return np.asarray(np.clip(np.array([*ratios, *least, *(0.75 if on else 0.25 for on in is_on)]), 0.0, 1.0))


def _share(limits: tuple[float, float], value: float) -> float:
    """Return where a value lies between two limits on a logarithmic scale: 0 at the lower limit, 1 at the upper."""
    low, high = limits
    return log(max(value, low) / low) / log(high / low)


@dataclass(frozen=True)
class CrunchConfig(SwarmConfig):
    """Hyperparameters of Crunch.

    Attributes
    ----------
    table : str
        Bundled tag table, "html5" or "ziegler2007", or path of one: it cuts pages into the blocks that are kept or not.
    fitness : str
        "cosine" (times length ratio) or "f1" (over words) for pages with gold text; pages that have only snippets count
        by snippet F1. "snippets": by snippets wherever a page has them.
    most_pages : int
        Most pages to train on, evenly spaced among all; 0 for all. Two dozen settings need no more.
    start_at_default : bool
        One particle starts at the default settings; all others at random.
    swarm : SwarmOptions
        The particle swarm.
    polish : CoordinateAscent
        Restarts of the swarm and a coordinate ascent after it, against local optima.
    """

    table: str = "html5"
    fitness: str = "f1"
    most_pages: int = 1000
    start_at_default: bool = True
    swarm: SwarmOptions = field(default_factory=lambda: SwarmOptions(particles=32, iterations=40))
    polish: CoordinateAscent = field(default_factory=CoordinateAscent)

    def __post_init__(self) -> None:
        """Check the values."""
        if self.most_pages < 0:
            raise TrainingError(f"'most_pages' must be 0 or more, not {self.most_pages}")
        self.check_fitness()


@dataclass(frozen=True, kw_only=True)
class CrunchTrainer(Trainer[CrunchConfig]):
    """Trains Crunch: thresholds and switches of its filters, see `experiments.crunch.trainer.CrunchSpace`."""

    kind: ClassVar[str] = "crunch"
    suffix: ClassVar[str] = ".json"

    config: CrunchConfig = field(default_factory=CrunchConfig)

    @property
    def metric(self) -> str:
        """The metric that the swarm maximises."""
        return self.config.metric

    def fit(self, pages: Sequence[LabelledPage], *, on_progress: OnProgress = no_progress) -> CrunchModel:
        """Learn a model from labelled pages; see `Trainer.fit`."""
        config = self.config
        blank = CrunchModel(name=self.name, table=load_table(config.table), languages=self.languages)
        measurer = blank.measurer(Identifier.build(StopWordIndex.build()))
        prepare = partial(prepared_tree, base=blank.settings, hosts=blank.hosts)
        work = Preparer(measurer, config.fitness, blank.table.reads_drawings, prepare)
        pages = spaced(pages, config.most_pages or None)
        measured, skipped = measured_pages(work, pages, jobs=self.jobs, on_progress=on_progress)
        trees, space = training_set([tree for _, tree in measured], config.metric), CrunchSpace(blank.settings)
        found = self._search(trees, space, on_progress)
        settings = space.settings(found.position)
        of_default = round(float(trees.values([blank.settings]).mean()), 6)
        report = trees.report(self.kind, config.metric, found, [settings], skipped, fitness_of_default=of_default)
        return replace(blank, settings=settings, report=report)

    def _search(
        self, trees: TrainingSet[Sequence[CleanSettings]], space: CrunchSpace, on_progress: OnProgress
    ) -> SearchResult:
        """Search for the best settings."""

        def objective(positions: Array) -> Array:
            found = [space.settings(position) for position in positions]
            return np.asarray(trees.values(found, jobs=self.jobs).mean(axis=0))

        config = self.config
        return search(
            objective,
            space.dimensions,
            replace(config.swarm, seed=self.seed),
            config.polish,
            known=space.position(space.base) if config.start_at_default else None,
            on_generation=swarm_progress(on_progress, config.generations, "settings"),
        )
