"""What the command line shows of models, trainings and explanations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from blockfeat.commands import console
from blockfeat.extraction.extraction import Extraction
from blockfeat.models import DEFAULT_MODEL, bundled_models, load_model
from blockfeat.models.model import Model
from blockfeat.models.threshold.model import ThresholdModel

if TYPE_CHECKING:
    from blockfeat.training.thresholds import TrainedModel

_METRICS = {"f1": "word F1", "cosine": "cosine × length ratio"}

_SHORT = ["sentence length", "sentences", "characters", "stop words", "anchors", "format", "list", "structure"]
_TEXT_SHOWN = 60

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


def show_explanation(model: Model, extraction: Extraction) -> None:
    """Print the model's thresholds, where it has any, and the blocks as tables."""
    language = extraction.lang or "not found"
    if isinstance(model, ThresholdModel):
        _show_thresholds(model, extraction, language)
    else:
        console.show(f"{model.name}, language {language}, encoding {extraction.encoding}")
        rows = [
            ["kept" if block.kept else "-", str(block.index), f"{block.score:.1f}", block.reason, _short(block.text)]
            for block in extraction.blocks
        ]
        console.show_table("blocks", ["", "#", "score", "reason", "text"], rows)
    kept = sum(block.kept for block in extraction.blocks)
    console.show(f"{kept} of {len(extraction.blocks)} blocks kept")


def _show_thresholds(model: ThresholdModel, extraction: Extraction, language: str) -> None:
    thresholds = model.thresholds_for(extraction.lang)
    rows = [
        [feature.title, f"{'at least' if feature.sign > 0 else 'at most'} {_limit(limit)}", feature.unit]
        for feature, limit in zip(model.features, thresholds.tolist(), strict=True)
    ]
    title = f"{model.name}, decoder {model.decoder.name}, language {language}, encoding {extraction.encoding}"
    console.show_table(title, ["feature", "threshold", "unit"], rows)
    names = [feature.name for feature in model.features]
    columns = ["", "#", "score", *(_SHORT if len(_SHORT) == len(names) else names), "text"]
    blocks = []
    for block in extraction.blocks:
        cells = [f"{block.features[name]:.2f}{'!' if name in block.failed else ''}" for name in names]
        kept = "kept" if block.kept else "-"
        blocks.append([kept, str(block.index), f"{block.score:.1f}", *cells, _short(block.text)])
    console.show_table("blocks; ! marks a failed threshold", columns, blocks)


def _short(text: str) -> str:
    return text if len(text) <= _TEXT_SHOWN else text[: _TEXT_SHOWN - 1] + "…"


def show_models() -> None:
    """Print the bundled models."""
    rows = []
    for name in bundled_models():
        model = load_model(name)
        marked = f"{name} (default)" if name == DEFAULT_MODEL else name
        test = model.record.get("scores", {}).get("test") or {}
        score = f"{test['extraction']:.3f} ({_METRICS[test['metric']]})" if test else ""
        languages = ",".join(model.languages) or "any"
        features = str(len(model.feature_names)) if model.feature_names else "-"
        rows.append([marked, model.kind, model.table.name, model.decoding, features, languages, score])
    console.show_table("", ["model", "kind", "table", "decoding", "features", "languages", "test fitness"], rows)
