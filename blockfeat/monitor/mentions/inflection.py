"""Names in the cases of a language: their endings, proposed forms, and where a text has a name in any form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from os.path import commonprefix
from typing import Any

from blockfeat._files import bundled_table
from blockfeat.errors import LanguageError
from blockfeat.lang import normalise_code, script_of, stop_words_if_any, written_in
from blockfeat.monitor.mentions.folding import PARAGRAPH, Folder

ANY_LANGUAGE = "*"
"""Key of names that hold in every language."""
_VOWELS = frozenset("aeiouyáéíóúýäëïöüàèìòùâêîôûąęėįųūāēīőűæøåаеёиоуыэюяіїєαεηιουωάέήίόύώ")
_SHORTEST = 3
_MARKS = "'’:-"
_ACRONYM_MARKS = {"pl": "-", "fi": ":", "hu": "-", "ru": "-", "uk": "-", "lt": "-", "et": "-"}
# Two letters that stand for one sound: the second is doubled with the first.
_DOUBLED = {"sz": "ssz", "cs": "ccs", "zs": "zzs", "gy": "ggy", "ny": "nny", "ly": "lly", "ty": "tty"}


@dataclass(frozen=True)
class Endings:
    """What the names of a language end in, and what stands there in their other forms.

    Attributes
    ----------
    lang : str
        ISO 639-1 code.
    rules : mapping of str to tuple of str
        Other endings by ending; ``"~"`` in one stands for the ending itself, ``"C:"`` for the last consonant again.
    harmony : mapping of str to str
        By last vowel of a word, the vowels that its endings cannot have; by ``""`` those for a word with none of them.
    """

    lang: str
    rules: Mapping[str, tuple[str, ...]]
    harmony: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, lang: str) -> Endings:
        """Return the bundled rules of a language.

        Raises
        ------
        LanguageError
            There are none; the message lists those that there are.
        """
        code, bundled = normalise_code(lang), _bundled()
        harmonies, known = bundled["harmony"], inflected_languages()
        if code not in known:
            raise LanguageError(f"no endings of names in language {lang!r}; there are {', '.join(sorted(known))}")
        rules = {ending: tuple(others.split()) for ending, others in bundled[code].items()}
        harmony = {letter: clash for letters, clash in harmonies.get(code, {}).items() for letter in (letters or [""])}
        return cls(code, rules, harmony)

    def forms(self, name: str) -> tuple[str, ...]:
        """Return the other forms of a name: of its last word, and of both words of a name of two.

        A name in another script than the language's has none.
        """
        words = name.split(" ")
        found = [" ".join((*words[:-1], form)) for form in self._forms_of_word(words[-1])]
        if len(words) == 2:
            both = product(self._forms_of_word(words[0]), self._forms_of_word(words[1]))
            found += [f"{first} {second}" for first, second in both]
        return tuple(dict.fromkeys(form for form in found if form != name))

    def _forms_of_word(self, word: str) -> tuple[str, ...]:
        """Return the forms of one word."""
        script = script_of(word[-1]) if word else None
        if script is None or not written_in(self.lang, script):
            return ()
        if len(word) > 1 and word.isupper():
            return self._forms_of_acronym(word)
        ending = self._ending(word.lower())
        stem = word[: len(word) - len(ending)]
        found = (other.replace("~", ending).replace("C:", _doubled(stem)) for other in self.rules[ending])
        return tuple(stem + own for own in found if self._is_harmonic(word, own))

    def _forms_of_acronym(self, word: str) -> tuple[str, ...]:
        """Return the forms of a word in capitals: endings as they are, or after the language's mark."""
        found = (other.removeprefix("~").lstrip(_MARKS) for other in self.rules[""] if "C:" not in other)
        suffixes = [suffix for suffix in dict.fromkeys(found) if self._is_harmonic(word, suffix)]
        return tuple(word + mark + suffix for mark in ("", _ACRONYM_MARKS.get(self.lang, "")) for suffix in suffixes)

    def _is_harmonic(self, word: str, suffix: str) -> bool:
        """Return whether the vowels of an ending go with those of a word, in languages with vowel harmony."""
        harmony = self.harmony
        clash = next((harmony[letter] for letter in reversed(word.lower()) if letter in harmony), harmony.get("", ""))
        return not set(suffix) & set(clash)

    def _ending(self, word: str) -> str:
        """Return the longest ending with a rule that leaves three letters, ``""`` where there is none."""
        most = min(len(word) - _SHORTEST + 1, 6)
        return next((word[-length:] for length in range(most, 0, -1) if word[-length:] in self.rules), "")


