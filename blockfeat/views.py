"""What the command line shows of models, trainings and explanations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from blockfeat import console
from blockfeat.extraction import Extraction
from blockfeat.models import DEFAULT_MODEL, bundled_models, load_model
from blockfeat.models.threshold import ThresholdModel

if TYPE_CHECKING:
    from blockfeat.training import TrainedModel

_METRICS = {"f1": "word F1", "cosine": "cosine × length ratio"}

__all__ = ["show_explanation", "show_models", "show_training"]


def show_training(model: TrainedModel, output: Path) -> None:
    """Print thresholds and scores of a model just trained."""
    report = model.report
    if report is None:
        return
    names = list(model.thresholds)
    rows = [
        [feature.title, feature.bound, *(_limit(model.thresholds[key][place]) for key in names), feature.unit]
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


def _limit(threshold: float) -> str:
    """Show a threshold; one that never binds as a dash."""
    return "-" if threshold in (float("inf"), float("-inf")) else f"{threshold:.3f}"


def show_explanation(model: ThresholdModel, extraction: Extraction) -> None:
    """Print thresholds and blocks as tables."""
    thresholds = model.thresholds_for(extraction.lang)
    rows = [
        [feature.title, f"{'at least' if feature.sign > 0 else 'at most'} {_limit(limit)}", feature.unit]
        for feature, limit in zip(model.features, thresholds.tolist(), strict=True)
    ]
    language = extraction.lang or "not found"
    title = f"{model.name}, decoder {model.decoder.name}, language {language}, encoding {extraction.encoding}"
    console.show_table(title, ["feature", "threshold", "unit"], rows)
    names = [feature.name for feature in model.features]
    short = [
        "sentence length",
        "sentences",
        "characters",
        "stop words",
        "anchors",
        "format",
        "list",
        "structure",
    ]
    columns = ["", "#", "score", *(short if len(short) == len(names) else names), "text"]
    blocks = []
    for block in extraction.blocks:
        cells = [f"{block.features[name]:.2f}{'!' if name in block.failed else ''}" for name in names]
        text = block.text if len(block.text) <= 60 else block.text[:59] + "…"
        blocks.append(["kept" if block.kept else "-", str(block.index), f"{block.score:.1f}", *cells, text])
    console.show_table("blocks; ! marks a failed threshold", columns, blocks)
    kept = sum(block.kept for block in extraction.blocks)
    console.show(f"{kept} of {len(extraction.blocks)} blocks kept")


def show_models() -> None:
    """Print the bundled models."""
    rows = []
    for name in bundled_models():
        model = load_model(name)
        marked = f"{name} (default)" if name == DEFAULT_MODEL else name
        test = model.record.get("scores", {}).get("test") or {}
        score = f"{test['extraction']:.3f} ({_METRICS[test['metric']]})" if test else ""
        languages = ",".join(model.languages) or "any"
        rows.append([marked, model.table.name, model.decoder.name, str(len(model.features)), languages, score])
    console.show_table("", ["model", "table", "decoder", "features", "languages", "test fitness"], rows)
