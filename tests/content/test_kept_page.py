"""The page itself with everything but its kept blocks taken out."""

import re
from collections.abc import Callable

import html5lib
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree, html

from active_markup import running_in
from blockfeat import Extraction, Extractor
from blockfeat.data import demo_pages
from blockfeat.errors import BlockfeatError, LimitExceeded
from blockfeat.models.model import Prediction
from blockfeat.page.document import Document
from blockfeat.page.page import Page
from cases import CASES
from hostile import hostile_pages
from property_examples import examples
from random_pages import PAGES
from script_vectors import METADATA_VECTORS, VECTORS
from timing import seconds_of

EXTRACTOR = Extractor.load("thresholds").with_options(normalise=False)
ADDRESS = "https://a.example/news/page.html"
WORDS = "The lantern makers of the valley meet every autumn at the old mill, and many guests come."


def extraction_of(page: str | bytes, keeps: Callable[[str], bool] = lambda text: True) -> Extraction:
    """Extract a page of which the blocks are kept that a function says."""
    parsed = Page.parse(page, url=ADDRESS)
    measured = EXTRACTOR.measurer.measure(parsed)
    kept = np.array([keeps(text) for text in measured.blocks.texts()], dtype=np.bool_)
    return EXTRACTOR.assemble(parsed, measured, Prediction(kept=kept, scores=kept - 0.5))


def body_of(page: str | bytes, keeps: Callable[[str], bool] = lambda text: True) -> str:
    """Return what is in the body of the written page."""
    return extraction_of(page, keeps).to_page().partition("<body>\n")[2].partition("\n</body>")[0]


def _without_x(text: str) -> bool:
    return "X" not in text


@pytest.mark.parametrize(("page", "body"), CASES["what_is_kept_stays_in_its_place_and_all_else_goes"])
def test_what_is_kept_stays_in_its_place_and_all_else_goes(page: str, body: str) -> None:
    assert body_of(page, _without_x if "X" in page else lambda text: True) == body


@pytest.mark.parametrize(("page", "sources"), CASES["images_of_what_is_kept_stay"])
def test_images_of_what_is_kept_stay(page: str, sources: list[str]) -> None:
    found = html.fromstring(extraction_of(page, _without_x).to_page())
    assert found.xpath("//img/@src") == [f"https://a.example/news/{source}" for source in sources]


def test_pictures_inside_of_the_page_stay_and_other_data_goes() -> None:
    picture = "data:image/png;base64,iVBORw0KGgo="
    found = html.fromstring(
        extraction_of(f"<p>one <img src={picture}><a href={picture}>two</a><img src='data:text/html,x'></p>").to_page()
    )
    assert found.xpath("//@src | //@href") == [picture]


def test_the_head_has_title_styles_and_view_port() -> None:
    page = (
        "<!doctype html><html lang=en class=dark onclick=a()><head><title>A &amp; B</title><base href=/sub/>"
        "<meta name=viewport content='width=device-width'><meta http-equiv=refresh content='0; url=x'>"
        "<link rel=stylesheet href=a.css media=screen><style media=print>p { background: url(i.png) }</style>"
        "<link rel=preload as=style href=b.css onload=x()><link rel='alternate stylesheet' href=c.css>"
        "<link rel=stylesheet href=d.css media=print onload=x()><script>a()</script></head>"
        "<body bgcolor=red onload=b()><style>@import 'e.css'; b::after { content: '</b>' }</style><p>one"
    )
    assert extraction_of(page).to_page() == (
        '<!DOCTYPE html>\n<html lang="en" class="dark">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'none'; object-src 'none'; frame-src "
        "'none'; form-action 'none'\">\n"
        '<meta name="viewport" content="width=device-width">\n<title>A &amp; B</title>\n'
        '<link rel="stylesheet" href="https://a.example/sub/a.css" media="screen">\n'
        '<style media="print">p { background: url("https://a.example/sub/i.png") }</style>\n'
        '<link rel="stylesheet" href="https://a.example/sub/b.css">\n'
        '<link rel="stylesheet" href="https://a.example/sub/d.css">\n'
        '<style>@import url("https://a.example/sub/e.css"); b::after { content: "\\3c /b>" }</style>\n'
        '</head>\n<body bgcolor="red">\n<p>one</p>\n</body>\n</html>\n'
    )


def test_styles_and_absolute_addresses_are_choices() -> None:
    page = "<base href=/sub/><style>p { color: red }</style><p>one <a href=b>two</a>"
    found = extraction_of(page)
    assert "color: red" not in found.to_page(styles=False)
    assert 'href="https://a.example/sub/b"' in found.to_page()
    assert '<base href="/sub/">' in found.to_page(absolute=False)
    assert '<a href="b">' in found.to_page(absolute=False)


def test_a_page_without_doctype_has_none() -> None:
    assert extraction_of("<p>one").to_page().startswith("<html>")
    assert (
        extraction_of("<?xml version='1.0'?><!-- a --><!DOCTYPE html PUBLIC 'x'><p>one").to_page().startswith("<!DOC")
    )


