"""Words: runs of letters, digits and marks; single characters where the script has no spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang.characters import ALPHANUMERIC, MARK, UNSPACED, character_classes
from blockfeat.lang.measures import lower, tokenize
from cases import CASES


@pytest.mark.parametrize(("text", "words"), CASES["tokenize"])
def test_tokenize(text: str, words: list[str]) -> None:
    assert [word.replace("ς", "σ") for word in tokenize(text)] == [word.replace("ς", "σ") for word in words]


@given(st.text())
def test_lower_keeps_the_length(text: str) -> None:
    assert len(lower(text)) == len(text)


ALPHABET = st.one_of(st.characters(), st.sampled_from("aZ9 .,我กิ\u0e34か\u0301\u0941हि\u200b'"))


def naive_words(text: str) -> list[str]:
    """One loop over the characters, from the definition."""
    table = character_classes()
    words: list[str] = []
    before = 0
    for character in text:
        bits = int(table[ord(character)])
        if bits & (ALPHANUMERIC | MARK):
            starts = not before & (ALPHANUMERIC | MARK)
            alone = bool(bits & ALPHANUMERIC) and bool((bits | before) & UNSPACED)
            if starts or alone:
                words.append(character)
            else:
                words[-1] += character
        before = bits
    return words


@given(st.text(ALPHABET, max_size=40))
def test_words_agree_with_a_plain_loop(text: str) -> None:
    lowered = lower(text)
    assert tokenize(text) == naive_words(lowered)
