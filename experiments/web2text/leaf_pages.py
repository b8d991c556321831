"""Extractors scored by the text leaves that they keep (Vogels et al. 2018, Table 1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.data.align import align
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import CorpusError
from blockfeat.features.measuring import FeatureExtractor
from blockfeat.page.page import Page
from blockfeat.papers.web2text.features import LeafFeatures, page_features
from blockfeat.papers.web2text.model import LeafLabeller
from blockfeat.papers.web2text.networks import LabelledLeaves
from blockfeat.training.evaluation.peers import PeerExtract
from experiments.web2text.bte import body_leaves
from experiments.web2text.leaf_labels import aligned_share, labels_from_shares

__all__ = [
    "BTE",
    "Aligner",
    "BlockScores",
    "LeafPage",
    "PageSplit",
    "block_scores",
    "label_pages",
    "mixed_split",
    "original_split",
    "pooled_scores",
]

BTE = "BTE"
"""Name of Body Text Extraction, whose labels need no alignment."""

_BODY = re.compile(r"<body[\s>]", re.IGNORECASE)
Flags = NDArray[np.bool_]
Aligner = Literal["words", "characters"]
_ORIGINAL_VALIDATION = 5
_MIXED_TEST, _MIXED_VALIDATION = 148, 58


@dataclass(frozen=True, slots=True)
class BlockScores:
    """Shares of blocks over all pages together, every block with the same weight.

    Attributes
    ----------
    accuracy, precision, recall, f1 : float
        0 to 1; content is the positive class.
    blocks : int
        Blocks scored.
    """

    accuracy: float
    precision: float
    recall: float
    f1: float
    blocks: int


def block_scores(gold: Flags, kept: Flags) -> BlockScores:
    """Score labels of blocks; without a positive block on one side, precision or recall is 0."""
    both, found, wanted = int((gold & kept).sum()), int(kept.sum()), int(gold.sum())
    accuracy = float((gold == kept).mean()) if gold.size else 1.0
    harmonic = 2 * both / (found + wanted) if found + wanted else 0.0
    return BlockScores(accuracy, both / max(found, 1), both / max(wanted, 1), harmonic, int(gold.size))


@dataclass(frozen=True, slots=True)
class LeafPage:
    """A labelled page as text leaves.

    Attributes
    ----------
    corpus, id : str
        The page.
    features : LeafFeatures
        Of its n leaves.
    gold : bool array, n
        Whether each leaf is content.
    kept : dict of bool array, n
        What extractors keep, by name.
    """

    corpus: str
    id: str
    features: LeafFeatures
    gold: Flags
    kept: dict[str, Flags]

    def to_training(self) -> LabelledLeaves:
        """Return the page as `train_web2text` takes it; every leaf weighs the same."""
        return LabelledLeaves(self.features, self.gold, np.ones(self.gold.size))


def label_pages(
    pages: Iterable[LabelledPage],
    measurer: FeatureExtractor,
    extractors: Mapping[str, PeerExtract] | None = None,
    *,
    aligner: Aligner = "words",
) -> Iterator[LeafPage]:
    """Cut pages into leaves, label them by the gold, and by the text of each extractor in the same way.

    Parameters
    ----------
    pages : iterable of LabelledPage
        With gold text; pages without a leaf are left out.
    measurer : FeatureExtractor
        What cuts and measures.
    extractors : mapping, optional
        Functions that extract text, by name; one that raises keeps nothing. `BTE` is always there.
    aligner : str
        ``"words"`` for `blockfeat.data.align`, ``"characters"`` for the paper's own (4.1.1).
    """
    for page in pages:
        measured = measurer.measure(Page.parse(page.html, url=page.url))
        leaves = measured.blocks
        if not len(leaves) or page.text is None:
            continue
        kept = {BTE: body_leaves(leaves)}
        for name, extract in (extractors or {}).items():
            kept[name] = _labels(leaves, _extracted(extract, page), aligner)
        yield LeafPage(page.corpus, page.id, page_features(measured), _labels(leaves, page.text, aligner), kept)


def _labels(leaves: Blocks, text: str, aligner: Aligner) -> Flags:
    shares = align(leaves, text).share if aligner == "words" else aligned_share(leaves, text)
    return labels_from_shares(shares, leaves.measures.words)


def _extracted(extract: PeerExtract, page: LabelledPage) -> str:
    """Extract a page; one without a body element, as a fifth of CleanEval's, gets one: boilerpipe needs it."""
    html = page.html if _BODY.search(page.html) else f"<html><body>{page.html}</body></html>"
    try:
        return extract(html, page.lang, page.url)
    except Exception:  # what an extractor raises counts as no text
        return ""


@dataclass(frozen=True, slots=True)
class PageSplit:
    """Pages to train on, for validation and for the test."""

    name: str
    training: tuple[LeafPage, ...]
    validation: tuple[LeafPage, ...]
    test: tuple[LeafPage, ...]

    def ids(self) -> dict[str, Any]:
        """Return the ids of the smaller parts, which say what the split is."""
        return {part: sorted(page.id for page in getattr(self, part)) for part in ("training", "validation", "test")}


def original_split(development: Sequence[LeafPage], test: Sequence[LeafPage]) -> PageSplit:
    """Return the paper's first split: CleanEval's own test part, five pages of the other for validation.

    The paper has 55, 5 and 676 pages.

    Raises
    ------
    CorpusError
        There are too few pages.
    """
    shuffled = _shuffled(development)
    if len(shuffled) <= _ORIGINAL_VALIDATION or not test:
        raise CorpusError("the original split needs more than five development pages, and test pages")
    cut = _ORIGINAL_VALIDATION
    return PageSplit("original", tuple(shuffled[cut:]), tuple(shuffled[:cut]), tuple(test))


def mixed_split(pages: Sequence[LeafPage]) -> PageSplit:
    """Return a split of the paper's second kind: both parts together, 148 test and 58 validation pages.

    The paper trains on 531 pages; here those are all that are left. It does not say which pages are which: the order
    of a hash of corpus and id decides.

    Raises
    ------
    CorpusError
        There are too few pages.
    """
    shuffled = _shuffled(pages)
    rest = _MIXED_TEST + _MIXED_VALIDATION
    if len(shuffled) <= rest:
        raise CorpusError(f"the mixed split needs more than {rest} pages, not {len(shuffled)}")
    return PageSplit("mixed", tuple(shuffled[rest:]), tuple(shuffled[_MIXED_TEST:rest]), tuple(shuffled[:_MIXED_TEST]))


def _shuffled(pages: Sequence[LeafPage]) -> list[LeafPage]:
    return sorted(pages, key=lambda page: blake2b(f"{page.corpus}\n{page.id}".encode(), digest_size=16).digest())


def pooled_scores(pages: Sequence[LeafPage], system: str | LeafLabeller) -> BlockScores:
    """Score an extractor by name, or a labeller, on all leaves of some pages."""

    def kept(page: LeafPage) -> Flags:
        return page.kept[system] if isinstance(system, str) else system.predict(page.features).kept

    return block_scores(np.concatenate([page.gold for page in pages]), np.concatenate([kept(page) for page in pages]))
