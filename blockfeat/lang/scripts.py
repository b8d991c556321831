"""Writing systems: which scripts a text uses, and which languages write in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

LATIN = "latin"
_FEWEST_KANA = 0.1  # share of kana among kana and Han that makes a text Japanese
_MANY_HAN = 120  # weighted; no Japanese text of forty characters does without kana
_RIGHT_TO_LEFT = frozenset(
    ("ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi")
)
_LEFTWARD = re.compile("[\u05be-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]")
_RIGHTWARD = re.compile("[A-Za-z\u00c0-\u024f\u0370-\u0587\u0900-\u1fff\u2c00-\ud7ff]")

# Script, its languages (the usual one first), weight of a letter, first and last code points.
_TABLE: tuple[tuple[str, str, int, tuple[tuple[int, int], ...]], ...] = (
    (LATIN, "", 1, ((0x41, 0x5A), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x24F), (0x1E00, 0x1EFF))),
    ("greek", "el", 1, ((0x370, 0x3FF), (0x1F00, 0x1FFF))),
    ("cyrillic", "ru uk bg sr mk be kk ky tg mn tt ba cv ce os av kv cu uz az tk bs", 1, ((0x400, 0x52F),)),
    ("armenian", "hy", 1, ((0x530, 0x58F),)),
    ("hebrew", "he yi", 1, ((0x591, 0x5FF),)),
    ("arabic", "ar fa ur ku ps ug sd ks az uz pa", 1, ((0x620, 0x6FF), (0x750, 0x77F), (0xFB50, 0xFEFC))),
    ("thaana", "dv", 1, ((0x780, 0x7BF),)),
    ("devanagari", "hi mr ne sa pi sd ks", 1, ((0x900, 0x963), (0x970, 0x97F))),
    ("bengali", "bn as", 1, ((0x980, 0x9E5), (0x9F0, 0x9FF))),
    ("gurmukhi", "pa", 1, ((0xA00, 0xA7F),)),
    ("gujarati", "gu", 1, ((0xA80, 0xAFF),)),
    ("oriya", "or", 1, ((0xB00, 0xB7F),)),
    ("tamil", "ta", 1, ((0xB80, 0xBFF),)),
    ("telugu", "te", 1, ((0xC00, 0xC7F),)),
    ("kannada", "kn", 1, ((0xC80, 0xCFF),)),
    ("malayalam", "ml", 1, ((0xD00, 0xD7F),)),
    ("sinhala", "si", 1, ((0xD80, 0xDFF),)),
    ("thai", "th", 1, ((0xE01, 0xE7F),)),
    ("lao", "lo", 1, ((0xE80, 0xEFF),)),
    ("tibetan", "bo dz", 1, ((0xF00, 0xFFF),)),
    ("myanmar", "my", 1, ((0x1000, 0x109F),)),
    ("georgian", "ka", 1, ((0x10A0, 0x10FF), (0x1C90, 0x1CBF))),
    ("ethiopic", "am ti", 2, ((0x1200, 0x139F),)),
    ("khmer", "km", 1, ((0x1780, 0x17FF),)),
    ("hangul", "ko", 2, ((0x1100, 0x11FF), (0x3131, 0x318E), (0xAC00, 0xD7A3))),
    ("kana", "ja", 3, ((0x3041, 0x309F), (0x30A1, 0x30FA), (0x31F0, 0x31FF), (0xFF66, 0xFF9F))),
    ("han", "zh ja", 3, ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x1FFFF, 0x1FFFF))),
)

SCRIPTS = tuple(name for name, _, _, _ in _TABLE)
"""Names of the scripts, in the order of `letters_by_script`."""

# Languages that write in Latin letters beside another script.
_ALSO_LATIN = frozenset({"az", "bs", "ku", "sr", "tk", "uz", "tt"})
_ELSEWHERE = frozenset(" ".join(languages for _, languages, _, _ in _TABLE).split()) - _ALSO_LATIN
_WEIGHTS = np.array([weight for _, _, weight, _ in _TABLE], dtype=np.int64)


@cache
def _script_table() -> NDArray[np.uint8]:
    """Return the script number (from 1; 0 for none) by code point; 0x1FFFF stands for all above."""
    table = np.zeros(0x20000, dtype=np.uint8)
    for number, (_, _, _, ranges) in enumerate(_TABLE, start=1):
        for low, high in ranges:
            table[low : high + 1] = number
    return table


def letters_by_script(codes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Count the letters of each script, weighted by what a letter says.

    Parameters
    ----------
    codes
        Code points of a text, shape (n,).

    Returns
    -------
    ndarray of int64, shape (len(SCRIPTS),)
        A Han or kana character counts three times, a Hangul or Ethiopic syllable twice: words are
        shorter there.
    """
    numbers = _script_table()[np.minimum(codes, 0x1FFFF)]
    counts: NDArray[np.int64] = np.bincount(numbers, minlength=len(_TABLE) + 1)[1:] * _WEIGHTS
    return counts


def script_of(character: str) -> str | None:
    """Return the script of a character; None for digits, signs and scripts that the table does not have."""
    number = int(_script_table()[min(ord(character), 0x1FFFF)])
    return SCRIPTS[number - 1] if number else None


def languages_of(script: str) -> tuple[str, ...]:
    """Return the languages that write in a script, the usual one first; none for Latin (too many)."""
    return tuple(_TABLE[SCRIPTS.index(script)][1].split())


def written_in(lang: str, script: str) -> bool:
    """Return whether a language is written in a script."""
    if script == LATIN:
        return lang not in _ELSEWHERE
    return lang in languages_of(script)


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
    return _LEFTWARD.search(text) is not None


def direction_of(lang: str | None, text: str = "") -> str:
    """Return ``"rtl"`` or ``"ltr"``: the direction of the letters where all have the same, else of the language.

    Where the language is not known, it is the direction of most letters.
    """
    leftward, rightward = has_leftward(text), _RIGHTWARD.search(text) is not None
    if leftward and rightward and lang is None:
        is_leftward = len(_LEFTWARD.findall(text)) > len(_RIGHTWARD.findall(text))
    elif leftward != rightward:
        is_leftward = leftward
    else:
        is_leftward = (lang or "").lower().partition("-")[0] in _RIGHT_TO_LEFT
    return "rtl" if is_leftward else "ltr"
