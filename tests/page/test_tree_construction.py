"""Tree construction where libxml2 is not HTML5: no visible text may go, and none may move."""

import pytest

from blockfeat.blocks import cut_into_blocks, load_table
from blockfeat.page.page import Page
from cases import CASES

# Name, markup, visible words in the order of the source or, where HTML5 moves text, of HTML5.
_CASES = CASES["the_tree_holds_all_text_in_order"]


def _squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(("html", "visible"), [case[1:] for case in _CASES], ids=[case[0] for case in _CASES])
def test_the_tree_holds_all_text_in_order(html: str, visible: str) -> None:
    assert _squeezed(Page.parse(html).all_text()) == _squeezed(visible)


# What the tag table leaves out on purpose: noscript, titles, options.
_PRUNED = {"noscript in head", "text in head", "paragraph in select"}


@pytest.mark.parametrize("case", [case for case in _CASES if case[0] not in _PRUNED], ids=lambda case: case[0])
def test_the_blocks_hold_all_text_in_order(case: list[str]) -> None:
    _, html, visible = case
    blocks = cut_into_blocks(Page.parse(html), load_table("html5"))
    assert _squeezed("".join(blocks.texts())) == _squeezed(visible)


@pytest.mark.xfail(strict=True, reason="as in browsers: the value runs to the next quote, and its text is hidden")
def test_text_in_an_attribute_that_a_later_quote_closes() -> None:
    assert "one" in Page.parse('<a href="x>one</a><p class="y">two').all_text()


@pytest.mark.xfail(strict=True, reason="as in browsers: a bogus comment hides it")
def test_text_of_cdata_in_html() -> None:
    assert "one" in Page.parse("<p><![CDATA[one]]></p>").all_text()
