"""Folding: what compares equal, and the way back to the original offsets."""

import time
import tracemalloc
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.mentions.folding import PARAGRAPH, Folder
from blockfeat.monitor.mentions.matcher import same_dots
from cases import CASES
from property_examples import examples
from timing import seconds_of

_ALIKE = """
APPLE=apple | Ａｐｐｌｅ=Apple | App\u00adle=Apple | A\u200bpp\u2060le=Apple | Citroe\u0308n=CITROËN | Straße=STRASSE
ﬁnance=FINANCE | ﾄﾖﾀ=トヨタ | ｶﾞｽ=ガス | Red\u00a0Bull=Red Bull | L’Oréal=L'Oréal | L´Oréal=L'Oréal | ㄱㅏ=가 | ㈱=(株)
Coca\u2011Cola=Coca-Cola | Όμιλος=ΟΜΙΛΟΣ | ΌΜΙΛΟΣ=όμιλος | Королёв=Королев | مُحَمَّد=محمد | مـحـمد=محمد
أبل=ابل | شرکت=شركت | יִשְׂרָאֵל=ישראל | İSTANBUL=istanbul
"""
SAME = [
    *(pair.split("=") for pair in _ALIKE.strip().replace("\n", " | ").split(" | ")),
    ("Red \u200b\n Bull", "Red Bull"),
    *((name, unicodedata.normalize("NFD", name)) for name in ("삼성", "مسئول")),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_folds_alike(one: str, other: str) -> None:
    assert Folder().fold(one).text == Folder().fold(other).text


@pytest.mark.parametrize(("one", "other"), [("ガス", "カス"), ("Zürich", "Zuerich"), ("й", "и")])
def test_folds_apart(one: str, other: str) -> None:
    assert Folder().fold(one).text != Folder().fold(other).text


def test_paragraph_mark_is_no_space() -> None:
    assert Folder().fold(f"Red{PARAGRAPH}Bull").text == f"red{PARAGRAPH}bull"


def test_span_leaves_invisible_characters_outside() -> None:
    text = "\u200bfoo\u200b App\u00adle bar"
    folded = Folder().fold(text)
    start = folded.text.index("apple")
    assert text[slice(*(folded.span(start, start + 5) or (0, 0)))] == "App\u00adle"


def test_many_invisible_characters() -> None:
    text = "A" + "\u200b" * 100 + "pple" + "\u00ad" * 100
    folded = Folder().fold(text)
    within = text[slice(*(folded.span(0, 5) or (0, 0)))]
    assert folded.text == Folder().fold(within).text == "apple"


@examples(200)
@given(st.lists(st.sampled_from([*"aß \u200b\u0301é\n㈱", PARAGRAPH])).map("".join), st.integers(1, 4))
def test_a_long_text_is_folded_in_parts_as_it_is_as_a_whole(text: str, size: int) -> None:
    whole = Folder().fold(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blockfeat.monitor.mentions.folding._AT_ONCE", size)
        assert Folder().fold(text) == whole


def test_a_long_text_is_folded_in_little_memory() -> None:
    folder, text = Folder(), "the Ferry leaves " * 200_000
    tracemalloc.start()
    folder.fold(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * len(text)


def test_span_through_a_character_is_none() -> None:
    folded = Folder().fold("Straße")
    assert folded.text == "strasse"
    assert folded.span(0, 5) is None
    assert folded.span(0, 7) == (0, 6)


ALPHABET = st.sampled_from(
    "aAbiIİıßée\u0301\u0308ﬁ …㏖①ｶﾞﾄ가ᄀ\u1161ㅏ\u00ad\u200b\u200d\u00a0\t\n\u2029中小米ไทยทำกำ\u0e33\u0e31"
    "مُ\u0640أבִּי\u05b8ΆάςΣ\u0345ǰŉ’'-\u2011ё\U0001f600\ufe0f\u0300हिन्दी"
)


@examples(300)
@given(st.text(ALPHABET, max_size=30) | st.text(max_size=40), st.data())
def test_original_of_a_span_folds_to_it(text: str, data: st.DataObject) -> None:
    folder = Folder()
    folded = folder.fold(text)
    start = data.draw(st.integers(0, len(folded.text)))
    end = data.draw(st.integers(start, len(folded.text)))
    span = folded.span(start, end)
    if span is not None and start < end:
        assert 0 <= span[0] < span[1] <= len(text)
        assert folder.fold(text[slice(*span)]).text == folded.text[start:end]
    whole = folded.span(0, len(folded.text))
    assert folder.fold(text[slice(*whole)]).text == folded.text


@examples(300)
@given(st.text(ALPHABET, max_size=20))
def test_canonical_forms_fold_alike(text: str) -> None:
    folder = Folder()
    composed = folder.fold(unicodedata.normalize("NFC", text)).text
    assert composed == folder.fold(unicodedata.normalize("NFD", text)).text


@pytest.mark.parametrize(("name", "found", "turkish", "same"), CASES["dots"])
def test_dots(name: str, found: str, turkish: bool, same: bool) -> None:
    assert same_dots(name, found, turkish=turkish) is same


@pytest.mark.parametrize(
    "piece", ["e\u0301", "  ", "ß", "\u00ad", "ﾞ", "…", "a\u200b", "\u0301", "\u0301\u0327", " \u0301"]
)
def test_time_is_linear(piece: str) -> None:
    def seconds(size: int) -> float:
        return seconds_of(lambda: Folder().fold(piece * size), rounds=2, clock=time.thread_time)

    seconds(1_000)
    assert seconds(40_000) < 0.3 + 40 * seconds(4_000)
