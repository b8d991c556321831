"""Characters: what each code point means for words and sentences; scripts, and which languages write in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_json
from blockfeat.lang.word_keys import count_letters

ALPHANUMERIC = 1
"""Letters and numbers."""
MARK = 2
"""Combining marks, which belong to the letter before them (vowel signs of Indic scripts, Thai tones)."""
UNSPACED = 4
"""Letters and marks of scripts that put no space between words."""
STOP = 8
"""Characters that may end a sentence."""
CLOSER = 16
"""Quotes and brackets that may stand between the end of a sentence and the space after it."""
SPACE = 32
"""White space, zero-width space and byte-order mark."""
LOWERCASE = 64
"""Lower-case letters."""
CONTROL = 128
"""Control characters and surrogates, which no output holds."""


@cache
def character_classes() -> NDArray[np.uint8]:
    """Return the class bits of each of the 1,114,112 code points, a constant that is read at its first use: 2 ms.

    The bundled table is made by ``tools/make_character_classes.py``.
    """
    document = bundled_json("blockfeat.lang", "characters.json")
    runs = np.array(document["runs"], dtype=np.int64)
    lengths = np.diff(np.append(runs[:, 0], 0x110000))
    return np.repeat(runs[:, 1].astype(np.uint8), lengths)


_LATIN = "latin"
_FEWEST_KANA = 0.1  # share of kana among kana and Han that makes a text Japanese
_MANY_HAN = 120  # weighted; no Japanese text of forty characters does without kana
_RIGHT_TO_LEFT = frozenset(
    ("ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi")
)
_LEFTWARD = "[\u05be-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]"
_RIGHTWARD = "[A-Za-z\u00c0-\u024f\u0370-\u0587\u0900-\u1fff\u2c00-\ud7ff]"

# Each script with its languages (the usual one first), the weight of a letter, and its ranges of code points.
_TABLE = bundled_json("blockfeat.lang", "scripts.json")
_LANGUAGES: dict[str, tuple[str, ...]] = {name: tuple(entry["languages"].split()) for name, entry in _TABLE.items()}

SCRIPTS = tuple(_LANGUAGES)
"""Names of the scripts, in the order of `letters_by_script`."""

# Languages that write in Latin letters beside another script.
_ALSO_LATIN = frozenset({"az", "bs", "ku", "sr", "tk", "uz", "tt"})
_ELSEWHERE = frozenset().union(*_LANGUAGES.values()) - _ALSO_LATIN
_WEIGHTS = np.array([entry["weight"] for entry in _TABLE.values()], dtype=np.int64)


@cache
def _script_table() -> NDArray[np.uint8]:
    """Return the script number (from 1; 0 for none) by code point; 0x1FFFF stands for all above."""
    table = np.zeros(0x20000, dtype=np.uint8)
    for number, entry in enumerate(_TABLE.values(), start=1):
        for low, high in (span.split("-") for span in entry["ranges"].split()):
            table[int(low, 16) : int(high, 16) + 1] = number
    return table


def letters_by_script(text: str) -> NDArray[np.int64]:
    """Count the letters of each script in a text, weighted by what a letter says: an array as long as `SCRIPTS`.

    A Han or kana character counts three times, a Hangul or Ethiopic syllable twice: words are shorter there.
    """
    return np.asarray(count_letters(text, _script_table(), len(_TABLE) + 1)[1:] * _WEIGHTS)


def script_of(character: str) -> str | None:
    """Return the script of a character; None for digits, signs and scripts that the table does not have."""
    number = int(_script_table()[min(ord(character), 0x1FFFF)])
    return SCRIPTS[number - 1] if number else None


def languages_of(script: str) -> tuple[str, ...]:
    """Return the languages that write in a script, the usual one first; none for Latin (too many)."""
    return _LANGUAGES[script]


def written_in(lang: str, script: str) -> bool:
    """Return whether a language is written in a script."""
    return lang not in _ELSEWHERE if script == _LATIN else lang in languages_of(script)


def fits_script(lang: str, script: str, letters: Sequence[int]) -> bool:
    """Return whether a text with these letters can be in a declared language."""
    han, kana = letters[SCRIPTS.index("han")], letters[SCRIPTS.index("kana")]
    if script in ("han", "kana") and lang in ("ja", "zh"):
        japanese = kana >= _FEWEST_KANA * (han + kana)
        return lang == "ja" if japanese else lang == "zh" or han < _MANY_HAN
    return written_in(lang, script)


def only_language(script: str, letters: Sequence[int]) -> str | None:
    """Return the language that a script stands for, None where several share it."""
    if script in ("han", "kana"):
        han, kana = letters[SCRIPTS.index("han")], letters[SCRIPTS.index("kana")]
        return "ja" if kana >= _FEWEST_KANA * (han + kana) else "zh"
    languages = languages_of(script)
    return languages[0] if len(languages) in (1, 2) else None


def has_leftward(text: str) -> bool:
    """Return whether a text has letters that are written from right to left."""
    return re.search(_LEFTWARD, text) is not None


def direction_of(lang: str | None, text: str = "") -> str:
    """Return ``"rtl"`` or ``"ltr"``: the direction of the letters where all have the same, else of the language.

    Where the language is not known, it is the direction of most letters.
    """
    leftward, rightward = has_leftward(text), re.search(_RIGHTWARD, text) is not None
    if leftward and rightward and lang is None:
        is_leftward = len(re.findall(_LEFTWARD, text)) > len(re.findall(_RIGHTWARD, text))
    elif leftward != rightward:
        is_leftward = leftward
    else:
        is_leftward = (lang or "").lower().partition("-")[0] in _RIGHT_TO_LEFT
    return "rtl" if is_leftward else "ltr"
