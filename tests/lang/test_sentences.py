"""Sentence ends: what ends a sentence and what only looks like it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang import character_classes, code_points, sentence_ends
from cases import CASES


def ends_in(*blocks: str) -> list[int]:
    """Return the sentence ends in the text of these blocks."""
    codes = code_points("".join(f"{block}\n" for block in blocks))
    block_ends = np.cumsum([len(block) + 1 for block in blocks], dtype=np.int32)
    ends: list[int] = sentence_ends(codes, character_classes().take(codes), block_ends).tolist()
    return ends


def parts(*blocks: str) -> list[str]:
    """Cut blocks at the sentence ends found."""
    text = "".join(f"{block}\n" for block in blocks)
    found = [text[low:high].strip() for low, high in pairwise([0, *ends_in(*blocks), len(text)])]
    return [part for part in found if part]


@pytest.mark.parametrize("sentences", CASES["sentences_of_one_block"])
def test_sentences_of_one_block(sentences: list[str]) -> None:
    assert parts(" ".join(sentences)) == sentences


@pytest.mark.parametrize("gap", [" ", "   ", "\n            ", "\t\t\t\t\t\t", "\xa0 "])
def test_the_length_of_white_space_does_not_matter(gap: str) -> None:
    assert len(parts(f"A list, etc.{gap}and so on.")) == 1
    assert (len(parts(f"It ends here.{gap}And goes on.")), len(parts(f"Am 5.{gap}Mai."))) == (2, 1)


@pytest.mark.parametrize(("blocks", "expected"), CASES["sentences_of_several_blocks_and_of_stops_alone"])
def test_sentences_of_several_blocks_and_of_stops_alone(blocks: list[str], expected: list[str]) -> None:
    assert parts(*blocks) == expected


@given(st.lists(st.text("aB1. !?)”。\n", max_size=12), max_size=6))
def test_ends_are_ascending_positions_in_the_text(blocks: list[str]) -> None:
    ends = ends_in(*blocks)
    assert ends == sorted(set(ends))
    assert all(0 < end <= sum(len(block) + 1 for block in blocks) for end in ends)


@given(st.lists(st.text("ab1. !?)。", max_size=12), min_size=1, max_size=6))
def test_blocks_do_not_influence_each_other(blocks: list[str]) -> None:
    alone, start = [], 0
    for block in blocks:
        alone += [start + end for end in ends_in(block)]
        start += len(block) + 1
    assert ends_in(*blocks) == alone
