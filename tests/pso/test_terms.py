"""Term counts of blocks and gold: against counting with Counter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang.words import tokenize
from blockfeat.pso.terms import PageTerms, count_terms, is_term
from blocks_of import blocks_of

WORDS = ["a", "be", "be", "see", "我", "们", "ก", "7", "24"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


def counts_of(terms: PageTerms, block: int) -> Counter[tuple[int, int]]:
    """Count of each term of one block beside its gold count."""
    own = terms.block == block
    pairs = zip(terms.count[own].tolist(), terms.gold[terms.row[own]].tolist(), strict=True)
    return Counter((int(count), int(gold)) for count, gold in pairs)


@pytest.mark.parametrize(
    ("word", "counts"), [("be", True), ("a", False), ("7", False), ("我", True), ("ก", True), ("é", False)]
)
def test_terms_are_longer_than_a_character_or_of_a_script_without_spaces(word: str, counts: bool) -> None:
    assert is_term(word) is counts


def test_by_hand() -> None:
    terms = count_terms(blocks_of("<p>The cat, a cat</p><p>cat and dog</p>"), "A cat and a cat sat")
    assert counts_of(terms, 0) == {(1, 0): 1, (2, 2): 1}
    assert counts_of(terms, 1) == {(1, 2): 1, (1, 1): 1, (1, 0): 1}
    assert terms.gold_length == 4.0
    assert terms.gold_norm == pytest.approx(np.sqrt(4 + 1 + 1))
    assert (np.diff(terms.row) >= 0).all()


@given(st.lists(TEXTS, max_size=4), TEXTS, st.booleans())
def test_counts_equal_a_counter(texts: list[str], gold: str, single: bool) -> None:
    blocks = blocks_of("".join(f"<p>{text}</p>" for text in texts))
    terms = count_terms(blocks, gold, single_characters=single)

    def bag(text: str) -> Counter[str]:
        return Counter(word for word in tokenize(text) if single or is_term(word))

    golden = bag(gold)
    for number, text in enumerate(texts):
        expected = Counter((count, golden[word]) for word, count in bag(text).items())
        assert counts_of(terms, number) == expected
    assert terms.row.size == sum(len(bag(text)) for text in texts)
    assert terms.gold_length == golden.total()
    assert terms.gold_norm == pytest.approx(float(np.sqrt(sum(count**2 for count in golden.values()))))


@pytest.mark.parametrize(("html", "gold"), [("", ""), ("", "some gold"), ("<p>text</p>", "")])
def test_empty_pages_and_empty_gold(html: str, gold: str) -> None:
    terms = count_terms(blocks_of(html), gold)
    assert terms.row.size == terms.block.size == terms.count.size == len(tokenize(html)) // 3
    assert terms.gold_length == len(gold.split())
