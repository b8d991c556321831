"""``Mention``: a name or query on a page, with its place, whether it counts, and how much the article is about it."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import accumulate
from string import ascii_letters
from typing import Any

import numpy as np

from blockfeat.blocks import Block
from blockfeat.extraction import ROLES, Extraction, PageParts
from blockfeat.lang import character_classes, code_points, sentence_ends
from blockfeat.monitor.mentions.brand import SenseModel, sense_features, senses_of, words_in
from blockfeat.monitor.mentions.folding import PARAGRAPH, RAISED
from blockfeat.monitor.mentions.matcher import BrandMatcher, Hit
from blockfeat.monitor.mentions.queries import QueryMatcher

PLACES = (*ROLES, "table", "description")
"""Where on a page a mention can stand: the role of its block, a table of the article, or a figure's description."""
COUNTED_PLACES = tuple(place for place in PLACES if place != "description")
"""Places whose mentions count by default."""

_LONGEST_SENTENCE = 300
# Characters of a page that are searched at once: folding takes some twenty times as much memory.
_SEARCHED_AT_ONCE = 1_000_000
_DESCRIPTION = "description"
# No name reaches over it.
_BETWEEN_DESCRIPTIONS = " | "
# Parts of the article that its text may lack.
_OF_THE_ARTICLE = frozenset({"caption", "table"})
# What a footnote's mark becomes where it is looked for names: raised digits, and a sign for all else.
_RAISED = str.maketrans("0123456789", RAISED) | dict.fromkeys(map(ord, ascii_letters), "†")


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
        Where the name stands in the text of its block, end exclusive; in a description, in its own text.
    block : int
        Index of the block on the page; of a description, the block before the figure.
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
    rule : str
        The rule of the brand that says it is no mention (``"excluded: Apple Street"``); empty where none does.
    variant : str
        What made the spelling (``"inflected"``, ``"spacing"`` …); empty for a name as it is given.
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
    rule: str = ""
    variant: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the mention as plain values that JSON can hold."""
        return asdict(self)


def mentions_of(
    extraction: Extraction,
    matcher: BrandMatcher,
    *,
    least_score: float | None = None,
    places: Collection[str] = COUNTED_PLACES,
    senses: Mapping[str, SenseModel] | None = None,
    parts: PageParts | None = None,
) -> tuple[Mention, ...]:
    """Return every mention on a page, in the order of the page.

    A mention counts where its block is part of the text or the headline, a caption inside the text, or a cell of one of
    its tables. Content and clutter are matched apart, each as one text, so that context words of the one say nothing of
    the other; no name reaches from one block to the next. What a rule of the brand takes away is there, not counted.

    Parameters
    ----------
    extraction : Extraction
        An extracted page with its blocks.
    matcher : BrandMatcher
        The brands; aliases of the page's language count.
    least_score : float, optional
        Blocks of the text whose score is lower are doubtful, and their mentions do not count, unless all are. The scale
        is the model's; docs/mentions.md says what 0.5 gains and costs with ``default``.
    places : collection of str
        Places whose mentions may count; without ``"comment"`` what readers wrote does not.
    senses : mapping of str to SenseModel, optional
        Models that distinguish a brand from its namesakes; by default those of the words that the brands are given.
    parts : PageParts, optional
        What belongs to the article beside its blocks; by default read from the page.
    """
    parts = parts or PageParts.of(extraction)
    senses = senses_of(matcher.brands) if senses is None else senses
    # Most pages name no brand, nor do most blocks of the others: nothing but their text is read.
    chosen = _naming(extraction, matcher, parts, senses)
    if chosen is not None and not chosen:
        return ()
    passages = passages_of(extraction, chosen, places=places, least_score=least_score, parts=parts)
    found: list[Mention] = []
    bounds = cache(sentence_bounds)
    # Where no words speak for or against a brand that is there, all are one text.
    for counted in (True, False) if chosen is None else (None,):
        apart = [passage for passage in passages if counted in (None, passage.reason == "")]
        for passage, hit in _hits(apart, matcher, extraction.lang, senses):
            sentence = _sentence(passage.text, bounds(passage.text), hit.start, hit.end)
            found.append(passage.mention(hit.brand, hit.start, hit.end, sentence, rule=hit.rule, variant=hit.variant))
    found.sort(key=lambda mention: (mention.block, mention.place == _DESCRIPTION, mention.start, mention.brand))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that brands are looked for in: a block, or the descriptions of the figures after it.

    Attributes
    ----------
    searched : str
        The text without marks of footnotes, as long as it.
    reason : str or None
        Why mentions in it do not count; empty where they do, None for the reason of the block, which is made where it
        is read.
    """

    block: Block
    place: str
    text: str
    searched: str
    reason: str | None

    def mention(self, name: str, start: int, end: int, sentence: str, *, rule: str = "", variant: str = "") -> Mention:
        """Return the mention of a name at a span of the text, which counts where nothing is against it."""
        reason = self.reason or rule
        if self.reason is None:
            reason = self.block.reason or "the block is no part of the text"
        return Mention(
            brand=name,
            place=self.place,
            start=start,
            end=end,
            block=self.block.index,
            xpath=self.block.xpath,
            sentence=sentence,
            score=self.block.score,
            text=self.text[start:end],
            counted=not reason,
            reason=reason,
            rule=rule,
            variant=variant,
        )


