"""Whether a name stands for itself in a text or is part of a longer word, by script."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import takewhile

from blockfeat.lang.characters import UNSPACED, character_classes
from blockfeat.lang.scripts import script_of
from blockfeat.monitor.mentions.folding import SUPERSCRIPTS, Folder

# Longest run of letters that is looked at beside a name: no particle, prefix or elision is longer.
_REACH = 12
_LONGEST_ENDING = 40
_LEAST_IN_COMPOUNDS = 4
# Scripts in which a name may touch words of the same script on either side.
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff]")
# Thai and Lao vowels that belong to the consonant behind, and those that belong to the one before.
_LEADING_VOWELS = frozenset("เแโใไເແໂໃໄ")
_FOLLOWING_VOWELS = frozenset("ะาๅๆະາ")
# Languages in Arabic script that write no prefixes together with the noun.
_WITHOUT_PREFIXES = frozenset({"fa", "ur", "ps", "ku", "sd", "ug", "pa", "ks"})
# Languages in which an apostrophe between letters is a letter.
_APOSTROPHE_IS_LETTER = frozenset({"uk", "be"})
_LEAST_BEHIND_PREFIX = 3


@dataclass(frozen=True)
class Boundaries:
    """The rules for both sides of a name, over folded text.

    Attributes
    ----------
    particles : frozenset of str
        Korean particles, which may follow a name.
    arabic, hebrew : pattern
        Prefixes that may precede a name.
    elisions : frozenset of str
        What is written before an apostrophe in French, Italian and Catalan.
    compounds : mapping of str to tuple of str
        What names are put together with, behind them, by language.
    japanese, korean : tuple of str
        Words for a company behind its name.
    """

    particles: frozenset[str]
    arabic: re.Pattern[str]
    hebrew: re.Pattern[str]
    elisions: frozenset[str]
    compounds: Mapping[str, tuple[str, ...]]
    japanese: tuple[str, ...]
    korean: tuple[str, ...]

    @classmethod
    def load(cls) -> Boundaries:
        """Read the bundled affixes."""
        affixes = tomllib.loads(
            files("blockfeat.monitor.mentions").joinpath("affixes.toml").read_text(encoding="utf-8")
        )
        return cls(
            frozenset(affixes["particles"]["ko"].split()),
            re.compile(affixes["prefixes"]["arabic"]),
            re.compile(affixes["prefixes"]["hebrew"]),
            frozenset(affixes["elisions"]["romance"].split()),
            {lang: tuple(Folder().fold(heads).text.split()) for lang, heads in affixes["compounds"].items()},
            tuple(affixes["suffixes"]["ja"].split()),
            tuple(affixes["suffixes"]["ko"].split()),
        )

    def hold(self, text: str, start: int, end: int, *, lang: str | None = None) -> bool:
        """Return whether ``text[start:end]`` stands for itself; takes constant time."""
        return self.begins(text, start, lang=lang, length=end - start) and self.ends(text, start, end, lang=lang)

    def begins(self, text: str, start: int, *, lang: str | None = None, length: int = 0) -> bool:
        """Return whether a name of a length may begin at an offset."""
        if start == 0 or not _is_letter(text[start]):
            return True
        before, first = text[start - 1], text[start]
        if before == "'":
            return self._elided_before(text, start - 1, lang=lang)
        if before == '"' and start > 1 and script_of(first) == script_of(text[start - 2]) == "hebrew":
            return False
        if not _is_letter(before):
            return True
        if before in _LEADING_VOWELS:
            return False
        script = script_of(first)
        if script != script_of(before):
            return _scripts_part(before, first)
        if script == "arabic" and lang not in _WITHOUT_PREFIXES:
            return length >= _LEAST_BEHIND_PREFIX and self.arabic.fullmatch(_letters_before(text, start)) is not None
        if script == "hebrew":
            return length >= _LEAST_BEHIND_PREFIX and self.hebrew.fullmatch(_letters_before(text, start)) is not None
        return _may_touch(before, first)

    def ends(self, text: str, start: int, end: int, *, lang: str | None = None) -> bool:
        """Return whether a name that began at ``start`` may end at an offset."""
        if end == len(text) or not _is_letter(text[end - 1]):
            return True
        last, after = text[end - 1], text[end]
        if after in "'\"" and end + 1 < len(text) and _is_letter(text[end + 1]):
            return self._continues_behind_quote(text, start, end, lang=lang)
        if not _is_letter(after):
            return True
        if after in _FOLLOWING_VOWELS or unicodedata.category(after)[0] == "M":
            return False
        script = script_of(last)
        if script != script_of(after):
            return _scripts_part(last, after) or self._is_compound(text, start, end, lang=lang)
        if script == "hangul":
            return self._is_korean_end("".join(takewhile(_is_hangul, text[end : end + _REACH])))
        return _may_touch(last, after) or self._is_compound(text, start, end, lang=lang)

    def _is_korean_end(self, behind: str) -> bool:
        """Return whether what is written behind a Korean name are particles, or a word for a company with them."""
        company = next((suffix for suffix in self.korean if behind.startswith(suffix)), "")
        return behind in self.particles or (company != "" and behind[len(company) :] in self.particles | {""})

    def _is_compound(self, text: str, start: int, end: int, *, lang: str | None) -> bool:
        """Return whether a name is the first part of a compound: Volkswagenkonzern, ソニーグループ."""
        if _KATAKANA.match(text[end]):
            behind = "".join(takewhile(_KATAKANA.match, text[end : end + _LONGEST_ENDING]))
            return behind in self.japanese
        if end - start < _LEAST_IN_COMPOUNDS or lang is None:
            return False
        behind = text[end : end + _LONGEST_ENDING].removeprefix("s") if text[end : end + 1] == "s" else ""
        heads = self.compounds.get(lang, ())
        return any(text.startswith(head, end) or behind.startswith(head) for head in heads)

    def word_end(self, text: str, end: int) -> int:
        """Return where the word ends that goes on at an offset; scripts without spaces have no words to end."""
        last = end
        while last < len(text) and last - end < _LONGEST_ENDING and _is_letter(text[last]):
            if _is_unspaced(text[last]):
                break
            last += 1
        return last

    def _elided_before(self, text: str, apostrophe: int, *, lang: str | None) -> bool:
        """Return whether what stands before an apostrophe is an elided word, or nothing: d'Apple, but not O'Reilly."""
        before = _letters_before(text, apostrophe)
        if before and script_of(before[-1]) == "hebrew":
            return False
        return not before or (before in self.elisions and lang not in _APOSTROPHE_IS_LETTER)

    def _continues_behind_quote(self, text: str, start: int, end: int, *, lang: str | None) -> bool:
        """Return whether a name ends before an apostrophe: Apple's, Google'a, but not dell'arte, nor in Ukrainian."""
        last, after = script_of(text[end - 1]), script_of(text[end + 1])
        if last == after == "hebrew":
            return False
        if text[end] == '"':
            return True
        if last == after == "cyrillic" and lang in _APOSTROPHE_IS_LETTER:
            return False
        possessive = text[end + 1] == "s" and not _is_letter(text[end + 2 : end + 3])
        return possessive or text[start:end] not in self.elisions


