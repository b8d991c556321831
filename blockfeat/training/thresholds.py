"""Trainer of threshold models by particle swarm (Ziegler & Skubacz 2007, 3.5 and 4), and the particles' fitness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blockfeat._extras import require_extra
from blockfeat.blocks.tagtable import load_table
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import TrainingError
from blockfeat.extraction.extractor import measurer_for
from blockfeat.features.measuring import PageFeatures, features_named
from blockfeat.features.schema import CANONICAL_NAMES
from blockfeat.models.decoding import DECODERS, Decoder
from blockfeat.models.threshold import JOINT, Margins, ThresholdModel
from blockfeat.pso.fitness import PageTerms
from blockfeat.pso.search import CoordinateAscent, FeatureCurve, SearchResult, SearchSpace, feature_curves, search
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training import swarm_search
from blockfeat.training.config import OnProgress, Trainer, no_progress
from blockfeat.training.evaluation.strategies import METRICS
from blockfeat.training.examples import Floats, measured_pages
from blockfeat.training.run_masks import run_masks, smallest_margins

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PreparedPage(swarm_search.Prepared):
    """Training data of a page: also its features and its language.

    Attributes
    ----------
    matrix : float array, n × k
        Features of its blocks.
    lang : str or None
        Language of the page.
    """

    matrix: Array
    lang: str | None


class _Particles(NamedTuple):
    """Oriented thresholds of particles, particles × k, and their margins; None for the conjunction of thresholds."""

    thresholds: Floats
    margins: Sequence[Margins] | None = None


@dataclass(frozen=True)
class _Part(swarm_search.Part[_Particles]):
    """Pages with their blocks concatenated: oriented features, words, and the first block of each page."""

    values: Floats
    words: Floats
    starts: NDArray[np.int32]

    def masks(self, candidates: _Particles) -> Floats:
        """Return the label of each block for each particle: blocks × particles."""
        limits = np.ascontiguousarray(candidates.thresholds.T)
        if candidates.margins is None:
            return (smallest_margins(self.values, limits) >= 0).astype(np.float32)
        softness = np.array([margin.softness for margin in candidates.margins], dtype=np.float32)
        penalty = np.array([margin.penalty for margin in candidates.margins], dtype=np.float32)
        return run_masks(self.values, self.words, self.starts, limits, softness, penalty)


_TrainingSet = swarm_search.TrainingSet[_Particles]


def _training_set(pages: Sequence[PreparedPage], space: SearchSpace, metric: str) -> _TrainingSet:
    """Combine pages; pages with gold text and pages with snippets form separate parts."""
    return swarm_search.TrainingSet(tuple(_part(group, space, metric) for group in swarm_search.pages_in_groups(pages)))


def _part(pages: Sequence[PreparedPage], space: SearchSpace, metric: str) -> _Part:
    starts = np.cumsum([0, *(page.words.size for page in pages)], dtype=np.int32)
    values = space.oriented(np.concatenate([page.matrix for page in pages]))
    words = np.concatenate([page.words for page in pages]).astype(np.float32)
    return _Part(swarm_search.chunk_of(pages, metric), len(pages), int(starts[-1]), values, words, starts)


@dataclass(frozen=True)
class ThresholdConfig(swarm_search.SwarmConfig):
    """Hyperparameters of the threshold model.

    Attributes
    ----------
    table : str
        Bundled tag table, "html5" or "ziegler2007", or path of one.
    features : tuple of str
        Features whose thresholds are learnt.
    fitness : str
        "cosine" (× length ratio, the paper's) or "f1" (over words) for pages with gold text; pages that have only
        snippets are scored by snippet F1. "snippets": snippet F1 for all pages that have snippets.
    decoder : str
        "conjunction" (the paper's: a block is kept if it passes all thresholds) or "mss" (the best run of blocks).
    stop_word_scope : str
        Languages whose stop words are counted: "page": the page's; "block": for each block the argmax over the
        model's languages; "ziegler2007": for each block the argmax over the paper's 14 languages.
    segmenter : str
        "fast" or "spacy": what finds words and sentences.
    per_language : bool
        Learn thresholds for each language with enough pages, in addition to the joint ones.
    fewest_pages : int
        Pages that a language needs for thresholds of its own.
    start_open : bool
        One particle starts where no threshold binds; all others, as in the paper, at random.
    swarm : SwarmOptions
        The particle swarm.
    polish : CoordinateAscent
        Restarts of the swarm and a coordinate ascent after it, against local optima.
    """

    table: str = "html5"
    features: tuple[str, ...] = CANONICAL_NAMES
    fitness: str = "cosine"
    decoder: str = "mss"
    stop_word_scope: str = "page"
    segmenter: str = "fast"
    per_language: bool = False
    fewest_pages: int = 10
    start_open: bool = True
    swarm: SwarmOptions = field(default_factory=SwarmOptions)
    polish: CoordinateAscent = field(default_factory=lambda: CoordinateAscent(ascent=3))

    def __post_init__(self) -> None:
        """Check the values."""
        self.check_fitness()
        if self.decoder not in DECODERS:
            raise TrainingError(f"unknown decoder {self.decoder!r}; known are {', '.join(DECODERS)}")


@dataclass(frozen=True, kw_only=True)
class ThresholdTrainer(Trainer[ThresholdConfig]):
    """Trains threshold models."""

    kind: ClassVar[str] = "thresholds"
    suffix: ClassVar[str] = ".json"

    config: ThresholdConfig = field(default_factory=ThresholdConfig)

    @property
    def metric(self) -> str:
        """Metric that the swarm maximises."""
        return self.config.metric

    def check_libraries(self) -> None:
        """Check that spaCy is installed if it is the segmenter; see `Trainer.check_libraries`."""
        if self.config.segmenter == "spacy":
            require_extra("spacy", what="training with segmenter = 'spacy'")

    def fit(self, pages: Sequence[LabelledPage], *, on_progress: OnProgress = no_progress) -> ThresholdModel:
        """Learn a model from labelled pages; see `Trainer.fit`."""
        config, blank = self.config, self._blank_model()
        prepared, skipped = self._prepared(pages, blank, on_progress)
        space = SearchSpace(blank.features, with_margins=config.decoder == "mss")
        training_set = _training_set(prepared, space, config.metric)
        found = self._search(training_set, space, on_progress)
        best = self._particles(space, found.position[None])
        report = training_set.report(self.kind, config.metric, found, best, skipped)
        if config.polish.ascent:
            report = replace(report, details={"fitness_before_ascent": round(found.swarm_fitness, 6)})
        own = self._by_language(prepared, found, space, on_progress)
        thresholds = {JOINT: space.thresholds(found.position), **own}
        return replace(blank, thresholds=thresholds, margins=space.margins_of(found.position), report=report)

    def curves(self, pages: Sequence[LabelledPage]) -> tuple[tuple[FeatureCurve, ...], str]:
        """Return the fitness of each feature alone by threshold (Fig. 4), and the measure and number of pages.

        Only pages with gold text are used; those with snippets if there are no others.
        """
        blank = self._blank_model()
        prepared, _ = self._prepared(pages, blank, no_progress)
        with_text = [page for page in prepared if isinstance(page.gold, PageTerms)]
        chosen, metric = (with_text, self.config.metric) if with_text else (prepared, "snippets")
        training_set = _training_set(chosen, SearchSpace(blank.features), metric)

        def fitness_of(column: int, thresholds: Array) -> Array:
            feature = blank.features[column]
            oriented = np.full((thresholds.size, len(blank.features)), -np.inf, dtype=np.float32)
            oriented[:, column] = feature.sign * (thresholds - feature.low) / (feature.high - feature.low)
            return np.asarray(training_set.values(_Particles(oriented)).mean(axis=0))

        return tuple(feature_curves(blank.features, fitness_of)), f"{METRICS[metric]}, {len(chosen)} pages"

    def _blank_model(self) -> ThresholdModel:
        """Return the model without learnt thresholds: none binds."""
        features = features_named(self.config.features)
        return ThresholdModel(
            name=self.name,
            table=load_table(self.config.table),
            features=features,
            thresholds={JOINT: np.array([-feature.sign * np.inf for feature in features])},
            decoder=Decoder(self.config.decoder),
            languages=self.languages,
            stop_word_scope=self.config.stop_word_scope,
            segmenter=self.config.segmenter,
        )

    def _prepared(
        self, pages: Sequence[LabelledPage], blank: ThresholdModel, on_progress: OnProgress
    ) -> tuple[list[PreparedPage], tuple[str, ...]]:
        """Measure pages; return them, and the reasons why others cannot be used."""
        work = swarm_search.Preparer(measurer_for(blank), self.config.fitness, blank.table.reads_drawings, _prepared)
        measured, skipped = measured_pages(work, pages, jobs=self.jobs, on_progress=on_progress)
        return [prepared for _, prepared in measured], skipped

    def _particles(self, space: SearchSpace, positions: Array) -> _Particles:
        """Return the thresholds and margins that positions of the search space encode."""
        uses_margins = self.config.decoder == "mss"
        margins = [space.margins_of(position) for position in positions] if uses_margins else None
        return _Particles(space.oriented_thresholds(positions), margins)

    def _search(
        self, training_set: _TrainingSet, space: SearchSpace, on_progress: OnProgress, *, lang: str = ""
    ) -> SearchResult:
        """Search for the best thresholds on a training set."""
        config = self.config

        def objective(positions: Array) -> Array:
            values = training_set.values(self._particles(space, positions), jobs=self.jobs)
            return np.asarray(values.mean(axis=0))

        swarm, known = replace(config.swarm, seed=self.seed), space.keep_all if config.start_open else None
        report = swarm_search.swarm_progress(on_progress, config.generations, "thresholds", lang=lang)
        return search(objective, space.dimensions, swarm, config.polish, known=known, on_generation=report)

    def _by_language(
        self, prepared: Sequence[PreparedPage], joint: SearchResult, space: SearchSpace, on_progress: OnProgress
    ) -> dict[str, Array]:
        """Learn thresholds for each language with enough pages; margins stay the joint ones."""
        if not self.config.per_language or joint.interrupted:
            return {}
        own_space = replace(space, with_margins=False, margins=space.margins_of(joint.position))
        thresholds: dict[str, Array] = {}
        for lang, count in sorted(Counter(page.lang for page in prepared if page.lang).items()):
            if count < self.config.fewest_pages:
                continue
            own = [page for page in prepared if page.lang == lang]
            training_set = _training_set(own, own_space, self.config.metric)
            try:
                found = self._search(training_set, own_space, on_progress, lang=lang)
            except KeyboardInterrupt:
                break
            thresholds[lang] = own_space.thresholds(found.position)
            if found.interrupted:
                break
        return thresholds


def _prepared(measured: PageFeatures, gold: swarm_search.Gold) -> PreparedPage:
    """Return the training data of a page."""
    matrix = np.asarray(measured.matrix, dtype=np.float64)
    return PreparedPage(matrix, measured.lang, words=measured.blocks.measures.words, gold=gold)
