"""Which aligner labels better: words (`blockfeat.data.align`), or the paper's own over characters (4.1.1)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import load_table
from blockfeat.data import LabelledPage
from blockfeat.data.align import align
from blockfeat.page.page import Page
from blockfeat.papers.web2text.leaves import leaf_table
from blockfeat.training.evaluation.metrics import markdown_table, word_scores
from experiments.web2text.leaf_labels import CONTENT_SHARE, aligned_share
from experiments.web2text.study import Study

__all__ = ["aligner_section"]

_CORPORA = ("cleaneval-dev", "daniel", "dragnet", "fundus", "l3s-gn1", "wcxb-dev")
_PAGES = 60
Aligner = Callable[[Blocks, str], NDArray[np.float64]]
ALIGNERS: dict[str, Aligner] = {"words": lambda blocks, gold: align(blocks, gold).share, "characters": aligned_share}


def aligner_section(study: Study) -> str:
    """Return F1 of the text that each aligner labels as content, by corpus, and the time of an alignment."""
    cutters = {"leaves": Blockifier.of(leaf_table()), "html5": Blockifier.of(load_table("html5"))}
    rows = []
    for name in _CORPORA:
        pages = study.corpora.pages(name)
        chosen = pages[:: max(1, len(pages) // _PAGES)][:_PAGES]
        scores = np.mean([_scores(page, list(cutters.values())) for page in chosen], axis=0)
        rows.append(
            [name, *(f"{value:.4f}" for value in scores[:-2]), *(f"{1000 * value:.1f}" for value in scores[-2:])]
        )
    columns = ("corpus", *(f"{table}: {aligner}" for table in cutters for aligner in ALIGNERS))
    return markdown_table((*columns, *(f"ms: {aligner}" for aligner in ALIGNERS)), rows)


def _scores(page: LabelledPage, cutters: Sequence[Blockifier]) -> list[float]:
    """Return F1 by table and aligner, then the seconds of each aligner on the first table."""
    parsed, gold = Page.parse(page.html), page.text or ""
    scores, seconds = [], []
    for cutter in cutters:
        blocks = cutter.cut(parsed)
        for shares_of in ALIGNERS.values():
            start = time.process_time()
            content = shares_of(blocks, gold) >= CONTENT_SHARE - 1e-9
            seconds.append(time.process_time() - start)
            scores.append(word_scores("\n".join(blocks.texts(np.flatnonzero(content).tolist())), gold).f1)
    return [*scores, *seconds[: len(ALIGNERS)]]
