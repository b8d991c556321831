"""Every rule decides about the blocks of a page, says so, and decides nothing once it is left out."""

import json
import re
from dataclasses import dataclass

import numpy as np
import pytest

from blockfeat import Extraction, Extractor
from blockfeat._files import bundled_table
from blockfeat.extraction import postprocess
from blockfeat.extraction.options import DEFAULT_OPTIONS, ExtractionOptions
from blockfeat.extraction.postprocess import RULES, Choice, pointers
from blockfeat.models.model import Prediction
from blockfeat.page.page import Page
from blocks_of import blocks_of
from cases import CASES as TABLES

SENTENCE = "The ferry to the island was late, and the people on the pier began to sing, as they do when it rains."
STANDFIRST = "The ferry to the northern islands leaves an hour later from Monday on, and the harbour master says why"
BODY = "".join(f"<p>{day}: {SENTENCE}</p>" for day in ("Monday", "Tuesday", "Friday"))
ASKS = (
    "<p>We and our 842 partners store and access personal data, like browsing data, on your device.</p>"
    "<p>Selecting I Accept enables tracking technologies to support the purposes shown here.</p>"
    "<p>Your choices will have effect within this website, until you withdraw your consent in the menu.</p>"
)
CODE = "<p>Run <code>pump</code>, <code>tank</code> or <code>valve</code>.</p>"


@dataclass(frozen=True)
class Case:
    """A page, the blocks of it that are decided about, how likely the model takes it for content, and options."""

    html: str
    decided: tuple[int, ...]
    are_kept: bool
    odds: float = 5.0
    options: ExtractionOptions = DEFAULT_OPTIONS


CASES = {
    "named box": Case(f"<p>Aside</p><article>{BODY}</article><p>{SENTENCE}</p>", (0, 4), are_kept=False, odds=0.1),
    "standfirst": Case(f'<meta name=description content="{STANDFIRST}"><p>{STANDFIRST}</p>{BODY}', (0,), are_kept=True),
    "posts": Case(
        f'<body id="phpbb"><div class=postbody><div class=content>{BODY}</div></div><p>{SENTENCE}', (3,), are_kept=False
    ),
    "event": Case(
        f'<body class="single-event"><p>{SENTENCE}</p><article class="type-event">{BODY}</article>',
        (0,),
        are_kept=False,
    ),
    "product": Case(
        f'<meta property="og:type" content="product">{BODY}<div id=delivery><p>{SENTENCE}</div>',
        (3,),
        are_kept=False,
        odds=0.5,
    ),
    "completed": Case(f"{BODY}<dl><dt>Oak<dd>{SENTENCE}<dt>Elm<dd>{SENTENCE}</dl>", (3, 5), are_kept=True),
    "technical text": Case(f"<main>{BODY}{CODE}<ul><li>one</ul></main>", (4,), are_kept=True),
    "section headings": Case(f"<main>{BODY}<h2>At night</h2>{BODY}</main>", (3,), are_kept=True),
    "options": Case(
        f"<h1>The ferry is late</h1>{BODY}", (0,), are_kept=False, options=ExtractionOptions(headline=False)
    ),
    "banners": Case(f"{BODY}<div id=klaro>{ASKS}</div>", (3, 4, 5), are_kept=False),
    "dialogs": Case(f'{BODY}<div role=dialog aria-modal="true"><p>{SENTENCE}</div>', (3,), are_kept=False, odds=0.1),
    "pointers": Case(f"{BODY}<p>Read also: <a href=/1>The keeper</a></p>{BODY}", (3,), are_kept=False),
    "code marks": Case(
        f"{BODY}<div><div>python</div><pre class=language-python>pump()</pre></div>", (3,), are_kept=False
    ),
}


def choice_of(case: Case, url: str | None = None) -> Choice:
    """Return what is kept of a case of which the model labels the blocks the other way."""
    page = Page.parse(f"<html lang=en><title>The ferry is late</title>{case.html}", url=url)
    blocks = blocks_of(page.data)
    kept = np.ones(len(blocks), dtype=np.bool_)
    kept[list(case.decided)] = not case.are_kept
    odds = np.full(len(blocks), case.odds)
    given = Prediction(odds, kept, log_odds=odds)
    title, options = page.title, case.options
    return postprocess.postprocess(blocks, given, page, title=title, options=options, model_kind="sequence")[0]


