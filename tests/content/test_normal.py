"""The normal form of text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat import Extractor
from blockfeat.content.plain import normalised


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Nestle\u0301", "Nestl\u00e9"),
        ("\ufeffa\u200bb\u2060c\u200e d\u202e\u2066e\u2069", "abc de"),
        ("Auf\u200clage", "Auflage"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u062f", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u062f"),
        ("\u0645\u06cc\u200c \u062e", "\u0645\u06cc \u062e"),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
    ],
)
def test_letters_are_composed_and_marks_without_width_go(text: str, normal: str) -> None:
    assert normalised(text) == normal


@given(st.text())
def test_it_is_nfc_and_stays_as_it_is(text: str) -> None:
    once = normalised(text)
    assert unicodedata.is_normalized("NFC", once)
    assert normalised(once) == once


def test_it_is_an_option() -> None:
    page = "<p>" + "The cafe\u0301 on the quay opens at nine, and it closes before the last ferry has left. " * 3
    extractor = Extractor.load("thresholds")
    assert "caf\u00e9" in extractor.extract(page).text
    assert "cafe\u0301" in extractor.with_options(normalise=False).extract(page).text
    assert "normalise=False" in repr(extractor.with_options(normalise=False))
