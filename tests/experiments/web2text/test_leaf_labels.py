import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang.measures import code_points
from experiments.web2text.leaf_labels import aligned_share, labels_from_shares, matched_characters
from leaves_of import leaves_of
from pages import GOLD, article_page


def matched(page, gold):
    found = matched_characters(code_points(page), code_points(gold))
    return "".join(letter for letter, kept in zip(page, found.tolist(), strict=True) if kept)


def test_the_article_of_a_page():
    blocks = leaves_of(article_page()).blocks
    gold = f"Lighthouse to be repaired\n{GOLD}"
    content = np.flatnonzero(aligned_share(blocks, gold) >= 2 / 3)
    assert blocks.texts(content.tolist()) == gold.split("\n")


ONE, TWO = "thefirstsentenceislong", "asecondone"
TWICE = "repeatedparagraph" + "middlepartonlyonce" + "repeatedparagraph"


@pytest.mark.parametrize(
    ("page", "gold", "found"),
    [
        ("navigationTheQuickBrownFoxJumpsSIDEBAROverTheLazyDogfooter", "TheQuickBrownFoxJumpsOverTheLazyDog", None),
        ("home news sport contact", "h e w s r c", ""),  # short scattered letters do not count
        (TWICE, TWICE, None),
        (TWO + ONE, ONE + TWO, ONE),  # the order of the gold decides
    ],
)
def test_windows_divide_and_the_rest_is_aligned(page, gold, found):
    assert matched(page, gold) == (gold if found is None else found)


@given(st.text("abcdef", max_size=40), st.text("uvwxyz", min_size=10, max_size=40), st.text("abcdef", max_size=40))
def test_a_text_inside_a_page_is_found(before, text, behind):
    assert matched(before + text + behind, text) == text


def test_leaves_of_two_thirds_are_content():
    shares, words = np.array([1, 2 / 3, 0.66, 0]), np.array([5, 3, 50, 2])
    assert labels_from_shares(shares, words).tolist() == [True, True, False, False]


def test_leaves_without_words_go_with_both_neighbours():
    shares, words = np.array([0.0, 1, 0, 0, 1, 0, 0, 0]), np.array([0, 4, 0, 0, 4, 0, 4, 0])
    assert labels_from_shares(shares, words).tolist() == [False, True, True, True, True, False, False, False]
    assert labels_from_shares(np.zeros(2), np.zeros(2, dtype=int)).tolist() == [False, False]
