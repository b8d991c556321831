"""The walk over the tags: as a plain walk does it, the same compiled and uncompiled, and sound in itself."""

from __future__ import annotations

import re
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from html import escape, unescape
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks import Blockifier, Blocks, load_table
from blockfeat.blocks.tag_walk import walk
from blockfeat.data import demo_pages
from blockfeat.lang.characters import SPACE
from blockfeat.lang.measures import FastTokenizer
from blockfeat.page.page import Page
from blocks_of import ancestors_of, blocks_of
from uncompiled import load_uncompiled

TABLES = ("html5", "ziegler2007")

TEXT = st.text("ab .\n\u00ad\u00a0<&é漢\U0001f600", max_size=6).map(escape)
INLINE = st.sampled_from(["b", "i", "a", "code", "label", "span", "del", "cite", "unknown"])
BLOCK = st.sampled_from(["div", "p", "blockquote", "h2", "ul", "li", "pre", "form"])
EMPTY = st.sampled_from(["<br>", "<hr>", "<img>", "<wbr>"])


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda tag, children: f"<{tag}>{''.join(children)}</{tag}>", INLINE | BLOCK, st.lists(inner))


MARKUP = st.recursive(TEXT | EMPTY, _nested, max_leaves=25)


@dataclass
class PlainWalk:
    """The walk in short, token by token: texts of the blocks, words of their anchors, and what holds each block."""

    cutter: Blockifier
    blocks: list[tuple[str, str, list[str]]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    text: str = ""
    linked: str = ""
    holder: list[str] = field(default_factory=list)
    breaks: int = 0

    def operation(self, name: str) -> str:
        return self.cutter.table.operations.get(name, self.cutter.table.other)

    def end_block(self) -> None:
        if self.text.strip():
            self.blocks.append((" ".join(self.text.split()), " ".join(self.linked.split()), self.holder))
        self.text = self.linked = ""
        self.holder = [name for name in self.open if self.operation(name) == "boundary"]

    def read_tag(self, token: str) -> None:
        name = re.match(r"</?([^\s/>]+)", token)[1]  # type: ignore[index]
        is_inside = not any(self.operation(other) == "prune" for other in self.open)
        if token.startswith("</"):
            assert self.open.pop() == name
        elif not token.endswith("/>"):
            self.open.append(name)
        operation = self.operation(name)
        if not is_inside or operation == "prune":
            return
        if operation == "remove_with_space":
            self.text += " "
            self.linked += " " if "a" in self.open else ""
        self.breaks = 0 if operation == "boundary" else self.breaks + (name == "br")
        if operation == "boundary" or (name == "br" and self.breaks == self.cutter.table.guards.split_at_breaks):
            self.end_block()

    def read_text(self, token: str) -> None:
        if any(self.operation(name) == "prune" for name in self.open):
            return
        text = unescape(token).replace("\u00ad", "")
        self.text += text
        self.linked += text if "a" in self.open else ""
        self.breaks = 0 if text.strip() else self.breaks

    def of(self, source: str) -> PlainWalk:
        for token in re.findall(r"<[^>]*>|[^<]+", source):
            if token.startswith("<"):
                self.read_tag(token)
            else:
                self.read_text(token)
        self.end_block()
        return self


def linked_text(blocks: Blocks, index: int) -> str:
    """Return the text of a block that stands inside anchors."""
    text, begin = blocks.page_text, int(blocks.block_starts[index])
    characters = range(begin, int(text.block_ends[index]) - 1)
    flags = text.pieces[1, text.pieces[0].searchsorted(np.array(characters), side="right")]
    linked = (text.text[place] for place, flag in zip(characters, flags.tolist(), strict=True) if flag & 1)
    return " ".join("".join(linked).split())


@pytest.mark.parametrize("table", TABLES)
@given(markup=st.lists(MARKUP, max_size=5).map("".join))
def test_blocks_are_those_of_a_plain_walk(table: str, markup: str) -> None:
    # With text at the end, no pruned element looks as if it had swallowed the rest of the page.
    page = Page.parse(f"<html><body>{markup}<p>end</p></body></html>")
    cutter = Blockifier.of(load_table(table))
    blocks = cutter.cut(page)
    assert page.tags is not None
    plain = PlainWalk(cutter).of(page.tags.source.decode()).blocks
    assert blocks.texts() == [text for text, _, _ in plain]
    around = [[blocks.tags.name(element) for element in ancestors_of(blocks, index)] for index in range(len(blocks))]
    assert around == [holder[::-1] for _, _, holder in plain]
    assert [linked_text(blocks, index) for index in range(len(blocks))] == [linked for _, linked, _ in plain]


@given(markup=st.lists(MARKUP, max_size=5).map("".join))
def test_positions_ascend_and_lie_inside(markup: str) -> None:
    blocks = blocks_of(f"<html><body>{markup}</body></html>")
    text, source = blocks.page_text, blocks.tags.source
    starts, ends = blocks.block_starts, text.block_ends
    assert (starts < ends).all()
    assert (starts[1:] >= ends[:-1]).all()
    assert (text.classes[starts] & SPACE == 0).all()
    assert (text.classes[ends - 1] & SPACE != 0).all()
    assert (np.diff(text.pieces[0]) >= 0).all()
    assert text.pieces[0, -1] == len(text.text) == text.codes.size == text.classes.size
    assert (blocks.first_byte < blocks.end_byte).all()
    assert (blocks.first_byte[1:] >= blocks.end_byte[:-1]).all()
    assert (blocks.end_byte <= len(source)).all()
    assert (blocks.anchors.start <= text.codes.size).all()
    assert blocks.measures.token_block.tolist() == sorted(blocks.measures.token_block.tolist())
    assert np.bincount(blocks.measures.token_block, minlength=len(blocks)).tolist() == blocks.measures.words.tolist()
    for part in (blocks.measures.anchor_words, blocks.measures.format_words, blocks.measures.sentences):
        assert (part <= blocks.measures.words).all()
    assert (blocks.measures.alphanumerics <= blocks.measures.characters).all()


def arrays_of(value: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Return all arrays inside of a value, by name."""
    if isinstance(value, np.ndarray):
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from arrays_of(inner, f"{name}.{key}")
    elif hasattr(value, "__dataclass_fields__"):
        for inner in fields(value):
            yield from arrays_of(getattr(value, inner.name), f"{name}.{inner.name}")
    elif isinstance(value, tuple) and hasattr(value, "_asdict"):
        yield from arrays_of(value._asdict(), name)


@pytest.mark.parametrize("table", TABLES)
def test_compiled_and_uncompiled_find_the_same(table: str) -> None:
    with patch.dict(sys.modules):
        sys.modules["blockfeat.blocks.text_reader"] = load_uncompiled("blockfeat.blocks.text_reader")
        plain_walk = load_uncompiled("blockfeat.blocks.tag_walk").walk
    plain_codes = load_uncompiled("blockfeat.blocks.element_codes")
    cutter = Blockifier.of(load_table(table))
    guards = cutter.table.guards
    for page in demo_pages():
        tags = Page.parse(page.html).tags
        assert tags is not None
        codes, names = cutter.codes_of(tags)
        plain_table = plain_codes.CodeTable(
            cutter.codes.keys, cutter.codes.codes, cutter.codes.groups, cutter.codes.other
        )
        uncompiled, plain_names = plain_table.codes_of(tags, changes=cutter.changes)
        assert (codes.tolist(), names) == (uncompiled.tolist(), plain_names)
        found = dict(arrays_of(walk(tags, codes, guards.split_at_breaks, segmenter=FastTokenizer())))
        expected = dict(arrays_of(plain_walk(tags, codes, guards.split_at_breaks, segmenter=FastTokenizer())))
        assert found.keys() == expected.keys()
        assert len(found) > 15
        for name, array in found.items():
            assert array.dtype == expected[name].dtype, (page.id, name)
            assert array.tolist() == expected[name].tolist(), (page.id, name)


def test_broken_utf_8_is_replaced() -> None:
    page = Page.parse("<p>one XX two</p>")
    assert page.tags is not None
    for broken in (b"\xe2\x82", b"\xf0\x9f", b"\xc3 ", b"\xff\xff"):
        tags = replace(page.tags, source=page.tags.source.replace(b"XX", broken))
        codes, _ = Blockifier.of(load_table("html5")).codes_of(tags)
        first, middle, last = walk(tags, codes, 2, segmenter=FastTokenizer()).page_text.text.split()
        assert (first, last, "\ufffd" in middle) == ("one", "two", True)


@pytest.mark.parametrize("element", ["<p>a", "<b>a", "<br>a", "a ", "<hr>", "漢字", "<a>a</a>", "<p> "])
def test_memory_grows_with_what_is_there(element: str) -> None:
    html = element * (300_000 // len(element))
    page = Page.parse(html)
    cutter = Blockifier.of(load_table("html5"))
    cutter.cut(page)
    tracemalloc.start()
    cutter.cut(page)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Eight bytes of each character of text are set aside for the keys of words, and mostly never touched.
    assert peak < (1 << 20) + 34 * len(html.encode())
