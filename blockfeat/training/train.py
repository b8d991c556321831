"""``train``: trains a model of any kind on labelled pages, tests it on other hosts, and records how it was made."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from math import isinf
from os import PathLike
from typing import Any, TypeVar

from blockfeat import __version__
from blockfeat.data.corpus import LabelledPage, demo_pages, load_corpora
from blockfeat.data.split import identified_language, pages_of_languages, split_pages, without_listed
from blockfeat.errors import InputTypeError, TrainingError
from blockfeat.extraction.extractor import Extractor
from blockfeat.lang.identify import normalise_code
from blockfeat.pso.swarm import Generation
from blockfeat.training.config import (
    OnProgress,
    Progress,
    TrainedModel,
    Trainer,
    TrainingReport,
    make_trainer,
    no_progress,
)
from blockfeat.training.evaluation.strategies import compare_strategies
from blockfeat.training.thresholds import ThresholdConfig

_logger = logging.getLogger("blockfeat.training")

DEFAULT_KIND = "margin"
DEFAULT_SPLIT = 0.7
DEMO = "demo"

Model = TypeVar("Model")


@dataclass(frozen=True)
class TrainingOptions(ThresholdConfig):
    """The hyperparameters of a threshold model and the options of the run in one object.

    Attributes
    ----------
    split : float
        Share of the pages, by host, to train on; 1 trains on all and leaves nothing to test.
    jobs : int
        Number of processes; the model does not depend on it.
    name : str
        Name of the model.
    """

    split: float = DEFAULT_SPLIT
    jobs: int = 1
    name: str = "trained"

    def __post_init__(self) -> None:
        """Check the values."""
        super().__post_init__()
        _check_split(self.split)


def train(
    corpus: str | PathLike[str] | Iterable[str | PathLike[str]] | Sequence[LabelledPage],
    *,
    langs: Sequence[str] | None = None,
    leave_out: frozenset[tuple[str, str]] = frozenset(),
    kind: str | None = None,
    seed: int | None = None,
    config: Any = None,
    options: TrainingOptions | None = None,
    split: float | None = None,
    jobs: int | None = None,
    name: str | None = None,
    on_progress: OnProgress = no_progress,
    on_generation: Callable[[Generation], None] | None = None,
    command: str | None = None,
) -> TrainedModel:
    """Learn a model from labelled pages.

    Parameters
    ----------
    corpus : path, paths or labelled pages
        Corpus files (``.jsonl``, ``.jsonl.gz``, ``.jsonl.xz``), among them ``"demo"`` for the bundled demo pages, or
        pages already read.
    langs : sequence of str, optional
        Train on pages of these languages only, by the corpus's ``lang`` or else identified.
    leave_out : frozenset of (str, str)
        Corpus and id of pages that are not used, as `blockfeat.data.read_page_list` reads them.
    kind : str, optional
        ``"margin"`` (the default), ``"thresholds"`` (the default with ``options`` or a configuration of theirs),
        ``"sequence"``, ``"tokens"`` or ``"web2text"``.
    seed : int, optional
        Seed of all random numbers and of the split; the same seed gives the same model.
    config : dataclass, optional
        Hyperparameters, of the class that `blockfeat.training.config.CONFIGS` has for the kind.
    options : TrainingOptions, optional
        Hyperparameters and run options of a threshold model in one object.
    split : float, optional
        Share of the pages to train on (0.7); the others are the test part, of other hosts, or other pages where all
        are of one host. 1 leaves no test part.
    jobs : int, optional
        Number of processes; the model does not depend on it.
    name : str, optional
        Name of the model.
    on_progress : callable, optional
        Called with a `Progress` at each step.
    on_generation : callable, optional
        Called with each generation of a swarm.
    command : str, optional
        The command line, kept in the model's record.

    Returns
    -------
    model
        Of the kind's class; its ``report`` is a `TrainingReport`.

    Raises
    ------
    LanguageError
        There are no pages of one of the languages; the message lists the available ones.
    CorpusError, TrainingError, MissingExtraError
        A corpus cannot be read; no page can be used for training; a library is not installed.
    KeyboardInterrupt
        The user stopped training before there was a model to keep.
    """
    if options is not None:
        if kind not in (None, "thresholds") or config is not None:
            raise TrainingError("'options' are those of a threshold model; give 'config' for other kinds")
        config, split, jobs = options, _first(split, options.split), _first(jobs, options.jobs)
        name, seed = _first(name, options.name), _first(seed, options.swarm.seed)
    kind = kind or ("thresholds" if isinstance(config, ThresholdConfig) else DEFAULT_KIND)
    codes = tuple(dict.fromkeys(code for code in map(normalise_code, langs or ()) if code))
    trainer = make_trainer(kind, config, seed=seed or 0, jobs=jobs or 1, name=name or "trained", languages=codes)
    share = _first(split, DEFAULT_SPLIT)

    def progress(step: Progress) -> None:
        on_progress(step)
        if on_generation is not None and step.generation is not None:
            on_generation(step.generation)

    return train_by(
        trainer, corpus, langs=langs, leave_out=leave_out, split=share, on_progress=progress, command=command
    )


def train_by(
    trainer: Trainer[Any],
    corpus: str | PathLike[str] | Iterable[str | PathLike[str]] | Sequence[LabelledPage],
    *,
    langs: Sequence[str] | None = None,
    leave_out: frozenset[tuple[str, str]] = frozenset(),
    split: float = DEFAULT_SPLIT,
    on_progress: OnProgress = no_progress,
    command: str | None = None,
) -> TrainedModel:
    """Learn a model by a trainer, registered or not; all else is as for `train`."""
    trainer.check_libraries()
    share = _check_split(split)
    found = read_pages(corpus, langs, on_progress)
    pages = without_listed(found, leave_out)
    training, test, parted_by = (pages, [], "hosts") if share == 1 else split_pages(pages, share, trainer.seed)
    if parted_by == "pages":
        _logger.warning("one host: split by page; the test pages tell nothing about other sites")
    model = trainer.fit(training, on_progress=on_progress)
    report = replace(_tested(model, trainer, training, test, on_progress), parted_by=parted_by)
    record = _record(trainer, share, pages, training, report, command, left_out=len(found) - len(pages))
    return replace(model, report=report, record=record)  # type: ignore[type-var]


def _first(given: Model | None, default: Model) -> Model:
    """Return the given value, or the default if it is None."""
    return default if given is None else given


def _check_split(split: float) -> float:
    if not 0 < split <= 1:
        raise TrainingError(f"the training share must lie above 0 and be at most 1, not {split:g}")
    return split


def read_pages(corpus: Any, langs: Sequence[str] | None, on_progress: OnProgress) -> list[LabelledPage]:
    """Return the pages of the given languages, from corpora to read, among them `DEMO`, or as they were passed."""
    if not isinstance(corpus, (PathLike, Iterable)):
        raise InputTypeError(f"a corpus must be paths or labelled pages, not {type(corpus).__name__}")
    given: list[Any] = [corpus] if isinstance(corpus, (str, PathLike)) else list(corpus)
    if given and isinstance(given[0], LabelledPage):
        return pages_of_languages(given, langs)

    demo = demo_pages() if DEMO in given else []
    files = [path for path in given if path != DEMO]

    def on_page(file: int, pages: int) -> None:
        on_progress(Progress("reading", file, len(files), f"corpora read, {len(demo) + pages} pages"))

    on_page(0, 0)
    if demo:
        return pages_of_languages(demo + load_corpora(files, on_page=on_page), langs)
    return load_corpora(files, langs or None, identify=identified_language, on_page=on_page)


def _tested(
    model: TrainedModel,
    trainer: Trainer[Any],
    training: Sequence[LabelledPage],
    test: Sequence[LabelledPage],
    on_progress: OnProgress,
) -> TrainingReport:
    """Return the report with the test part and the curves of single features; after Ctrl-C, without the rest."""
    report = model.report or TrainingReport(trainer.kind, len(training))

    def on_page(done: int) -> None:
        kept = "the model, without the rest of its test"
        on_progress(Progress("testing", done, len(test), "test pages scored", kept))

    try:
        if test:
            on_page(0)
            scores = compare_strategies(Extractor.of(model), test, trainer.metric, on_page=on_page)
            report = replace(report, test=scores, test_pages=len(test))
        part = "test" if test else "training"
        curves, measure = trainer.curves(test or training)
        return replace(report, curves=curves, curves_of=f"{measure} of the {part} part" if curves else "")
    except KeyboardInterrupt:
        return replace(report, interrupted=True)


def _record(
    trainer: Trainer[Any],
    split: float,
    pages: Sequence[LabelledPage],
    training: Sequence[LabelledPage],
    report: TrainingReport,
    command: str | None,
    *,
    left_out: int,
) -> dict[str, Any]:
    """Return the record of how a model was made, as plain values."""
    counts = Counter(page.corpus for page in training)
    scores = (("training", report.training), ("test", report.test))
    record: dict[str, Any] = {
        "blockfeat": __version__,
        "command": command,
        "kind": trainer.kind,
        "seed": trainer.seed,
        "split": split,
        **({"split_by": "page"} if report.parted_by == "pages" else {}),
        "corpora": {corpus: counts[corpus] for corpus in sorted(counts)},
        "pages": {"all": len(pages), "training": report.training_pages, "test": report.test_pages},
        "languages": dict(Counter(page.lang or "unknown" for page in training).most_common()),
        "options": _plain(trainer.config),
        "scores": {part: found.to_dict() for part, found in scores if found is not None},
        **report.details,
        "interrupted": report.interrupted,
    }
    if report.fitness is not None:
        record["fitness"] = report.fitness
        record["generations"] = len(report.history)
    if left_out:
        record["left_out"] = left_out
    return record


def _plain(config: Any) -> Any:
    """Return hyperparameters as plain values that JSON can hold, without the options of the run."""
    if isinstance(config, float) and isinf(config):
        return "inf"
    if isinstance(config, tuple):
        return [_plain(entry) for entry in config]
    if not is_dataclass(config):
        return config
    names = [field.name for field in fields(config) if field.name not in ("seed", "split", "jobs", "name")]
    return {name: _plain(getattr(config, name)) for name in names}
