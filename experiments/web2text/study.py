"""What the sections of the page share: corpora, seeds, what cuts pages into leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from blockfeat import Extractor
from blockfeat.data import LabelledPage
from blockfeat.features.measuring import FeatureExtractor
from blockfeat.lang.identify import Identifier
from blockfeat.papers.web2text.leaves import leaf_measurer
from blockfeat.training.evaluation.peers import PeerExtract
from experiments.corpora import Corpora

__all__ = ["Study", "extracted", "of_extractor"]


@dataclass(frozen=True)
class Study:
    """The experiments of one run.

    Attributes
    ----------
    corpora : Corpora
        Where the pages are.
    seeds : tuple of int
        Seeds of the trainings of Table 1.
    unfluff : Path, optional
        Folder in which ``npm install unfluff`` was run.
    """

    corpora: Corpora
    seeds: tuple[int, ...]
    unfluff: Path | None = None

    @cached_property
    def measurer(self) -> FeatureExtractor:
        """What cuts pages into text leaves and measures them."""
        return leaf_measurer(Identifier.build())


def of_extractor(extractor: Extractor) -> PeerExtract:
    """Return an extractor as a function like those of the peers."""
    return lambda html, lang=None, url=None: extractor.extract(html, url=url).text


def extracted(extract: Callable[[LabelledPage], str], page: LabelledPage) -> str:
    """Return the text of a page; none where the extractor raises."""
    try:
        return extract(page)
    except Exception:  # what an extractor raises counts as no text
        return ""
