"""Counts by block: equal to what a loop over the blocks counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang.characters import ALPHANUMERIC, CONTROL, MARK, SPACE, character_classes
from blockfeat.lang.counting import ANCHOR, FORMAT
from blockfeat.lang.measures import FastTokenizer, tokenize
from page_text_of import Piece, page_text_of

PIECES = st.tuples(st.text("aB9 .!\n我ก\u0e34\u0301é-", max_size=8), st.integers(0, 3))
BLOCKS = st.lists(st.lists(PIECES, max_size=4), max_size=6)


@given(BLOCKS)
def test_sums_by_block_equal_a_loop(blocks: list[list[Piece]]) -> None:
    measures = FastTokenizer().measure(page_text_of(blocks))
    table = character_classes()
    texts = ["".join(text for text, _ in block) for block in blocks]
    bits = [[int(table[ord(character)]) for character in text] for text in texts]
    assert measures.words.tolist() == [len(tokenize(text)) for text in texts]
    assert measures.tokens == [word for text in texts for word in tokenize(text)]
    assert measures.token_block.tolist() == [number for number, text in enumerate(texts) for _ in tokenize(text)]
    assert measures.characters.tolist() == [sum(not bit & SPACE for bit in row) for row in bits]
    assert measures.alphanumerics.tolist() == [sum(bool(bit & (ALPHANUMERIC | MARK)) for bit in row) for row in bits]
    alone = [FastTokenizer().measure(page_text_of([text])) for text in texts]
    assert measures.sentences.tolist() == [int(one.sentences[0]) for one in alone]
    assert measures.unspaced_words.tolist() == [int(one.unspaced_words[0]) for one in alone]


@given(st.lists(st.lists(st.tuples(st.sampled_from(["word ", "two words ", "... "]), st.integers(0, 3)))))
def test_anchor_and_format_words_equal_a_loop(blocks: list[list[Piece]]) -> None:
    measures = FastTokenizer().measure(page_text_of(blocks))
    for flag, counts in ((ANCHOR, measures.anchor_words), (FORMAT, measures.format_words)):
        expected = [sum(len(tokenize(text)) for text, own in block if own & flag) for block in blocks]
        assert counts.tolist() == expected


def test_a_word_belongs_to_the_piece_where_it_starts() -> None:
    blocks = [[("Re", ANCHOR), ("ading", 0), (" un", 0), ("bold", FORMAT)]]
    measures = FastTokenizer().measure(page_text_of(blocks))
    assert measures.tokens == ["reading", "unbold"]
    assert (measures.anchor_words.tolist(), measures.format_words.tolist()) == ([1], [0])


@pytest.mark.parametrize(("text", "controls"), [("plain\ttext\n", False), ("bell \x07", True), ("\ud800", True)])
def test_control_characters_are_noticed(text: str, controls: bool) -> None:
    assert FastTokenizer().measure(page_text_of([text])).has_controls is controls
    assert bool(int(character_classes()[7]) & CONTROL)


def test_the_segmenter_is_a_value() -> None:
    assert (FastTokenizer(), FastTokenizer().name) == (FastTokenizer(), "fast")
    assert np.issubdtype(FastTokenizer().measure(page_text_of(["a"])).words.dtype, np.integer)
