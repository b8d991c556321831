"""CSS selectors over the tags of a page, and what nothing is read of."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import QueryError
from blockfeat.page.tags import Tags, selected, with_blanks
from cases import CASES
from property_examples import examples
from timing import seconds_of


@pytest.mark.parametrize("selector", CASES["selectors_are_those_of_browsers"])
def test_selectors_are_those_of_browsers(selector: str) -> None:
    parser = pytest.importorskip("selectolax.lexbor", reason="needs the extra clean")
    inner = (
        "<p id=a>1</p><p class='b c' title='&#120;'>2</p><i title='x y'>3</i><p lang=en-GB>4<b title='a,b > c'>5</b>"
    )
    tags = Tags.of_markup(f"<html><body>{inner}<div class=b>{inner}<div>{inner}</div></div></body></html>".encode())
    numbers = [*re.finditer(r"<(?![/!])[^<>]*", tags.source.decode())]
    marked = re.sub(r"<([a-z]+)", lambda match: f"{match[0]} data-n={match.start()}", tags.source.decode())
    places = {match.start(): number for number, match in enumerate(numbers)}
    expected = {places[int(node.attributes["data-n"])] for node in parser.LexborHTMLParser(marked).css(selector)}
    assert set(selected(tags, selector).nonzero()[0].tolist()) == expected


@pytest.mark.parametrize("page", ["<div class=a>" * 200_000, "<p class=a>x" * 200_000])
@pytest.mark.parametrize("selector", ["div " * 99 + "p", ".a ~ " * 20 + ".a", "[class*='a']" * 80])
def test_a_selector_takes_linear_time(page: str, selector: str) -> None:
    short, long = (Tags.of_markup(page[: len(page) // part].encode()) for part in (8, 1))
    quick = seconds_of(lambda: selected(short, selector))
    assert seconds_of(lambda: selected(long, selector)) < 20 * quick + 0.5


@pytest.mark.parametrize("written", ["\t", "\n", "&#9;", "&#10;", "\u00a0", "\ufffd"])
def test_values_of_any_characters_are_found(written: str) -> None:
    tags = Tags.of_markup(f"<p title='a{written}b'>x".encode())
    assert selected(tags, f"[title='a{unescape(written)}b']").any()


def test_a_selector_without_end_is_refused() -> None:
    with pytest.raises(QueryError, match="not a CSS selector"):
        selected(Tags.of_markup(b"<p>x"), "a, " * 600 + "a")


_PIECES = """<script>a<b|</script>|<!--|-->|<p title='<script>'>x|<noscript>|</noscript>|<script ' >'|<textarea>
</textarea>|<script type=math/tex>x|<svg>|</svg>|<script src="a>b">|<p>y""".replace("\n", "|").split("|")


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
@examples(400)
def test_a_page_without_its_scripts_has_the_same_tags_and_texts(page: str) -> None:
    data = page.encode()
    old, new = (Tags.read(one) for one in (data, with_blanks(data)))
    assert (new.tags.source, new.tags.origin.tolist()) == (old.tags.source, old.tags.origin.tolist())


_OPENED = ["<script type=application/ld+json>y", "<script type=math/tex>y", "<script>y<link"]


@pytest.mark.parametrize("start", [*_OPENED, f'<script>z@type"{"y" * 84}z'])
def test_scripts_that_something_is_read_of_stay(start: str) -> None:
    page = f"<p>x{start}</script>{'<script>z</script>' * 9}<svg>z</svg>"
    assert with_blanks(page.encode()).decode() == page.replace("z", " ")
    # A drawing with a paragraph is read, and stays.
    stays = page.replace("<script>z", "<script> ").replace("z@type", " @type").replace("yz<", "y <")
    assert with_blanks(page.encode(), keeps_drawings=True).decode() == stays
    assert with_blanks(f"{page}<svg><p>z</svg>".encode()).decode() == f"{stays}<svg><p>z</svg>"
