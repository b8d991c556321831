"""What the choices of this rebuilding cost: the oracle's word F1 with one of them made otherwise."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from unittest.mock import patch

from blockfeat.data.corpus import LabelledPage
from experiments.vips import rules, separators, structure
from experiments.vips.choice import Candidates, oracle, words_and_tags
from experiments.vips.layout import RenderedPage
from experiments.vips.rules import RuleOptions
from experiments.vips.structure import VisualBlock, segment
from experiments.vips.systems import GRANULARITY

__all__ = ["CHANGES", "Change", "scores_of_changes"]

Segment = Callable[[RenderedPage], VisualBlock | None]
_DEGREE_OF = rules.degree_of
_SEGMENT: Segment = partial(segment, granularity=GRANULARITY)
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Change:
    """One choice made otherwise: by an option of `segment`, or by a part that is patched.

    Attributes
    ----------
    segment : callable
        Returns the content structure of a page.
    patched : callable
        Returns what is entered for as long as pages are segmented.
    """

    segment: Segment = _SEGMENT
    patched: Callable[[], AbstractContextManager[object]] = nullcontext


def _with(**options: object) -> Change:
    return Change(partial(segment, granularity=GRANULARITY, **options))  # type: ignore[arg-type]


def _sizes(factor: float) -> Change:
    usual = RuleOptions()
    changed = [{tag: factor * share for tag, share in own.items()} for own in (usual.with_text, usual.largest_child)]
    return _with(options=RuleOptions(*changed))


def _degrees(more: int) -> Change:
    def degree(tag: str, share: float, low: int, high: int) -> int:
        return min(max(_DEGREE_OF(tag, share, low, high) + more, low), high)

    return Change(patched=lambda: patch.object(rules, "degree_of", degree))


def _by_separator(weight: int) -> Change:
    """Take one degree for each so many points of the heaviest separator."""
    return Change(patched=lambda: patch.object(structure, "degree_between", lambda own: max(1, 10 - -(-own // weight))))


def _points(**points: int) -> Change:
    return Change(patched=lambda: patch.dict(vars(separators), points))


_CUES = ("_TAG", "_BACKGROUND", "_FONT", "_GROWING_FONT")
CHANGES: Mapping[str, Change] = {
    "as here": Change(),
    "tree: separators of the whole block, merged": _with(anew=False),
    "sizes of rules 9 and 10: half": _sizes(0.5),
    "sizes of rules 9 and 10: twice": _sizes(2),
    "degrees of rules 8 to 13: one less": _degrees(-1),
    "degrees of rules 8 to 13: one more": _degrees(1),
    "degree by separator: one for each point": _by_separator(1),
    "degree by separator: one for three points": _by_separator(3),
    "points of cues: 1 each": _points(**dict.fromkeys(_CUES, 1), _ALIKE=-1),
    "points of cues: 4 each": _points(**dict.fromkeys(_CUES, 4), _ALIKE=-4),
}
"""What is changed, by name; the first is as `experiments.vips` does."""


def scores_of_changes(
    pages: Sequence[tuple[LabelledPage, RenderedPage]], changes: Mapping[str, Change] = CHANGES
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return word F1 of each page by change: of the oracle, and of the paper's heuristic."""
    best: dict[str, list[float]] = {}
    chosen: dict[str, list[float]] = {}
    for name, change in changes.items():
        best[name], chosen[name] = [], []
        with change.patched():
            for page, rendering in pages:
                found = Candidates.of(rendering, change.segment(rendering))
                best[name].append(oracle(found, page.text or "").scores.f1)
                place = words_and_tags(found)
                only = Candidates(rendering, [] if place is None else [found.blocks[place]])
                chosen[name].append(oracle(only, page.text or "").scores.f1)
        _logger.info("VIPS, %s", name)
    return best, chosen