def passages_of(
    extraction: Extraction,
    chosen: Sequence[int] | None = None,
    *,
    places: Collection[str] = COUNTED_PLACES,
    least_score: float | None = None,
    parts: PageParts | None = None,
) -> list[Passage]:
    """Return the texts of a page that brands are looked for in, in order; see `mentions_of`.

    Of a page that was read just now, only those of the blocks ``chosen``, and of the figures behind them.
    """
    parts, roles = parts or PageParts.of(extraction), extraction.roles
    analysis = None if extraction.known_blocks or chosen is None else extraction.analysis
    least = _least(extraction, least_score)
    of_block: dict[int, dict[str, None]] = {}
    for index, text in parts.descriptions:
        of_block.setdefault(index, {})[text] = None
    passages, said = [], []
    for block in extraction.blocks if analysis is None else analysis.blocks_at(chosen or ()):
        place = "table" if block.index in parts.tables else roles[block.index]
        searched = _without_marks(block.text, parts.marks.get(block.index, ()))
        passages.append(Passage(block, place, block.text, searched, _reason(block, place, places, least)))
        if block.index in of_block:
            text = _BETWEEN_DESCRIPTIONS.join(of_block[block.index])
            said.append(Passage(block, _DESCRIPTION, text, text, _reason(block, _DESCRIPTION, places, least)))
    return [*passages, *said]


def _naming(
    extraction: Extraction, matcher: BrandMatcher, parts: PageParts, senses: Mapping[str, SenseModel]
) -> Sequence[int] | None:
    """Return the blocks that name a brand; None for all where what else the page says may speak for or against one."""
    analysis = None if extraction.known_blocks else extraction.analysis
    if analysis is None or analysis.measured.blocks.measures.has_controls:
        texts, marked = [each.text for each in extraction.blocks], extraction.blocks
    else:
        texts = [*analysis.measured.blocks.raw_texts()]
        marked = tuple(analysis.blocks_at([*parts.marks])) if parts.marks else ()
    for block in marked:
        if block.index in parts.marks:
            texts[block.index] = _without_marks(block.text, parts.marks[block.index])
    own = len(texts)
    texts += (text for _, text in parts.descriptions)
    depending = {each.name for each in matcher.brands if each.requires or each.forbids or each.name in senses}
    ends = np.cumsum([*map(len, texts)], dtype=np.int64) + np.arange(1, len(texts) + 1)
    chosen, start, before = set[int](), 0, 0
    while start < len(texts):
        end = max(start + 1, int(ends.searchsorted(before + _SEARCHED_AT_ONCE)))
        hits = matcher.find(PARAGRAPH.join(texts[start:end]), lang=extraction.lang, ruled_out=True)
        if any(hit.brand in depending for hit in hits):
            return None
        chosen.update(ends.searchsorted([before + hit.start for hit in hits], side="right").tolist())
        start, before = end, int(ends[end - 1])
    return sorted({index if index < own else parts.descriptions[index - own][0] for index in chosen})


