"""How much an article is about a brand: in its headline, in its opening, in which share of its sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from blockfeat.blocks.block import Block
from blockfeat.extraction.extraction import Extraction
from blockfeat.monitor.mentions.mention import Mention, sentence_bounds

HEADLINE, OPENING, SHARE = 0.4, 0.3, 0.3
"""What each part adds to a relevance of 1."""
ABOUT, PASSING = 0.6, 0.3
"""From the first on an article is about a brand; below the second it names it only in passing."""
_OPENING_WORDS = 60
# An article that has the brand in every fifth sentence has it everywhere.
_FULL_SHARE = 0.2


def relevance_by_brand(extraction: Extraction, mentions: Sequence[Mention]) -> Mapping[str, float]:
    """Return the relevance of an article for each brand that it mentions, from 0 to 1.

    0.4 for the headline, 0.3 for the opening (a standfirst, or the first sixty words), and up to 0.3 for the share of
    sentences that name the brand, all of it from one in five on. Only mentions that count are looked at.
    """
    by_brand: defaultdict[str, list[Mention]] = defaultdict(list)
    for mention in mentions:
        if mention.counted:
            by_brand[mention.brand].append(mention)
    if not by_brand:
        return {}
    opening = _opening(extraction.blocks)
    sentences = max(1, len(sentence_bounds(extraction.text)))
    return {brand: _relevance(own, opening, sentences) for brand, own in by_brand.items()}


def words_for(relevance: float | None) -> str:
    """Return what a relevance means: ``"about"``, ``"names it"`` or ``"in passing"``."""
    if relevance is None or relevance < PASSING:
        return "in passing"
    return "about" if relevance >= ABOUT else "names it"


def text_starts(text: str, mentions: Sequence[Mention]) -> list[int | None]:
    """Return where the sentence of each mention begins in a text; None where it does not stand there."""
    starts: list[int | None] = []
    begin = 0
    for mention in mentions:
        start = text.find(mention.sentence, begin) if mention.counted and mention.sentence else -1
        if start < 0 and mention.counted and mention.sentence:
            start = text.find(mention.sentence)
        starts.append(start if start >= 0 else None)
        begin = start if start >= 0 else begin
    return starts


def _opening(blocks: Sequence[Block]) -> frozenset[int]:
    """Return the blocks of the text that begin within its first words."""
    found, words = set[int](), 0
    for block in blocks:
        if block.kept and words < _OPENING_WORDS:
            found.add(block.index)
            words += block.words
    return frozenset(found)


def _relevance(mentions: Sequence[Mention], opening: frozenset[int], sentences: int) -> float:
    in_headline = any(mention.place == "headline" for mention in mentions)
    in_opening = any(
        mention.place == "lead" or (mention.place == "body" and mention.block in opening) for mention in mentions
    )
    named = {(mention.block, mention.sentence) for mention in mentions if mention.place != "headline"}
    share = min(1.0, len(named) / sentences / _FULL_SHARE)
    return round(HEADLINE * in_headline + OPENING * in_opening + SHARE * share, 3)