def _is_letter(character: str) -> bool:
    """Return whether a character belongs to words: letters, digits, marks, underscores; no footnotes."""
    if character == "" or character in SUPERSCRIPTS:
        return False
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"


def _is_hangul(character: str) -> bool:
    return script_of(character) == "hangul"


def _letters_before(text: str, end: int) -> str:
    """Return the letters before an offset, at most so many as a prefix may have and one more."""
    start = end
    while start > 0 and end - start < _REACH and _is_letter(text[start - 1]):
        start -= 1
    return text[start:end]


def _is_unspaced(character: str) -> bool:
    return bool(character_classes().table[ord(character)] & UNSPACED)


def _scripts_part(one: str, other: str) -> bool:
    """Return whether two characters of different scripts that touch belong to two words.

    Digits and the underscore belong to the word that they touch, save in scripts without spaces and in Korean.
    """
    if _is_unspaced(one) or _is_unspaced(other):
        return not (_KATAKANA.match(one) and _KATAKANA.match(other))
    one_script, other_script = script_of(one), script_of(other)
    if one_script and other_script:
        return True
    return "hangul" in (one_script, other_script)


def _may_touch(one: str, other: str) -> bool:
    """Return whether two words may touch where two characters of one script meet."""
    return _is_unspaced(one) and _is_unspaced(other) and not (_KATAKANA.match(one) and _KATAKANA.match(other))