def _without_marks(text: str, marks: Sequence[tuple[int, int]]) -> str:
    """Return a text of the same length in which the marks of footnotes are no part of a word."""
    parts, behind = [], 0
    for start, end in marks:
        parts += [text[behind:start], text[max(start, behind) : end].translate(_RAISED)]
        behind = max(end, behind)
    return "".join([*parts, text[behind:]])


def _least(extraction: Extraction, least_score: float | None) -> float:
    """Return the score that a block of the text must have; none where no block has it."""
    if least_score is None or not any(score >= least_score for *_, score in _kept(extraction)):
        return -math.inf
    return least_score


def _kept(extraction: Extraction) -> list[tuple[int, int, float]]:
    """Return index, words and score of each block of the text."""
    analysis = None if extraction.known_blocks else extraction.analysis
    if analysis is None:
        return [(block.index, block.words, block.score) for block in extraction.blocks if block.kept]
    kept = analysis.prediction.kept.nonzero()[0]
    columns = kept, analysis.measured.blocks.measures.words[kept], analysis.prediction.scores[kept]
    return [*zip(*(column.tolist() for column in columns), strict=True)]


def _hits(
    passages: Sequence[Passage], matcher: BrandMatcher, lang: str | None, senses: Mapping[str, SenseModel]
) -> Iterable[tuple[Passage, Hit]]:
    """Yield each hit with its passage, all matched as one text; the offsets are those in the passage."""
    begins = np.cumsum([0, *(len(passage.searched) + 1 for passage in passages)]).tolist()
    text = PARAGRAPH.join(passage.searched for passage in passages)
    words = cache(lambda: frozenset(words_in(text)))
    for hit in matcher.find(text, lang=lang, ruled_out=True):
        place = bisect_right(begins, hit.start) - 1
        sense = senses.get(hit.brand) if not hit.rule else None
        if sense is not None:
            features = sense_features(text, hit.start, hit.end, lang=lang, given=sense.given, words=words())
            hit = replace(hit, rule=sense.rule(features))
        yield passages[place], replace(hit, start=hit.start - begins[place], end=hit.end - begins[place])


def _reason(block: Block, place: str, places: Collection[str], least: float) -> str | None:
    """Return why mentions in a block do not count, as `Passage` has it."""
    if place not in places:
        return f"place {place} is not counted"
    if place in ("headline", _DESCRIPTION) or (place in _OF_THE_ARTICLE and not block.kept):
        return ""
    if not block.kept or place == "clutter":
        return None
    return "" if block.score >= least else f"doubtful: score {block.score:.2f}, below {least:.2f}"


def sentence_bounds(text: str) -> list[int]:
    """Return the end of each sentence of a text, as an offset."""
    codes = code_points(text + "\n")
    bounds = np.array([codes.size], dtype=np.int32)
    return list[int](sentence_ends(codes, character_classes().take(codes), bounds).tolist())


def _sentence(text: str, ends: Sequence[int], start: int, end: int) -> str:
    """Return the sentence around a span, cut where it is too long."""
    place = bisect_right(ends, start)
    first = ends[place - 1] if place else 0
    behind = bisect_right(ends, end - 1)
    last = ends[behind] if behind < len(ends) else len(text)
    return text[max(first, start - _LONGEST_SENTENCE) : min(last, end + _LONGEST_SENTENCE)].strip()


HEADLINE, OPENING, SHARE = 0.4, 0.3, 0.3
"""What each part adds to a relevance of 1."""
ABOUT, PASSING = 0.6, 0.3
"""From the first on an article is about a brand; below the second it names it only in passing."""
_OPENING_WORDS = 60
# From one sentence in five on, the share counts in full.
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
    opening = _opening(extraction)
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
        sentence = mention.sentence if mention.counted else ""
        places = (text.find(sentence, first) for first in (begin, 0) if sentence)
        starts.append(next((place for place in places if place >= 0), None))
        begin = begin if starts[-1] is None else starts[-1]
    return starts


