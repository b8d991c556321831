"""Articles that fulfil Boolean queries, as mentions: one for each query, where it is fulfilled first."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import accumulate

from blockfeat.extraction.extraction import Extraction
from blockfeat.monitor.mentions.folding import PARAGRAPH
from blockfeat.monitor.mentions.mention import COUNTED_PLACES, Mention, Passage, passages_of, sentence_around
from blockfeat.monitor.mentions.queries import QueryMatcher


def query_mentions(
    extraction: Extraction,
    matcher: QueryMatcher,
    *,
    least_score: float | None = None,
    places: Collection[str] = COUNTED_PLACES,
) -> tuple[Mention, ...]:
    """Return a mention for each query that the text of a page fulfils, in the order of the page.

    Only what counts is looked at: a word in a teaser neither fulfils a query nor forbids the page. ``title:`` is the
    headline, or else the title; where a query is fulfilled by a title alone that stands in no block, the mention is at
    the first block of the text.
    """
    if not matcher.queries:
        return ()
    passages = [each for each in passages_of(extraction, places=places, least_score=least_score) if not each.reason]
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
    start, end = span
    parts = [*heads, *bodies] if heads else bodies
    if not heads:
        start, end = start - len(title) - 1, end - len(title) - 1
    begins = [0, *accumulate(len(each.searched) + 1 for each in parts)]
    passage = parts[max(0, bisect_right(begins, start) - 1)] if parts else heads[0]
    begin = begins[max(0, bisect_right(begins, start) - 1)]
    start, end = max(0, start - begin), max(0, end - begin)
    block = passage.block
    return Mention(
        brand=name,
        place=passage.place,
        start=start,
        end=end,
        block=block.index,
        xpath=block.xpath,
        sentence=sentence_around(passage.text, start, end),
        score=block.score,
        text=passage.text[start:end],
        counted=True,
    )
