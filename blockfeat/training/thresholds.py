"""The trainer of threshold models, by particle swarm (Ziegler & Skubacz 2007, 3.5 and 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.tagtable import load_table
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import BlockfeatError, TrainingError
from blockfeat.extraction.extractor import measurer_for
from blockfeat.features.context import features_named
from blockfeat.features.ziegler2007 import CANONICAL_NAMES
from blockfeat.models.decoding import DECODERS, Decoder
from blockfeat.models.model import PageMeasurer
from blockfeat.models.threshold import JOINT, ThresholdModel
from blockfeat.page.page import Page
from blockfeat.pso.curves import FeatureCurve, feature_curves
from blockfeat.pso.fitness import PageTerms
from blockfeat.pso.search import Polish, SearchResult
from blockfeat.pso.space import SearchSpace
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.chunks import gold_of, prepared_pages
from blockfeat.training.evaluation.strategies import METRICS
from blockfeat.training.swarm_search import SwarmConfig, search_with_progress
from blockfeat.training.threshold_fitness import PreparedPage, TrainingSet
from blockfeat.training.trainer import OnProgress, Trainer, TrainingReport, no_progress

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ThresholdConfig(SwarmConfig):
    """Hyperparameters of the threshold model.

    Attributes
    ----------
    table : str
        Bundled tag table, "html5" or "ziegler2007", or path of one.
    features : tuple of str
        Features whose thresholds are learnt.
    fitness : str
        "cosine" (× length ratio, the paper's) or "f1" (over words) for pages with gold text; pages that have only
        snippets count by snippet F1. "snippets": by snippets wherever a page has them.
    decoder : str
        "conjunction" (the paper's: a block is kept if it passes all thresholds) or "mss" (the best run of blocks).
    stop_word_scope : str
        Stop words of which languages are counted: "page": the page's; "block": for each block the argmax over the
        languages asked for; "ziegler2007": for each block the argmax over the paper's 14 languages.
    segmenter : str
        "fast" or "spacy": what finds words and sentences.
    per_language : bool
        Learn thresholds for each language with enough pages beside the joint ones.
    fewest_pages : int
        Pages that a language needs for thresholds of its own.
    start_open : bool
        One particle starts where no threshold binds; all others, as in the paper, at random.
    swarm : SwarmOptions
        The particle swarm.
    polish : Polish
        Restarts of the swarm and a coordinate ascent behind it, against local optima.
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
    polish: Polish = field(default_factory=lambda: Polish(ascent=3))

    def __post_init__(self) -> None:
        """Check the values."""
        self.check_fitness()
        if self.decoder not in DECODERS:
            raise TrainingError(f"unknown decoder {self.decoder!r}; known are {', '.join(DECODERS)}")


@dataclass(frozen=True)
class TrainedThresholdModel(ThresholdModel):
    """A threshold model with the report of its training."""

    report: TrainingReport | None = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True)
class ThresholdTrainer(Trainer[ThresholdConfig]):
    """Trains threshold models."""

    kind: ClassVar[str] = "thresholds"
    suffix: ClassVar[str] = ".json"

    config: ThresholdConfig = field(default_factory=ThresholdConfig)

    def fit(self, pages: Sequence[LabelledPage], *, on_progress: OnProgress = no_progress) -> TrainedThresholdModel:
        """Learn a model from labelled pages; see `Trainer.fit`."""
        config, blank = self.config, self._blank_model()
        prepared, skipped = self._prepared(pages, blank, on_progress)
        space = SearchSpace(blank.features, with_margins=config.decoder == "mss")
        training_set = TrainingSet.build(prepared, space, config.metric)
        found = self._search(training_set, on_progress)
        report = TrainingReport(
            self.kind,
            training_pages=len(prepared),
            fitness=found.fitness,
            keep_all=training_set.keep_all_fitness(),
            training=training_set.grouped(config.metric, found.position, decoder=config.decoder),
            history=found.history,
            skipped=skipped,
            details={"fitness_before_ascent": round(found.swarm_fitness, 6)} if config.polish.ascent else {},
            interrupted=found.interrupted,
        )
        own = self._by_language(prepared, found, space, on_progress)
        thresholds = {JOINT: space.thresholds(found.position), **own}
        return replace(blank, thresholds=thresholds, margins=space.margins_of(found.position), report=report)

    def curves(self, pages: Sequence[LabelledPage]) -> tuple[tuple[FeatureCurve, ...], str]:
        """Return the fitness of each feature alone by threshold (Fig. 4), and its measure and pages.

        By the pages with gold text, or by those with snippets where there are no others.
        """
        blank = self._blank_model()
        prepared, _ = self._prepared(pages, blank, no_progress)
        with_text = [page for page in prepared if isinstance(page.gold, PageTerms)]
        chosen, metric = (with_text, self.config.metric) if with_text else (prepared, "snippets")
        training_set = TrainingSet.build(chosen, SearchSpace(blank.features), metric)
        found = feature_curves(blank.features, training_set.single_feature_fitness)
        return tuple(found), f"{METRICS[metric]}, {len(chosen)} pages"

    def _blank_model(self) -> TrainedThresholdModel:
        """Return the model before its thresholds are learnt: none binds."""
        features = features_named(self.config.features)
        return TrainedThresholdModel(
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
        """Measure pages; those that cannot be used are listed with the reason."""
        work = _Preparer(measurer_for(blank), self.config.fitness, keep_drawings=blank.table.reads_drawings)
        return prepared_pages(work, pages, jobs=self.jobs, on_progress=on_progress)

    def _search(self, training_set: TrainingSet, on_progress: OnProgress, *, lang: str = "") -> SearchResult:
        """Look for the best thresholds of some pages."""
        config, space = self.config, training_set.space

        def objective(positions: Array) -> Array:
            return training_set.fitness(positions, decoder=config.decoder, jobs=self.jobs)

        return search_with_progress(
            objective,
            space.dimensions,
            config,
            on_progress,
            seed=self.seed,
            known=space.keep_all if config.start_open else None,
            found="thresholds",
            lang=lang,
        )

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
            training_set = TrainingSet.build(own, own_space, self.config.metric)
            try:
                found = self._search(training_set, on_progress, lang=lang)
            except KeyboardInterrupt:
                break
            thresholds[lang] = own_space.thresholds(found.position)
            if found.interrupted:
                break
        return thresholds


@dataclass(frozen=True)
class _Preparer:
    """Measures one labelled page for training, in this process or in another."""

    measurer: PageMeasurer
    fitness: str
    keep_drawings: bool = False

    def __call__(self, page: LabelledPage) -> PreparedPage | str:
        try:
            return self._prepared(page)
        except BlockfeatError as error:
            return f"{page.corpus} {page.id}: {error}"

    def _prepared(self, page: LabelledPage) -> PreparedPage | str:
        parsed = Page.parse(page.html, keep_drawings=self.keep_drawings)
        measured = self.measurer.measure(parsed, lang=page.lang)
        gold = gold_of(page, measured.blocks, self.fitness)
        if isinstance(gold, str):
            return gold
        matrix = np.asarray(measured.matrix, dtype=np.float64)
        return PreparedPage(matrix, measured.blocks.measures.words, gold, measured.lang)
