"""Rules over what a model keeps: technical text, section headings, named boxes, standfirsts, banners."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat import Extractor
from blockfeat.extraction.rules import (
    in_named_box,
    lost_standfirst,
    names_of,
    parts_of_product,
    technical_text,
    without_dialogs,
    without_notes,
    without_repeats,
)
from blockfeat.extraction.signs import section_headings
from blocks_of import blocks_of
from cases import CASES
from property_examples import examples

MANUAL = "The pump is started by hand, and after that it runs by itself until the tank is full."
CODE = "<p>Run <code>pump</code>, <code>tank</code> or <code>valve</code>.</p>"


def kept_texts(html: str, kept: list[bool], complete=technical_text) -> list[str]:
    blocks = blocks_of(html)
    chosen = complete(blocks, np.array(kept))
    return blocks.texts(chosen.nonzero()[0].tolist())


def test_technical_text_is_kept_whole() -> None:
    page = (
        "<ul><li>Home</ul>"
        f"<main><h1>Pumps</h1><p>{MANUAL}</p><h2>Use</h2>{CODE}<ul><li>one</ul><pre>pump -a</pre></main>"
        "<p>Imprint</p>"
    )
    found = kept_texts(page, [False, False, True, False, True, False, False, False])
    assert found == [MANUAL, "Use", "Run pump, tank or valve.", "one", "pump -a"]


@pytest.mark.parametrize("inside", ["nav", "aside", "form", 'div class="comments"', 'div class="share-buttons"'])
def test_menus_and_the_like_inside_of_technical_text_stay_out(inside: str) -> None:
    page = f"<main><p>{MANUAL}</p><{inside}>Back</{inside.split()[0]}><p>Stop</p>{CODE}</main>"
    assert kept_texts(page, [True, False, False, True]) == [MANUAL, "Stop", "Run pump, tank or valve."]


def test_other_text_and_discussions_stay_as_they_are() -> None:
    kept = [True, False, True]
    for page in (
        f"<main><p>{MANUAL}</p><p>Back</p><p>{MANUAL}</p></main>",
        f"<main class='thread'><p>{MANUAL}</p><p>Back</p>{CODE}</main>",
    ):
        assert "Back" not in kept_texts(page, kept)
    assert kept_texts(f"<main><p>{MANUAL}</p><p>Back</p>{CODE}</main>", [False] * 3) == []


def test_a_heading_is_kept_with_its_section() -> None:
    page = (
        f"<div><h1>Pumps</h1><p>{MANUAL}</p>"
        f"<div><h2>Use</h2></div><h3>At night</h3><p>{MANUAL}</p>"
        f"<aside><h2>Read on</h2><p>Valves and tanks</p></aside><p>{MANUAL}</p><h2>Imprint</h2></div>"
    )
    kept = [False, True, False, False, True, False, False, True, False]
    found = kept_texts(page, kept, section_headings)
    assert found == [MANUAL, "Use", "At night", MANUAL, MANUAL]


def test_a_heading_that_is_a_link_is_not() -> None:
    page = f"<p>{MANUAL}</p><h2><a href=/1>Valves and tanks</a></h2><p>{MANUAL}</p>"
    assert kept_texts(page, [True, False, True], section_headings) == [MANUAL, MANUAL]


def test_in_lists_headings_that_are_links_are_kept_with_their_sections() -> None:
    card = "<li><h3><a href=/{0}>{0}</a></h3><p>{1}</p></li>"
    page = f"<h1>Shop</h1><ul>{card.format('Pumps', MANUAL)}{card.format('Tanks', MANUAL)}</ul>"
    of_list = partial(section_headings, of_list=True)
    assert kept_texts(page, [False, False, True, False, True], of_list) == ["Pumps", MANUAL, "Tanks", MANUAL]
    assert kept_texts(page, [False, False, True, False, False], of_list) == ["Pumps", MANUAL]
    assert kept_texts(page, [False] * 5, of_list) == []


def test_a_text_of_some_words_that_stands_there_before_is_not_kept() -> None:
    page = f"<p>{MANUAL}</p><p>In stock</p><p>{MANUAL.upper()}</p><p>In stock</p><p>{MANUAL} Mostly.</p>"
    found = kept_texts(page, [True] * 5, without_repeats)
    assert found == [MANUAL, "In stock", "In stock", f"{MANUAL} Mostly."]
    assert MANUAL.upper() in kept_texts(page, [False, *[True] * 4], without_repeats)


def test_the_first_h1_of_the_article_is_in_markdown_html_and_xml() -> None:
    body = f"<p>{MANUAL}</p>" * 5
    for title in ("Pumps and tanks", "A name of the site"):
        page = (
            f"<html lang=en><title>{title}</title><body><h1>Shop</h1>"
            f"<main><header><h1>Pumps and tanks</h1></header><div>{body}</div></main>"
        )
        for wanted in (None, False):
            found = Extractor.load("default").with_options(headline=wanted).extract(page)
            assert "Pumps and tanks" not in found.text
            assert found.to_markdown().startswith("# Pumps and tanks\n\nThe pump is")
            assert "<h1>Pumps and tanks</h1>" in found.to_html()
            assert "<head>Pumps and tanks</head>" in found.to_xml()
            assert "Shop" not in found.to_markdown()


SENTENCE = "The ferry to the island was late, and the people on the pier began to sing, as they do when it rains."
BODY = f"<p>{SENTENCE}</p>" * 4
AROUND = f"<p>{SENTENCE}</p>"


def kept(page: str, *, likely: list[bool] | None = None) -> list[bool]:
    blocks = blocks_of(page)
    everything = np.ones(len(blocks), dtype=np.bool_)
    found = in_named_box(blocks, everything, everything if likely is None else np.array(likely))
    assert found.shape == everything.shape
    return [bool(each) for each in found]


@pytest.mark.parametrize("box", CASES["only_what_stands_in_the_box_is_kept"])
def test_only_what_stands_in_the_box_is_kept(box: str) -> None:
    name = box.split()[0]
    assert kept(f"{AROUND}<{box}>{BODY}</{name}>{AROUND}") == [False, *[True] * 4, False]


def test_the_clearest_name_counts_and_of_boxes_in_one_another_the_outermost() -> None:
    inner = f"<div class=post-body>{BODY}</div>"
    assert kept(f"<main>{AROUND}<article>{AROUND}{inner}</article></main>") == [False, False, *[True] * 4]
    assert kept(f"{AROUND}<article>{AROUND}<article>{BODY}</article></article>") == [False, *[True] * 5]


def test_without_one_box_of_most_words_all_is_kept() -> None:
    assert all(kept(f"{AROUND}<div>{BODY}</div>{AROUND}"))
    assert all(kept(f"<article>{BODY}</article><article>{BODY}</article>{AROUND}"))
    assert all(kept(f"<article><p>The pier</p></article>{BODY}"))


def test_boxes_that_hold_little_of_what_is_likely_are_none() -> None:
    page = f"<article>{AROUND}</article>{BODY}"
    assert all(kept(page))
    assert kept(page, likely=[True, False, False, False, False]) == [True, False, False, False, False]


STANDFIRST = "The ferry to the northern islands leaves an hour later from Monday on, and the harbour master says why"
OTHER = "Nobody in the harbour had asked for the change, which costs the company a crew and two boats a year."


def lost(before: str, *, kept: tuple[bool, ...], descriptions: str = STANDFIRST, odds: float = 0.0) -> list[int]:
    blocks = blocks_of(f"{before}<p>{SENTENCE}</p><p>{OTHER}</p>")
    return lost_standfirst(blocks, np.array(kept), np.full(len(blocks), odds), descriptions)


@pytest.mark.parametrize("description", [STANDFIRST, f"{STANDFIRST[:80]} …", f"A pier.\n{STANDFIRST.upper()}"])
def test_a_dropped_block_that_is_the_description_is_found(description: str) -> None:
    assert lost(f"<p>{STANDFIRST}.</p>", kept=(False, True, True), descriptions=description) == [0]


@pytest.mark.parametrize(
    ("before", "kept", "others"),
    [
        (f"<p>{STANDFIRST}.</p>", (True, True, True), {}),
        (f"<p>{STANDFIRST}.</p>", (False, False, False), {}),
        (f"<p>{STANDFIRST}.</p>", (False, True, True), {"descriptions": "The ferry is late"}),
        (f"<p>{STANDFIRST}.</p>", (False, True, True), {"descriptions": ""}),
        (f"<p>{STANDFIRST}.</p>", (False, True, True), {"odds": -4.0}),
        (f"<p><a href=/1>{STANDFIRST}</a></p>", (False, True, True), {}),
        (f"<figure><figcaption>{STANDFIRST}</figcaption></figure>", (False, True, True), {}),
        ("", (True, False), {"descriptions": OTHER}),
        (f"<p>{STANDFIRST}</p>{'<p>A pier</p>' * 14}", (*[False] * 15, True, True), {}),
    ],
)
def test_what_is_kept_unlike_linked_far_or_sure_to_be_none_is_not(before: str, kept, others) -> None:
    assert lost(before, kept=kept, **others) == []


ASKS = CASES["asks_for_consent"]
TOLD = CASES["told_beside_banners"]
VENDORS = CASES["banners_of_vendors"]


def page_with(banner: str, lang: str, *, paragraphs: int, first: bool) -> str:
    asks = banner.format("".join(f"<p>{text}</p>" for text in ASKS[lang]))
    told = "".join(f"<p>{TOLD[lang].format(number)}</p>" for number in range(paragraphs))
    article = f"<main><article><h1>A bridge for Lindau</h1>{told}</article></main>"
    body = asks + article if first else article + asks
    return f"<html><head><title>A bridge for Lindau</title></head><body>{body}</body></html>"


@pytest.mark.parametrize("model", ["default", "margin"])
@pytest.mark.parametrize("lang", ["en", "de"])
def test_no_paragraph_of_a_banner_is_kept_and_none_of_the_article_lost(model: str, lang: str) -> None:
    extractor = Extractor.load(model)
    for banner in VENDORS:
        for paragraphs in (2, 5, 16):
            for first in (True, False):
                found = extractor.extract(page_with(banner, lang, paragraphs=paragraphs, first=first))
                assert not any(text in found.text for text in ASKS[lang]), banner
                assert all(TOLD[lang].format(number) in found.text for number in range(paragraphs)), banner


def test_an_article_about_consent_stays() -> None:
    texts = [f"{text} So says paragraph {number}." for number in range(4) for text in ASKS["en"]]
    html = f"<title>Consent</title><article><h1>Consent</h1>{''.join(f'<p>{text}</p>' for text in texts)}</article>"
    extractor = Extractor.load("default")
    kept = {block.text for block in extractor.extract(html).blocks if block.kept}
    assert all(text in kept for text in texts)


def test_instructions_that_say_cookie_all_over_stay() -> None:
    about = "".join(
        f"<p>The session object number {number} keeps a cookie between requests, and sends the cookie again.</p>"
        for number in range(4)
    )
    other = "".join(f"<p>{TOLD['en'].format(number)}</p>" for number in range(3))
    html = f"<title>Sessions</title><main><section>{about}</section><section>{other}</section></main>"
    assert "session object number 0" in Extractor.load("default").extract(html).text


_THREADS = CASES["threads_of_software"]
_POSTS = "<p>Mine too.</p><div class=codebox><p>Select all</p></div><p>Thanks, that helps</p>"
_AROUND = "<p>The harbour master of the northern island writes about all his ferries here, and he answers you.</p>" * 3


@pytest.mark.parametrize("software", _THREADS)
def test_the_posts_of_known_software_are_the_text_and_nothing_else(software: str) -> None:
    page = _THREADS[software].format(_POSTS, _AROUND)
    assert Extractor.load().extract(page).text.split("\n\n") == ["Mine too.", "Thanks, that helps"]
    assert "harbour master" in Extractor.load().with_options(rules=False).extract(page).text
    only_code = _THREADS[software].format("<div class=codebox><p>ferry --late</p></div>", _AROUND)
    assert Extractor.load().extract(only_code).text == "ferry --late"
    without_posts = _THREADS[software].format("", _AROUND)
    assert "harbour master" in Extractor.load().extract(without_posts).text


@pytest.mark.parametrize(("url", "page"), CASES["posts_are_found_by_what_their_elements_are_named"])
@pytest.mark.parametrize("name", ["class=comment-text", "class=msgBody", "id=post_message_{}", "itemprop=text"])
def test_posts_are_found_by_what_their_elements_are_named(url: str, page: str, name: str) -> None:
    opening = TOLD["en"].format(1)
    replies = ["Mine too.", "Thanks, that helps", f"{TOLD['en'].format(2)} {TOLD['en'].format(3)}"]
    posts = "".join(f"<b>bob</b><div {name.format(number)}>{reply}</div>" for number, reply in enumerate(replies, 10))
    html = page.format(f"<p>{opening}</p><p>{opening}</p>{posts}{_AROUND}")
    extractor = Extractor.load()
    assert extractor.extract(html, url=url).text.split("\n\n") == [opening, opening, *replies]
    of_two_posts = html.replace(f"<div {name.format(12)}>", "<div>")
    assert "harbour master" in extractor.extract(of_two_posts, url=url).text


def test_comments_on_an_article_are_no_posts_whatever_the_page_says_of_itself() -> None:
    comments = "".join(f"<b>bob</b><div class=comment-text><p>Mine too, number {number}</p></div>" for number in "123")
    article = "".join(f"<p>{TOLD['en'].format(number)}</p>" for number in range(6))
    for html in _THREADS.values():
        page = html.format("<p>Mine too</p>", comments).replace("><", f"><div>{article}</div><", 1)
        found = Extractor.load().extract(page, url="https://forum.example.org/threads/7")
        assert not any("post of the thread" in block.reason for block in found.blocks)
        assert TOLD["en"].format(5) in found.text


def test_no_list_takes_the_place_of_short_posts() -> None:
    others = "".join(f"<li><a href=/{number}>Thread {number} on ferries</a> <i>12 replies</i>" for number in range(40))
    page = _THREADS["XenForo"].format(_POSTS, f"<h3>Similar threads</h3><ul>{others}</ul>")
    assert Extractor.load().extract(page, url="https://example.org/threads/7").text == "Mine too.\n\nThanks, that helps"


def test_a_line_below_a_picture_is_the_text_where_a_page_names_its_box_and_nothing_is_like_one() -> None:
    menu = "".join(f"<li><a href=/{number}>Ferries</a>" for number in range(40))
    page = "<title>Blog</title>{}<nav><ul>" + menu + "</ul></nav><h2>Leave a comment</h2><form>Name (required)</form>"
    post = "<h3><a href=/1>Late</a></h3><div class=storycontent><p><img src=a.jpg>Drawn by Ann on the pier</div>"
    assert Extractor.load().extract(page.format(post)).text == "Drawn by Ann on the pier"
    for html, options in ((page.format(post * 2), {}), (page.format(post), {"favour": "precision"})):
        assert Extractor.load().with_options(**options).extract(html).text != "Drawn by Ann on the pier"


_FIELDS = "<dl><dt>Date</dt><dd>May 9</dd><dt>Venue</dt><dd>Harbour Inn<br>1307 Market Street</dd></dl>"
_EVENTS = {
    "The Events Calendar": '<body class="single-tribe_events"><div class="tribe-events-single">{}</div>{}',
    "Drupal": '<body class="page-node-type-event"><article class="node node--type-event">{}</article>{}',
    "microdata": '<div itemscope itemtype="https://schema.org/Event">{}</div>{}',
    "main": "<main>{}</main>{}",
}


@pytest.mark.parametrize("made_by", _EVENTS)
def test_the_fields_of_one_event_are_the_text_and_nothing_else(made_by: str) -> None:
    menus = "<div class='socialShare'>Share it</div><ul class=event-list><li>Other day</ul><nav>Next</nav>"
    inside = f"<h1>Ferry day</h1>{_FIELDS}<div class='fieldLabel-hidden'>Bring a coat</div>{menus}"
    page = _EVENTS[made_by].format(inside, "<p>Harbour office</p><footer>All rights reserved</footer>")
    found = Extractor.load().extract(page, url="https://example.org/events/ferry-day")
    wanted = ["Date", "May 9", "Venue", "Harbour Inn", "1307 Market Street", "Bring a coat"]
    assert [line.strip("- ") for line in found.text.split("\n") if line] == wanted


@pytest.mark.parametrize("before", ["<div class=single-event>{0}</div>" * 2, f"<article>{BODY * 3}</article>"])
def test_pages_of_several_events_and_texts_beside_one_stay_as_they_are(before: str) -> None:
    page = f"<body class=single-event><div>{before.format(_FIELDS)}<div class=single-event>{_FIELDS}</div></div>"
    assert Extractor.load().extract(page).text == Extractor.load().extract(page.replace("event", "other")).text


def test_parts_of_a_product_are_told_by_names() -> None:
    table = "<table class=specTable><tr><th>Weight<td>440 g<tr><th>Material<td>Paper and board, with ink</table>"
    about = "<div itemprop=description><p>A puzzle of five hundred pieces for those who like gin</p></div>"
    beside = f"<div class=delivery_info><div class=description>Tomorrow</div></div><p>{MANUAL * 3}</p>"
    blocks = blocks_of(f"<body class=description>{about}{table}<div class=priceDescription>5 €</div>{beside}")
    everything = np.ones(len(blocks), dtype=np.bool_)
    sure, unsure = (parts_of_product(blocks, everything, likely) for likely in (everything, ~everything))
    assert blocks.texts((everything & ~sure).nonzero()[0]) == ["Tomorrow"]
    assert blocks.texts((sure & ~unsure).nonzero()[0]) == ["5 €", MANUAL * 3]
    nothing, kept = blocks_of(f"<p>{MANUAL}</p><div class=related>Another</div>"), np.array([False, True])
    assert parts_of_product(nothing, kept, ~kept) is kept


@pytest.mark.parametrize(
    ("name", "many", "is_dropped"),
    [
        ("Legal-text", 3, True),
        ("cmp--disclaimer", 3, True),
        ("legal", 1, False),
        ("gallery", 3, False),
        ("legal", 9, False),
    ],
)
def test_long_legal_notes_are_told_by_names(name: str, many: int, is_dropped: bool) -> None:
    blocks = blocks_of(f"<p>{MANUAL * 9}</p><div><ul class={name}>{f'<li>{MANUAL}' * many}</ul></div>")
    everything = np.ones(len(blocks), dtype=np.bool_)
    assert without_notes(blocks, everything).tolist() == [True] + [not is_dropped] * many


@pytest.mark.parametrize(
    ("tag", "many", "is_dropped"),
    [
        ("dialog", 9, True),
        ("section id=terms role='dialog'", 9, True),
        ("div class=dialog", 9, False),
        ("div role=dialog aria-modal=false", 9, False),
        ("dialog", 1, False),
    ],
)
def test_dialogs_that_cover_the_page_are_told_by_their_tags(tag: str, many: int, is_dropped: bool) -> None:
    blocks = blocks_of(f"<p>{MANUAL * many}</p><{tag}><p>{MANUAL}</p></{tag.split()[0]}>")
    everything = np.ones(len(blocks), dtype=np.bool_)
    assert without_dialogs(blocks, everything).tolist() == [True, not is_dropped]


def test_only_pages_that_say_that_they_are_of_one_product_have_its_parts() -> None:
    rows = "".join(f"<tr><th>Size {number}</th><td>{number} cm wide, boxed</td></tr>" for number in range(5))
    cards = "".join(f"<div><a href=/{number}>Puzzle {number}</a> 9 €</div>" for number in range(20))
    page = f"<h1>Puzzle</h1><div>9 €, in stock</div><table class=specs>{rows}</table>{cards}"
    declared = '<script type="application/ld+json">{"@type": "Product", "name": "Puzzle"}</script>'
    found = Extractor.load().extract(declared + page)
    assert [line.split("\t")[0] for line in found.text.split("\n")] == [f"Size {number}" for number in range(5)]
    assert any("of its product" in block.reason for block in found.blocks)
    for other in ("", declared.replace("Product", "ItemList") + declared):
        assert not any("of its product" in block.reason for block in Extractor.load().extract(other + page).blocks)


@pytest.mark.parametrize("kind", ["event", "product", "beside product", "offer", "list"])
@given(st.data())
@examples(100)
def test_each_name_of_a_part_has_a_mark(kind: str, data: st.DataObject) -> None:
    marks, pattern = names_of(kind)
    assert marks.are_in(data.draw(st.from_regex(pattern, fullmatch=True)).encode())
