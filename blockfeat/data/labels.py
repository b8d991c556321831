"""Labels of blocks: roles given by a labeller, and training labels from the gold alignment, roles or snippets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import json_type
from blockfeat.errors import CorpusError

if TYPE_CHECKING:
    from blockfeat.blocks.table import Blocks

ROLES = ("content", "headline", "byline", "caption", "clutter")
"""The roles that a labeller can give to a block."""


@dataclass(frozen=True, slots=True)
class BlockRoles:
    """The role of each block of a page.

    Attributes
    ----------
    table : str
        Name of the tag table by which the page was segmented.
    cut : str
        Digest of the blocks' texts (`cut_digest`): the roles are valid for this segmentation only.
    blocks : tuple of str or None, n
        One of `ROLES` for each block in document order; None where the labeller gave none.
    """

    table: str
    cut: str
    blocks: tuple[str | None, ...]

    def fits(self, blocks: Blocks) -> bool:
        """Return whether the roles are of this segmentation of the page."""
        return self.table == blocks.table and len(self.blocks) == len(blocks) and self.cut == cut_digest(blocks)

    def to_value(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {"table": self.table, "cut": self.cut, "blocks": list(self.blocks)}

    @classmethod
    def from_value(cls, value: object) -> BlockRoles:
        """Read what `to_value` returned.

        Raises
        ------
        CorpusError
            Something is missing or wrong; the message gives the reason, not the place.
        """
        if not isinstance(value, Mapping):
            raise CorpusError(f"field 'roles' is {json_type(value)}, not an object")
        table, cut, blocks = (value.get(name) for name in ("table", "cut", "blocks"))
        if not isinstance(table, str) or not isinstance(cut, str) or not isinstance(blocks, list):
            raise CorpusError("field 'roles' needs the strings 'table' and 'cut' and the array 'blocks'")
        for role in blocks:
            if role is not None and role not in ROLES:
                raise CorpusError(f"field 'roles': {role!r} is none of {', '.join(ROLES)} or null")
        return cls(table, cut, tuple(blocks))


def cut_digest(blocks: Blocks) -> str:
    """Return a digest of the texts of a page's blocks, which identifies its segmentation: 16 hexadecimal digits."""
    joined = "\n".join(blocks.texts()).encode("utf-8", "surrogatepass")
    return blake2b(joined, digest_size=8).hexdigest()


Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
_CONTENT = 2 / 3
_REST = 0.3
_AMBIGUOUS = 0.3
_LONG = 20
_LONGEST_HEADLINE = 40
_LONGEST_BYLINE = 15
_LONGEST_CAPTION = 60
_BYLINE = 0.5


@dataclass(frozen=True)
class Marks:
    """Blocks that corpora label by different conventions: bool arrays over the n blocks of a page.

    Attributes
    ----------
    headline : bool array
        In an ``h1``, or made of the words of the page's title.
    byline : bool array
        Marked up as author or date, without a sentence.
    caption : bool array
        Inside a figure or caption.
    echo : bool array
        At least half of the words are in runs of words that the gold text has too, matched or not.
    """

    headline: Flags
    byline: Flags
    caption: Flags
    echo: Flags


@dataclass(frozen=True)
class BlockLabels:
    """Labels (1 content, 0 the rest) and weights (0 to 1) of the n blocks of a page: float arrays, n."""

    labels: Floats
    weights: Floats


def label_blocks(share: Floats, words: NDArray[np.integer[Any]], marks: Marks) -> BlockLabels:
    """Label the blocks of a page by their share of matched words.

    Blocks with at least half of their words in the gold text are content; between 0.3 and 2/3 the weight is low.
    Headlines and bylines are never content. Weight 0 is given to captions in the gold text, to short blocks in it
    before its first long block, and to further copies of a text that the gold text has once.

    Parameters
    ----------
    share : float array, n
        Share of the words of each block that are matched with the gold text.
    words : int array, n
        Number of words of each block.
    marks : Marks
        Headlines, bylines, captions and repeated texts among the blocks.
    """
    content = share >= 0.5
    weights = np.where((share > _REST) & (share < _CONTENT), _AMBIGUOUS, 1.0)
    long = np.flatnonzero((share >= _CONTENT) & (words >= _LONG))
    first = int(long[0]) if long.size else words.size
    places = np.arange(words.size)
    weights[content & (places < first) & (words < _LONG)] = 0.0
    weights[content & marks.caption & (words < _LONGEST_CAPTION)] = 0.0
    weights[~content & marks.echo] = 0.0
    headline = marks.headline & (words <= _LONGEST_HEADLINE) & (places <= first + 1)
    byline = content & marks.byline & (words <= _LONGEST_BYLINE)
    weights[headline] = 1.0
    weights[byline] = _BYLINE
    return BlockLabels((content & ~headline & ~byline).astype(np.float64), weights)


def role_labels(roles: Sequence[str | None]) -> BlockLabels:
    """Label the blocks of a page whose labeller gave them roles; those without a role have weight 0.

    Only ``"content"`` is content. Bylines have half the weight, as in `label_blocks`.
    """
    labels = np.array([role == "content" for role in roles], dtype=np.float64)
    weights = np.array([0.0 if role is None else _BYLINE if role == "byline" else 1.0 for role in roles])
    return BlockLabels(labels, weights)


def snippet_labels(texts: Sequence[str], present: tuple[str, ...], absent: tuple[str, ...]) -> BlockLabels:
    """Label the blocks of a page whose gold is snippets; those without a snippet have weight 0.

    A snippet that must occur gives label 1 to a block that alone has it; one that must not, label 0 to all with it.
    """
    folded = [" ".join(text.split()) for text in texts]
    wanted, unwanted = ([" ".join(snippet.split()) for snippet in snippets] for snippets in (present, absent))
    labels = np.zeros(len(texts))
    weights = np.array([float(any(snippet and snippet in text for snippet in unwanted)) for text in folded])
    for snippet in filter(None, wanted):
        holders = [place for place, text in enumerate(folded) if snippet in text]
        if len(holders) == 1 and not weights[holders[0]]:
            labels[holders[0]] = weights[holders[0]] = 1.0
    return BlockLabels(labels, weights)
