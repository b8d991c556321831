"""Folding: the form in which names are compared, and the way back to the original; bounds of words in it."""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_table
from blockfeat.lang import MARK, UNSPACED, character_classes, code_points, script_of

PARAGRAPH = "\u2029"
"""Parts two blocks in a text that is matched as one: no name reaches over it."""

_SPACES = "\t-\r\x1c-\x1f \x85\xa0\u1680\u2000-\u200a\u2028\u202f\u205f\u3000"
_SPACE_RUN = re.compile(f"[{_SPACES}]+")
# Marks of ownership, which NFKC makes letters of (™: tm).
_OWNERSHIP = "\u00ae\u2120\u2122"
# Invisible where they stand (soft hyphen, zero-width characters, direction marks, variation selectors), the vowel
# points of Arabic and Hebrew, and the Arabic tatweel.
_IGNORED = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06ed\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\U000e0000-\U000e0fff"
    + _OWNERSHIP
)
_IGNORED_RUN = re.compile(f"[{_IGNORED}]+")
# Joined to the character before by NFKC, though no combining marks: Hangul letters, half-width voicing marks.
_JOINING = "\u1160-\u11ff\u3131-\u318e\uff9e-\uffdc"
_IS_JOINER = re.compile(f"[{_IGNORED}{_JOINING}]")
_LETTERS = bundled_table("blockfeat.monitor.mentions", "letters.toml")
_SAME_CODES = {ord(letter): same for same, letters in _LETTERS["same"].items() for letter in letters}
# Halves of surrogate pairs, which the automaton refuses.
_SURROGATES = re.compile("[\ud800-\udfff]")
RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
"""The raised digits from 0 to 9: marks of footnotes, so that they are not folded to digits."""
_IS_SUPERSCRIPT = re.compile(f"[{RAISED}]")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_GREEK_MARKS = re.compile("[\u0300-\u0345]")
ACCENTED = re.compile("[\u00e0-\u00f6\u00f8-\u0130\u0132-\u024f\u1e00-\u1eff]")
"""Latin letters with accents."""
_LATIN_MARKS = re.compile("[\u0300-\u036f]")
# What stands for characters that go with the one before, and for those that become several or none.
_JOINED, _EXPANDED = "\U0010fffe", "\U0010ffff"
# Characters that are folded at once: it takes thirteen times as many bytes.
_AT_ONCE = 1 << 19


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text, and where in the original each of its characters comes from.

    Attributes
    ----------
    text : str
        The folded text.
    starts, originals : sequence of int
        Pieces that were folded alike: where each begins in the folded text and in the original; empty where the
        offsets of the two texts are the same. The last piece is empty and stands at the end.
    whole : sequence of bool
        Pieces that came of one cluster of characters: an offset inside has no original.
    """

    text: str
    starts: Sequence[int] = ()
    originals: Sequence[int] = ()
    whole: Sequence[bool] = ()

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the original span of a folded one (end exclusive); None where it cuts through a character."""
        if not self.starts:
            return start, end
        first, last = self._original(start, bisect_right(self.starts, start) - 1), self._end(end)
        return None if first is None or last is None else (first, last)

    def _end(self, offset: int) -> int | None:
        """Return where a span ends: before characters that were folded to nothing."""
        place = bisect_left(self.starts, offset)
        exact = place < len(self.starts) and self.starts[place] == offset
        return self._original(offset, place if exact else place - 1)

    def _original(self, offset: int, piece: int) -> int | None:
        into = offset - self.starts[piece]
        return None if into and self.whole[piece] else self.originals[piece] + into


def _no_codes() -> NDArray[np.uint32]:
    return np.zeros(sys.maxunicode + 1, dtype=np.uint32)


