"""The policy of docs/explain.md, line by line."""

from dataclasses import replace

import pytest

import blockfeat
from blockfeat.blocks import TagTable, cut_into_blocks, load_table
from blockfeat.page.page import Page

HTML5 = load_table("html5")
PRUNING = replace(HTML5, guards=replace(HTML5.guards, prune_hidden=True))
PROSE = "The ferry leaves at nine and returns before dark, unless the wind turns. " * 10


def text(html: str, table: TagTable = HTML5) -> str:
    return " ".join(cut_into_blocks(Page.parse(html), table).texts())


def text_of_all_blocks(html: str) -> str:
    return "\n".join(block.text for block in blockfeat.extract(html).blocks)


def test_template_is_left_out_unless_it_holds_a_paragraph() -> None:
    assert "card" not in text("<p>a</p><template><div>card</div></template>")
    assert "ferry" in text(f"<template><p>{PROSE}</p>")


_STYLES = ("style='VISIBILITY:hidden'", 'style="color:red; DISPLAY : none"')


@pytest.mark.parametrize("attribute", ["hidden", 'aria-hidden="true"', 'style="display: none"', *_STYLES])
def test_hidden_elements_are_kept_unless_the_table_prunes_them(attribute: str) -> None:
    html = f"<p aria-hidden=false>shown</p><div {attribute}>veiled</div><p>af<b {attribute}>un</b>ter</p>"
    assert (text(html), text(html, PRUNING)) == ("shown veiled afunter", "shown after")


@pytest.mark.parametrize("names", ["sr-only", "link visually-hidden", "icon-sr-only", "screen-reader-text"])
def test_words_for_screen_readers_alone_are_left_out(names: str) -> None:
    link = f'<a href="a">site<span class="{names}"> opens in a new window</span></a>'
    assert text(f"<p>the {link} shows") == "the site shows"
    assert text(f'<h1 class="{names}">Ferries</h1>') == "Ferries"


@pytest.mark.parametrize("names", ["md:not-sr-only", "visual", "screen", "reader-text"])
def test_words_that_others_see_are_kept(names: str) -> None:
    assert text(f'<p>the <span class="{names}">white</span> ferry') == "the white ferry"


_NEVER = (
    "<noscript>veiled</noscript>", "<noscript><p>veiled</p></noscript>", "<template>veiled</template>",
    "<template><div>veiled</div></template>", '<script type="application/ld+json">{"articleBody": "veiled"}</script>',
    "<script>veiled</script>", "<style>veiled</style>", "<!-- veiled -->", "<textarea>veiled</textarea>",
    "<select><option>veiled</select>", "<button>veiled</button>", "<del>veiled</del>",
    "<svg><text>veiled</text></svg>", "<iframe>veiled</iframe>",
)  # fmt: skip
_KEPT = (
    "<div hidden>shown</div>", '<div aria-hidden="true">shown</div>', '<div style="display:none">shown</div>',
    '<div style="visibility:hidden">shown</div>', "<template><p>shown</p></template>", "<select><p>shown</p></select>",
    "<button><p>shown</p></button>",
)  # fmt: skip


@pytest.mark.parametrize("hidden", _NEVER)
def test_what_is_never_text(hidden: str) -> None:
    assert text(f"<p>before {hidden} after</p>") == "before after"
    found = text_of_all_blocks(f"<p>{PROSE}</p><div>before {hidden} after</div>")
    assert "veiled" not in found
    assert "before after" in " ".join(found.split())


@pytest.mark.parametrize("markup", _KEPT)
def test_what_is_kept(markup: str) -> None:
    assert "shown" in text_of_all_blocks(f"<p>{PROSE}</p>{markup}<p>after</p>")


@pytest.mark.parametrize(("outside", "inside", "is_used"), [(5, 120, True), (60, 120, False), (5, 90, False)])
def test_noscript_is_used_where_the_page_has_little_else(outside: int, inside: int, is_used: bool) -> None:
    page = f"<p>{'word ' * outside}</p><noscript><p>{'veiled ' * inside}</p></noscript>"
    assert ("veiled" in text_of_all_blocks(page)) is is_used
