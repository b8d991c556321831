"""Alignment of the words of a page's blocks with the words of its gold text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._extras import require_extra
from blockfeat._numeric import longest_increasing
from blockfeat.blocks.table import Blocks
from blockfeat.lang.measures import tokenize

require_extra("train", what=__name__)

_RUN = 3
_GRAM = 4
_CELLS = 400_000_000
_SHORTEST_CUT = 64
Flags = NDArray[np.bool_]
Places = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Alignment:
    """Alignment of the words of a page, in n blocks, with its gold text.

    Attributes
    ----------
    place : int array, one for each word of the page
        Position of the matched word in the gold text; -1 for none.
    matched, words : int array, n
        Number of matched words, and of all words, of each block.
    echoed : int array, n
        Number of words of each block in runs of four words that occur in the gold text, matched or not: of a text that
        the page repeats, only one copy is matched.
    gold_words : int
        Number of words of the gold text.
    """

    place: Places
    matched: Places
    words: Places
    echoed: Places
    gold_words: int

    @property
    def echo(self) -> NDArray[np.float64]:
        """Share of the words of each block that are echoed: float array, n, 0 to 1; 0 for a block without words."""
        return np.asarray(self.echoed / np.maximum(self.words, 1))

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of the words of each block that are matched: float array, n, 0 to 1; 0 for a block without words."""
        return np.asarray(self.matched / np.maximum(self.words, 1))

    @property
    def found(self) -> float:
        """Share of the gold words that are matched, 0 to 1; 1 for an empty gold text."""
        return float(self.matched.sum() / self.gold_words) if self.gold_words else 1.0


def align(blocks: Blocks, gold: str) -> Alignment:
    """Align the words of a page's blocks with a gold text.

    Parameters
    ----------
    blocks : Blocks
        The blocks of the page.
    gold : str
        The main text as labelled by a person.

    Returns
    -------
    Alignment
        Matches of the longest common subsequence of words, without runs shorter than three words (runs may cross block
        boundaries), and then of runs of at least four words in another order.
    """
    gold_words = tokenize(gold)
    measures = blocks.measures
    place = align_words(measures.tokens, gold_words)
    echoed = _in_common_runs(measures.tokens, gold_words, _GRAM)
    return Alignment(
        place=place,
        matched=np.bincount(measures.token_block[place >= 0], minlength=len(blocks)),
        words=measures.words,
        echoed=np.bincount(measures.token_block[echoed], minlength=len(blocks)),
        gold_words=len(gold_words),
    )


def align_words(words: Sequence[Hashable], gold: Sequence[Hashable]) -> Places:
    """Return the position of each word in the gold text, or -1; words may be strings or other hashable keys.

    Takes time proportional to the product of both lengths, divided by 64; very long texts are split at runs of words
    that occur exactly once in both.
    """
    ids: dict[Hashable, int] = {}
    first = [ids.setdefault(word, len(ids)) for word in words]
    second = [ids.setdefault(word, len(ids)) for word in gold]
    place = np.full(len(first), -1, dtype=np.int64)
    candidates = np.flatnonzero(_in_common_runs(first, second, _RUN))
    if candidates.size:
        _match(candidates.tolist(), first, second, place)
        _drop_short_runs(place)
        _rescue(first, second, place)
    return place


def _in_common_runs(first: Sequence[object], second: Sequence[object], length: int) -> Flags:
    """Return which words of ``first`` are in a run of ``length`` words that occurs in ``second``: bool array."""
    known = set(zip(*(second[shift:] for shift in range(length)), strict=False))
    starts = [run in known for run in zip(*(first[shift:] for shift in range(length)), strict=False)]
    covered = np.zeros(len(first), dtype=bool)
    found = np.flatnonzero(starts)
    for shift in range(length):
        covered[found + shift] = True
    return covered


def _match(candidates: list[int], first: Sequence[int], second: Sequence[int], place: Places) -> None:
    """Match candidate positions with the gold text, in parts where the whole is too large; fill in ``place``."""
    from rapidfuzz.distance import LCSseq

    parts = [(candidates, 0, len(second))]
    while parts:
        mine, start, end = parts.pop()
        if len(mine) * (end - start) > _CELLS and len(mine) > _SHORTEST_CUT:
            cut = _cut([first[at] for at in mine], second[start:end])
            if cut is not None:
                parts += [(mine[: cut[0]], start, start + cut[1]), (mine[cut[0] :], start + cut[1], end)]
            continue
        # By their longest common subsequence.
        here = np.array(mine, dtype=np.int64)
        for block in LCSseq.opcodes([first[at] for at in mine], second[start:end]):
            if block.tag == "equal":
                matched = np.arange(start + block.dest_start, start + block.dest_end)
                place[here[block.src_start : block.src_end]] = matched


def _cut(first: list[int], second: Sequence[int]) -> tuple[int, int] | None:
    """Return where to split two texts: at the run of words nearest the middle that occurs once in each; or None."""
    places = [_single_grams(text) for text in (first, second)]
    pairs = sorted((at, places[1][gram]) for gram, at in places[0].items() if gram in places[1])
    chain = [pairs[index] for index in longest_increasing([there for _, there in pairs])]
    inner = [(here, there) for here, there in chain if 0 < here < len(first) and 0 < there < len(second)]
    return min(inner, key=lambda pair: abs(pair[0] - len(first) // 2)) if inner else None


def _single_grams(text: Sequence[int]) -> dict[tuple[int, ...], int]:
    """Return the position of each run of four words that occurs exactly once."""
    grams = list(zip(*(text[shift:] for shift in range(_GRAM)), strict=False))
    counts = Counter(grams)
    return {gram: at for at, gram in enumerate(grams) if counts[gram] == 1}


def _drop_short_runs(place: Places) -> None:
    """Remove matches that are not in a run of at least three words that are consecutive in both texts."""
    matched = place >= 0
    starts = matched.copy()
    starts[1:] &= ~(matched[:-1] & (place[1:] == place[:-1] + 1))
    run = np.cumsum(starts) - 1
    lengths = np.bincount(run[matched])
    short = matched.copy()
    short[matched] = lengths[run[matched]] < _RUN
    place[short] = -1


def _rescue(first: Sequence[int], second: Sequence[int], place: Places) -> None:
    """Match unmatched runs of at least four words, in any order, each gold word at most once."""
    used = np.zeros(len(second), dtype=bool)
    used[place[place >= 0]] = True
    free: dict[tuple[int, ...], list[int]] = {}
    for at in np.flatnonzero(~used)[::-1].tolist():
        if at + _GRAM <= len(second) and not used[at : at + _GRAM].any():
            free.setdefault(tuple(second[at : at + _GRAM]), []).append(at)
    if not free:
        return
    at, end = 0, len(first) - _GRAM
    while at <= end:
        there = _free_place(free, tuple(first[at : at + _GRAM]), used) if (place[at : at + _GRAM] < 0).all() else -1
        if there < 0:
            at += 1
            continue
        while at < len(first) and there < len(second):
            if first[at] != second[there] or used[there] or place[at] >= 0:
                break
            place[at], used[there] = there, True
            at, there = at + 1, there + 1


def _free_place(free: dict[tuple[int, ...], list[int]], gram: tuple[int, ...], used: Flags) -> int:
    """Return the position of an occurrence of four words in the gold text that is still unmatched, or -1."""
    places = free.get(gram, [])
    while places:
        at = places.pop()
        if not used[at : at + _GRAM].any():
            return at
    return -1
