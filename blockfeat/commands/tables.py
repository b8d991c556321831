"""What the command line shows of a training."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from blockfeat.commands import console
from blockfeat.models.margin import MarginModel
from blockfeat.models.threshold import ThresholdModel

if TYPE_CHECKING:
    from blockfeat.training.evaluation.strategies import StrategyScores
    from blockfeat.training.trainer import TrainedModel, TrainingReport


def show_training(model: TrainedModel, output: Path) -> None:
    """Print what was learnt, the scores on both parts, and where the model is."""
    report = model.report
    if report is None:
        return
    if isinstance(model, ThresholdModel):
        _show_learnt_thresholds(model)
    elif isinstance(model, MarginModel):
        _show_soft_thresholds(model)
    stopped = ", stopped by Ctrl-C" if report.interrupted else ""
    generations = f", {len(report.history)} generations" if report.history else ""
    console.show(f"{report.training_pages} training pages{generations}{stopped}")
    for name, value in report.details.items():
        console.show(f"{name.replace('_', ' ')}: {value}")
    if report.skipped:
        console.show(f"{len(report.skipped)} pages not used, the first: {report.skipped[0]}")
    if report.curves:
        best = max(report.curves, key=lambda curve: float(curve.fitness.max()))
        console.show(f"best single feature ({report.curves_of}): {best.title} {float(best.fitness.max()):.3f}")
    show_scores(report)
    console.show(f"written: {output}")


def show_scores(report: TrainingReport) -> None:
    """Print FE, PR, TB and HL; pages with gold text and pages with snippets only are rows of their own."""
    from blockfeat.training.evaluation.strategies import METRICS

    rows = [
        [part, METRICS[group.metric], str(group.pages), *(_score(value) for value in _strategies(group))]
        for part, scores in (("training", report.training), ("test, other hosts", report.test))
        if scores is not None
        for group in scores.groups
    ]
    if rows:
        columns = ["part", "measure", "pages", "FE (model)", "PR (all blocks)", "TB (all text)", "HL (2nd labeller)"]
        console.show_table("scores", columns, rows, right=2)


def _strategies(group: StrategyScores) -> tuple[float | None, ...]:
    return group.extraction, group.all_blocks, group.all_text, group.labellers


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _show_learnt_thresholds(model: ThresholdModel) -> None:
    names = list(model.thresholds)
    rows = [
        [
            feature.title,
            feature.bound,
            *(console.threshold_text(model.thresholds[key][place]) for key in names),
            feature.unit,
        ]
        for place, feature in enumerate(model.features)
    ]
    console.show_table(f"thresholds of {model.name}", ["feature", "bound", *names, "unit"], rows)


def _show_soft_thresholds(model: MarginModel) -> None:
    rows = [
        [term.feature.replace("_", " "), f"{term.weight:+.3f}", f"{term.threshold:.3f}", f"{term.softness:.3f}"]
        for term in model.terms
    ]
    columns = ["feature", "weight", "threshold", "softness"]
    console.show_table(f"soft thresholds of {model.name}, bias {model.bias:+.3f}", columns, rows, right=1)
