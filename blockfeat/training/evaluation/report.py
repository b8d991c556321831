"""Evaluations and training runs as text tables, JSON, CSV and plots."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from blockfeat._files import whole_file, write_text
from blockfeat.pso.search import FeatureCurve
from blockfeat.pso.swarm import Generation
from blockfeat.training.evaluation.evaluate import Evaluation, GroupScores, PageScore
from blockfeat.training.evaluation.strategies import Agreement

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = ("pages", "precision", "recall", "F1", "95 % interval", "cosine × δ", "snippet F1", "errors")
_OF_PAGE = ("corpus", "page", "lang", "error")


_BEST = "#1b5e91"
_MEAN = "#d98032"
_GREY = "#8a8a8a"
_DOTS_AN_INCH = 144
_PANELS_WIDE = 4
_LINE = 40


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
        Some of `blockfeat.training.evaluation.evaluate.KEYS`.
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
        columns = ["page", "F1", "cosine × δ", "kappa", "differing", "blocks"]
        yield Table("pages with least agreement", columns, pages, 1)


def write_training_report(
    folder: str | Path, *, history: Sequence[Generation], curves: Sequence[FeatureCurve], curves_of: str = ""
) -> list[Path]:
    """Write the history of a training run and its single-feature curves as CSV and PNG.

    Parameters
    ----------
    folder : str or Path
        Output folder, created if it does not exist. Files of these names are replaced.
    history : sequence of Generation
        The generations, as `SwarmResult.history` holds them (Ziegler & Skubacz 2007, Fig. 3).
    curves : sequence of FeatureCurve
        The single-feature curves (Ziegler & Skubacz 2007, Fig. 4).
    curves_of : str
        Measure and pages of the curves, for the title of the plot.

    Returns
    -------
    list of Path
        ``convergence.csv``, ``convergence.png``, ``features.csv``, ``features.png``; without those whose
        data is empty.

    Raises
    ------
    OutputError
        The folder cannot be written.
    """
    import pandas as pd

    target, written = Path(folder), []
    if history:
        frame = pd.DataFrame(map(asdict, history)).rename(columns={"number": "generation"})
        written += _written(target / "convergence.csv", frame, _convergence(history))
    if curves:
        frame = pd.DataFrame(map(asdict, curves)).explode(["thresholds", "fitness"])  # one row a threshold
        frame = frame.rename(columns={"name": "feature", "thresholds": "threshold"})
        frame = frame[["feature", "bound", "unit", "threshold", "fitness"]]
        written += _written(target / "features.csv", frame, _features(curves, curves_of))
    return written


def _written(path: Path, frame: pd.DataFrame, figure: Figure) -> list[Path]:
    """Write a table, and beside it its plot; return their paths."""
    write_text(path, frame.to_csv(index=False))
    plot = path.with_suffix(".png")
    with whole_file(plot) as stream:
        figure.savefig(stream, format="png", dpi=_DOTS_AN_INCH)
    return [path, plot]


def new_figure(width: float, height: float) -> Figure:
    """Return a figure of a size in inches; made without pyplot, which keeps figures in a global list."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    return Figure(figsize=(width, height), dpi=_DOTS_AN_INCH, layout=layout, facecolor="white")


def _convergence(history: Sequence[Generation]) -> Figure:
    """Draw fitness of the best and the mean particle by generation."""
    from matplotlib.ticker import MaxNLocator

    figure = new_figure(7.6, 4.4)
    axes = figure.add_subplot()
    numbers, best, mean = zip(*((one.number, one.best, one.mean) for one in history), strict=True)
    marker = "o" if len(history) == 1 else ""
    axes.plot(numbers, best, color=_BEST, linewidth=1.8, marker=marker, label="best particle")
    axes.plot(numbers, mean, color=_MEAN, linewidth=1.8, marker=marker, label="mean of all particles")
    top = int(np.argmax(best))
    axes.axhline(best[top], color=_GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.plot(numbers[top], best[top], "o", color=_BEST, markersize=6)
    axes.set_title(
        f"Convergence of the swarm: {best[top]:.3f} in generation {numbers[top]} of {numbers[-1]}", loc="left"
    )
    axes.set(xlabel="generation", ylabel="fitness (0 to 1)")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(x=0.02, y=0.08)
    axes.legend(loc="lower right", frameon=False)
    _tidy(axes)
    return figure


def _features(curves: Sequence[FeatureCurve], curves_of: str = "") -> Figure:
    """Draw a panel for each feature, all on one scale of fitness."""
    columns = min(_PANELS_WIDE, len(curves))
    rows = -(-len(curves) // columns)
    figure = new_figure(3.1 * columns + 0.4, 2.7 * rows + 0.5)
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    for number, (axes, curve) in enumerate(zip(panels, curves, strict=False)):
        _panel(axes, curve)
        if number % columns == 0:
            axes.set_ylabel("fitness")
    for axes in panels[len(curves) :]:
        axes.remove()
    measured = f" ({curves_of})" if curves_of else ""
    title = f"Each feature alone: fitness by threshold{measured}; the dot marks the best"
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    return figure


def _panel(axes: Axes, curve: FeatureCurve) -> None:
    """Draw one feature with its best threshold."""
    axes.plot(curve.thresholds, curve.fitness, color=_BEST, linewidth=1.8)
    best = int(np.argmax(curve.fitness))
    threshold, fitness = float(curve.thresholds[best]), float(curve.fitness[best])
    axes.plot(threshold, fitness, "o", color=_MEAN, markersize=6, zorder=3, clip_on=False)
    sign = "≥" if curve.bound == "minimum" else "≤"
    axes.set_title(f"{curve.title}\n{fitness:.3f} at {sign} {threshold:.3g}", loc="left", fontsize=10)
    axes.set_xlabel(textwrap.fill(f"{curve.bound}: {curve.unit}", _LINE), fontsize=8.5)
    axes.margins(x=0.03, y=0.1)
    _tidy(axes)


def _tidy(axes: Axes) -> None:
    """Draw a light grid, and no frame at the top and right."""
    axes.grid(color="#e3e3e3", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8.5, colors="#444444")