@pytest.mark.parametrize("url", ["https://example.org/forum/viewtopic?t=9", "https://forum.example.org/9", None])
def test_no_named_box_stands_for_all_answers_of_a_thread(url: str | None) -> None:
    reasons = choice_of(CASES["named box"], url).rule_reasons.values()
    assert any("outside of the box" in reason for reason in reasons) == (url is None)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.keeps or rule.drops], ids=lambda rule: rule.name)
def test_a_rule_decides_and_says_why(rule: postprocess.Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[rule.name]
    reason = f"kept: {rule.keeps}" if case.are_kept else f"dropped: {rule.drops}"
    found = choice_of(case)
    assert found.rule_reasons == dict.fromkeys(case.decided, reason)
    assert set((found.kept == case.are_kept).nonzero()[0]) >= set(case.decided)
    monkeypatch.setattr(postprocess, "RULES", tuple(each for each in RULES if each is not rule))
    assert choice_of(case).rule_reasons == {}


def test_tables_that_a_late_rule_keeps_are_tables_of_the_text() -> None:
    table = "<table><tr><th>Name<th>Kind<tr><td>depth<td>number</table>"
    found = choice_of(Case(f"<main>{BODY}{CODE}{table}</main>", (4, 5, 6, 7), are_kept=True))
    assert found.kept.all()
    assert len(found.kept_tables()) == 1


@pytest.mark.parametrize(("name", "side"), [(rule.name, rule.unless) for rule in RULES if rule.unless])
def test_some_rules_are_left_out_where_a_side_is_favoured(name: str, side: str) -> None:
    case = CASES[name]
    favoured = Case(case.html, case.decided, case.are_kept, case.odds, ExtractionOptions(favour=side))
    assert choice_of(favoured).rule_reasons == {}


POINTERS = TABLES["linked_lines_that_point"]


@pytest.mark.parametrize("line", POINTERS)
def test_a_linked_line_is_found(line: str) -> None:
    blocks = blocks_of(f"<p>{SENTENCE}</p><p>{line}</p><p>{SENTENCE}</p>")
    assert pointers(blocks, np.array([True, True, True])) == [1]
    assert pointers(blocks, np.array([True, False, True])) == []
    assert pointers(blocks, np.array([False, True, False])) == []


@pytest.mark.parametrize(
    "line", [f"Read also what the keeper wrote: {SENTENCE}", "<a href=/1>The keeper reads more</a>", "Also"]
)
def test_prose_and_other_links_are_not(line: str) -> None:
    blocks = blocks_of(f"<p>{SENTENCE}</p><p>{line}</p>")
    assert pointers(blocks, np.array([True, True])) == []


def test_the_default_model_leaves_them_out_and_says_why() -> None:
    body = "".join(f"<p>{SENTENCE} {number}.</p>" for number in range(6))
    page = f"<html lang=en><article><h1>The ferry</h1>{body}<p>{POINTERS[0]}</p>{body}</article></html>"
    found = Extractor.load("default").extract(page)
    assert "Read also" not in found.text
    (line,) = (block for block in found.blocks if block.text.startswith("Read also"))
    assert line.reason.startswith("dropped: ")
    paper = Extractor.load("mss-simple").extract(page)
    assert "Read also" in paper.text


def test_blocks_that_options_decide_say_so() -> None:
    page = f"<article><h1>The ferry is late</h1>{f'<p>{SENTENCE}</p>' * 5}</article>"
    for wanted in (True, False):
        blocks = Extractor.load("margin").with_options(headline=wanted).extract(page).blocks
        assert blocks[0].kept is wanted
        assert blocks[0].reason.startswith("kept" if wanted else "dropped")


_NAV = "<nav><a href=/>Home</a> <a href=/about>About us</a> <a href=/jobs>Jobs and careers</a></nav>"
_FOOTER = "<footer><p>All rights reserved, Pine and Larch Limited, 12 Mill Lane, Ashford</p></footer>"
_NAMES = ("Maple", "Birch", "Willow", "Alder", "Rowan", "Hazel", "Aspen", "Cedar", "Poplar", "Linden")


def test_options_are_applied_once() -> None:
    # Once comments are in, the caption before them would stand between parts of the text.
    beside = f"<figure><figcaption>The pier at nine</figcaption></figure><div class=comments><p>{SENTENCE}</div>"
    options = ExtractionOptions(captions=True, comments=True)
    assert choice_of(Case(f"{BODY}{beside}", (3, 4), are_kept=True, options=options)).kept.tolist()[3:] == [False, True]


def _page(main: str, *, head: str = "", url: str = "https://shop.example/tables/") -> dict[str, str]:
    body = f"{_NAV}{main}{_FOOTER}"
    html = f"<!DOCTYPE html><html lang=en><head><title>Tables</title>{head}</head><body>{body}</body></html>"
    return {"html": html, "url": url}


def _items(tag: str = "li") -> str:
    return "".join(
        f"<{tag}><a href=/tables/{name.lower()}>{name} table, {size} cm wide</a> oiled, with drawers</{tag}>"
        for size, name in enumerate(_NAMES, 120)
    )


@pytest.fixture(scope="module")
def default() -> Extractor:
    return Extractor.load("default")


@pytest.fixture(scope="module")
def listed(default: Extractor) -> Extraction:
    return default.extract(**_page(f"<main><h1>Tables</h1><ul>{_items()}</ul></main>"))


def test_the_list_of_a_page_with_nothing_else_is_its_text(listed: Extraction) -> None:
    assert (listed.status, listed.kind) == ("ok", "list")
    assert listed.warnings[-1] == "next to no main text was found on the page: the list that it holds is its text"
    assert all(f"{name} table" in listed.text for name in _NAMES)
    assert "Jobs" not in listed.text
    assert "rights reserved" not in listed.text
    assert any("part of the list" in block.reason for block in listed.blocks if block.kept)
    assert listed.confidence is not None
    assert listed.confidence < 0.75


@pytest.mark.parametrize(
    ("name", "around"),
    [("share-bar comments", "<div>{}</div>"), ("", "<form><div id=ad>{}</div></form>"), ("", "<article><header>{}")],
)
def test_what_is_around_all_of_a_list_puts_it_not_beside_the_text(default: Extractor, name: str, around: str) -> None:
    page = _page(around.format(f"<ul>{_items()}</ul>"))
    found = default.extract(page["html"].replace("<body", f"<body class='{name}'"), url=page["url"])
    assert (found.status, found.kind, "Linden table" in found.text) == ("ok", "list", True)


def test_pages_of_products_hold_no_text_twice(default: Extractor) -> None:
    product = '<meta property="og:type" content="product">'
    page = _page(f"<main><h1>Tables</h1><ul>{_items()}</ul><ul class=mobile>{_items()}</ul></main>", head=product)
    found = default.extract(**page)
    assert found.text.count("Linden table") == 1
    assert "dropped: a block before it has the same text" in {block.reason for block in found.blocks}
    assert default.extract(**{**page, "html": page["html"].replace(product, "")}).text.count("Linden table") == 2


_FULL = " ".join(
    ["Our tables are made of oak from the valley, oiled by hand and carried to your door in one piece."] * 5
)


@pytest.mark.parametrize(("head", "price", "favour", "are_kept"), TABLES["offers_below_a_text_are_kept"])
def test_offers_below_a_text_are_kept(default: Extractor, head: str, price: str, favour: str, are_kept: bool) -> None:
    offers = "".join(
        f"<div class='tile t{size}'><a href=/{size}>{name} table</a><span>{price.format(size)}</span>"
        f"<div class=btn>Add to basket</div></div>"
        for size, name in enumerate(_NAMES * 2, 120)
    )
    page = _page(f"<main><h1>Tables</h1><p>{_FULL}</p><div class=row>{offers}</div></main>", head=head)
    found = (default.with_options(favour=favour) if favour else default).extract(**page)
    assert _FULL in found.text
    assert ("Linden table" in found.text, "Add to basket" in found.text) == (are_kept, False)
    assert any("one of the offers" in block.reason for block in found.blocks) == are_kept


_DAY = "<section><h3>May {0}, 2026</h3><ul><li><a href=/a{0}>Agenda</a><li><a href=/m{0}>Minutes</a></ul></section>"
_BOARD = (
    "<div class=main><h1>Board</h1><p>The board meets at nine in the town hall, and everybody may come and listen. "
    "Requests to speak are made a week before, in writing, at the office of the board in Mill Lane.</p>"
    "<div class=related><a href=/x>Other towns on the river</a></div>" + "".join(map(_DAY.format, range(8, 18)))
)


@pytest.mark.parametrize(("url", "favour", "is_whole"), TABLES["a_list_below_its_opening_is_kept_whole"])
def test_a_list_below_its_opening_is_kept_whole(default: Extractor, url: str, favour: str, is_whole: bool) -> None:
    extractor = default.with_options(favour=favour) if favour else default
    found = extractor.extract(**_page(f"{_BOARD}</div>", url=f"https://town.example/{url}"))
    assert "The board meets at nine" in found.text
    assert ("May 17, 2026" in found.text, found.text.count("Agenda")) == (is_whole, 10 * is_whole)
    assert not {"Other towns on the river", "Home", "Board"} & set(found.text.splitlines())
    assert any("it stands beside what is kept" in block.reason for block in found.blocks) == is_whole


@pytest.mark.parametrize("format", ["to_markdown", "to_html"])
def test_formats_hold_the_list(listed: Extraction, format: str) -> None:
    assert all(f"{name} table" in getattr(listed, format)() for name in _NAMES)


def test_lists_are_left_out_where_precision_is_favoured_and_by_models_after_the_papers(default: Extractor) -> None:
    for extractor in (default.with_options(favour="precision"), Extractor.load("thresholds")):
        found = extractor.extract(**_page(f"<main><h1>Tables</h1><ul>{_items()}</ul></main>"))
        assert found.kind != "list"
    assert "Maple" not in default.with_options(favour="precision").extract(**_page(f"<main>{_items()}</main>")).text


def test_teasers_beside_a_short_article_are_no_list(default: Extractor) -> None:
    declared = json.dumps({"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Mill to close"})
    head = f'<meta property="og:type" content="article"><script type="application/ld+json">{declared}</script>'
    article = (
        "<article><h1>Mill to close</h1><p>The mill in Ashford will close in May, its owner said on Monday, after it "
        "had worked for a hundred and twenty years.</p><p>Forty people work there, and most of them, the owner said, "
        "will be offered work in the mill at Wye.</p></article>"
    )
    url = "https://news.example/2026/05/02/mill-to-close-in-ashford-8812345.html"
    found = default.extract(**_page(f"{article}<div><h2>Related</h2><ul>{_items()}</ul></div>", head=head, url=url))
    assert found.kind != "list"
    assert "Maple" not in found.text


def test_an_error_page_has_no_list(default: Extractor) -> None:
    head = "<title>404 Not Found</title>"
    html = f"<html><head>{head}</head><body><h1>404 Not Found</h1><ul>{_items()}</ul></body></html>"
    found = default.extract(html, url="https://shop.example/gone")
    assert (found.kind, found.status) == ("error page", "no content")


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<html><body></body></html>", "the page has no text"),
        (
            "<html><body><div id=app></div><script src=app.js></script></body></html>",
            "the page has no text: it may be written by the page's scripts",
        ),
    ],
)
def test_empty_pages_say_why(default: Extractor, html: str, reason: str) -> None:
    found = default.extract(html)
    assert (found.text, found.status, found.warnings[-1]) == ("", "empty", reason)