@dataclass(frozen=True)
class Folder:
    """Folds texts; remembers characters, so reuse one instance for many texts. Safe to use from several threads.

    Two spellings fold alike where they differ only in case, in Unicode's compatibility forms (full-width letters,
    ligatures, composed and decomposed accents), in invisible characters, in the vowel points of Arabic and Hebrew, in
    the accents of Greek and Latin letters, in the kind of apostrophe, hyphen or white space, in ``ё`` and ``е``, in the
    carriers of Arabic alef and yeh, in ``™``, ``®`` and ``℠``, or in the dot of an i. The matcher compares accents of
    Latin letters and dots again (`blockfeat.monitor.mentions.matcher`).
    """

    _folded: NDArray[np.uint32] = field(default_factory=_no_codes, repr=False, compare=False)
    _joiners: set[str] = field(default_factory=set, repr=False)
    _expanding: set[str] = field(default_factory=set, repr=False)
    _patterns: list[re.Pattern[str]] = field(default_factory=list, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    def fold(self, text: str) -> FoldedText:
        """Fold a text; linear in its length."""
        alike, places = self._one_by_one(text)
        pieces: list[tuple[str, int, bool]] = []
        done = 0
        for place in places:
            cluster = self._patterns[0].match(text, place) if place >= done else None
            if cluster is not None:
                if place > done:
                    pieces.append((alike[done:place], done, False))
                pieces.append((_fold_cluster(cluster[0]), place, True))
                done = cluster.end()
        if not pieces:
            return FoldedText(alike)
        if done < len(text):
            pieces.append((alike[done:], done, False))
        folded, originals, whole = zip(*pieces, ("", len(text), True), strict=True)
        return FoldedText("".join(folded), [*accumulate(map(len, folded[:-1]), initial=0)], originals, whole)

    def _one_by_one(self, text: str) -> tuple[str, list[int]]:
        """Return a text with each character folded by itself, and where clusters may begin in it."""
        parts, places = [], list[int]()
        for start in range(0, len(text), _AT_ONCE):
            some = text[start : start + _AT_ONCE + 1]  # with one that is only looked at
            codes = code_points(some)
            folded = self._folded.take(codes)
            if not folded.all():
                self._meet(set(some))
                folded = self._folded.take(codes)
            parts.append(folded[:_AT_ONCE].tobytes().decode("utf-32-le"))
            places += [start + place for place in _places_of_clusters(folded) if place < _AT_ONCE]
        return "".join(parts), places

    def _meet(self, characters: set[str]) -> None:
        """Register characters: what they fold to; rebuild the cluster pattern where some do not fold one to one."""
        marks = character_classes()
        with self._lock:
            met = {character: _fold_cluster(character) for character in characters if not self._folded[ord(character)]}
            for character, folded in met.items():
                if _IS_JOINER.match(character) or marks[ord(character)] & MARK or unicodedata.combining(character):
                    self._joiners.add(character)
                    met[character] = _JOINED
                elif len(folded) != 1:
                    self._expanding.add(character)
                    met[character] = _EXPANDED
            if not self._patterns or {_JOINED, _EXPANDED} & {*met.values()}:
                self._patterns[:] = [_cluster_pattern(self._joiners, self._expanding)]
            # Other threads take a character for met from here on.
            for character, folded in met.items():
                self._folded[ord(character)] = ord(folded)


def _places_of_clusters(folded: NDArray[np.uint32]) -> list[int]:
    """Return where clusters may begin in a text, whose characters were folded one by one."""
    is_joined, is_space = folded == ord(_JOINED), folded == ord(" ")
    begins = is_joined | (folded == ord(_EXPANDED))
    begins[:-1] |= is_joined[1:] | (is_space[:-1] & is_space[1:])
    return list(begins.nonzero()[0].tolist())


def visible(text: str) -> str:
    """Return a text in NFKC, without characters that cannot be seen."""
    return unicodedata.normalize("NFKC", _IGNORED_RUN.sub("", text))


def _fold_cluster(cluster: str) -> str:
    """Fold a character with its combining marks, or a run of white space."""
    if cluster.isspace() and cluster != PARAGRAPH:
        return " "
    if cluster[0].isspace() and cluster[0] != PARAGRAPH:
        cluster = _SPACE_RUN.sub(" ", _IGNORED_RUN.sub("", cluster))
    if _IS_SUPERSCRIPT.match(cluster):
        return cluster[0]
    text = cluster.replace("\u00b4", "'")  # an accent used as apostrophe: NFKC makes a space and a mark of it
    text = unicodedata.normalize("NFKC", _IGNORED_RUN.sub("", text)).casefold()
    text = unicodedata.normalize("NFKC", text.replace("i\u0307", "i"))
    for letters, marks in ((ACCENTED, _LATIN_MARKS), (_GREEK, _GREEK_MARKS)):
        if letters.search(text):
            text = unicodedata.normalize("NFC", marks.sub("", unicodedata.normalize("NFD", text)))
    return _SURROGATES.sub("\ufffd", _IGNORED_RUN.sub("", text.translate(_SAME_CODES)))


def _cluster_pattern(joiners: set[str], expanding: set[str]) -> re.Pattern[str]:
    """Return what matches white space of two characters and more, a character with its joiners, or one that expands.

    At most thirty joiners go with a character (Unicode's stream-safe text): the time of NFKC is quadratic in them.
    """
    joined = "".join(map(re.escape, sorted(joiners)))
    alternatives = [f"[{_SPACES}][{_SPACES}{_IGNORED}]+"]
    if joined:
        alternatives.append(f"[^{joined}]?[{joined}]{{1,30}}")
    if expanding:
        alternatives.append(f"[{''.join(map(re.escape, sorted(expanding)))}]")
    return re.compile("|".join(alternatives))


# Longest run of letters that is looked at beside a name: no particle, prefix or elision is longer.
_REACH = 12
_LONGEST_ENDING = 40
_LEAST_IN_COMPOUNDS = 4
# Scripts in which a name may touch words of the same script on either side.
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff]")
# Thai and Lao vowels that belong to the consonant after them, and those that belong to the one before.
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
        Second parts of compounds with a name, by language.
    japanese, korean : tuple of str
        Words for a company after its name.
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
        affixes = bundled_table("blockfeat.monitor.mentions", "affixes.toml")
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
            hangul = takewhile(lambda character: script_of(character) == "hangul", text[end : end + _REACH])
            return self._is_korean_end("".join(hangul))
        return _may_touch(last, after) or self._is_compound(text, start, end, lang=lang)

    def _is_korean_end(self, behind: str) -> bool:
        """Return whether particles follow a Korean name, or a word for a company with particles."""
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
        behind = text[end : end + _LONGEST_ENDING]
        return end + sum(1 for _ in takewhile(lambda letter: _is_letter(letter) and not _is_unspaced(letter), behind))

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
    if character == "" or character in RAISED:
        return False
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"


def _letters_before(text: str, end: int) -> str:
    """Return the letters before an offset, at most so many as a prefix may have and one more."""
    letters = "".join(takewhile(_is_letter, reversed(text[max(0, end - _REACH) : end])))
    return letters[::-1]


def _is_unspaced(character: str) -> bool:
    return bool(character_classes()[ord(character)] & UNSPACED)


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
