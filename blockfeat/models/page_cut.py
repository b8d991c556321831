"""The probability from which a block is content on one page: lower where the model is in doubt about the page."""

from __future__ import annotations

from math import exp, log

from blockfeat.models.expectation import Expectation

_LEAST_CUT = 0.02
_FAVOUR = 1.5


def page_cut(cut: float, expected: Expectation, *, sure: float) -> float:
    """Return the cut of a page: lower where the model is in doubt about it, as on pages that are no articles.

    The expected F1 is highest where blocks are kept down to half of it (Lipton, Elkan & Narayanaswamy 2014). Where that
    of the blocks above one half is below ``sure``, the cut is so much lower.

    Parameters
    ----------
    cut : float
        The probability from which a block is content on other pages.
    expected : Expectation
        What is expected of the page.
    sure : float
        The expected F1 from which a page is not in doubt; 0 for the same cut everywhere.
    """
    return cut if expected.f1 >= sure else max(expected.f1 * cut, _LEAST_CUT)


def favoured_cut(cut: float, side: str) -> float:
    """Return the cut that favours ``"precision"`` or ``"recall"``: moved by a logit of 1.5."""
    return moved_cut(cut, _FAVOUR if side == "precision" else -_FAVOUR)


def moved_cut(cut: float, shift: float) -> float:
    """Return a cut that is higher by a logit, or lower where that is negative."""
    return 1 / (1 + exp(-logit(cut) - shift))


def logit(chance: float) -> float:
    """Return the log odds of a probability."""
    return log(chance / (1 - chance))
