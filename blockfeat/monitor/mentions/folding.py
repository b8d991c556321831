"""Folding: the form in which names are compared (NFKC, case-folded), with the way back to the original offsets."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from blockfeat.lang.characters import MARK, character_classes

PARAGRAPH = "\u2029"
"""Parts two blocks in a text that is matched as one: no name reaches over it."""

_SPACES = "\t-\r\x1c-\x1f \x85\xa0\u1680\u2000-\u200a\u2028\u202f\u205f\u3000"
_SPACE_RUN = re.compile(f"[{_SPACES}]+")
_SEVERAL_SPACES = re.compile(f"[{_SPACES}]{{2}}")
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
# Letters that one name is spelt with as well as with the other; folded after NFKC and case.
_SAME = {
    **dict.fromkeys("\u2018\u2019\u201b\u02bc\u02b9\u02bb\u2032\u00b4\u0060\u055a\uff07", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u05be\u30a0", "-"),
    **dict.fromkeys("أإآٱ", "ا"),
    **dict.fromkeys("ىیې", "ي"),
    "ک": "ك",
    "ё": "е",
    "ı": "i",
    "\u05f3": "'",
    "\u05f4": '"',
    # Letters with a stroke, which Unicode does not take apart.
    "ł": "l",
    "đ": "d",
    "ø": "o",
    "ħ": "h",
}
_SAME_CODES = {ord(letter): same for letter, same in _SAME.items()}
# Halves of surrogate pairs, which the automaton refuses.
_SURROGATES = re.compile("[\ud800-\udfff]")
SUPERSCRIPTS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
"""The raised digits from 0 to 9: marks of footnotes, so that they are not folded to digits."""
_IS_SUPERSCRIPT = re.compile(f"[{SUPERSCRIPTS}]")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_GREEK_MARKS = re.compile("[\u0300-\u0345]")
_ACCENTED = re.compile("[\u00e0-\u00f6\u00f8-\u0130\u0132-\u024f\u1e00-\u1eff]")
_LATIN_MARKS = re.compile("[\u0300-\u036f]")
# Letters of their own where they are written: nobody leaves their marks out of a foreign name, or adds them to it.
_OWN_LETTERS = frozenset("äöüåøæœðþ")
_LEAST_WITHOUT_ACCENTS, _LEAST_WITH_ACCENTS = 5, 6
_DOTTED = frozenset("iıIİ")


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
        """Return where a span ends: before what was folded to nothing behind it."""
        place = bisect_left(self.starts, offset)
        exact = place < len(self.starts) and self.starts[place] == offset
        return self._original(offset, place if exact else place - 1)

    def _original(self, offset: int, piece: int) -> int | None:
        into = offset - self.starts[piece]
        return None if into and self.whole[piece] else self.originals[piece] + into


class _CharacterTable(dict[int, str]):
    """The folded form of single characters, filled as they are met; for `str.translate`."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_cluster(chr(code))
        return folded


