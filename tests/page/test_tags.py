"""CSS selectors over the tags of a page."""

import re

import pytest

from blockfeat.page.tags import Tags, selected
from timing import seconds_of

_SELECTORS = [
    "p", "#a", ".b", "p.b", "P.b.c", "div p", "div>p", "div > p + p", "p ~ p", "div div p", "body *", "p,i , #a",
    "[title]", "[title=x]", "[title = 'x y']", '[title~="y"]', "[title^=x]", "[title$=y]", '[title*=" "]', "[lang|=en]",
    "div.b [title='a,b > c']", "nav, div > i ~ p",
]  # fmt: skip


@pytest.mark.parametrize("selector", _SELECTORS)
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
