"""Lines that point at other texts."""

from __future__ import annotations

import numpy as np
import pytest

from blockfeat import Extractor
from blockfeat.extraction.postprocess import pointers
from blocks_of import blocks_of

LINES = (
    "Read also: <a href=/1>The keeper and his cat</a>",
    "► <a href=/1>READ MORE: The keeper and his cat</a>",
    "Lesen Sie auch: <a href=/1>Der Wärter und seine Katze</a>",
    "Baca juga: <a href=/1>Penjaga dan kucingnya</a>",
    "Читайте также: <a href=/1>Смотритель и его кошка</a>",
    "<a href=/1>あわせて読みたい 灯台守とその猫</a>",
)
SENTENCE = "The ferry to the island was late, and the people on the pier began to sing, as they do when it rains."


@pytest.mark.parametrize("line", LINES)
def test_a_linked_line_is_found(line: str) -> None:
    blocks = blocks_of(f"<p>{SENTENCE}</p><p>{line}</p><p>{SENTENCE}</p>")
    assert pointers(blocks, np.array([True, True, True])) == [1]
    assert pointers(blocks, np.array([True, False, True])) == []
    assert pointers(blocks, np.array([False, True, False])) == []


@pytest.mark.parametrize(
    "line", [f"Read also what the keeper wrote: {SENTENCE}", "<a href=/1>The keeper reads more</a>", "Also"]
)
def test_prose_and_other_links_are_not(line: str) -> None:
    blocks = blocks_of(f"<p>{SENTENCE}</p><p>{line}</p>")
    assert pointers(blocks, np.array([True, True])) == []


def test_the_default_model_leaves_them_out_and_says_why() -> None:
    body = "".join(f"<p>{SENTENCE} {number}.</p>" for number in range(6))
    page = f"<html lang=en><article><h1>The ferry</h1>{body}<p>{LINES[0]}</p>{body}</article></html>"
    found = Extractor.load("default").extract(page)
    assert "Read also" not in found.text
    (line,) = (block for block in found.blocks if block.text.startswith("Read also"))
    assert line.reason.startswith("dropped: ")
    paper = Extractor.load("mss-simple").extract(page)
    assert "Read also" in paper.text


def test_blocks_that_options_decide_say_so() -> None:
    page = f"<article><h1>The ferry is late</h1>{f'<p>{SENTENCE}</p>' * 5}</article>"
    for wanted in (True, False):
        blocks = Extractor.load("margin").with_options(headline=wanted).extract(page).blocks
        assert blocks[0].kept is wanted
        assert blocks[0].reason.startswith("kept" if wanted else "dropped")
