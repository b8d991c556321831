"""Plain text: lines, tables, preformatted text; parts that are kept whole."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat import Extractor
from blockfeat.content import text_writer
from blockfeat.content.inline import Inlines
from blockfeat.content.nodes import Text
from blockfeat.content.plain import completed, data_tables, normalised, plain_text
from blockfeat.data import demo_pages
from blocks_of import blocks_of
from cases import CASES
from golden_formats import all_kept
from uncompiled import load_uncompiled

ROWS = "<tr><th>Ferry<th>Time<tr><td>Aveline<td>nine<tr><td>Corisande<td>ten"


def _text(html: str, dropped: tuple[int, ...] = ()) -> str:
    blocks = blocks_of(html)
    kept = np.array([index not in dropped for index in range(len(blocks))])
    return plain_text(blocks, kept, data_tables(blocks, kept))


def test_signs_that_mark_a_place_are_no_text() -> None:
    page = (
        '<h1>Use<a href="#use">\u00b6</a></h1><h2><a href="#a">#</a> Two</h2><p>one <a href="a">\U0001f517</a></p>'
        '<div><a href="#q">#</a></div><p>item <a href="b">#</a> and <a href="#n">1</a></p>'
        '<pre><a href="#l">#</a> c</pre>'
    )
    found = all_kept(page)
    assert found.text == "Use\n\nTwo\n\none\n\nitem # and 1\n\n# c"
    assert found.to_markdown() == "# Use\n\n## Two\n\none\n\nitem # and 1\n\n```\n# c\n```"
    assert "<p></p>" not in found.to_html()


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a<br>b<p>c", "a\nb\n\nc"),
        ("<p>a <br> b\n c", "a\nb c"),
        ("<p>\u5b57\n\u5b57 \u5b57<br>\u5b57", "\u5b57\u5b57 \u5b57\n\u5b57"),
        ("<p>\ud55c\n\uae00", "\ud55c \uae00"),
        (f"<p>x<table>{ROWS}</table>", "x\n\nFerry\tTime\nAveline\tnine\nCorisande\tten"),
        ("<table><tr><td>one column<tr><td>is a layout</table>", "one column\n\nis a layout"),
        ("<table><tr><td>a<td><h2>b</h2><tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd"),
        ("<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>e</table>", "a\tb\nc\td\n\ne"),
        ("<table><tr><td colspan=4>a<td>b<tr><td>c<td>d</table>", "a\t\t\t\tb\nc\td\t\t\t"),
        ("<pre>a  b\n\n\n\n c</pre>", "a  b\n\n c"),
    ],
)
def test_the_shape_of_text(html: str, text: str) -> None:
    assert _text(html) == text


def test_dropped_cells_are_empty_and_dropped_rows_go() -> None:
    assert _text(f"<table>{ROWS}</table>", dropped=(0, 1, 3)) == "Aveline\t\nCorisande\tten"


@given(st.text(" \n\r\t\u00a0\u200b\x1fab\u6f22\u3042\U00020000"))
def test_gaps_are_folded_as_they_are_in_other_formats(raw: str) -> None:
    html = "<p>a\u6f22" + raw.replace("\t", "<br>") + "\u3042b"
    blocks = blocks_of(html)
    kept = np.ones(1, dtype=np.bool_)
    inlines = Inlines(blocks, kept, url=None, normalise=False, links=False, images=False)
    assert inlines.of_block(0) == (Text(plain_text(blocks, kept, [], normalise=False)),)


@pytest.mark.parametrize(
    ("html", "kept", "whole"),
    [
        (f"<table>{ROWS}</table>", "011111", "111111"),
        (f"<table>{ROWS}</table>", "010100", "000000"),
        ("<dl><dt>a<dd>a long one of words</dl>", "01", "11"),
        ("<p>a<pre>x = 1</pre><p>b", "101", "111"),
        ("<p>a<pre>x = 1</pre><p>b", "100", "100"),
        ("<p>a<p>x = 1<p>b", "101", "101"),
        (f"<p>a<pre>{'word ' * 50}</pre><p>b", "101", "101"),
    ],
)
def test_parts_are_kept_whole(html: str, kept: str, whole: str) -> None:
    blocks = blocks_of(html)
    mask = np.array([flag == "1" for flag in kept])
    found = completed(blocks, mask, data_tables(blocks, mask))
    assert "".join("01"[flag] for flag in found.tolist()) == whole


def test_tables_take_linear_time() -> None:
    html = "<table>" + "<tr><td rowspan=9999 colspan=9999>a<td>b" * 20_000 + "</table>"
    assert len(_text(html)) > 20_000


CELLS = st.tuples(st.integers(0, 5), st.integers(0, 4), st.sampled_from(["td", "th"]))


@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=2, max_size=5))
def test_a_table_has_every_word_once(rows: list[list[tuple[int, int, str]]]) -> None:
    numbers = iter(range(100))
    cells = ("".join(f"<{tag} colspan={c} rowspan={r}>w{next(numbers)}" for c, r, tag in row) for row in rows)
    html = "<p>before<table>" + "".join(f"<tr>{row}" for row in cells) + "</table><p>behind"
    words = ["before", *(f"w{number}" for number in range(sum(map(len, rows)))), "behind"]
    assert _text(html).split() == words


def test_compiled_and_uncompiled_write_the_same() -> None:
    source = load_uncompiled("blockfeat.content.text_writer")
    grids = blocks_of("<table><tr><td rowspan=2>a<td colspan=3>b<tr><td>c\u6f22\n\u5b57<td><br>d<tr><td>e<td>f</table>")
    for blocks in (grids, *(blocks_of(page.html) for page in demo_pages()[::4])):
        every = np.arange(len(blocks))
        assert source.text_of_blocks(blocks, every) == text_writer.text_of_blocks(blocks, every)
        cuts = np.arange(0, len(blocks.page_text.text), 3, dtype=np.int32)
        for own, theirs in zip(
            *(each.pieces_of_blocks(blocks, every, cuts) for each in (source, text_writer)), strict=True
        ):
            assert np.array_equal(own, theirs)
        kept = every % 3 != 0
        for table in data_tables(blocks, kept):
            grid = source.grid_of(table.columns, table.rows, table.row_ends)
            assert grid.tolist() == table.grid().tolist()
            parts = (blocks, kept, table.first, table.end, grid)
            assert source.text_of_table(*parts) == text_writer.text_of_table(*parts)


def test_a_table_is_kept_or_dropped_as_one() -> None:
    rows = "<tr><th>pump</th><th>litres</th></tr><tr><td>a b</td><td>7</td></tr>"
    blocks = blocks_of(f"<p>one</p><table>{rows}</table><p>two</p>")
    for kept, whole in (
        ([True, True, False, True, False, True], True),
        ([True, True, False, False, True, True], False),
    ):
        chosen = completed(blocks, np.array(kept), data_tables(blocks, np.array(kept)))
        assert chosen.tolist() == [True, *[whole] * 4, True]


def test_a_table_of_pictures_is_a_table() -> None:
    rows = "<tr><th>before</th><th>after</th></tr><tr><td>coast</td><td><img src=a.png></td></tr>"
    blocks = blocks_of(f"<table>{rows}</table>")
    assert len(data_tables(blocks, np.ones(len(blocks), dtype=np.bool_))) == 1


@pytest.mark.parametrize(("text", "normal"), CASES["letters_are_composed_and_marks_without_width_go"])
def test_letters_are_composed_and_marks_without_width_go(text: str, normal: str) -> None:
    assert normalised(text) == normal


@given(st.text())
def test_it_is_nfc_and_stays_as_it_is(text: str) -> None:
    once = normalised(text)
    assert unicodedata.is_normalized("NFC", once)
    assert normalised(once) == once


def test_it_is_an_option() -> None:
    page = "<p>" + "The cafe\u0301 on the quay opens at nine, and it closes before the last ferry has left. " * 3
    extractor = Extractor.load("thresholds")
    assert "caf\u00e9" in extractor.extract(page).text
    assert "cafe\u0301" in extractor.with_options(normalise=False).extract(page).text
    assert "normalise=False" in repr(extractor.with_options(normalise=False))
