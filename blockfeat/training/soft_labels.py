"""Soft labels: the labels of a page's blocks, mixed with what models that saw neither page nor site make of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from blockfeat.data.split import folds_by_host
from blockfeat.training.pages import TrainingPage

Judge: TypeAlias = Callable[[TrainingPage], NDArray[np.floating[Any]]]
"""Returns the probability of content of each block of a page."""


def soften_labels(
    pages: Sequence[TrainingPage],
    teach: Callable[[Sequence[TrainingPage], str], Judge],
    *,
    share: float,
    seed: int,
) -> list[TrainingPage]:
    """Return the pages with soft labels: (1 - share) · label + share · mean probability.

    Gold texts differ in what they count as content, and some are wrong. A label that models of other sites contradict
    is one of these more often than a block that is hard to tell, so that a network trained on soft labels errs less
    on pages of other corpora (docs/accuracy.md). The sites are dealt into two halves; models are trained on each and
    judge the pages of the other. Hinton, Vinyals & Dean 2015, section 2, with teachers that never judge what they
    learnt.

    Parameters
    ----------
    pages : sequence of TrainingPage
        Pages with their sources, of at least two hosts.
    teach : callable
        Trains models on pages, and returns what they make of another; the second argument names them for the progress.
    share : float
        Share of the teachers in a label, from 0 to 1.
    seed : int
        Seed of the halves.

    Raises
    ------
    CorpusError
        The pages are of fewer than two hosts.
    """
    sources = list({id(page.source): page.source for page in pages if page.source is not None}.values())
    softened = list(pages)
    for number, (learnt, _) in enumerate(folds_by_host(sources, 2, seed), start=1):
        seen = {id(source) for source in learnt}
        judge = teach([page for page in pages if id(page.source) in seen], f"teachers {number} of 2")
        for place, page in enumerate(pages):
            if page.source is not None and id(page.source) not in seen:
                label = (1 - share) * page.label + share * judge(page)
                softened[place] = replace(page, label=label.astype(np.float32))
    return softened
