"""Where two extractions of one page differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.extraction.explain import Evidence
from blockfeat.extraction.extraction import Extraction

_HALF = 0.5
_Decided = tuple[Blocks, NDArray[np.bool_]]


def differing_blocks(first: Extraction, second: Extraction) -> dict[str, Any]:
    """Return the blocks about which two extractions of one page decide differently.

    Models may cut a page in different ways: blocks are compared by the markup that they cover. A block differs where
    at least half of its text, in bytes, is decided otherwise by the other extraction.

    Returns
    -------
    dict
        ``first`` and ``second``, each with ``model``, ``blocks``, ``kept``, ``words_kept`` and ``differing`` (indices);
        ``agreement``, the word F1 of the two texts, from 0 to 1, as bags of words; None where both are empty.
    """
    own, other = _decided(first), _decided(second)
    return {
        "first": _side(first.model, own, other),
        "second": _side(second.model, other, own),
        "agreement": _agreement(first.text, second.text),
    }


def _side(model: str, own: _Decided, other: _Decided) -> dict[str, Any]:
    blocks, kept = own
    return {
        "model": model,
        "blocks": len(blocks),
        "kept": int(kept.sum()),
        "words_kept": int(blocks.measures.words[kept].sum()),
        "differing": _differing(blocks, kept, *other),
    }


def _decided(extraction: Extraction) -> _Decided:
    evidence = extraction.evidence
    if not isinstance(evidence, Evidence):
        raise TypeError("the extraction was made in another process: its page is not here")
    return evidence.measured.blocks, evidence.prediction.kept


def _differing(blocks: Blocks, kept: Any, others: Blocks, others_kept: Any) -> list[int]:
    """Return the blocks of which at least half is decided otherwise; two steps for each block, whatever their sizes."""
    if not len(blocks):
        return []
    same = blocks.tags.source == others.tags.source
    # Kept bytes of the other up to any place: a line through the ends of its blocks.
    first, end = _spans(others, same)
    places = np.column_stack([first, end]).ravel()
    covered = np.column_stack([np.zeros(first.size), end - first]).ravel().cumsum()
    gained = np.column_stack([np.zeros(first.size), (end - first) * others_kept]).ravel().cumsum()
    if not places.size:
        return np.flatnonzero(kept).tolist()
    own = _spans(blocks, same)
    all_of_other = _between(own, places, covered)
    kept_of_other = _between(own, places, gained)
    share = np.divide(kept_of_other, all_of_other, out=np.zeros(len(blocks)), where=all_of_other > 0)
    differs = np.where(kept, share <= _HALF, share > _HALF)
    found: list[int] = np.flatnonzero(differs).tolist()
    return found


def _spans(blocks: Blocks, same: bool) -> tuple[Any, Any]:
    """Return where blocks begin and end: in the mended markup, or in the page as it was read where that differs."""
    first, end = blocks.first_byte.astype(np.float64), blocks.end_byte.astype(np.float64)
    if same:
        return first, end
    tags = blocks.tags
    origin = np.maximum.accumulate(tags.origin)
    return np.interp(first, tags.start, origin), np.interp(end, tags.start, origin)


def _between(spans: tuple[Any, Any], places: Any, sums: Any) -> Any:
    """Return by how much a sum grows inside each span."""
    return np.interp(spans[1], places, sums) - np.interp(spans[0], places, sums)


def _agreement(first: str, second: str) -> float | None:
    """Return the F1 of two texts as bags of words."""
    bags: Sequence[Counter[str]] = [Counter(text.split()) for text in (first, second)]
    total = sum(bag.total() for bag in bags)
    return 2 * (bags[0] & bags[1]).total() / total if total else None
