"""The tokens of a page as arrays (Pasternack & Roth 2009, 5.2), and the blocks that extracted tokens cover."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import Floats, places_among, sums_before
from blockfeat.blocks.table import Blocks, Mask
from blockfeat.lang.characters import ALPHANUMERIC, CONTROL, MARK, SPACE, character_classes
from blockfeat.lang.counting import word_spans
from blockfeat.lang.measures import code_points, lower
from blockfeat.lang.word_keys import keys_of_spans
from blockfeat.page.tags import MARKS, Indices, Keys, Tags, name_keys

START_TAG, END_TAG, WORD, NUMBER, SYMBOL = range(5)
"""Kinds of tokens; an empty element such as ``<br/>`` is a start tag."""

_MARK = MARKS[0]
_AMPERSAND, _SEMICOLON = b"&;"
_WHITE = b" "[0]
_ENTITIES = np.zeros(256, dtype=np.uint8)
_ENTITIES[list(b"algq#")] = list(b'&<>" ')
_START_FACTOR, _END_FACTOR = np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x9E3779B185EBCA87)
_NUMBER_KEY = np.uint64(0x5851F42D4C957F2D)
# Where the ten decimal digits of a script begin: ASCII first, then Arabic, Indic, Thai, Lao, Tibetan, full width.
_ZEROS = (
    *(0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66),
    *(0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xF20, 0xFF10),
)


_LEAST_SHARE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class PageTokens:
    """The tokens of a page in document order.

    Attributes
    ----------
    kind : uint8 array, n
        `START_TAG`, `END_TAG`, `WORD`, `NUMBER` or `SYMBOL`.
    key : uint64 array, n
        Hash that is the same for equal tokens: start or end tags of one name, symbols, lower-cased words (as by
        `blockfeat.lang.measures.keys_of_words`); all numbers have the same key.
    first_byte, end_byte : int array, n
        Byte offsets of each token in the source of the page's tags.
    unclosed : uint64 array, n
        Key of the most recent unclosed start tag before each token; 0 for none.
    element : int array, n
        For tags the element as `blockfeat.page.tags.Tags` numbers them, -1 for text.
    text : str
        Lower-cased text that words and symbols are taken from.
    first_character, end_character : int array, n
        Offsets of each word or symbol in ``text``.
    """

    kind: NDArray[np.uint8]
    key: Keys
    first_byte: Indices
    end_byte: Indices
    unclosed: Keys
    element: Indices
    text: str = field(repr=False)
    first_character: Indices = field(repr=False)
    end_character: Indices = field(repr=False)

    @classmethod
    def of(cls, tags: Tags | None) -> PageTokens:
        """Return the tokens of a page; linear in its size."""
        if tags is None or not len(tags):
            nothing = np.zeros(0, dtype=np.int64)
            keys = np.zeros(0, dtype=np.uint64)
            return cls(nothing.astype(np.uint8), keys, nothing, nothing, keys, nothing, "", nothing, nothing)
        text, begins, ends = _text_between_tags(tags)
        lowered = lower(text)
        codes = code_points(lowered)
        classes = character_classes().take(codes)
        is_mark = codes == _MARK
        word_start, word_end = word_spans(classes)
        is_symbol = (classes & (ALPHANUMERIC | MARK | SPACE | CONTROL) == 0) & ~is_mark
        kind_at = np.full(codes.size, 255, dtype=np.uint8)
        kind_at[word_start] = np.where(_are_numbers(codes, word_start, word_end), NUMBER, WORD)
        kind_at[is_symbol] = SYMBOL
        kind_at[is_mark] = START_TAG
        first = np.flatnonzero(kind_at != 255)
        kind = kind_at[first]
        is_tag, is_word = kind == START_TAG, (kind == WORD) | (kind == NUMBER)
        end = first + 1
        end[is_word] = word_end
        key = keys_of_spans(codes, first, end)
        key[kind == NUMBER] = _NUMBER_KEY
        first_byte, end_byte = begins[first], ends[end - 1]
        first_byte[is_tag], end_byte[is_tag] = tags.start, tags.stop
        element, opens, unclosed = _elements(tags)
        kind[is_tag] = np.where(opens, START_TAG, END_TAG)
        key[is_tag] = tag_tokens(tags.key[element], opens)
        elements = np.full(first.size, -1, dtype=np.int64)
        elements[is_tag] = element
        # The unclosed tag before the first tag, then after each tag: a token has that after the tags before it.
        before = np.concatenate((np.zeros(1, dtype=np.uint64), unclosed))
        state = before[np.cumsum(is_tag) - is_tag]
        return cls(kind, key, first_byte, end_byte, state, elements, lowered, first, end)

    def __len__(self) -> int:
        """Return the number of tokens."""
        return int(self.kind.size)

    @property
    def is_tag(self) -> Mask:
        """True for tags."""
        return np.asarray(self.kind <= END_TAG)

    @property
    def is_word(self) -> Mask:
        """True for words and numbers."""
        return np.asarray((self.kind == WORD) | (self.kind == NUMBER))

    def texts(self, chosen: Indices) -> list[str]:
        """Return the lower-cased text of some words or symbols."""
        spans = zip(self.first_character[chosen].tolist(), self.end_character[chosen].tolist(), strict=True)
        return [self.text[first:end] for first, end in spans]

    def element_starts(self, names: tuple[str, ...]) -> Indices:
        """Return the indices of the tokens that are start tags with one of the names."""
        keys = np.sort(tag_tokens(name_keys(names), np.ones(len(names), dtype=bool)))
        return np.flatnonzero((places_among(self.key, keys) >= 0) & (self.kind == START_TAG))


def inside(run: tuple[int, int], count: int) -> Mask:
    """Return which of ``count`` tokens are in a run, from its first to its end (exclusive)."""
    place = np.arange(count)
    return (place >= run[0]) & (place < run[1])


def tag_tokens(keys: Keys, opens: Mask) -> Keys:
    """Return the token keys of start tags, where ``opens``, or end tags of elements with these name keys."""
    return np.asarray(keys * np.where(opens, _START_FACTOR, _END_FACTOR) + opens.astype(np.uint64))


def _text_between_tags(tags: Tags) -> tuple[str, Indices, Indices]:
    """Return the text with one mark character for each tag, and first and end byte of each character in the source."""
    source = np.frombuffer(tags.source, dtype=np.uint8)
    lengths = np.empty(2 * tags.start.size + 1, dtype=np.int64)
    lengths[0] = tags.start[0]
    lengths[1::2] = tags.stop - tags.start
    lengths[2:-1:2] = tags.start[1:] - tags.stop[:-1]
    lengths[-1] = source.size - tags.stop[-1]
    is_text = np.ones(lengths.size, dtype=bool)
    is_text[1::2] = False
    mask = np.repeat(is_text, lengths)
    is_white = source <= _WHITE
    mask[1:] &= ~(is_white[1:] & is_white[:-1])
    at_mark = tags.stop - 1
    mask[at_mark] = True
    place = np.flatnonzero(mask)
    codes = source[place]
    codes[np.searchsorted(place, at_mark)] = _MARK
    codes, begins, ends = _unescaped(codes, place)
    text = codes.tobytes().decode("utf-8", "replace")
    if len(text) != codes.size:
        first = np.flatnonzero(codes & 0xC0 != 0x80)
        begins, ends = begins[first], ends[np.append(first[1:], codes.size) - 1]
    return text, begins, ends


def _unescaped(codes: NDArray[np.uint8], place: Indices) -> tuple[NDArray[np.uint8], Indices, Indices]:
    """Replace each entity by the character that it stands for.

    Returns the bytes, and where each begins and ends in the source.
    """
    ampersands = np.flatnonzero(codes == _AMPERSAND)
    if not ampersands.size:
        return codes, place, place + 1
    semicolons = np.flatnonzero(codes == _SEMICOLON)
    last = np.append(semicolons, codes.size - 1)[np.searchsorted(semicolons, ampersands)]
    inside = np.zeros(codes.size + 1, dtype=np.int8)
    inside[ampersands + 1] += 1
    inside[last + 1] -= 1
    codes[ampersands] = _ENTITIES[codes[np.minimum(ampersands + 1, codes.size - 1)]]
    ends = place + 1
    ends[ampersands] = place[last] + 1
    kept = np.cumsum(inside[:-1], dtype=np.int8) == 0
    return codes[kept], place[kept], ends[kept]


def _are_numbers(codes: NDArray[np.uint32], start: NDArray[np.int32], end: NDArray[np.int32]) -> Mask:
    """Return which words consist of decimal digits alone."""
    is_digit = (codes >= _ZEROS[0]) & (codes < _ZEROS[0] + 10)
    if codes.max(initial=0) >= _ZEROS[1]:
        for zero in _ZEROS[1:]:
            is_digit |= (codes >= zero) & (codes < zero + 10)
    upto = sums_before(is_digit)
    return np.asarray(upto[end] - upto[start] == end - start)


def _elements(tags: Tags) -> tuple[Indices, Mask, Keys]:
    """Return for each tag its element, whether it opens it, and the key of the most recent unclosed tag after it.

    An element without an end tag (``<br/>``) stays on the stack until the element around it ends, as in the paper
    (6.2): so the most recent unclosed tag is the last such child of the open element, else the open element.
    """
    element = np.empty(tags.start.size, dtype=np.int64)
    element[tags.closed] = np.arange(len(tags))
    element[tags.opened] = np.arange(len(tags))
    opens = np.zeros(tags.start.size, dtype=bool)
    opens[tags.opened] = True
    is_empty = tags.opened == tags.closed
    parent = tags.parents()
    inside = np.where(opens & ~is_empty[element], element, parent[element])
    last = np.where(is_empty[element], element, inside)
    order = np.argsort(inside, kind="stable")
    # Elements are numbered in document order: the latest child of an open element so far is the maximum so far.
    height = np.int64(len(tags) + 1)
    grouped = (inside[order] + 1) * height + last[order] + 1
    top = np.empty_like(grouped)
    top[order] = np.maximum.accumulate(grouped) % height - 1
    keys = tag_tokens(tags.key, np.ones(len(tags), dtype=bool))
    return element, opens, np.where(top >= 0, keys[top], np.uint64(0))


def kept_blocks(tokens: PageTokens, is_taken: Mask, blocks: Blocks) -> Mask:
    """Return which blocks are part of an extraction: those with at least half of their words in it.

    Parameters
    ----------
    tokens : PageTokens
        The page's tokens.
    is_taken : bool array
        The tokens that were extracted.
    blocks : Blocks
        The page's blocks. One without words is kept where any of its tokens was extracted.
    """
    taken = sums_by_block(tokens, (is_taken & ~tokens.is_tag).astype(np.float64), blocks)
    has_words = sums_by_block(tokens, tokens.is_word.astype(np.float64), blocks) > 0
    return (taken > 0) & (~has_words | (covered_shares(tokens, is_taken, blocks) >= _LEAST_SHARE))


def covered_shares(tokens: PageTokens, is_taken: Mask, blocks: Blocks) -> Floats:
    """Return the share of each block's words that was extracted, 0 to 1: float array, n; 0 for one without words."""
    words = tokens.is_word
    taken = sums_by_block(tokens, (words & is_taken).astype(np.float64), blocks)
    return taken / np.maximum(sums_by_block(tokens, words.astype(np.float64), blocks), 1.0)


def sums_by_block(tokens: PageTokens, values: Floats, blocks: Blocks) -> Floats:
    """Return the sum of the values of the tokens in each block: float array n."""
    upto = np.concatenate(([0.0], np.cumsum(values)))
    first = np.searchsorted(tokens.first_byte, blocks.first_byte)
    end = np.searchsorted(tokens.first_byte, blocks.end_byte)
    return np.asarray(upto[end] - upto[first])