@cache
def inflected_languages() -> frozenset[str]:
    """Return the languages whose endings are known."""
    return frozenset(_bundled()) - {"harmony"}


@cache
def _bundled() -> dict[str, Any]:
    """Read the bundled rules."""
    return bundled_table("blockfeat.monitor.mentions", "endings.toml")


def _doubled(stem: str) -> str:
    """Return the consonant by which an ending assimilates to a stem: its last one, v after a vowel."""
    low = stem.lower()
    if low[-2:] in _DOUBLED:
        return low[-2:]
    return "v" if not low or low[-1] in _VOWELS or not low[-1].isalpha() else low[-1]


_SHORTEST_NAME, _SHORTEST_STEM, _MOST_WORDS = 4, 3, 5
# A word, and the ending that some languages write after a mark: Google'a, EU:n, OTP-nek.
_WORD = re.compile(r"([^\W_]+)((?:['’:-][^\W\d_]{1,6})?)")


_endings_of = cache(Endings.of)


@dataclass(frozen=True)
class Inflections:
    """Finds where an inflected name ends; caches forms, so reuse one instance for many texts."""

    folder: Folder
    _forms: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict, repr=False)

    def stems_of(self, spellings: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
        """Return what every form of names, given with their languages, begins with, folded: name and language by stem.

        Names of fewer than four letters, without a capital, or whose forms have fewer than three letters in common have
        none.
        """
        stems: dict[str, tuple[str, str]] = {}
        for lang, name in spellings:
            words = name.split(" ")
            if len(name) < _SHORTEST_NAME or not name[0].isupper() or name.endswith("*") or len(words) > _MOST_WORDS:
                continue
            langs = inflected_languages() if lang == ANY_LANGUAGE else {lang} & inflected_languages()
            script = script_of(words[0][-1])
            langs = {code for code in langs if script is not None and written_in(code, script)}
            forms = [form for code in langs for form in (words[0], *_endings_of(code).forms(words[0]))]
            stem = commonprefix([self.folder.fold(form).text for form in forms])  # noqa: RUF071
            if langs and len(stem) >= _SHORTEST_STEM:
                stems.setdefault(stem, (name, lang))
        return stems

    def forms(self, word: str, lang: str) -> frozenset[str]:
        """Return the forms of a word in a language, folded, the word itself among them; no common words."""
        found = self._forms.get((word, lang))
        if found is None:
            # Folded, "Više" of "Visa" is the word "više" too.
            common, forms = self._folded(stop_words_if_any(lang)), self._folded(_endings_of(lang).forms(word))
            found = self._forms[word, lang] = frozenset(forms - common | self._folded([word]))
        return found

    def _folded(self, words: Iterable[str]) -> frozenset[str]:
        """Return words as they are folded, all at once."""
        return frozenset(filter(None, self.folder.fold(PARAGRAPH.join(words)).text.split(PARAGRAPH)))

    def end(self, text: str, start: int, name: str, lang: str) -> int | None:
        """Return where a name ends that begins at an offset of a folded text, in any of its forms; None for another."""
        if lang not in inflected_languages():
            return None
        place = start - 1
        for word in name.split(" "):
            is_next = place < start or text[place : place + 1] == " "
            found = _WORD.match(text, place + 1) if is_next else None
            if found is None:
                return None
            forms = self.forms(word, lang)
            # The longer reading first: a mark may belong to the form, or to what follows it.
            end = next((found.end(part) for part in (0, 1) if text[place + 1 : found.end(part)] in forms), None)
            if end is None:
                return None
            place = end
        return place
