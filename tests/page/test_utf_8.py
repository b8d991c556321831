"""What bytes are: valid UTF-8 as Python's strict codec has it; with one of some marks in them."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blockfeat.page.utf_8 import Marks, doubled_pairs, places_of
from uncompiled import load_uncompiled

CHARACTERS = (b"a", b"a" * 31, b"a" * 64, "é".encode(), "中".encode(), "\U0001f600".encode())
BROKEN = (b"\x80", b"\xc0\xaf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80")
CUT_SHORT = (b"\xf5", b"\xff", b"\xe4\xb8", b"\xf0\x9f\x98")
PIECES = st.sampled_from((*CHARACTERS, *BROKEN, *CUT_SHORT))


def is_decoded(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@given(st.lists(PIECES, max_size=8).map(b"".join) | st.binary(max_size=80))
@example(b"")
@example("ü".encode() * 40)
def test_it_agrees_with_the_codec(data: bytes) -> None:
    assert (doubled_pairs(data) >= 0) == is_decoded(data)


@pytest.mark.parametrize("data", [b"a" * 100, "ab中c".encode() * 9, b"\xe4\xb8", b"a" * 40 + b"\x80"])
def test_it_runs_uncompiled_with_the_same_result(data: bytes) -> None:
    assert load_uncompiled("blockfeat.page.utf_8").doubled_pairs(data) == doubled_pairs(data)


WORDS = (b"cf-chl", b"cf-chance", b"anubis_", b'id="captcha"')
MARKS = Marks.of(WORDS)
TEXTS = st.lists(st.sampled_from((*WORDS, b"CF-CHL", b"cf-ch", b"anubis", b"x", b"\xff")), max_size=6).map(b"".join)


@given(TEXTS)
@example(b"")
@example(b"Anubis_")
def test_marks_are_found_in_upper_and_lower_case(data: bytes) -> None:
    assert MARKS.are_in(data) == any(word in data.lower() for word in WORDS)


@pytest.mark.parametrize("shortest", range(1, 11))
@given(TEXTS, st.integers(0, 9))
def test_marks_of_any_length_are_found_at_any_place(shortest: int, data: bytes, first: int) -> None:
    words = (WORDS[1][:shortest], WORDS[2][:shortest], WORDS[3])
    starts, ends = np.array([[first], [len(data)]], dtype=np.int32)
    standing = [place for place in range(first, len(data)) if data.lower().startswith(words, place)]
    for module in (Marks, load_uncompiled("blockfeat.page.utf_8").Marks):
        assert module.of(words).places_in(data, starts, ends) == standing


@pytest.mark.parametrize("compiled", [True, False])
def test_marks_are_found_in_parts_of_the_bytes(compiled: bool) -> None:
    marks = MARKS if compiled else load_uncompiled("blockfeat.page.utf_8").Marks.of(WORDS)
    data = b"<p class=Anubis_1>anubis_<p class=anubis>"
    starts, ends = np.array([[0, 26, 3], [18, 41, 3]], dtype=np.int32)
    assert marks.are_in(data)
    assert marks.places_in(data, starts, ends) == [9]


@pytest.mark.parametrize("compiled", [True, False])
@given(st.lists(st.sampled_from((b"ab", b"aa", b"b", b"aab", b"-" * 63)), max_size=9).map(b"".join), st.integers(0, 9))
def test_places_of_bytes_are_those_where_they_stand(compiled: bool, data: bytes, first: int) -> None:
    find = places_of if compiled else load_uncompiled("blockfeat.page.utf_8").places_of
    for mark in (b"a", b"aa", b"aab", b"-" * 64):
        standing = [place for place in range(first, len(data)) if data.startswith(mark, place)]
        assert find(mark, data, first) == standing
        assert (
            find(mark, data, first, len(data) - 2, most=2)
            == [each for each in standing if each + len(mark) <= len(data) - 2][:2]
        )
