"""Evaluations as tables for people, and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from blockfeat._files import write_text
from blockfeat.evaluation.evaluate import Evaluation, GroupScores, PageScore
from blockfeat.evaluation.strategies import Agreement

_COLUMNS = ("pages", "precision", "recall", "F1", "95 % interval", "cosine × δ", "snippet F1", "errors")
_OF_PAGE = ("corpus", "page", "lang", "error")


class Table(NamedTuple):
    """A table of text cells; the columns from number ``first_number`` on hold numbers."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    first_number: int


def evaluation_tables(evaluation: Evaluation, keys: Sequence[str], worst: int) -> Iterator[Table]:
    """Yield a table of mean scores for each key, the last with all pages, then tables of the worst pages.

    Pages with a gold text are ranked by word F1, those that have snippets only by snippet F1, in a table of their own:
    the two scores are not comparable.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    keys : sequence of str
        Some of `blockfeat.evaluation.evaluate.KEYS`.
    worst : int
        Number of pages to list in each table of the worst; 0: no such table.

    Raises
    ------
    InputError
        A key is unknown.
    """
    for key in keys:
        rows = [_row(group) for group in evaluation.by(key)]
        if key == keys[-1]:
            rows.append(_row(evaluation.summary()))
        yield Table(f"by {key}", [key, *_COLUMNS], rows, 1)
    rows = [
        [*_page_cells(page), *map(_score, (page.f1, page.precision, page.recall))] for page in evaluation.worst(worst)
    ]
    if rows:
        yield Table("worst pages by word F1", [*_OF_PAGE, "F1", "precision", "recall"], rows, len(_OF_PAGE))
    rows = [
        [*_page_cells(page), _score(found.f1), str(found.false_negatives), str(found.false_positives)]
        for page in evaluation.worst_by_snippets(worst)
        if (found := page.snippets) is not None
    ]
    if rows:
        columns = [*_OF_PAGE, "snippet F1", "missing", "wrongly kept"]
        yield Table("worst pages by snippet F1 (pages without a gold text)", columns, rows, len(_OF_PAGE))


def _page_cells(page: PageScore) -> list[str]:
    return [page.corpus, page.id, page.lang or "", page.error or ""]


def _row(group: GroupScores) -> list[str]:
    interval = f"{group.f1_low:.3f}–{group.f1_high:.3f}" if group.f1_low is not None else ""
    means = [_score(value) for value in (group.precision, group.recall, group.f1)]
    snippets = _score(group.snippets.f1 if group.snippets is not None else None)
    return [group.group, str(group.pages), *means, interval, _score(group.cosine), snippets, str(group.errors)]


def _score(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.3f}"


def write_scores(scores: Mapping[str, Any], path: Path) -> None:
    """Write scores as JSON.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    write_text(path, json.dumps(scores, ensure_ascii=False, indent=1) + "\n")


def agreement_tables(found: Agreement, worst: int) -> Iterator[Table]:
    """Yield tables of two labellers' agreement: of their texts, of their roles, and of the worst pages.

    Parameters
    ----------
    found : Agreement
        The agreement.
    worst : int
        Number of the worst pages to list; 0: no such table.
    """
    rows = []
    for name, metric in (("cosine × length ratio (HL)", "cosine"), ("word F1", "f1")):
        interval = found.interval(metric)
        rows.append([name, _score(interval.mean), f"{interval.low:.3f}–{interval.high:.3f}"])
    rows.append(["Cohen's kappa of blocks, content or not", _score(found.kappa), ""])
    if found.role_blocks:
        rows.append(["Cohen's kappa of blocks, by role", _score(found.role_kappa), ""])
    yield Table(f"agreement on {len(found.pages)} pages", ["measure", "value", "95 % interval"], rows, 1)
    if found.role_blocks:
        roles = [
            [role, *map(str, found.counts_by_role[role]), _score(kappa)] for role, kappa in found.kappa_by_role.items()
        ]
        title = f"by role, over {found.role_blocks} blocks"
        yield Table(title, ["role", "first labeller", "second labeller", "kappa"], roles, 1)
    pages = [
        [page.id, _score(page.f1), _score(page.cosine), _score(page.kappa), str(page.differing), str(page.blocks)]
        for page in found.worst(worst)
    ]
    if pages:
        yield Table(
            "pages with least agreement", ["page", "F1", "cosine × δ", "kappa", "differing", "blocks"], pages, 1
        )