def _opening(extraction: Extraction) -> frozenset[int]:
    """Return the blocks of the text that begin within its first words."""
    kept = _kept(extraction)
    before = accumulate((words for _, words, _ in kept), initial=0)
    return frozenset(index for (index, *_), words in zip(kept, before, strict=False) if words < _OPENING_WORDS)


def _relevance(mentions: Sequence[Mention], opening: frozenset[int], sentences: int) -> float:
    in_headline = any(mention.place == "headline" for mention in mentions)
    in_opening = any(
        mention.place == "lead" or (mention.place == "body" and mention.block in opening) for mention in mentions
    )
    named = {(mention.block, mention.sentence) for mention in mentions if mention.place != "headline"}
    share = min(1.0, len(named) / sentences / _FULL_SHARE)
    return round(HEADLINE * in_headline + OPENING * in_opening + SHARE * share, 3)


def query_mentions(
    extraction: Extraction,
    matcher: QueryMatcher,
    *,
    least_score: float | None = None,
    places: Collection[str] = COUNTED_PLACES,
    parts: PageParts | None = None,
) -> tuple[Mention, ...]:
    """Return a mention for each query that the text of a page fulfils, in the order of the page.

    Only what counts is looked at: a word in a teaser neither fulfils a query nor forbids the page. ``title:`` is the
    headline, or else the title; where a query is fulfilled by a title alone that stands in no block, the mention is at
    the first block of the text.
    """
    if not matcher.queries:
        return ()
    found_in = passages_of(extraction, places=places, least_score=least_score, parts=parts)
    passages = [each for each in found_in if each.reason == ""]
    heads = [each for each in passages if each.place == "headline"]
    bodies = [each for each in passages if each.place != "headline"]
    if not passages:
        return ()
    title = PARAGRAPH.join(each.searched for each in heads) or extraction.headline or extraction.title or ""
    found = matcher.find(title, PARAGRAPH.join(each.searched for each in bodies), lang=extraction.lang)
    mentions = [_mention(name, spans[0], heads, bodies, title) for name, spans in found.items()]
    return tuple(sorted(mentions, key=lambda mention: (mention.block, mention.start, mention.brand)))


def _mention(
    name: str, span: tuple[int, int], heads: Sequence[Passage], bodies: Sequence[Passage], title: str
) -> Mention:
    """Return the mention at a span of the title, `PARAGRAPH` and the text."""
    parts, (start, end) = [*heads, *bodies], span
    if not heads:
        start, end = start - len(title) - 1, end - len(title) - 1
    begins = [0, *accumulate(len(each.searched) + 1 for each in parts)]
    place = max(0, bisect_right(begins, start) - 1)
    passage, start, end = parts[place], max(0, start - begins[place]), max(0, end - begins[place])
    sentence = _sentence(passage.text, sentence_bounds(passage.text), start, end)
    return passage.mention(name, start, end, sentence, variant="query")


_LONGEST = 400


def around(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the sentence before the name, the name, and the sentence behind it; long ones cut."""
    sentence, match, behind = row["sentence"], row["match"], row.get("behind", 0)
    # No part of another word, unless there is no other.
    forms = (rf"(?<!\w){re.escape(match)}(?!\w)", re.escape(match))
    firsts = [found.start() for form in forms for found in re.finditer(form, sentence)]
    if not firsts:
        return sentence[:_LONGEST], "", ""
    at = next((first + behind for first in firsts if sentence.startswith(match, first + behind)), firsts[0])
    start = max(0, at - _LONGEST // 2)
    end = min(len(sentence), at + len(match) + _LONGEST // 2)
    left, right = "…" if start else "", "…" if end < len(sentence) else ""
    return left + sentence[start:at], match, sentence[at + len(match) : end] + right
