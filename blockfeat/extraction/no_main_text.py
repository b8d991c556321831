"""Pages without a main text: the list that stands in its place, and else why there is none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities
from blockfeat.content.tables import data_tables
from blockfeat.extraction.choice import Choice
from blockfeat.extraction.refusals import NOTICES, PageEvidence
from blockfeat.extraction.structure import beside_text

Mask = NDArray[np.bool_]

_LISTED = "next to no main text was found on the page: the list that it holds is its text"
_LEFT_OUT = "no main text was found on the page, only a list, which is left out where precision is favoured"
_ITEM = "kept: it is part of the list that stands in the place of a main text"

# Next to no text, of which little is to be expected: a heading and a line above a list.
_MOST_WORDS, _MOST_CONFIDENCE = 80, 0.75
# Items are about as likely content as the likeliest: their odds are within a factor of 20.
_AS_LIKELY = 3.0
_FEWEST_ITEMS, _FEWEST_WORDS, _TIMES = 5, 20, 2
_SCRIPT = re.compile(rb"<script\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Instead:
    """What is made of a page with next to no main text: the choice of its blocks, a warning, whether it is a list."""

    choice: Choice
    warning: str | None = None
    is_list: bool = False


def instead_of_text(
    page: PageEvidence, choice: Choice, predicted: Mask, *, model_kind: str, has_rules: bool, favour: str | None
) -> Instead:
    """Return what stands in the place of a main text where a page has next to none; the choice as it is elsewhere.

    Parameters
    ----------
    page : PageEvidence
        The page, with the blocks that are kept, if any.
    choice : Choice
        What is kept, and why.
    predicted : bool array, n
        The blocks that the model keeps.
    model_kind : str
        Kind of the model; see `blockfeat.extraction.confidence.confidence_measures`.
    has_rules : bool
        Whether lists are looked for.
    favour : str or None
        Lists are left out where precision is favoured.
    """
    if page.notice is not None:
        return Instead(choice, NOTICES[page.notice])
    listed = list_instead(page, choice.overruled, model_kind=model_kind) if has_rules else None
    if listed is not None and favour != "precision":
        items = dict.fromkeys((listed & ~page.kept).nonzero()[0].tolist(), _ITEM)
        tables = data_tables(page.blocks, listed)
        return Instead(replace(choice, kept=listed, tables=tables, overruled=choice.overruled | items), _LISTED, True)
    if page.kept.any():
        return Instead(choice)
    return Instead(choice, _LEFT_OUT if listed is not None else reason_of_nothing(page, predicted, choice.overruled))


def list_instead(page: PageEvidence, overruled: Mapping[int, str], *, model_kind: str) -> Mask | None:
    """Return the blocks of the list that is the text of a page with next to no other, with what is kept; None for none.

    Contents, indexes, results, products. Items are dropped blocks that are about as likely content as the likeliest of
    them, outside of menus, forms, footers and the like; together they are much longer than what is kept. Articles,
    stubs of articles, walls and other pages in the place of what was asked for have no such list: theirs would be
    teasers.

    Parameters
    ----------
    page : PageEvidence
        The page, with the blocks that are kept, if any.
    overruled : mapping
        Blocks that rules, options or the site's other pages decided about: what they dropped is no item.
    model_kind : str
        Kind of the model; see `blockfeat.extraction.confidence.confidence_measures`.
    """
    log_odds, words, kept = page.prediction.log_odds, page.blocks.measures.words, page.kept
    kept_words = int(words[kept].sum())
    if log_odds is None or kept_words > _MOST_WORDS or not len(page.blocks):
        return None
    candidates = ~(kept | beside_text(page.blocks))
    candidates[list(overruled)] = False
    is_item: Mask = candidates & (log_odds >= log_odds.max(where=candidates, initial=-np.inf) - _AS_LIKELY)
    if is_item.sum() < _FEWEST_ITEMS or words[is_item].sum() < max(_FEWEST_WORDS, _TIMES * kept_words):
        return None
    return is_item | kept if _may_be_list(page, model_kind) else None


def _may_be_list(page: PageEvidence, model_kind: str) -> bool:
    """Return whether a page may be a list: it is no article, and what is kept is hardly all of its text."""
    # Imported here: only pages with next to no text are asked.
    from blockfeat.extraction.confidence import confidence_measures, expected_f1
    from blockfeat.extraction.page_kind import page_kind

    kind, chances = page_kind(page)
    if kind not in ("other", "front page"):
        return False
    words, scores = page.blocks.measures.words, page.prediction.scores
    expected = expected_f1(model_kind, confidence_measures(model_kind, scores, page.kept, words, chances))
    return expected is None or expected <= _MOST_CONFIDENCE


def reason_of_nothing(page: PageEvidence, predicted: Mask, overruled: Mapping[int, str]) -> str:
    """Return why a page has no main text.

    Parameters
    ----------
    page : PageEvidence
        The page, none of whose n blocks is kept.
    predicted : bool array, n
        The blocks that the model keeps.
    overruled : mapping
        Why blocks are dropped against the model's label.
    """
    blocks = page.blocks
    if not len(blocks):
        has_scripts = _SCRIPT.search(page.parsed.data) is not None
        return "the page has no text" + (": it may be written by the page's scripts" if has_scripts else "")
    reasons = Counter(overruled[block] for block in predicted.nonzero()[0].tolist() if block in overruled)
    if reasons:
        return f"no main text was found on the page: what the model keeps is {reasons.most_common(1)[0][0]}"
    log_odds = page.prediction.log_odds
    likeliest = "" if log_odds is None else f", the likeliest with a probability of {_highest(log_odds):.2f}"
    return f"no main text was found on the page: the model keeps none of its blocks{likeliest}"


def _highest(log_odds: NDArray[np.floating[Any]]) -> float:
    return float(probabilities(log_odds, limit=30.0).max())
