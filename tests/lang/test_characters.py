"""The table of character classes: as its rules make it, and right on characters that matter."""

from __future__ import annotations

import json
import unicodedata
from importlib.resources import files

import pytest

from blockfeat.lang.characters import (
    ALPHANUMERIC,
    CLOSER,
    CONTROL,
    LOWERCASE,
    MARK,
    SPACE,
    STOP,
    UNSPACED,
    character_classes,
    code_points,
)
from tools.make_character_classes import class_runs


def classes_of(text: str) -> list[int]:
    found: list[int] = character_classes().of(code_points(text)).tolist()
    return found


def test_table_is_what_the_tool_makes() -> None:
    document = json.loads((files("blockfeat.lang") / "characters.json").read_bytes())
    if document["unicode"] != unicodedata.unidata_version:
        pytest.skip(f"the table is of Unicode {document['unicode']}, this Python has another")
    assert [tuple(run) for run in document["runs"]] == class_runs()


def test_table_covers_all_of_unicode() -> None:
    table = character_classes().table
    assert (table.size, str(table.dtype)) == (0x110000, "uint8")


@pytest.mark.parametrize(
    ("character", "bits"),
    [
        ("a", ALPHANUMERIC | LOWERCASE),
        ("É", ALPHANUMERIC),
        ("7", ALPHANUMERIC),
        ("½", ALPHANUMERIC),
        ("١", ALPHANUMERIC),
        ("\u0301", MARK),
        ("ि", MARK),
        ("我", ALPHANUMERIC | UNSPACED),
        ("か", ALPHANUMERIC | UNSPACED),
        ("ー", ALPHANUMERIC | UNSPACED),
        ("ก", ALPHANUMERIC | UNSPACED),
        ("\u0e34", MARK | UNSPACED),
        ("한", ALPHANUMERIC),
        (".", STOP),
        ("。", STOP),
        ("؟", STOP),
        ("।", STOP),
        ("…", STOP),
        ("”", CLOSER),
        (")", CLOSER),
        ("»", CLOSER),
        (" ", SPACE),
        ("\n", SPACE),
        ("\xa0", SPACE),
        ("\u3000", SPACE),
        ("\u200b", SPACE),
        ("\ufeff", SPACE),
        ("\x00", CONTROL),
        ("\x9f", CONTROL),
        ("\ud800", CONTROL),
        ("-", 0),
        ("_", 0),
        ("'", CLOSER),
        ("€", 0),
        ("\ufe0f", 0),
        ("\u20e3", 0),
    ],
)
def test_classes(character: str, bits: int) -> None:
    assert classes_of(character) == [bits]


def test_code_points_of_any_string() -> None:
    assert code_points("aé\U0001f600\ud800").tolist() == [0x61, 0xE9, 0x1F600, 0xD800]
    assert code_points("").size == 0
