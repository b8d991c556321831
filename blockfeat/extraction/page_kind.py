"""What a page is: an article, another page with content, a front page, a wall, an error page, or empty."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.extraction.error_page import is_error_page
from blockfeat.extraction.kind_measures import KIND_MEASURES, kind_measures
from blockfeat.extraction.phrases import count_of, has_any

Mask = NDArray[np.bool_]

KINDS = ("article", "other", "front page", "consent wall", "paywall stub", "error page", "empty", "error")
"""What a page can be; ``"error"`` where it could not be read."""
LEARNT = KINDS[:3]
"""Those that a learnt classifier tells apart."""

_FEWEST_CONSENT = 3
_CONSENT_SHARE = 0.4
_MOST_BESIDE = 60
_MOST_WORDS_OF_STUBS = 350
# Metered sites declare whole short articles as not free.
_MOST_WORDS_OF_DECLARED_STUBS = 120
_NEAR = 12
_LONGEST_NOTE = 60
_LINKED = 0.5


@dataclass(frozen=True)
class PageEvidence:
    """What the kind of a page is told from.

    Attributes
    ----------
    blocks : Blocks
        The page's n blocks.
    kept : bool array, n
        The blocks that the model keeps.
    scores : float array, n
        Their scores.
    title, url : str or None
        Title and address of the page.
    is_free : bool or None
        Whether the page declares its text free (``isAccessibleForFree``), where it declares anything.
    """

    blocks: Blocks
    kept: Mask
    scores: NDArray[np.floating[Any]]
    title: str | None = None
    url: str | None = None
    is_free: bool | None = None


def page_kind(page: PageEvidence) -> tuple[str, NDArray[np.float64]]:
    """Return the kind of a page, and the probabilities of the kinds of `LEARNT`; linear in the page.

    Rules find empty pages, error pages, consent walls and stubs before a paywall, all of them pages with little text;
    a linear classifier over `kind_measures` tells articles, other pages with content and front pages apart.
    """
    if not len(page.blocks):
        return "empty", np.zeros(len(LEARNT))
    learnt = _weights().probabilities(kind_measures(page.blocks, page.kept, page.scores, page.url))
    return rule_kind(page) or LEARNT[int(learnt.argmax())], learnt


def rule_kind(page: PageEvidence) -> str | None:
    """Return the kind of a page that rules tell: an error page, a consent wall, a stub; None for others."""
    if is_error_page(page.blocks, page.kept, page.title):
        return "error page"
    if _is_consent_wall(page):
        return "consent wall"
    return "paywall stub" if _is_paywall_stub(page) else None


def _is_consent_wall(page: PageEvidence) -> bool:
    """Return whether most of a page's text asks for consent, and most of what is kept."""
    measures = page.blocks.measures
    beside, kept_asking = 0, 0
    for block in page.kept.nonzero()[0].tolist():
        words = int(measures.words[block])
        if has_any("consent", page.blocks.raw_text(block)):
            kept_asking += words
        else:
            beside += words
        if beside > _MOST_BESIDE:
            return False
    if beside > kept_asking:
        return False
    found, asking, total = 0, 0, 0
    for block in (measures.anchor_words <= _LINKED * measures.words).nonzero()[0].tolist():
        count = count_of("consent", page.blocks.raw_text(block))
        found += count
        asking += int(measures.words[block]) if count else 0
        total += int(measures.words[block])
    return found >= _FEWEST_CONSENT and asking >= _CONSENT_SHARE * total


def _is_paywall_stub(page: PageEvidence) -> bool:
    """Return whether a short text ends in a note that the rest is for subscribers."""
    measures = page.blocks.measures
    words = int(measures.words[page.kept].sum())
    if words > _MOST_WORDS_OF_STUBS or not page.kept.any():
        return False
    if page.is_free is False and words <= _MOST_WORDS_OF_DECLARED_STUBS:
        return True
    first, last = int(page.kept.argmax()), page.kept.size - 1 - int(page.kept[::-1].argmax())
    near = np.arange(first, min(last + _NEAR, page.kept.size))
    notes = near[measures.words[near] <= _LONGEST_NOTE].tolist()
    return has_any("paywall", " . ".join(page.blocks.raw_text(block) for block in notes))


@dataclass(frozen=True, eq=False)
class KindWeights:
    """A linear classifier of pages.

    Attributes
    ----------
    mean, scale : float array, k
        Mean and deviation of each of `KIND_MEASURES`.
    weights : float array, k × 3
        A column for each kind of `LEARNT`.
    bias : float array, 3
        What is added.
    """

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: NDArray[np.float64]

    MOST: ClassVar[float] = 4.0

    def logits(self, measures: Any) -> NDArray[np.float64]:
        """Return the logits of pages, whose measures are the last axis."""
        deviations = np.clip((np.asarray(measures) - self.mean) / self.scale, -self.MOST, self.MOST)
        return np.asarray(deviations @ self.weights + self.bias)

    def probabilities(self, measures: Any) -> NDArray[np.float64]:
        """Return the probability of each kind of `LEARNT`."""
        logits = self.logits(measures)
        chance = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return np.asarray(chance / chance.sum(axis=-1, keepdims=True))

    def to_document(self) -> dict[str, Any]:
        """Return plain values that JSON can hold, by the names of measures and kinds."""
        rows = zip(self.mean.tolist(), self.scale.tolist(), self.weights.tolist(), strict=True)
        return {
            "bias": dict(zip(LEARNT, self.bias.round(4).tolist(), strict=True)),
            "measures": {
                name: {
                    "mean": round(mean, 4),
                    "scale": round(scale, 4),
                    **{kind: round(one, 4) for kind, one in zip(LEARNT, weights, strict=True)},
                }
                for name, (mean, scale, weights) in zip(KIND_MEASURES, rows, strict=True)
            },
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> KindWeights:
        """Make a classifier from what `to_document` returned."""
        rows = [document["measures"][name] for name in KIND_MEASURES]
        return cls(
            mean=np.array([row["mean"] for row in rows]),
            scale=np.array([row["scale"] for row in rows]),
            weights=np.array([[row[kind] for kind in LEARNT] for row in rows]),
            bias=np.array([document["bias"][kind] for kind in LEARNT]),
        )


@cache
def _weights() -> KindWeights:
    """Return the bundled classifier, a constant that is read at its first use."""
    text = files("blockfeat.extraction").joinpath("page_kind.json").read_text(encoding="utf-8")
    return KindWeights.from_document(json.loads(text))
