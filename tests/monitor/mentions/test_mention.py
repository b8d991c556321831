"""Mentions on pages: places, what counts and why not, sentences, paths."""

import time
from types import SimpleNamespace

import pytest

from blockfeat.blocks.block import Block
from blockfeat.extraction.analysis import Facts
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.extraction.parts import PageParts
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.matcher import BrandMatcher
from blockfeat.monitor.mentions.mention import PLACES, Mention, mentions_of, query_mentions, text_starts, words_for
from blockfeat.monitor.mentions.queries import Query, QueryMatcher
from blockfeat.monitor.reading import ReaderSettings, all_mentions, found_mentions
from cases import CASES
from timing import seconds_of

SENTENCE = "People who were in the town that day said it had been a good idea, and that they would come again."
PARAGRAPHS = "".join(f"<p>{SENTENCE} The company Norvik opened shop number {n} there. {SENTENCE}</p>" for n in range(6))
PAGE = f"""<html lang=en><head><title>Norvik opens a shop in the old town</title></head><body>
<nav><ul><li><a href=/a>Norvik</a></li><li><a href=/b>Brelan</a></li></ul></nav>
<main><h1>Norvik opens a shop in the old town</h1>{PARAGRAPHS}</main>
<aside><ul><li><a href=/c>Read more: Brelan closes</a></li><li><a href=/d>Weather</a></li></ul></aside>
<footer><p>Norvik Media, all rights</p></footer></body></html>"""


def block(index: int, text: str, *, kept: bool = True, score: float = 2.0, kind: str = "paragraph") -> Block:
    return Block(index, text, len(text.split()), f"/html/body/p[{index + 1}]", kind, kept=kept, score=score, reason="r")


def extraction(*blocks: Block, lang: str | None = "en", headline: str | None = None) -> Extraction:
    kinds = ("caption" if found.kind == "caption" else "body" if found.kept else "clutter" for found in blocks)
    facts = Facts(roles=tuple(kinds))
    return Extraction("text", lang=lang, known_headline=headline, known_blocks=blocks, known_facts=facts)


def mentions(*brands: Brand, of: Extraction, **options: object) -> tuple[Mention, ...]:
    return mentions_of(of, BrandMatcher.of(brands), **options)  # type: ignore[arg-type]


def test_sentences_are_looked_for_behind_the_one_before_even_if_that_begins_the_text() -> None:
    found = [SimpleNamespace(sentence=sentence, counted=True) for sentence in ("Now.", "One.", "Two.", "Six.")]
    assert text_starts("One. Two. Now. Two.", found) == [10, 0, 5, None]  # type: ignore[arg-type]


def test_places_on_a_page() -> None:
    found = mentions(Brand("Norvik"), Brand("Brelan"), of=Extractor.load().extract(PAGE))
    counted = [(mention.brand, mention.place, mention.reason) for mention in found if mention.counted]
    assert counted == [("Norvik", place, "") for place in ("headline", "lead", *["body"] * 5)]
    around = [mention for mention in found if not mention.counted]
    assert sorted(mention.brand for mention in around) == ["Brelan", "Brelan", "Norvik", "Norvik"]
    assert all(mention.place == "clutter" and mention.reason for mention in around)
    assert {mention.place for mention in found} <= set(PLACES)
    (lead,) = (mention for mention in found if mention.place == "lead")
    assert lead.sentence == "The company Norvik opened shop number 0 there."
    assert lead.xpath.startswith("/html/body")
    assert [mention.block for mention in found] == sorted(mention.block for mention in found)


def test_offsets_are_those_of_the_block() -> None:
    page = Extractor.load().extract(PAGE)
    for mention in mentions(Brand("Norvik"), Brand("Brelan"), of=page):
        assert page.blocks[mention.block].text[mention.start : mention.end] == mention.text


def test_no_name_reaches_over_two_blocks() -> None:
    page = extraction(block(0, "They drank Red"), block(1, "Bull markets ended"))
    assert mentions(Brand("Red Bull"), of=page) == ()


def test_context_is_that_of_the_article() -> None:
    brand = Brand("Norvik", requires=("shop",))
    assert mentions(brand, of=extraction(block(0, "Norvik has news"), block(1, "a shop")))[0].counted
    outside = extraction(block(0, "Norvik has news"), block(1, "a shop", kept=False))
    (mention,) = mentions(brand, of=outside)
    assert (mention.counted, mention.reason, mention.rule) == (False, *["requires: none of shop"] * 2)


def test_what_a_rule_takes_away_is_there_with_its_name() -> None:
    page = extraction(block(0, "Norvik Street is near the bird, and Norvik opens"))
    excluded, plain = mentions(Brand("Norvik", excluded=("Norvik Street",)), of=page)
    assert (excluded.rule, excluded.counted, plain.rule, plain.counted) == ("excluded: Norvik Street", False, "", True)
    assert [found.reason for found in mentions(Brand("Norvik", forbids=("bird*",)), of=page)] == ["forbids: bird*"] * 2


