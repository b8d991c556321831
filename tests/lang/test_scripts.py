"""Writing systems and the direction of texts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang.scripts import SCRIPTS, direction_of, letters_by_script, script_of

_HEBREW, _ARABIC = "\u05e9\u05dc\u05d5\u05dd", "\u0633\u0644\u0627\u0645"


@pytest.mark.parametrize(
    ("lang", "text", "direction"),
    [
        ("ar", "", "rtl"),
        ("fa-IR", "1234", "rtl"),
        ("de", "1234", "ltr"),
        (None, "", "ltr"),
        ("ar", f"BBC News: {_ARABIC}", "rtl"),
        ("ar", "BBC News", "ltr"),
        ("en", f"The word {_HEBREW}", "ltr"),
        ("en", _HEBREW, "rtl"),
        (None, f"{_HEBREW} {_HEBREW} x", "rtl"),
        (None, f"{_ARABIC} is a word of greeting", "ltr"),
        ("ar", "\u0661\u0662 %", "rtl"),
        ("en", "\u0661\u0662 %", "ltr"),
    ],
)
def test_direction(lang: str | None, text: str, direction: str) -> None:
    assert direction_of(lang, text) == direction


@given(st.lists(st.one_of(st.integers(0, 0x3FFF), st.integers(0, 0x10FFFF)), max_size=20))
def test_letters_count_for_their_script_as_often_as_they_weigh(codes: list[int]) -> None:
    counts = letters_by_script(np.array(codes, dtype=np.uint32)).tolist()
    letters = Counter(script_of(chr(code)) for code in codes)
    for script, count in zip(SCRIPTS, counts, strict=True):
        assert count in {letters[script] * weight for weight in (1, 2, 3)}
    assert letters_by_script(np.array([ord("漢"), ord("a")], dtype=np.uint32)).sum() == 4
