"""The trainer of margin models: soft thresholds and weights, tuned by the swarm against word F1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from blockfeat.blocks.tagtable import load_table
from blockfeat.data.corpus import LabelledPage
from blockfeat.features.context import context_places
from blockfeat.models.margin import MarginModel
from blockfeat.pso.swarm import Generation
from blockfeat.training.margin_fit import MarginFit, MarginOptions, fit_margin
from blockfeat.training.pages import PageLabeller, context_measurer, label_pages
from blockfeat.training.trainer import OnProgress, Progress, Trainer, TrainingReport, no_progress


@dataclass(frozen=True)
class TrainedMarginModel(MarginModel):
    """A margin model with the report of its training."""

    report: TrainingReport | None = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True)
class MarginTrainer(Trainer[MarginOptions]):
    """Trains margin models; see `blockfeat.training.margin_fit`."""

    kind: ClassVar[str] = "margin"
    suffix: ClassVar[str] = ".json"

    config: MarginOptions = field(default_factory=MarginOptions)

    def fit(self, pages: Sequence[LabelledPage], *, on_progress: OnProgress = no_progress) -> TrainedMarginModel:
        """Learn a model from labelled pages; see `Trainer.fit`."""
        labeller = PageLabeller(context_measurer(self.config.table, self.languages), self.config.labels)
        found, skipped = label_pages(pages, labeller, jobs=self.jobs, on_progress=on_progress)
        total = self.config.generations
        on_progress(Progress("fitting", 0, 1, "features and regression"))

        def on_generation(generation: Generation) -> None:
            note = f"generations, best {generation.best_so_far:.4f}"
            on_progress(Progress("swarm", generation.number, total, note, "the best parameters so far", generation))

        options = replace(self.config, swarm=replace(self.config.swarm, seed=self.seed))
        fit = fit_margin(found, options, on_generation=on_generation)
        report = TrainingReport(
            self.kind,
            training_pages=len(found),
            fitness=fit.fitness,
            history=fit.history,
            skipped=skipped,
            details={"features": len(fit.parameters.weights), "fitness_before_swarm": round(fit.start, 4)},
            interrupted=fit.interrupted,
        )
        return self._model(fit, report)

    def _model(self, fit: MarginFit, report: TrainingReport) -> TrainedMarginModel:
        """Return the model with numbers that a person can read."""
        return TrainedMarginModel(
            self.name,
            load_table(self.config.table),
            fit.parameters.terms(tuple(context_places())),
            float(f"{fit.parameters.bias:.4g}"),
            fit.parameters.transitions,
            cut=self.config.cut,
            sure=self.config.sure,
            languages=self.languages,
            report=report,
        )
