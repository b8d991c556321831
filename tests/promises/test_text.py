"""Promise 4 on small pages: whatever stands unclosed or broken between two paragraphs, no text is lost in silence."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import blockfeat
from cases import CASES
from hostile import BEFORE, BEHIND, INSIDE
from pages import SENTENCES, article_page
from property_examples import examples

_TELLS_OF_LOSS = re.compile("hid|miss|lost|left out", re.I)

# Every element of HTML, also those of old.
_ELEMENT_NAMES = """
a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br
button canvas caption center cite code col colgroup command content data datalist dd del details dfn dialog dir div dl
dt element em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr
html i iframe image img input ins isindex kbd keygen label legend li link listing main map mark marquee math menu
menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol optgroup option output p param
picture plaintext portal pre progress q rb rp rt rtc ruby s samp script search section select shadow slot small source
spacer span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr
track tt u ul var video wbr xmp x-card svg:a
"""
_ELEMENTS = _ELEMENT_NAMES.split()
# Policy or HTML's rules hide text without a paragraph inside these where they are closed.
_HIDING_NAMES = """
applet button canvas datalist del embed head iframe math meta noembed noscript object optgroup option script select
source style svg template textarea title track
"""
_HIDING = frozenset(_HIDING_NAMES.split())


def _missing(page: str | bytes, wanted: tuple[str, ...] = (BEFORE, INSIDE, BEHIND)) -> list[str]:
    """Words that no block holds, where no warning tells of a loss."""
    extraction = blockfeat.extract(page)
    text = "".join("".join(block.text.split()) for block in extraction.blocks)
    if any(map(_TELLS_OF_LOSS.search, extraction.warnings)):
        return []
    return [word for word in wanted if word not in text]


def _text(page: str) -> str:
    return "\n".join(block.text for block in blockfeat.extract(page).blocks)


def _between(inner: str) -> str:
    head = "<!DOCTYPE html><html><head><title>t</title></head>"
    return f"{head}<body><p>{BEFORE}</p>{inner}<p>{BEHIND}</p></body></html>"


_FORMS = ("<{} a=b>", "<{}/>", "<{}><{}><{}>", "<div><{}></div>")


@pytest.mark.parametrize(
    "form", ["<{}>", "<{}><div><b></{}>", *(pytest.param(form, marks=pytest.mark.rest) for form in _FORMS)]
)
def test_an_unclosed_element_loses_no_text(form: str) -> None:
    for name in _ELEMENTS:
        tag = form.format(name, name, name)
        hides = name in _HIDING and "</" in form
        assert _missing(_between(f"{tag}{INSIDE}"), (BEFORE, BEHIND) if hides else (BEFORE, INSIDE, BEHIND)) == [], name
        assert _missing(_between(f"{tag}<p>{INSIDE}</p>")) == [], name


@pytest.mark.parametrize(
    "form",
    [
        "</{0}>" + INSIDE,
        f"<p>{INSIDE}</{{0}}></p></{{0}}>",
        "<{0}>x</{0}>" + INSIDE,
        "<{0}><{0}>x</{0}></{0}>" + INSIDE,
    ],
)
def test_an_end_tag_and_what_is_closed_lose_no_text_after_it(form: str) -> None:
    for name in _ELEMENTS:
        assert _missing(_between(form.format(name))) == [], name


_JUNK = [*CASES["junk_between_paragraphs_loses_no_text"], "\ud800", "<p" + " a=b" * 2_000 + ">"]


@pytest.mark.parametrize("junk", _JUNK)
def test_junk_between_paragraphs_loses_no_text(junk: str) -> None:
    assert _missing(_between(f"{junk}<p>{INSIDE}</p>{junk}")) == []


@pytest.mark.parametrize("name", ["button", "object", "template", "select", "svg"])
@pytest.mark.parametrize("elements", [30, 50, 1_900, 2_500])
def test_a_paragraph_far_inside_a_guarded_element_is_found(name: str, elements: int) -> None:
    inner = "<i>x</i>" * elements + f"<p>{INSIDE}</p>"
    assert _missing(_between(f"<{name}>{inner}</{name}>")) == []
    assert _missing(_between(f"<{name}><p>x</p><{name}>{inner}</{name}></{name}>")) == []
    assert _missing(_between(f"<{name}>" * 3 + inner + f"</{name}>" * 3)) == []


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.rest) for first in range(1, 8))])
def test_a_page_cut_off_anywhere_keeps_what_stands_before(first: int) -> None:
    page = article_page()
    whole = "".join(_text(page).split())
    for end in range(page.index("<body>") + 6 + first, len(page), 8):
        found = "".join(_text(page[:end]).split())
        assert whole.startswith(found.rstrip("</")), page[:end][-60:]
        assert SENTENCES[0].replace(" ", "") in found or end < page.index(SENTENCES[0]) + len(SENTENCES[0])


@pytest.mark.parametrize(
    "end", ["<", "<Q", "<p", "</", "</p", "<a href", "<a href=", "<a href='", '<a href="x', "<!", "&", "&am"]
)
def test_a_page_cut_off_in_markup_keeps_its_end(end: str) -> None:
    for start in (f"<html><head><title>t</title></head><p>{BEFORE}</p>", f"<div><p>{BEFORE} ", BEFORE):
        assert BEFORE in _text(start + end)
        assert "blockfeat" not in _text(start + end)


_TAGS = ["div", "p", "b", "a", "li", "ul", "table", "tr", "td", "button", "span", "h2", "form", "object", "em"]
_TOKENS = st.sampled_from([f"<{mark}{tag}>" for tag in (*_TAGS, "body", "html") for mark in ("", "/")] + ["<br>", " "])


@given(st.lists(_TOKENS, max_size=25))
@examples(300)
def test_no_mix_of_tags_loses_text(tokens: list[str]) -> None:
    words = [f"word{number}end" for number in range(len(tokens))]
    page = "".join(f"{token}<p>{word}</p>" for token, word in zip(tokens, words, strict=True))
    assert _missing(_between(page), (BEFORE, *words, BEHIND)) == []
