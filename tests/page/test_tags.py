"""CSS selectors over the tags of a page."""

import re

import pytest

from blockfeat.errors import QueryError
from blockfeat.page.tags import Tags, selected
from cases import CASES
from timing import seconds_of


@pytest.mark.parametrize("selector", CASES["selectors_are_those_of_browsers"])
def test_selectors_are_those_of_browsers(selector: str) -> None:
    parser = pytest.importorskip("selectolax.lexbor", reason="needs the extra clean")
    inner = "<p id=a>1</p><p class='b c' title=x>2</p><i title='x y'>3</i><p lang=en-GB>4<b title='a,b > c'>5</b></p>"
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


def test_a_selector_without_end_is_refused() -> None:
    with pytest.raises(QueryError, match="not a CSS selector"):
        selected(Tags.of_markup(b"<p>x"), "a, " * 600 + "a")
