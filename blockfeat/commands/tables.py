"""What the command line shows of a training."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from blockfeat.commands import console

if TYPE_CHECKING:
    from blockfeat.training.thresholds import TrainedModel

__all__ = ["show_training"]


def show_training(model: TrainedModel, output: Path) -> None:
    """Print thresholds and scores of a model just trained."""
    report = model.report
    if report is None:
        return
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
    stopped = ", stopped by Ctrl-C" if report.interrupted else ""
    console.show(f"{report.training_pages} training pages, {len(report.history)} generations{stopped}")
    if report.skipped:
        console.show(f"{len(report.skipped)} pages not used, the first: {report.skipped[0]}")
    console.show(f"training: FE {report.fitness:.3f}  PR {report.keep_all:.3f}  ({model.record['options']['fitness']})")
    best = max(report.curves, key=lambda curve: float(curve.fitness.max()))
    console.show(f"best single feature: {best.title} {float(best.fitness.max()):.3f}")
    if report.test is not None:
        test = report.test
        labellers = f"  HL {test.labellers:.3f}" if test.labellers is not None else ""
        scores = f"FE {test.extraction:.3f}  PR {test.all_blocks:.3f}  TB {test.all_text:.3f}{labellers}"
        console.show(f"test, {test.pages} pages of other hosts: {scores}")
    console.show(f"written: {output}")