@dataclass(frozen=True)
class Folder:
    """Folds texts; remembers the characters that it has met, so keep one for many texts. Several threads may use one.

    Two spellings fold alike where they differ only in case, in Unicode's compatibility forms (full-width letters,
    ligatures, composed and decomposed accents), in invisible characters, in the vowel points of Arabic and Hebrew, in
    the accents of Greek and Latin letters (`same_accents` tells those of Latin apart), in the kind of apostrophe,
    hyphen or white space, in ``ё`` and ``е``, in the carriers of Arabic alef and yeh, in ``™``, ``®`` and ``℠``, or in
    the dot of an i (`same_dots` tells those apart where it matters).
    """

    _table: _CharacterTable = field(default_factory=_CharacterTable, repr=False)
    _known: set[str] = field(default_factory=set, repr=False)
    _joiners: set[str] = field(default_factory=set, repr=False)
    _expanding: set[str] = field(default_factory=set, repr=False)
    _patterns: list[re.Pattern[str]] = field(default_factory=list, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    def fold(self, text: str) -> FoldedText:
        """Fold a text; linear in its length."""
        if text.isascii() and _SEVERAL_SPACES.search(text) is None:
            return FoldedText(text.translate(self._table))
        self._meet(set(text))
        clusters = list(self._patterns[0].finditer(text)) if self._patterns else []
        if not clusters:
            return FoldedText(text.translate(self._table))
        folded: list[str] = []
        starts, originals, whole = [], [], []
        length, done = 0, 0

        def add(piece: str, original: int, *, is_whole: bool) -> None:
            nonlocal length
            starts.append(length)
            originals.append(original)
            whole.append(is_whole)
            folded.append(piece)
            length += len(piece)

        for cluster in clusters:
            first, end = cluster.span()
            if first > done:
                add(text[done:first].translate(self._table), done, is_whole=False)
            add(_fold_cluster(cluster[0]), first, is_whole=True)
            done = end
        if done < len(text):
            add(text[done:].translate(self._table), done, is_whole=False)
        add("", len(text), is_whole=True)
        return FoldedText("".join(folded), starts, originals, whole)

    def _meet(self, characters: set[str]) -> None:
        """Learn which characters do not fold one to one, and make the pattern of clusters anew."""
        if characters <= self._known:
            return
        marks = character_classes().table
        with self._lock:
            for character in characters - self._known:
                if _IS_JOINER.match(character) or marks[ord(character)] & MARK or unicodedata.combining(character):
                    self._joiners.add(character)
                elif len(self._table[ord(character)]) != 1:
                    self._expanding.add(character)
            self._patterns[:] = [_cluster_pattern(self._joiners, self._expanding)]
            self._known.update(characters)


def same_dots(name: str, found: str, *, turkish: bool) -> bool:
    """Return whether two spellings that fold alike have the same letters i.

    In a Turkish name I is the capital of ı, and İ that of i. Elsewhere I is the capital of both, and Turkish texts
    write İ in names from abroad.
    """
    if turkish or "ı" in name or "İ" in name or "ı" in found or "İ" in found:
        wanted = [letter for letter in visible(name) if letter in _DOTTED]
        got = [letter for letter in visible(found) if letter in _DOTTED]
        if len(wanted) == len(got):
            return all(_same_i(one, other, turkish=turkish) for one, other in zip(wanted, got, strict=True))
    return True


def same_accents(name: str, found: str) -> bool:
    """Return whether two spellings that fold alike have the same accents, or one of them has none.

    A name of five letters and more may be written without any (Nestle for Nestlé), one of six with some where it has
    none (Nestlé for Nestle), save ä, ö, ü, å and ø.
    """
    if name.isascii() and found.isascii():
        return True
    wanted, got = (_ACCENTED.findall(visible(text).casefold()) for text in (name, found))
    if wanted == got:
        return True
    letters = sum(map(str.isalpha, name))
    if name[0].isupper() and not found[0].isupper():
        return False
    if not got:
        return letters >= _LEAST_WITHOUT_ACCENTS
    return not wanted and letters >= _LEAST_WITH_ACCENTS and _OWN_LETTERS.isdisjoint(got)


def _same_i(one: str, other: str, *, turkish: bool) -> bool:
    if one == other or {one, other} in ({"i", "İ"}, {"ı", "I"}):
        return True
    return not turkish and {one, other} in ({"i", "I"}, {"I", "İ"})


def visible(text: str) -> str:
    """Return a text in NFKC, without characters that cannot be seen."""
    return unicodedata.normalize("NFKC", _IGNORED_RUN.sub("", text))


def _fold_cluster(cluster: str) -> str:
    """Fold a character with the marks behind it, or a run of white space."""
    if cluster[0].isspace() and cluster[0] != PARAGRAPH:
        cluster = _SPACE_RUN.sub(" ", _IGNORED_RUN.sub("", cluster))
    if _IS_SUPERSCRIPT.match(cluster):
        return cluster[0]
    text = cluster.replace("\u00b4", "'")  # an accent used as apostrophe: NFKC makes a space and a mark of it
    text = unicodedata.normalize("NFKC", _IGNORED_RUN.sub("", text)).casefold()
    text = unicodedata.normalize("NFKC", text.replace("i\u0307", "i"))
    if _ACCENTED.search(text):
        text = unicodedata.normalize("NFC", _LATIN_MARKS.sub("", unicodedata.normalize("NFD", text)))
    if _GREEK.search(text):
        text = unicodedata.normalize("NFC", _GREEK_MARKS.sub("", unicodedata.normalize("NFD", text)))
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
