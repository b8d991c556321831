"""How much an article is about a brand, and articles that fulfil a query as mentions."""

from __future__ import annotations

import pytest

pytest.importorskip("ahocorasick_rs", reason="needs the extra monitor")

from blockfeat import Extractor
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.matcher import BrandMatcher
from blockfeat.monitor.mentions.mention import query_mentions, words_for
from blockfeat.monitor.mentions.queries import Query, QueryMatcher
from blockfeat.monitor.reading import all_mentions, found_mentions

_BODY = [
    "The harbour of Ostermole was busy on Monday morning, and the ferries left late because of the fog on the water.",
    "Corvane, the company that runs them, said that passengers would be told in good time when the boats leave again.",
    *(
        f"Paragraph {number} of this article tells of the weather, the tides and the people who wait for the boat."
        for number in range(8)
    ),
    "A spokeswoman of Pelmona said that its shops would stay open until the last boat of the evening has left.",
]
_HEAD = "Fog holds back the Corvane ferries"


def _page(head: str = _HEAD) -> str:
    menu = "".join(f'<li><a href="/{word}">{word}</a></li>' for word in ("News", "Pelmona strike", "Sport"))
    text = "".join(f"<p>{paragraph}</p>" for paragraph in _BODY)
    article = f"<article><h1>{head}</h1>{text}</article>"
    return f"<html lang=en><title>{head}</title><body><ul>{menu}</ul>{article}</body></html>"


def _relevance(head: str = _HEAD) -> dict[str, float]:
    extraction = Extractor.load().extract(_page(head))
    matcher = BrandMatcher.of([Brand("Corvane"), Brand("Pelmona")])
    rules = {"least_score": None, "places": ("headline", "lead", "body")}
    mentions = all_mentions(extraction, matcher, QueryMatcher.of(()), **rules)
    found = found_mentions(extraction, mentions, None)
    for item in found:
        if item.text_start is not None:
            assert extraction.text[item.text_start :].startswith(item.sentence)
    assert all(item.relevance == 0 for item in found if not item.counted)
    return {item.brand: item.relevance for item in found if item.counted}


def test_headline_opening_and_share_make_the_relevance() -> None:
    relevance = _relevance()
    assert relevance["Corvane"] > 0.6 > 0.3 > relevance["Pelmona"] > 0
    assert (words_for(relevance["Corvane"]), words_for(relevance["Pelmona"])) == ("about", "in passing")
    assert _relevance("Fog holds back the ferries")["Corvane"] == pytest.approx(relevance["Corvane"] - 0.4)


def _fulfilled(query: str) -> list[tuple[str, str, str]]:
    found = query_mentions(Extractor.load().extract(_page()), QueryMatcher.of([Query.parse(query, name="Fog")]))
    return [(mention.brand, mention.place, mention.text) for mention in found]


def test_a_query_is_one_mention_where_it_is_fulfilled_first() -> None:
    assert _fulfilled("ferries fog") == [("Fog", "headline", "Fog")]
    assert _fulfilled("pelmona NEAR/12 shops") == [("Fog", "body", "Pelmona")]
    assert _fulfilled("title:fog NOT title:pelmona") == [("Fog", "headline", "Fog")]


def test_what_stands_outside_of_the_article_neither_fulfils_nor_forbids() -> None:
    assert _fulfilled("strike") == []
    assert _fulfilled("fog NOT strike") == [("Fog", "headline", "Fog")]
    assert _fulfilled("fog NOT pelmona") == []
