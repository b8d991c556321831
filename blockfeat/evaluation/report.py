"""An evaluation as tables for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from blockfeat.errors import InputError
from blockfeat.evaluation.evaluate import KEYS, Evaluation, GroupScores

__all__ = ["show_evaluation", "write_evaluation"]

_COLUMNS = ("pages", "precision", "recall", "F1", "95 % interval", "cosine × δ", "snippet F1", "errors")
Table = tuple[str, list[str], list[list[str]]]


def show_evaluation(evaluation: Evaluation, keys: Sequence[str], worst: int) -> Iterator[Table]:
    """Yield title, columns and rows of a table for each key, and one of the worst pages.

    Raises
    ------
    InputError
        A key is unknown.
    """
    for key in keys:
        if key not in KEYS:
            raise InputError(f"cannot group by {key!r}; known are {', '.join(KEYS)}")
        rows = [_row(group) for group in evaluation.by(key)]
        if key == keys[-1]:
            rows.append(_row(evaluation.summary()))
        yield f"by {key}", [key, *_COLUMNS], rows
    if worst:
        rows = [
            [
                page.corpus,
                page.id,
                page.lang or "",
                *map(_shown, (page.f1, page.precision, page.recall)),
                page.error or "",
            ]
            for page in evaluation.worst(worst)
        ]
        yield "worst pages", ["corpus", "page", "lang", "F1", "precision", "recall", "error"], rows


def _row(group: GroupScores) -> list[str]:
    interval = f"{group.f1_low:.3f}–{group.f1_high:.3f}" if group.f1_low is not None else ""
    means = [_shown(value) for value in (group.precision, group.recall, group.f1)]
    snippets = _shown(group.snippets.f1 if group.snippets is not None else None)
    return [
        group.group,
        str(group.pages),
        *means,
        interval,
        _shown(group.cosine),
        snippets,
        str(group.errors),
    ]


def _shown(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.3f}"


def write_evaluation(evaluation: Evaluation, path: Path) -> None:
    """Write all scores, those of single pages too, as JSON."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(evaluation.to_dict(pages=True), ensure_ascii=False, indent=1)
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error}") from error
