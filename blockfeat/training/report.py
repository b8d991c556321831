"""Curves of a training run, as CSV and as pictures: fitness by generation, and of each feature alone by threshold."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from blockfeat.training.pso.search import FeatureCurve
from blockfeat.training.pso.swarm import Generation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BEST = "#1b5e91"
_MEAN = "#d98032"
_GREY = "#8a8a8a"
_DOTS_AN_INCH = 144
_PANELS_WIDE = 4
_LINE = 40


def write_training_report(
    folder: str | Path, *, history: Sequence[Generation], curves: Sequence[FeatureCurve], curves_of: str = ""
) -> list[Path]:
    """Write the history of a training run and its single-feature curves as CSV and PNG.

    Parameters
    ----------
    folder : str or Path
        Where to write; made if it is not there. Files of these names are replaced.
    history : sequence of Generation
        The generations, as `SwarmResult.history` holds them (Ziegler & Skubacz 2007, Fig. 3).
    curves : sequence of FeatureCurve
        The features (Ziegler & Skubacz 2007, Fig. 4).
    curves_of : str
        Measure and pages of the curves, for the picture's title.

    Returns
    -------
    list of Path
        ``convergence.csv``, ``convergence.png``, ``features.csv``, ``features.png``; without those whose
        data is empty.

    Raises
    ------
    OSError
        The folder cannot be written.
    """
    target = Path(folder)
    if history or curves:
        target.mkdir(parents=True, exist_ok=True)
    written = []
    if history:
        written.append(_write_history(history, target / "convergence.csv"))
        written.append(_save(_convergence(history), target / "convergence.png"))
    if curves:
        written.append(_write_curves(curves, target / "features.csv"))
        written.append(_save(_features(curves, curves_of), target / "features.png"))
    return written


def _write_history(history: Sequence[Generation], path: Path) -> Path:
    import pandas as pd

    pd.DataFrame(map(asdict, history)).rename(columns={"number": "generation"}).to_csv(path, index=False)
    return path


def _write_curves(curves: Sequence[FeatureCurve], path: Path) -> Path:
    """Write one line a threshold."""
    import pandas as pd

    frame = pd.DataFrame(map(asdict, curves)).explode(["thresholds", "fitness"])
    frame = frame.rename(columns={"name": "feature", "thresholds": "threshold"})
    frame.to_csv(path, index=False, columns=["feature", "bound", "unit", "threshold", "fitness"])
    return path


def new_figure(width: float, height: float) -> Figure:
    """Return a figure of a size in inches; made without pyplot, which keeps figures in a global list."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    figure = Figure(figsize=(width, height), dpi=_DOTS_AN_INCH, layout=layout, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def _save(figure: Figure, path: Path) -> Path:
    figure.savefig(path, dpi=_DOTS_AN_INCH)
    return path


def _convergence(history: Sequence[Generation]) -> Figure:
    """Draw fitness of the best and the mean particle by generation."""
    from matplotlib.ticker import MaxNLocator

    figure = new_figure(7.6, 4.4)
    axes = figure.add_subplot()
    numbers = [generation.number for generation in history]
    best = [generation.best for generation in history]
    mean = [generation.mean for generation in history]
    marker = "o" if len(history) == 1 else ""
    axes.plot(numbers, best, color=_BEST, linewidth=1.8, marker=marker, label="best particle")
    axes.plot(numbers, mean, color=_MEAN, linewidth=1.8, marker=marker, label="mean of all particles")
    top = int(np.argmax(best))
    axes.axhline(best[top], color=_GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.plot(numbers[top], best[top], "o", color=_BEST, markersize=6)
    axes.set_title(
        f"Convergence of the swarm: {best[top]:.3f} in generation {numbers[top]} of {numbers[-1]}", loc="left"
    )
    axes.set_xlabel("generation")
    axes.set_ylabel("fitness (0 to 1)")
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
    axes.set_title(f"{curve.title}\n", loc="left", fontsize=10, fontweight="bold")
    axes.annotate(
        f"{fitness:.3f} at {sign} {threshold:.3g}",
        (0, 1),
        xytext=(0, 4),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=9,
        color=_MEAN,
    )
    axes.set_xlabel(textwrap.fill(f"{curve.bound}: {curve.unit}", _LINE), fontsize=8.5)
    axes.margins(x=0.03, y=0.1)
    _tidy(axes)


def _tidy(axes: Axes) -> None:
    """Light grid, no frame at the top and right."""
    axes.grid(color="#e3e3e3", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8.5, colors="#444444")
