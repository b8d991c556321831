"""``train``: labelled pages to a threshold model, by particle swarm (Ziegler & Skubacz 2007, 3.5 and 4)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

from blockfeat import __version__
from blockfeat.blocks.tagtable import load_table
from blockfeat.data.corpus import LabelledPage, load_corpora
from blockfeat.data.split import split_by_host
from blockfeat.decode.decoder import DECODERS, Decoder
from blockfeat.errors import BlockfeatError, LanguageError, TrainingError
from blockfeat.evaluation.strategies import StrategyScores, compare_strategies
from blockfeat.extraction.extractor import Extractor, measurer_for
from blockfeat.features.catalogue import features_named
from blockfeat.features.ziegler2007 import CANONICAL_NAMES
from blockfeat.lang.codes import normalise_code
from blockfeat.models.model import PageMeasurer
from blockfeat.models.threshold.model import JOINT, Margins, ThresholdModel
from blockfeat.page.page import Page
from blockfeat.pool import in_order
from blockfeat.pso.curves import FeatureCurve, feature_curves
from blockfeat.pso.fitness import FITNESSES, find_snippets
from blockfeat.pso.space import SearchSpace
from blockfeat.pso.swarm import Generation, SwarmOptions, SwarmResult, maximise
from blockfeat.pso.terms import count_terms
from blockfeat.training.threshold_pages import PreparedPage, TrainingSet

__all__ = ["TrainedModel", "TrainingOptions", "TrainingReport", "pages_of_languages", "train"]

_log = logging.getLogger(__name__)
_FEWEST_PAGES_OF_A_LANGUAGE = 10


@dataclass(frozen=True)
class TrainingOptions:
    """Every option of a training run.

    Attributes
    ----------
    table : str
        Bundled tag table or path of one.
    features : tuple of str
        Features whose thresholds are learnt.
    fitness : str
        ``"cosine"`` (× length ratio, the paper's), ``"f1"`` (over words) for pages with gold text; pages that have
        only snippets count by snippet F1. ``"snippets"``: by snippets wherever a page has them.
    decoder : str
        ``"conjunction"`` or ``"mss"``; the model keeps it.
    per_language : bool
        Learn thresholds for each language with enough pages beside the joint ones.
    split : float
        Share of the pages, by host, to train on; 1 trains on all and leaves nothing to test.
    stop_word_scope, segmenter : str
        See `blockfeat.features.Measurer`.
    swarm : SwarmOptions
        Population, components, seed.
    jobs : int
        Processes that read pages and threads that evaluate; the model does not depend on it.
    name : str
        Name of the model.
    """

    table: str = "html5"
    features: tuple[str, ...] = CANONICAL_NAMES
    fitness: str = "cosine"
    decoder: str = "mss"
    per_language: bool = False
    split: float = 0.7
    stop_word_scope: str = "page"
    segmenter: str = "fast"
    swarm: SwarmOptions = field(default_factory=SwarmOptions)
    jobs: int = 1
    name: str = "trained"

    def __post_init__(self) -> None:
        """Check the values."""
        if self.fitness not in FITNESSES:
            raise TrainingError(f"unknown fitness {self.fitness!r}; known are {', '.join(FITNESSES)}")
        if self.decoder not in DECODERS:
            raise TrainingError(f"unknown decoder {self.decoder!r}; known are {', '.join(DECODERS)}")
        if not 0 < self.split <= 1:
            raise TrainingError(f"the training share must lie between 0 and 1, not {self.split:g}")


@dataclass(frozen=True)
class TrainingReport:
    """What happened in training.

    Attributes
    ----------
    history : tuple of Generation
        Best and mean fitness by generation (the paper's Fig. 3), of the joint thresholds.
    curves : tuple of FeatureCurve
        Fitness of each feature alone by threshold (Fig. 4).
    training_pages, test_pages : int
        Pages of both parts.
    fitness : float
        Fitness of the model on the training part.
    keep_all : float
        Fitness where all blocks are kept, on the training part.
    test : StrategyScores or None
        FE, PR, TB and HL on the test part (Table 1).
    skipped : tuple of str
        Pages that could not be used, and why.
    interrupted : bool
        Whether the user stopped the swarm.
    """

    history: tuple[Generation, ...]
    curves: tuple[FeatureCurve, ...]
    training_pages: int
    test_pages: int
    fitness: float
    keep_all: float
    test: StrategyScores | None
    skipped: tuple[str, ...] = ()
    interrupted: bool = False


@dataclass(frozen=True)
class TrainedModel(ThresholdModel):
    """A threshold model with the report of its training."""

    report: TrainingReport | None = field(default=None, compare=False)


def train(
    corpus: str | PathLike[str] | Iterable[str | PathLike[str]] | Sequence[LabelledPage],
    *,
    langs: Sequence[str] | None = None,
    seed: int | None = None,
    options: TrainingOptions | None = None,
    on_page: Callable[[int, int], None] | None = None,
    on_generation: Callable[[Generation], None] | None = None,
    command: str | None = None,
) -> TrainedModel:
    """Learn a threshold model from labelled pages.

    Parameters
    ----------
    corpus : path, paths or labelled pages
        Corpus files (``.jsonl``, ``.jsonl.gz``, ``.jsonl.xz``) or pages already read.
    langs : sequence of str, optional
        Train on pages of these languages only, by the corpus's ``lang`` or else identified.
    seed : int, optional
        Seed of the swarm and of the split; the same seed gives the same model.
    options : TrainingOptions, optional
        Everything else.
    on_page, on_generation : callable, optional
        Told of each page measured (number, all) and of each generation.
    command : str, optional
        Recorded in the model.

    Returns
    -------
    TrainedModel
        A model; its ``report`` says how training went.

    Raises
    ------
    LanguageError
        There are no pages of a language asked for; the message lists what there is.
    CorpusError, TrainingError
        A corpus cannot be read; no page can be trained on.
    """
    options = options or TrainingOptions()
    if seed is not None:
        options = replace(options, swarm=replace(options.swarm, seed=seed))
    pages = _pages(corpus, langs)
    training, test = (pages, []) if options.split == 1 else split_by_host(pages, options.split, options.swarm.seed)
    languages = tuple(dict.fromkeys(code for code in map(normalise_code, langs or ()) if code))
    blank = _blank_model(options, languages)
    prepared, skipped = _prepare(training, blank, options, on_page)
    space = SearchSpace(blank.features, with_margins=options.decoder == "mss")
    training_set = TrainingSet.build(prepared, space, _metric(options))
    found = _search(training_set, options, on_generation)
    model = replace(
        blank,
        thresholds={JOINT: space.thresholds(found.position), **_by_language(prepared, found, space, options)},
        margins=space.margins_of(found.position),
    )
    report = TrainingReport(
        history=found.history,
        curves=tuple(feature_curves(blank.features, training_set.single_feature_fitness)),
        training_pages=len(prepared),
        test_pages=len(test),
        fitness=found.fitness,
        keep_all=training_set.keep_all_fitness(),
        test=compare_strategies(Extractor.of(model), test, _metric(options)) if test else None,
        skipped=tuple(skipped),
        interrupted=found.interrupted,
    )
    record = _record(pages, training, options, report, command)
    return replace(model, record=record, report=report)


def _pages(corpus: Any, langs: Sequence[str] | None) -> list[LabelledPage]:
    """Read the corpora, or take pages as given, of the languages asked for."""
    if isinstance(corpus, (str, PathLike)):
        corpus = [corpus]
    given = list(corpus)
    if given and isinstance(given[0], LabelledPage):
        return pages_of_languages(given, langs)
    return pages_of_languages(load_corpora(given), langs)


def pages_of_languages(pages: Sequence[LabelledPage], langs: Sequence[str] | None) -> list[LabelledPage]:
    """Return the pages of some languages, by their ``lang`` or else identified; all for None.

    Raises
    ------
    LanguageError
        There is no page of one of the languages; the message lists what there is.
    """
    if not langs:
        return list(pages)
    wanted = [normalise_code(code) or code for code in langs]
    by_lang = [(normalise_code(page.lang) or _identified(page), page) for page in pages]
    there = Counter(lang or "unknown" for lang, _ in by_lang)
    for code in wanted:
        if not there[code]:
            listed = ", ".join(f"{lang} ({count})" for lang, count in there.most_common())
            raise LanguageError(f"no page of language {code!r}; there are {listed}")
    return [page for lang, page in by_lang if lang in wanted]


def _identified(page: LabelledPage) -> str | None:
    """Identify the language of a labelled page by its gold text, or by all of its text."""
    from blockfeat.lang.identify import identify

    if page.text:
        return identify(page.text).lang
    parsed = Page.parse(page.html)
    return identify(parsed.all_text(), declared=parsed.declared_lang).lang


def _blank_model(options: TrainingOptions, languages: tuple[str, ...]) -> TrainedModel:
    """Return the model before its thresholds are learnt: nothing binds."""
    features = features_named(options.features)
    open_thresholds = np.array([-feature.sign * np.inf for feature in features])
    return TrainedModel(
        name=options.name,
        table=load_table(options.table),
        features=features,
        thresholds={JOINT: open_thresholds},
        decoder=Decoder(options.decoder),
        margins=Margins(),
        languages=languages,
        stop_word_scope=options.stop_word_scope,
        segmenter=options.segmenter,
    )


def _metric(options: TrainingOptions) -> str:
    """Fitness for pages with gold text."""
    return "cosine" if options.fitness == "snippets" else options.fitness


@dataclass(frozen=True)
class _Preparer:
    """Measures one labelled page for training, in this process or in another."""

    measurer: PageMeasurer
    fitness: str

    def __call__(self, page: LabelledPage) -> PreparedPage | str:
        try:
            return self._prepared(page)
        except BlockfeatError as error:
            return f"{page.corpus} {page.id}: {error}"

    def _prepared(self, page: LabelledPage) -> PreparedPage | str:
        measured = self.measurer.measure(Page.parse(page.html), lang=page.lang)
        blocks, matrix = measured.blocks, measured.matrix.astype(np.float64, copy=False)
        if len(blocks) == 0:
            return f"{page.corpus} {page.id}: the page has no text"
        if page.text and not (self.fitness == "snippets" and page.present):
            gold = count_terms(blocks, page.text, single_characters=self.fitness == "f1")
            if gold.gold_length == 0:
                return f"{page.corpus} {page.id}: the gold text has no words"
            return PreparedPage(matrix, blocks.measures.words, gold, measured.lang)
        snippets = find_snippets(blocks, page.present, page.absent)
        if not snippets.present and not snippets.absent:
            return f"{page.corpus} {page.id}: no snippet of the gold occurs in the page"
        return PreparedPage(matrix, blocks.measures.words, snippets, measured.lang)


def _prepare(
    pages: Sequence[LabelledPage],
    blank: ThresholdModel,
    options: TrainingOptions,
    on_page: Callable[[int, int], None] | None,
) -> tuple[list[PreparedPage], list[str]]:
    """Measure the training pages; pages that cannot be used are listed with the reason."""
    work = _Preparer(measurer_for(blank), options.fitness)
    prepared: list[PreparedPage] = []
    skipped: list[str] = []
    done = in_order(work, pages, jobs=options.jobs, failure=lambda page, reason: f"{page.id}: {reason}")
    for number, (_, result) in enumerate(done, start=1):
        if isinstance(result, str):
            _log.info("not used for training: %s", result)
            skipped.append(result)
        else:
            prepared.append(result)
        if on_page is not None:
            on_page(number, len(pages))
    if not prepared:
        why = f" (the first: {skipped[0]})" if skipped else ""
        raise TrainingError(f"none of {len(pages)} pages can be trained on{why}")
    return prepared, skipped


def _search(
    training_set: TrainingSet,
    options: TrainingOptions,
    on_generation: Callable[[Generation], None] | None = None,
) -> SwarmResult:
    def objective(positions: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return training_set.fitness(positions, decoder=options.decoder, jobs=options.jobs)

    space = training_set.space
    return maximise(objective, space.dimensions, options.swarm, known=space.keep_all, on_generation=on_generation)


def _by_language(
    prepared: Sequence[PreparedPage], joint: SwarmResult, space: SearchSpace, options: TrainingOptions
) -> dict[str, np.ndarray[Any, Any]]:
    """Learn thresholds for each language with enough pages; margins stay the joint ones."""
    if not options.per_language or joint.interrupted:
        return {}
    own_space = replace(space, with_margins=False, margins=space.margins_of(joint.position))
    counts = Counter(page.lang for page in prepared if page.lang)
    thresholds = {}
    for lang, count in sorted(counts.items()):
        if count < _FEWEST_PAGES_OF_A_LANGUAGE:
            _log.info("%s has %d pages, too few for thresholds of its own", lang, count)
            continue
        own = TrainingSet.build([page for page in prepared if page.lang == lang], own_space, _metric(options))
        thresholds[lang] = own_space.thresholds(_search(own, options).position)
    return thresholds


def _record(
    pages: Sequence[LabelledPage],
    training: Sequence[LabelledPage],
    options: TrainingOptions,
    report: TrainingReport,
    command: str | None,
) -> dict[str, Any]:
    """Say where a model comes from, as plain values."""
    counts = Counter(page.corpus for page in training)
    record: dict[str, Any] = {
        "blockfeat": __version__,
        "command": command,
        "seed": options.swarm.seed,
        "corpora": {corpus: counts[corpus] for corpus in sorted(counts)},
        "pages": {"all": len(pages), "training": report.training_pages, "test": report.test_pages},
        "languages": dict(Counter(page.lang or "unknown" for page in training).most_common()),
        "options": {**asdict(options), "features": list(options.features)},
        "scores": {"training": report.fitness, "training_keep_all": report.keep_all},
        "generations": len(report.history),
        "interrupted": report.interrupted,
    }
    record["options"].pop("jobs")
    if report.test is not None:
        record["scores"]["test"] = report.test.to_dict()
    return record
