"""What the command line shows of models, trainings and explanations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from blockfeat.commands import console
from blockfeat.extraction.extraction import Extraction
from blockfeat.models import DEFAULT_MODEL, bundled_models, load_model
from blockfeat.models.margin.model import MarginModel
from blockfeat.models.model import Model
from blockfeat.models.threshold.model import ThresholdModel

if TYPE_CHECKING:
    from blockfeat.evaluation.strategies import StrategyScores
    from blockfeat.training.trainer import TrainedModel, TrainingReport

METRICS = {"cosine": "cosine × length ratio", "f1": "word F1", "snippets": "snippet F1"}

_SHORT = ["sentence length", "sentences", "characters", "stop words", "anchors", "format", "list", "structure"]
_TEXT_SHOWN = 60
_DECODERS = {"SequenceModel": "independent", "MarginModel": "viterbi", "TokenModel": "mss", "Web2TextModel": "viterbi"}

__all__ = ["show_explanation", "show_models", "show_scores", "show_training"]


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
        [feature.title, feature.bound, *(_limit(model.thresholds[key][place]) for key in names), feature.unit]
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
        score = _test_score(model)
        languages = ",".join(model.languages) or "any"
        is_threshold = isinstance(model, ThresholdModel)
        decoder = model.decoder.name if isinstance(model, ThresholdModel) else _DECODERS.get(type(model).__name__, "")
        features = len(model.features) if is_threshold else len(getattr(model, "columns", ()))
        rows.append([marked, model.table.name, decoder, str(features), languages, score])
    console.show_table("", ["model", "table", "decoder", "features", "languages", "test fitness"], rows)


def _test_score(model: Model) -> str:
    """Return the test score in a model's record; models of version 0.1 have one figure over all pages."""
    test = model.record.get("scores", {}).get("test") or {}
    groups = [test] if "metric" in test else list(test.values())
    return "; ".join(f"{group['extraction']:.3f} ({METRICS[group['metric']]})" for group in groups)
