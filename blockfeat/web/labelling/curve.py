"""Options and results of a training on the labels of a session: kinds, steps, the learning curve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from blockfeat.models import Model

KINDS = ("thresholds", "margin")
"""Kinds of models that are trained in seconds and without further libraries."""

RULES = "rules"
"""Instead of a kind: rules for each site with enough labelled pages, on top of the model that suggests."""

BEST = "best"
"""Instead of a kind: all of `KINDS` are tried, and the one that is best on held-out pages is taken."""

FEWEST_PAGES, PAGES_OF_A_SITE = 4, 5
"""Labelled pages with content that training needs, and rules of a site."""


@dataclass(frozen=True)
class CurvePoint:
    """Mean word F1 on the held-out pages after training on ``pages`` pages (the mean number over the folds)."""

    pages: float
    f1: float


OnStep = Callable[..., None]
"""Takes the progress of a training: ``kind``, ``done`` and ``total`` fits, ``points`` of the curve so far."""


@dataclass(frozen=True)
class LabelTraining:
    """A model trained on the labelled pages, and how good it can be expected to be.

    Attributes
    ----------
    model : Model
        Trained on all labelled pages.
    kind : str
        One of `KINDS`: the requested one, or the best.
    pages : int
        Labelled pages with content: each is held out once for the curve.
    held_out : str
        ``"other sites"``, or ``"other pages"`` where there are too few sites to hold out whole ones.
    points : tuple of CurvePoint
        The learning curve; the last point has the most training pages.
    others : mapping of str to float
        Mean word F1 of other models on the same pages, by name; of other kinds that were tried, at their last point.
    skipped : tuple of str
        Pages that could not be trained on, each with the reason.
    seconds : float
        Duration of the whole training.
    rules : tuple of str
        The rules of sites, in words, if those were learnt.
    changes : mapping of str to tuple
        Open pages whose text they change: words that go, and words that come.
    """

    model: Model
    kind: str
    pages: int
    held_out: str
    points: tuple[CurvePoint, ...]
    others: Mapping[str, float]
    skipped: tuple[str, ...]
    seconds: float
    rules: tuple[str, ...] = ()
    changes: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def f1(self) -> float:
        """Mean word F1 on held-out pages: the last point of the curve."""
        return self.points[-1].f1

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold, without the model."""
        values = {item.name: getattr(self, item.name) for item in fields(self) if item.name != "model"}
        return {**values, "points": [asdict(point) for point in self.points], "f1": self.f1}
