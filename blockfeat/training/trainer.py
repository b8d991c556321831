"""What all trainers have in common: a frozen configuration, ``fit(pages)``, progress, the report of a training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

from blockfeat._pool import in_order
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import BlockfeatError, TrainingError
from blockfeat.evaluation.strategies import GroupedScores
from blockfeat.models.model import Model
from blockfeat.pso.search import FeatureCurve
from blockfeat.pso.swarm import Generation

Config = TypeVar("Config")
Measured = TypeVar("Measured")


@dataclass(frozen=True)
class Progress:
    """How far a training is.

    Attributes
    ----------
    phase : str
        ``"reading"``, ``"measuring"``, ``"fitting"``, ``"swarm"``, ``"network"`` or ``"testing"``.
    done, total : int
        Steps done and all steps of this phase.
    note : str
        What the steps are, and the latest figure.
    kept : str
        What would be kept if the user stopped now; empty for nothing.
    generation : Generation, optional
        The generation of the swarm that has just ended.
    """

    phase: str
    done: int
    total: int
    note: str = ""
    kept: str = ""
    generation: Generation | None = None


OnProgress = Callable[[Progress], None]


def no_progress(progress: Progress) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class TrainingReport:
    """What happened in training.

    Attributes
    ----------
    kind : str
        Kind of model.
    training_pages, test_pages : int
        Pages of both parts that were used.
    parted_by : str
        What both parts have not in common: ``"hosts"``, or ``"pages"`` where all pages are of one host.
    fitness : float or None
        What the swarm maximised: mean over all training pages; None for kinds without a swarm.
    keep_all : float or None
        The same where all blocks are kept.
    training : GroupedScores or None
        The fitness and that of all blocks, pages with gold text and pages with snippets apart.
    test : GroupedScores or None
        FE, PR, TB and HL on the test part (Table 1), the two groups apart.
    history : tuple of Generation
        Best and mean fitness by generation (the paper's Fig. 3).
    curves : tuple of FeatureCurve
        Fitness of each feature alone by threshold (Fig. 4), for threshold models.
    curves_of : str
        The pages and the measure of the curves.
    skipped : tuple of str
        Pages that could not be used, each with the reason.
    details : mapping
        Figures of this kind of model.
    interrupted : bool
        Whether the user stopped the training.
    """

    kind: str
    training_pages: int
    test_pages: int = 0
    parted_by: Literal["hosts", "pages"] = "hosts"
    fitness: float | None = None
    keep_all: float | None = None
    training: GroupedScores | None = None
    test: GroupedScores | None = None
    history: tuple[Generation, ...] = ()
    curves: tuple[FeatureCurve, ...] = ()
    curves_of: str = ""
    skipped: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    interrupted: bool = False


class TrainedModel(Model, Protocol):
    """A model with the report of its training."""

    @property
    def report(self) -> TrainingReport | None:
        """How training went."""
        ...


@dataclass(frozen=True, kw_only=True)
class Trainer(ABC, Generic[Config]):
    """Trains one kind of model.

    Attributes
    ----------
    config : dataclass
        Every hyperparameter.
    seed : int
        Seed of all random numbers; the same seed and pages give the same model.
    jobs : int
        Processes that read pages; the model does not depend on it.
    name : str
        Name of the model.
    languages : tuple of str
        Languages that the model is for; empty for any.
    """

    kind: ClassVar[str]
    suffix: ClassVar[str]

    config: Config
    seed: int = 0
    jobs: int = 1
    name: str = "trained"
    languages: tuple[str, ...] = ()

    @property
    def metric(self) -> str:
        """What the test part is scored by, one of `blockfeat.evaluation.strategies`' metrics."""
        return "f1"

    def check_libraries(self) -> None:
        """Look for the libraries that only this kind, or this configuration, needs; nothing is imported.

        Raises
        ------
        MissingExtraError
            One is not installed.
        """

    @abstractmethod
    def fit(self, pages: Sequence[LabelledPage], *, on_progress: OnProgress = no_progress) -> TrainedModel:
        """Learn a model from labelled pages; its ``report`` has no test part yet.

        Raises
        ------
        TrainingError
            None of the pages can be learnt from.
        KeyboardInterrupt
            The user stopped training before there was anything to keep.
        """

    def curves(self, pages: Sequence[LabelledPage]) -> tuple[tuple[FeatureCurve, ...], str]:
        """Return the curves of single features on some pages, and what they measure; none for most kinds."""
        return (), ""


def measured_pages(
    work: Callable[[LabelledPage], Measured], pages: Sequence[LabelledPage], *, jobs: int, on_progress: OnProgress
) -> tuple[list[tuple[LabelledPage, Measured]], tuple[str, ...]]:
    """Measure pages, in this process or in others; those that cannot be used are listed with the reason.

    Parameters
    ----------
    work : callable
        Measures one page; raises `BlockfeatError` for a page that cannot be learnt from.
    pages : sequence of LabelledPage
        The pages.
    jobs : int
        Number of processes.
    on_progress : callable
        Called after each page.

    Raises
    ------
    TrainingError
        None can be used.
    """
    found: list[tuple[LabelledPage, Measured]] = []
    skipped: list[str] = []
    done = in_order(_Guarded(work), pages, jobs=jobs, failure=_skipped)
    for number, (page, result) in enumerate(done, start=1):
        if isinstance(result, _Skipped):
            skipped.append(result.reason)
        else:
            found.append((page, result))
        on_progress(Progress("measuring", number, len(pages), "pages measured"))
    check_any(found, len(pages), skipped)
    return found, tuple(skipped)


def check_any(found: Sequence[object], pages: int, skipped: Sequence[str]) -> None:
    """Raise TrainingError where none of so many pages can be learnt from, with the first reason."""
    if not found:
        why = f" (the first: {skipped[0]})" if skipped else ""
        raise TrainingError(f"none of {pages} pages can be trained on{why}")


@dataclass(frozen=True)
class _Skipped:
    """Why a page cannot be used."""

    reason: str


def _skipped(page: LabelledPage, reason: object) -> _Skipped:
    return _Skipped(f"{page.corpus} {page.id}: {reason}")


@dataclass(frozen=True)
class _Guarded(Generic[Measured]):
    """Measures a page, or says why it cannot be used."""

    work: Callable[[LabelledPage], Measured]

    def __call__(self, page: LabelledPage) -> Measured | _Skipped:
        try:
            return self.work(page)
        except BlockfeatError as error:
            return _skipped(page, error)
