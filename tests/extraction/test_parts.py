"""The parts of a page, and whether they are in or out."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat import Extraction, Extractor
from blockfeat.errors import ModelError
from blockfeat.extraction.options import ExtractionOptions
from blockfeat.extraction.parts import ROLES, PageParts, block_roles, find_headline, in_comments, with_parts
from blocks_of import blocks_of

LINE = "It is a long sentence about the old bridge, which opens again for all of them today."
PAGE = f"""<html lang=en><title>Old bridge opens again - The Daily Page</title><body>
<header><h1>The Daily Page</h1></header>
<article><h1>Old bridge opens again</h1>
<p>{LINE} {LINE}</p><p>{LINE} {LINE}</p>
<figure><figcaption>The bridge at night, seen from the harbour</figcaption></figure>
<p>{LINE} {LINE}</p>
<table><tr><td>Length</td><td>300 metres</td></tr></table>
<p>{LINE} {LINE}</p></article>
<div class="comments-list"><p>I have waited for this since they closed it.</p></div></body></html>"""
BLOCKS = blocks_of(PAGE)
TEXTS = BLOCKS.texts()
PROSE = np.array([text.startswith("It is a long") for text in TEXTS])


def chosen(kept: np.ndarray[tuple[int], np.dtype[np.bool_]], **wanted: bool) -> set[str]:
    headline = find_headline(BLOCKS, kept, "Old bridge opens again - The Daily Page")
    mask = with_parts(BLOCKS, kept, None if headline is None else headline[0], ExtractionOptions(**wanted))
    return {TEXTS[place] for place in mask.nonzero()[0]} - {TEXTS[place] for place in PROSE.nonzero()[0]}


def test_comments_are_looked_for_around_some_blocks_alone() -> None:
    comments = in_comments(BLOCKS)
    assert [TEXTS[place] for place in comments.nonzero()[0]] == ["I have waited for this since they closed it."]
    assert np.array_equal(in_comments(BLOCKS, comments), comments)
    assert not in_comments(BLOCKS, ~comments).any()


@pytest.mark.parametrize(
    ("part", "texts"),
    [
        ("headline", {"Old bridge opens again"}),
        ("captions", {"The bridge at night, seen from the harbour"}),
        ("tables", {"Length", "300 metres"}),
        ("comments", {"I have waited for this since they closed it."}),
    ],
)
def test_a_part_comes_in_and_goes_out(part: str, texts: set[str]) -> None:
    everything = np.ones(len(TEXTS), dtype=bool)
    assert (chosen(PROSE), chosen(PROSE, **{part: True})) == (set(), texts)
    assert (chosen(PROSE, **{part: False}), chosen(everything) - chosen(everything, **{part: False})) == (set(), texts)


def test_nothing_is_added_to_a_page_without_text() -> None:
    nothing = np.zeros(len(TEXTS), dtype=bool)
    assert chosen(nothing, headline=True, captions=True, tables=True, comments=True) == set()


def test_the_headline_is_told_whether_it_is_in_or_out() -> None:
    extractor = Extractor.load("thresholds")
    with_it, without = (extractor.with_options(headline=wanted).extract(PAGE) for wanted in (True, False))
    assert with_it.headline == without.headline == "Old bridge opens again"
    assert with_it.text.startswith("Old bridge opens again\n\nIt is")
    assert "Old bridge opens again" not in without.text
    assert with_it.to_dict()["headline"] == "Old bridge opens again"


def test_only_two_sides_can_be_favoured() -> None:
    with pytest.raises(ModelError, match="'speed'; known are precision, recall"):
        Extractor.load("thresholds").with_options(favour="speed")


def test_a_headline_in_a_script_without_spaces_is_found() -> None:
    paragraphs = "<p>市は新しい計画を発表した。計画は来年の春から始まる予定で、学校と病院が協力する。</p>" * 4
    page = f"<html lang=ja><title>虐待の防止 - 港便り</title><h1>港便り</h1><h1>虐待の防止</h1>{paragraphs}"
    assert Extractor.load().extract(page).headline == "虐待の防止"


LIGHTHOUSE = """<body><header><a href="/">Home</a></header><main><h1>The lighthouse is saved</h1>
{lead}
<p>Work begins in May, said the mayor of the town, and will last a year.</p>
<figure><figcaption>The lighthouse in spring</figcaption></figure>
<p>Nobody spoke against it but the keeper, who likes the quiet there.</p></main>
<section class="comments"><p>I am glad of it, for my father built it.</p><p><a href="/r">Reply</a></p></section>
<footer>Imprint</footer></body>"""


def roles(lead: str, *, dropped: Sequence[str] = ("Home", "Imprint", "Reply")) -> dict[str, str]:
    blocks = blocks_of(LIGHTHOUSE.format(lead=lead))
    texts = blocks.texts()
    kept = np.array([text not in dropped for text in texts])
    headline = texts.index("The lighthouse is saved")
    return dict(zip(texts, map(ROLES.__getitem__, block_roles(blocks, kept, headline)), strict=True))


def test_every_part_of_an_article() -> None:
    found = roles('<p class="standfirst">The council gives way after a long debate.</p>')
    assert list(found.values()) == [
        "clutter", "headline", "lead", "body", "caption", "body", "comment", "clutter", "clutter",
    ]  # fmt: skip


def test_a_sub_heading_behind_the_headline_is_the_lead() -> None:
    found = roles("<h2>The council gives way after a long and bitter debate</h2>")
    assert [text[:11] for text, role in found.items() if role == "lead"] == ["The council"]


def test_the_first_paragraph_is_the_lead_where_there_is_no_standfirst() -> None:
    found = roles("")
    assert [text[:11] for text, role in found.items() if role == "lead"] == ["Work begins"]


def test_parts_that_are_not_kept_are_told_too() -> None:
    dropped = ("Home", "Imprint", "Reply", "The lighthouse is saved", "I am glad of it, for my father built it.")
    found = roles("", dropped=dropped)
    assert found["The lighthouse is saved"] == "headline"
    assert found["I am glad of it, for my father built it."] == "comment"
    assert found["Imprint"] == "clutter"


def test_a_text_of_one_block_is_body() -> None:
    blocks = blocks_of("<p>The only paragraph of this page has a few more than eight words.</p>")
    assert block_roles(blocks, np.array([True]), None).tolist() == [ROLES.index("body")]


@given(kept=st.lists(st.booleans(), min_size=9, max_size=9), headline=st.none() | st.integers(0, 8))
def test_every_block_has_one_role_and_no_kept_block_is_clutter(kept: list[bool], headline: int | None) -> None:
    blocks = blocks_of(LIGHTHOUSE.format(lead="<p>The council gives way.</p>"))
    found = [ROLES[number] for number in block_roles(blocks, np.array(kept), headline)]
    assert len(found) == len(blocks)
    assert all(role != "clutter" for role, is_kept in zip(found, kept, strict=True) if is_kept)
    assert all(is_kept for role, is_kept in zip(found, kept, strict=True) if role in ("lead", "body"))


PIECES = (
    "word",
    " ",
    "<sup>1</sup>",
    "<sup> 23 </sup>",
    "<sup>a<sup>b</sup></sup>",
    "<sup>a note</sup>",
    "<br>",
    "</p><p>",
)


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_marks_are_raised_signs_behind_a_word_in_the_text_of_their_block(pieces: list[str]) -> None:
    extraction = Extractor.load("longest-block").extract(f"<body><p>{''.join(pieces)}</p>")
    assert PageParts.of(extraction).marks == marks_of(extraction)


def marks_of(extraction: Extraction) -> dict[int, list[tuple[int, int]]]:
    """Find marks plainly, with all of the text before each."""
    marks: dict[int, list[tuple[int, int]]] = {}
    assert extraction.analysis is not None
    blocks = extraction.analysis.measured.blocks
    for element in blocks.tags.named("sup").tolist():
        start, end = (int(blocks.places[place[element]]) for place in (blocks.tags.opened, blocks.tags.closed))
        raised = blocks.page_text.text[start:end].strip()
        index = int(blocks.block_starts.searchsorted(start, side="right")) - 1
        before = blocks.page_text.text[int(blocks.block_starts[index]) : start] if index >= 0 else ""
        at = len(" ".join(before.split()))
        is_mark = 0 < len(raised) <= 4 and at and not before[-1].isspace()
        if is_mark and extraction.blocks[index].text[at : at + len(raised)] == raised:
            marks.setdefault(index, []).append((at, at + len(raised)))
    return marks
