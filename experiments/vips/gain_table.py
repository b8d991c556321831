"""The table of what rendering brings, over folds by host and by corpus."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from statistics import fmean

from blockfeat.training.evaluation.metrics import markdown_table, paired_difference
from blockfeat.training.sequence_network import SequenceOptions
from experiments.corpora import CLEANEVAL
from experiments.nested_folds import Fold, folds_of
from experiments.vips.gain import VARIANTS, PreparedPage, prepare, score_folds
from experiments.vips.layout import RenderedPage
from experiments.vips.study import Line, Study

__all__ = ["OPTIONS", "gain_section"]

OPTIONS = SequenceOptions(channels=32, least_steps=300)
"""A smaller network than the bundled one, and half of its least steps: the pages are few."""
_FILE = "gain.jsonl"
_PLAIN = "text"
_VARIANTS = {"host": tuple(VARIANTS), "corpus": (_PLAIN, "rendering")}
_FEWEST = 20
_logger = logging.getLogger(__name__)


def gain_section(study: Study) -> str:
    """Return the tables for folds by host and by corpus."""
    rendered = {(page.corpus, page.id): rendering for page, rendering in study.seen}
    return "\n".join(_table(study, by, rendered) for by in _VARIANTS)


def _table(study: Study, by: str, rendered: dict[tuple[str, str], RenderedPage]) -> str:
    lines = [line for line in _measured(study, by) if (line["corpus"], line["id"]) in rendered]
    groups = {f"all, a {by} left out": lines}
    groups |= {"pages with styles of their own": [line for line in lines if _has_styles(line, rendered)]}
    groups |= {"pages without styles of their own": [line for line in lines if not _has_styles(line, rendered)]}
    for line in lines:
        name = "cleaneval" if line["corpus"] in CLEANEVAL else str(line["corpus"])
        groups.setdefault(name, []).append(line)
    rows = [[name, *_cells(found, _VARIANTS[by])] for name, found in groups.items() if len(found) >= _FEWEST]
    others = [name for name in _VARIANTS[by] if name != _PLAIN]
    columns = ("pages left out", "pages", *_VARIANTS[by], *(f"{name} less {_PLAIN}, 95 % interval" for name in others))
    return markdown_table(columns, rows)


def _has_styles(line: Line, rendered: dict[tuple[str, str], RenderedPage]) -> bool:
    return rendered[line["corpus"], line["id"]].own_styles > 0


def _cells(lines: Sequence[Line], variants: Sequence[str]) -> list[str]:
    values = {name: [line["scores"][name] for line in lines] for name in variants}
    differences = [paired_difference(values[name], values[_PLAIN]) for name in variants if name != _PLAIN]
    return [
        str(len(lines)),
        *(f"{fmean(found):.3f}" for found in values.values()),
        *(f"{one.mean:+.4f} ({one.low:+.4f} to {one.high:+.4f})" for one in differences),
    ]


def _measured(study: Study, by: str) -> list[Line]:
    """Return the scores of all folds; folds that are kept from an earlier run are not trained again."""
    run = f"{by}, {len(study.seen)} pages, seeds {', '.join(map(str, study.seeds))}"
    done = {line["fold"] for line in study.scores(_FILE) if line["run"] == run}
    folds = _folds(study, by)
    missing = [fold for fold in folds if fold.name not in done]
    if missing:
        pages = prepare([page for page, _ in study.seen], study.rendered)
        for fold in missing:
            study.keep_scores(_FILE, _lines(study, run, fold, pages, _VARIANTS[by]))
    names = {fold.name for fold in folds}
    return [line for line in study.scores(_FILE) if line["run"] == run and line["fold"] in names]


def _folds(study: Study, by: str) -> list[Fold]:
    """Return the folds; by corpus, those with enough pages to say something."""
    folds = folds_of([page for page, _ in study.seen], by)
    return [fold for fold in folds if len(fold.test) >= _FEWEST]


def _lines(study: Study, run: str, fold: Fold, pages: Sequence[PreparedPage], names: Sequence[str]) -> Iterator[Line]:
    variants = {name: VARIANTS[name] for name in names}
    scores = score_folds(pages, [fold], study.seeds, variants=variants, options=OPTIONS)
    for (corpus, page), found in scores.items():
        yield {"run": run, "fold": fold.name, "corpus": corpus, "id": page, "scores": found}
