"""The systems by corpus, and the second baseline by its penalty (Pasternack & Roth 2009, 7.1 to 7.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from blockfeat.training.evaluation.metrics import markdown_table
from experiments.mss.scores import Mean, means
from experiments.mss.study import Study
from experiments.mss.systems import PAPER_PENALTY, PENALTIES, simple_name

__all__ = ["penalty_table", "side_by_side", "system_table"]

_ARTICLES = "wcxb-dev, articles"
_WIDE = 0.01


def _by_corpus(study: Study) -> dict[str, dict[str, Mean]]:
    articles = [score for score in study.scores if score.page.page_type == "article"]
    return means(study.scores, lambda score: score.page.corpus) | means(articles, lambda score: _ARTICLES)


def system_table(study: Study) -> str:
    """Return the table of the systems."""
    others = {simple_name(penalty) for penalty in PENALTIES if penalty != PAPER_PENALTY}
    rows = [
        [corpus, system, *mean.cells()]
        for corpus, systems in _by_corpus(study).items()
        for system, mean in systems.items()
        if system not in others
    ]
    counts = study.counts
    sentence = (
        f"Trained on {counts.labelled - counts.filtered:,} pages (bundled: {counts.labelled:,}): of "
        f"{counts.labelled:,} labelled runs, {counts.filtered:,} have more than 20 % tags and are left out, as in 5.1. "
        f"Scored: {study.corpora.share} of each corpus.\n\n"
    )
    columns = ("corpus", "system", "pages", "P", "R", "F1 short", "F1 best")
    return f"{sentence}{markdown_table(columns, rows)}\nF1 short, side by side:\n\n{side_by_side(rows)}"


def side_by_side(rows: Iterable[Sequence[str]]) -> str:
    """Return F1 of the rows of `system_table`, a row for each corpus and a column for each system."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for corpus, system, *_, short, _ in rows:
        found[corpus][system] = short
    systems = list(next(iter(found.values())))
    return markdown_table(("corpus", *systems), [[name, *(own[key] for key in systems)] for name, own in found.items()])


def penalty_table(study: Study) -> str:
    """Return F1 of the second baseline by corpus and penalty, and the penalties within 0.01 of the best."""
    found = _by_corpus(study)
    names = [simple_name(penalty) for penalty in PENALTIES]
    f1 = {corpus: [systems[name].short for name in names] for corpus, systems in found.items()}
    corpora = [values for corpus, values in f1.items() if corpus != _ARTICLES]
    f1["mean of the corpora"] = [fmean(column) for column in zip(*corpora, strict=True)]
    rows = [[corpus, *(f"{value:.3f}" for value in values), _range(values)] for corpus, values in f1.items()]
    columns = ("corpus", *(f"{-penalty:g}" for penalty in PENALTIES), f"within {_WIDE} of the best")
    return markdown_table(columns, rows)


def _range(values: list[float]) -> str:
    near = [penalty for penalty, value in zip(PENALTIES, values, strict=True) if value >= max(values) - _WIDE]
    return f"{-near[0]:g} to {-near[-1]:g}" if len(near) > 1 else f"{-near[0]:g}"
