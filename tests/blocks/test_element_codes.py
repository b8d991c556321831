"""Codes of elements: what the table says of a name, and which pruned elements are kept."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks import BUNDLED_TABLES, element_codes, load_table
from blockfeat.blocks.element_codes import CodeTable, blocks_named
from blockfeat.blocks.tagtable import BOUNDARY, KEEPABLE, OPERATION, PRUNE, default_code, tag_codes
from blockfeat.page.page import Page
from blockfeat.page.tags import name_keys
from blocks_of import blocks_of

NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=16)
READINGS = {"rp", "rt", "rtc"}


@given(st.dictionaries(NAMES, st.integers(0, 255)), st.lists(NAMES), st.integers(0, 255))
def test_every_name_has_the_code_of_its_table(codes: dict[str, int], others: list[str], other: int) -> None:
    names = [*codes, *others]
    table = CodeTable.of(codes, other)
    found, _ = table.codes_of(SimpleNamespace(key=name_keys(names)))  # type: ignore[arg-type]
    assert found.tolist() == [codes.get(name, other) for name in names]


def test_a_table_of_many_names_has_them_all() -> None:
    codes = {f"x-{number}": number % 256 for number in range(3_000)}
    table = pickle.loads(pickle.dumps(CodeTable.of(codes, 7)))
    found, _ = table.codes_of(SimpleNamespace(key=name_keys([*codes, "y"])))
    assert found.tolist() == [*codes.values(), 7]


def test_blocks_are_named_by_their_innermost_container() -> None:
    container = np.array([-1, 0, 2, 1, 2], dtype=np.int32)
    keys = name_keys(["div", "p", "h1"])
    assert blocks_named(container, keys, name_keys(["h1", "p"])) == [2, 3, 4]
    assert blocks_named(container, keys, name_keys(["h1", "p"]), 3) == [2]
    assert blocks_named(container, keys[:0], name_keys(["h1"]), 0) == []


@pytest.mark.parametrize("name", BUNDLED_TABLES)
def test_codes_hold_operation_and_roles(name: str) -> None:
    table = load_table(name)
    codes = tag_codes(table)
    keepable = table.guards.keep_if_it_holds_paragraphs
    assert {tag for tag, code in codes.items() if code & OPERATION == KEEPABLE} == keepable
    pruned = {tag for tag, operation in table.operations.items() if operation == "prune"}
    assert {tag for tag, code in codes.items() if code & OPERATION == PRUNE} == (pruned | READINGS) - keepable
    assert (default_code(table) == BOUNDARY) == (table.other == "boundary")
    assert all(0 <= code < 256 for code in codes.values())


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<select>kept<p>a</p></select><p>b", ["kept", "a", "b"]),
        ("<select>gone</select><p>b", ["b"]),
        ("<p>a</p><svg>gone</svg><p>b", ["a", "b"]),
        ("<template><template>gone</template><p>kept</p></template>x", ["kept", "x"]),
        ("<template>kept<canvas><p>kept</p></canvas></template>x", ["kept", "kept", "x"]),
        # Nothing but end tags stands behind an element that swallowed the rest of the page.
        ("<div>a</div><del>kept<p>b</p>c</del>", ["a", "kept", "b", "c"]),
        ("<div>a</div><del>gone<p>b</p>c</del>d", ["a", "d"]),
        ("<div>a</div><del>gone</del>", ["a"]),
        ("<div>a</div><noscript>gone<p>b</p>c</noscript>", ["a"]),
    ],
)
def test_pruned_elements_are_kept_where_they_hold_paragraphs(html: str, texts: list[str]) -> None:
    assert blocks_of(f"<html><body>{html}</body></html>").texts() == texts


def test_codes_of_a_page_are_one_byte_an_element() -> None:
    tags = Page.parse("<p>a<b>b</b></p>").tags
    assert tags is not None
    codes, names = CodeTable.of({"p": 2, "b": 16}, 0).codes_of(tags)
    assert codes.dtype == np.uint8
    assert (dict(zip(map(tags.name, range(len(tags))), codes.tolist(), strict=True))["p"], names) == (2, 0)


@pytest.mark.parametrize("group", element_codes.KEYS)
@pytest.mark.parametrize("codes", [{}, {"pre": 2, "h1": 2, "sup": 16}])
def test_the_names_of_a_page_are_noted(group: int, codes: dict[str, int]) -> None:
    table = CodeTable.of(codes, 7)
    for name in ("table", "dl", "pre", "xmp", "sub", "sup", "code", "mjx-container", "h1", "h2", "h6", "p", "x"):
        _, found = table.codes_of(SimpleNamespace(key=name_keys([name])))  # type: ignore[arg-type]
        assert bool(found & group) == (name_keys([name])[0] in element_codes.KEYS[group])


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ('<p>a<span class="br"></span><span class="br"></span>b', ["a", "b"]),
        ('<p>a<span class="x br"></span><span class="x br"></span>b', ["a", "b"]),
        ('<p>a<span class="xbr"></span><span class="br x"></span>b', ["ab"]),
        ('<p>a<i class="br"></i><i class="br"></i>b', ["ab"]),
    ],
)
def test_empty_spans_of_a_class_break_lines(html: str, texts: list[str]) -> None:
    assert blocks_of(f"<html><body>{html}</body></html>").texts() == texts