@pytest.mark.parametrize("text", ["…»", "&amp;", "a\u00a0", "a&lt;"])
def test_a_table_with_much_text_outside_of_its_cells_is_refused(text: str) -> None:
    # The parser moves it in front of the table a piece at a time, and copies all that is there.
    assert "<table" in extraction_of(f"<p>one<table>{text * 100}</table>").to_page()
    with pytest.raises(LimitExceeded, match="in tables outside of cells"):
        extraction_of(f"<p>one<table>{text * 20_001}</table>").to_page()


@pytest.mark.parametrize("page", ["", " ", "<script>a()</script>", "<p>"])
def test_pages_without_text(page: str) -> None:
    assert "<body>\n\n</body>" in EXTRACTOR.extract(page).to_page().replace("<body>\n</body>", "<body>\n\n</body>")


def test_failed_pages_and_pages_of_other_processes() -> None:
    documents = [Document(id="a", data=f"<p>{WORDS} {WORDS}".encode()), Document(id="b", data=b"%PDF-")]
    one, failed = EXTRACTOR.extract_many(documents, jobs=2)
    assert WORDS in one.to_page()
    assert "<body>\n</body>" in failed.to_page()


# What is kept is all that is kept.


def _letters(text: str) -> str:
    return re.sub(r"[\s\xad\x00-\x1f\x7f-\x9f]+", "", text)


def _assert_same_text(found: Extraction) -> None:
    page = Page.parse(found.to_page()).tree
    body = None if page is None else page.find("body")
    written = "" if body is None else _letters("".join(map(str, body.itertext(etree.Element))))
    assert written == "".join(_letters(block.text) for block in found.blocks if block.kept)


@given(PAGES, st.integers(2, 5))
@examples(40)
def test_the_text_is_that_of_the_kept_blocks(page: str, every: int) -> None:
    counter = iter(range(1_000_000))
    _assert_same_text(extraction_of(page, lambda text: next(counter) % every > 0))


@pytest.mark.parametrize("page", demo_pages()[::7], ids=lambda page: page.id)
def test_the_text_of_whole_pages_is_that_of_the_kept_blocks(page: object) -> None:
    found = EXTRACTOR.extract(page.html, url=ADDRESS)  # type: ignore[attr-defined]
    _assert_same_text(found)


# Hostile pages.


@pytest.mark.parametrize("name", [*VECTORS, *METADATA_VECTORS])
def test_nothing_active_is_left(name: str) -> None:
    vector = {**VECTORS, **METADATA_VECTORS}[name]
    for page in (f"<p>one {vector} two</p>", f"<html><head>{vector}</head><body {vector[1:30]}><p>one", vector):
        found = extraction_of(page)
        for absolute in (True, False):
            written = found.to_page(absolute=absolute)
            assert running_in(written) == [], written


@given(
    st.lists(
        st.sampled_from((*VECTORS.values(), "<", ">", '"', "'", "</p>", "</style>", "<!--", "]]>", "a")), max_size=6
    ).map("".join)
)
@example("<style>" * 3 + "</style>")
@examples(80)
def test_nothing_active_is_left_of_any_mixture(page: str) -> None:
    assert running_in(extraction_of(page).to_page()) == []


def test_hostile_pages_are_written_in_full_and_do_not_grow() -> None:
    for name, _, data in hostile_pages((1_000,)):
        try:
            found = extraction_of(data)
        except BlockfeatError:
            continue
        written = found.to_page()
        assert len(written) < 12 * len(data) + 2_000, name
        _assert_same_text(found)


@pytest.mark.parametrize("unit", CASES["time_grows_with_size"])
def test_time_grows_with_size(unit: str) -> None:
    small, large = (extraction_of(f"<p>{WORDS}</p>" + unit * (size // len(unit))) for size in (20_000, 80_000))
    assert seconds_of(large.to_page, rounds=2) <= 12 * max(seconds_of(small.to_page, rounds=2), 0.05)


def test_distinct_styles_are_not_multiplied() -> None:
    page = "<p>" + "".join(f"<b id=i{number}>" for number in range(400)) + "<div>words here</div>" * 500
    assert len(extraction_of(page).to_page()) < 20 * len(page)


@pytest.mark.parametrize(
    "css", ["url(" + " " * 50_000, "/*" * 50_000 + "expression", "url('" * 20_000, "@import " * 20_000]
)
def test_styles_take_linear_time(css: str) -> None:
    found = extraction_of(f"<style>{css}</style><p style='{css[:20_000]}'>one")
    assert seconds_of(found.to_page, rounds=2) < 5


@pytest.mark.parametrize(
    "css", ["<<!--/style><form><b>out</b>", "<<!--<!--/style><b>out</b>", "<<!-<!----/style><b>out</b>"]
)
def test_nothing_leaves_a_style_by_what_is_taken_out_of_it(css: str) -> None:
    page = f"<!DOCTYPE html><html><head><style>{css}</style></head><body><p>{WORDS}</p></body></html>"
    written = extraction_of(page).to_page()
    tree = html5lib.parse(written, namespaceHTMLElements=False)
    assert not [element.tag for element in tree.iter() if element.tag in ("b", "form")]
    assert WORDS in "".join(tree.find("body").itertext())