@pytest.mark.parametrize(("context", "counted"), [("window", False), ("paragraph", False), ("article", True)])
def test_context_by_choice(context: str, counted: bool) -> None:
    brand, words = Brand("Norvik", requires=("shop",), context=context), "Norvik has news " + "and more " * 40
    (other,) = mentions(brand, of=extraction(block(0, words), block(1, "a shop")))
    (same,) = mentions(brand, of=extraction(block(0, f"{words}a shop")))
    assert (other.counted, same.counted) == (counted, context != "window")


def test_marks_of_footnotes_captions_tables_and_descriptions() -> None:
    figure = (
        '<figure><img src=/lamp.jpg alt="A lamp of Pixtro Lighting"><figcaption>The Captiva works near the river, '
        "taken in May of this year</figcaption></figure><table><tr><th>Maker</th><th>Sold</th></tr>"
        "<tr><td>Tabulon</td><td>12</td></tr><tr><td>Norvik</td><td>11</td></tr></table>"
    )
    marked = "shop number 2 with Brelan<sup>1</sup>, Qx<sup>2</sup> and N<sub>2</sub>."
    fourth = f"<p>{SENTENCE} The company Norvik opened shop number 4"
    html = PAGE.replace("shop number 2 there.", marked).replace(fourth, f"{figure}<p>{SENTENCE} Shop number 4")
    names = ("Brelan", "Qx2", "Pixtro", "Captiva", "Tabulon")
    found = mentions(*map(Brand, names), of=Extractor.load().extract(html))
    counted = {mention.brand: mention.place for mention in found if mention.counted}
    assert counted == {"Brelan": "body", "Qx2": "body", "Captiva": "caption", "Tabulon": counted["Tabulon"]}
    assert counted["Tabulon"] in ("table", "body")
    (described,) = (mention for mention in found if mention.brand == "Pixtro")
    assert (described.place, described.counted) == ("description", False)
    assert described.sentence[described.start : described.end] == "Pixtro"


def test_aliases_of_the_language_of_the_page() -> None:
    brand = Brand("Norvik", {"ru": ["Норвик"]})
    pages = [extraction(block(0, "Норвик"), lang=lang) for lang in ("ru", "uk", None)]
    assert [len(mentions(brand, of=page)) for page in pages] == [1, 0, 1]


def test_doubtful_blocks() -> None:
    page = extraction(block(0, "Norvik one", score=0.2), block(1, "Norvik two", score=3.0))
    assert [mention.counted for mention in mentions(Brand("Norvik"), of=page)] == [True, True]
    doubtful, sure = mentions(Brand("Norvik"), of=page, least_score=0.5)
    assert (doubtful.counted, sure.counted) == (False, True)
    assert doubtful.reason == "doubtful: score 0.20, below 0.50"
    weak = extraction(block(0, "Norvik one", score=-0.2))
    assert mentions(Brand("Norvik"), of=weak, least_score=0.5)[0].counted


def test_places_that_do_not_count() -> None:
    page = extraction(block(0, "Norvik shop"))
    (mention,) = mentions(Brand("Norvik"), of=page, places=("headline", "lead"))
    assert (mention.place, mention.counted, mention.reason) == ("body", False, "place body is not counted")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("First. Norvik grew. Last.", "Norvik grew."),
        ("Norvik", "Norvik"),
        ("Dr. Who came. Then Norvik left", "Then Norvik left"),
        ("「Norvik発表」。次の文。", "「Norvik発表」。"),
    ],
)
def test_sentences(text: str, sentence: str) -> None:
    (mention,) = mentions(Brand("Norvik"), of=extraction(block(0, text)))
    assert mention.sentence == sentence


def test_time_is_linear_in_mentions_of_one_block() -> None:
    def seconds(size: int) -> float:
        page = extraction(block(0, "Norvik " * size))
        return seconds_of(lambda: mentions(Brand("Norvik"), of=page), clock=time.thread_time)

    seconds(10)
    assert seconds(20_000) < 0.5 + 40 * seconds(2_000)


def test_plain_values() -> None:
    (mention,) = mentions(Brand("Norvik"), of=extraction(block(0, "Norvik")))
    assert mention.to_dict()["place"] == "body"


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
    settings = ReaderSettings("default", matcher.brands, evidence=False)
    mentions = all_mentions(extraction, matcher, QueryMatcher.of(()), settings, PageParts.of(extraction))
    found = found_mentions(extraction, mentions, settings, "https://a.example/")
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


@pytest.mark.parametrize(("query", "found"), CASES["a_query_is_one_mention_where_it_is_fulfilled_first"])
def test_a_query_is_one_mention_where_it_is_fulfilled_first(query: str, found: list[tuple[str, str]]) -> None:
    mentions = query_mentions(Extractor.load().extract(_page()), QueryMatcher.of([Query.parse(query, name="Q")]))
    assert [(mention.brand, mention.place, mention.text) for mention in mentions] == [("Q", *each) for each in found]
