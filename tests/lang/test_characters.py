"""Character classes as their rules make them, right on characters that matter; scripts, and the direction of texts."""

import json
import unicodedata
from collections import Counter
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang import characters as known
from blockfeat.lang.measures import code_points
from tools.make_character_classes import class_runs


def test_table_is_what_the_tool_makes() -> None:
    document = json.loads((files("blockfeat.lang") / "characters.json").read_bytes())
    if document["unicode"] != unicodedata.unidata_version:
        pytest.skip(f"the table is of Unicode {document['unicode']}, this Python has another")
    assert [tuple(run) for run in document["runs"]] == class_runs()


def test_table_covers_all_of_unicode() -> None:
    table = known.character_classes()
    assert (table.size, str(table.dtype)) == (0x110000, "uint8")


@pytest.mark.parametrize(
    ("characters", "bits"),
    [
        ("a", known.ALPHANUMERIC | known.LOWERCASE),
        ("É7½١한", known.ALPHANUMERIC),
        ("\u0301ि", known.MARK),
        ("我かーก", known.ALPHANUMERIC | known.UNSPACED),
        ("\u0e34", known.MARK | known.UNSPACED),
        (".。؟।…", known.STOP),
        ("”)»'", known.CLOSER),
        (" \n\xa0\u3000\u200b\ufeff", known.SPACE),
        ("\x00\x9f\ud800", known.CONTROL),
        ("-_€\ufe0f\u20e3", 0),
    ],
)
def test_classes(characters: str, bits: int) -> None:
    assert known.character_classes().take(code_points(characters)).tolist() == [bits] * len(characters)


def test_code_points_of_any_string() -> None:
    assert (code_points("aé\U0001f600\ud800").tolist(), code_points("").size) == ([0x61, 0xE9, 0x1F600, 0xD800], 0)


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
    assert known.direction_of(lang, text) == direction


@given(st.lists(st.one_of(st.integers(0, 0x3FFF), st.integers(0, 0x10FFFF)), max_size=20))
def test_letters_count_for_their_script_as_often_as_they_weigh(codes: list[int]) -> None:
    counts = known.letters_by_script("".join(map(chr, codes))).tolist()
    letters = Counter(known.script_of(chr(code)) for code in codes)
    for script, count in zip(known.SCRIPTS, counts, strict=True):
        assert count in {letters[script] * weight for weight in (1, 2, 3)}
    assert known.letters_by_script("漢a").sum() == 4
