"""The text of a page with a mark at every tag that matters, and where the marks stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import SPACE, character_classes, code_points
from blockfeat.page.tags import MARKS, Tags

__all__ = ["BOUNDARY_MARK", "NO_MARK", "SPACE_MARK", "MarkedText"]

Indices = NDArray[np.int64]

BOUNDARY_MARK, SPACE_MARK, NO_MARK = MARKS
_TO_TEXT = bytes.maketrans(bytes([BOUNDARY_MARK, SPACE_MARK]), b"\n ")
_SPACE = 32
_SOFT_HYPHEN = b"\xc2\xad"
_CONTINUES, _TOP_BITS = 0x80, 0xC0
# What libxml2 writes in text; the one for U+FFFD stands for control characters that XML does not allow.
_ENTITIES = (
    (b"&lt;", b"<"),
    (b"&gt;", b">"),
    (b"&#13;", b" "),
    (b"&#xFFFD;", b" "),
    (b"&quot;", b'"'),
)
_AMPERSAND = b"&amp;"


@dataclass(frozen=True, slots=True)
class MarkedText:
    """The text outside of pruned elements, white space folded, and the place of every live tag in it.

    Attributes
    ----------
    text : str
        The text; a line break stands for each boundary tag, a space for each tag that is removed with space.
    codes, classes : uint32 and uint8 array
        Code points of the text and their class bits.
    places : int array, live tags + 1
        Position behind each live tag (behind its line break or space); last the end of the text.
    width : int array, live tags + 1
        Characters that stand for each live tag, 0 or 1.
    solid : int array
        Positions of the characters other than white space.
    solid_before : int array, live tags + 1
        Number of those before each live tag.
    """

    text: str
    codes: NDArray[np.uint32]
    classes: NDArray[np.uint8]
    places: Indices
    width: Indices
    solid: Indices
    solid_before: Indices

    @classmethod
    def of(
        cls, tags: Tags, live: NDArray[np.bool_], marks: NDArray[np.uint8], dropped: NDArray[np.bool_]
    ) -> MarkedText:
        """Take the text between the tags.

        Parameters
        ----------
        tags : Tags
            The page.
        live : bool array, t tags
            The tags that get a mark.
        marks : uint8 array, live tags
            Boundary, space or none.
        dropped : bool array, t tags
            Whether the text behind each tag is left out.
        """
        marked = _marked_bytes(tags, live, marks, dropped)
        if _SOFT_HYPHEN[1:] in marked:  # one byte is found far faster than two
            marked = marked.replace(_SOFT_HYPHEN, b"")  # cuts words in two
        if b"&" in marked:
            if marked.count(b"&") > marked.count(_AMPERSAND):
                for entity, character in _ENTITIES:
                    marked = marked.replace(entity, character)
            marked = marked.replace(_AMPERSAND, b"&")
        codes = np.frombuffer(marked, dtype=np.uint8)
        is_mark = (codes <= SPACE_MARK) | (codes == NO_MARK)
        behind = ((codes & _TOP_BITS != _CONTINUES) & (codes != NO_MARK)).cumsum(dtype=np.int32)
        places = behind[is_mark].astype(np.int64)
        text = marked.translate(_TO_TEXT, bytes([NO_MARK])).decode("utf-8", "replace")
        points = code_points(text)
        classes = character_classes().of(points)
        solid = (classes & SPACE == 0).nonzero()[0]
        return cls(
            text=text,
            codes=points,
            classes=classes,
            places=places,
            width=np.append((marks != NO_MARK).astype(np.int64), 1),
            solid=solid,
            solid_before=solid.searchsorted(places),
        )

    def stretches(self, splits: Indices) -> tuple[Indices, Indices, NDArray[np.bool_]]:
        """Return first and end position of the stretches between splits that hold text, and which do."""
        upto = self.solid_before[splits]
        first = np.concatenate(([0], upto[:-1]))
        has_text = upto > first
        return self.solid[first[has_text]], self.places[splits][has_text], has_text

    def repeated(self, breaks: Indices, most: int, is_split: NDArray[np.bool_]) -> Indices:
        """Return the line breaks that are the ``most``-th in a row, without text or a split between them."""
        if breaks.size < most:
            return breaks[:0]
        splits_before = is_split.cumsum()[breaks]
        solid_before = self.solid_before[breaks]
        same = (splits_before[1:] == splits_before[:-1]) & (solid_before[1:] == solid_before[:-1])
        starts_row = np.concatenate(([True], ~same))
        index = np.arange(breaks.size)
        in_row = index - np.maximum.accumulate(np.where(starts_row, index, 0)) + 1
        repeated: Indices = breaks[in_row == most]
        return repeated


def _marked_bytes(tags: Tags, live: NDArray[np.bool_], marks: NDArray[np.uint8], dropped: NDArray[np.bool_]) -> bytes:
    """Blank out tags and pruned text; a mark stands in the last byte of each live tag, and one at the end."""
    codes = np.frombuffer(tags.source + bytes([BOUNDARY_MARK]), dtype=np.uint8).copy()
    at_mark = tags.stop[live] - 1
    codes[at_mark] = marks
    kept = np.empty(2 * tags.start.size, dtype=np.bool_)
    kept[0::2] = False
    kept[1::2] = ~dropped
    lengths = np.empty(2 * tags.start.size, dtype=np.int64)
    lengths[0::2] = tags.stop - tags.start
    lengths[1:-1:2] = tags.start[1:] - tags.stop[:-1]
    lengths[-1] = codes.size - tags.stop[-1]
    mask = np.repeat(kept, lengths)
    is_white = codes <= _SPACE
    mask[1:] &= ~(is_white[1:] & is_white[:-1])
    mask[at_mark] = True
    mask[-1] = True
    return codes[mask].tobytes()
