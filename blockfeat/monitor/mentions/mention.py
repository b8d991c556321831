"""``Mention``: a brand's name on a page, with its place, and whether it counts."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from blockfeat.blocks.block import Block
from blockfeat.extraction.choice import ROLES
from blockfeat.extraction.extraction import Extraction
from blockfeat.lang.characters import character_classes, code_points
from blockfeat.lang.counting import sentence_ends
from blockfeat.monitor.mentions.folding import PARAGRAPH
from blockfeat.monitor.mentions.matcher import BrandMatcher

PLACES = ROLES
"""Where on a page a mention can stand: the role of its block."""

_LONGEST_SENTENCE = 300


@dataclass(frozen=True)
class Mention:
    """A brand's name in a block of a page.

    Attributes
    ----------
    brand : str
        The brand's name.
    place : str
        One of `PLACES`.
    start, end : int
        Where the name stands in the text of its block, end exclusive.
    block : int
        Index of the block on the page.
    xpath : str
        Path of the element that holds the block.
    sentence : str
        The sentence, or what of it is within 300 characters of the name.
    score : float
        The model's score of the block; above 0 favours content.
    text : str
        The name as the page has it.
    counted : bool
        Whether the mention is one of the article.
    reason : str
        Why it is not counted; empty where it is.
    """

    brand: str
    place: str
    start: int
    end: int
    block: int
    xpath: str
    sentence: str
    score: float
    text: str
    counted: bool
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the mention as plain values that JSON can hold."""
        return asdict(self)


def mentions_of(
    extraction: Extraction,
    matcher: BrandMatcher,
    *,
    least_score: float | None = None,
    places: Collection[str] = PLACES,
) -> tuple[Mention, ...]:
    """Return every mention on a page, in the order of the page.

    A mention counts where its block is part of the text or the headline. Content and clutter are matched apart, each as
    one text, so that context words of the one say nothing of the other; no name reaches from one block to the next.

    Parameters
    ----------
    extraction : Extraction
        An extracted page; its evidence is asked for.
    matcher : BrandMatcher
        The brands; aliases of the page's language count.
    least_score : float, optional
        Blocks of the text whose score is lower are doubtful, and their mentions do not count, unless all are. The scale
        is the model's; docs/mentions.md says what 0.5 gains and costs with ``default``.
    places : collection of str
        Places whose mentions may count; `PLACES` without ``"comment"`` leaves out what readers wrote.
    """
    blocks, found_places = extraction.blocks, extraction.roles
    least = _least(blocks, least_score)
    reasons = [_reason(block, place, places, least) for block, place in zip(blocks, found_places, strict=True)]
    found: list[Mention] = []
    for counted in (True, False):
        chosen = [block for block, reason in zip(blocks, reasons, strict=True) if (reason == "") == counted]
        for block, start, end, brand in _hits(chosen, matcher, extraction.lang):
            found.append(
                Mention(
                    brand=brand,
                    place=found_places[block.index],
                    start=start,
                    end=end,
                    block=block.index,
                    xpath=block.xpath,
                    sentence="",
                    score=block.score,
                    text=block.text[start:end],
                    counted=counted,
                    reason=reasons[block.index],
                )
            )
    return _with_sentences(sorted(found, key=lambda mention: (mention.block, mention.start, mention.brand)), blocks)


def _least(blocks: Sequence[Block], least_score: float | None) -> float:
    """Return the score that a block of the text must have; none where no block has it."""
    if least_score is None or not any(block.kept and block.score >= least_score for block in blocks):
        return -math.inf
    return least_score


def _hits(blocks: Sequence[Block], matcher: BrandMatcher, lang: str | None) -> Iterable[tuple[Block, int, int, str]]:
    """Yield block, offsets in it and brand of each hit, all blocks matched as one text."""
    begins = np.cumsum([0, *(len(block.text) + 1 for block in blocks)]).tolist()
    for hit in matcher.find(PARAGRAPH.join(block.text for block in blocks), lang=lang):
        place = bisect_right(begins, hit.start) - 1
        yield blocks[place], hit.start - begins[place], hit.end - begins[place], hit.brand


def _reason(block: Block, place: str, places: Collection[str], least: float) -> str:
    """Return why mentions in a block do not count; empty where they do."""
    if place not in places:
        return f"place {place} is not counted"
    if place == "headline":
        return ""
    if not block.kept or place == "clutter":
        return block.reason or "the block is no part of the text"
    return "" if block.score >= least else f"doubtful: score {block.score:.2f}, below {least:.2f}"


def _with_sentences(mentions: Sequence[Mention], blocks: Sequence[Block]) -> tuple[Mention, ...]:
    """Return mentions with their sentences; sentences are sought once a block."""
    done: list[Mention] = []
    ends: list[int] = []
    of_block = -1
    for mention in mentions:
        text = blocks[mention.block].text
        if mention.block != of_block:
            ends, of_block = _sentence_ends(text), mention.block
        done.append(replace(mention, sentence=_sentence(text, ends, mention.start, mention.end)))
    return tuple(done)


def _sentence_ends(text: str) -> list[int]:
    codes = code_points(text + "\n")
    bounds = np.array([codes.size], dtype=np.int32)
    found: list[int] = sentence_ends(codes, character_classes().of(codes), bounds).tolist()
    return found


def _sentence(text: str, ends: Sequence[int], start: int, end: int) -> str:
    """Return the sentence around a span, cut where it is too long."""
    place = bisect_right(ends, start)
    first = ends[place - 1] if place else 0
    behind = bisect_right(ends, end - 1)
    last = ends[behind] if behind < len(ends) else len(text)
    return text[max(first, start - _LONGEST_SENTENCE) : min(last, end + _LONGEST_SENTENCE)].strip()
