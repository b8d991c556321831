"""Writing systems and the direction of texts."""

from __future__ import annotations

import pytest

from blockfeat.lang.scripts import direction_of

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