def test_a_page_of_which_nothing_is_kept_says_how_likely_its_blocks_are(default: Extractor) -> None:
    found = default.extract(_page("<div class=menu><a href=/a>Sign in</a></div>")["html"])
    assert found.text == ""
    assert "the model keeps none of its blocks, the likeliest with a probability of 0." in found.warnings[-1]


def test_what_options_leave_out_is_the_reason(default: Extractor) -> None:
    rows = "".join(
        f"<tr><td>{name}</td><td>A table of oiled wood with drawers, made in Ashford in the year {year}.</td></tr>"
        for year, name in enumerate(_NAMES, 1990)
    )
    whole = default.extract(**_page(f"<main><table>{rows}</table></main>"))
    assert whole.text
    found = default.with_options(tables=False).extract(**_page(f"<main><table>{rows}</table></main>"))
    assert found.text == ""
    assert found.warnings[-1].endswith("what the model keeps is dropped: the options leave it out")


def test_names_of_posts_begin_with_what_they_are_looked_up_by() -> None:
    threads = bundled_table("blockfeat.extraction", "software.toml")
    first, second = (group.split("|") for group in re.findall(r"\(\?:([\w|]+)\)", threads["named"])[:2])
    names = [a + between + b for a in first for between in ("", "-", "_") for b in second]
    assert len(first) > 5
    assert [name for name in (*names, "itemprop=text") if not name.startswith(tuple(threads["names_begin"]))] == []
