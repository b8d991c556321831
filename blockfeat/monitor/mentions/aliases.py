"""Other forms of names, inflected by the endings of a language."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from blockfeat.errors import LanguageError
from blockfeat.lang.identify import normalise_code
from blockfeat.lang.scripts import script_of, written_in

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
        By vowel of a word the vowels that no ending has behind it; by ``""`` those behind a word with none of them.
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
        """Return the forms of a word in capitals: endings as they are, or behind the language's mark."""
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
        for length in range(min(len(word), 6), 0, -1):
            ending = word[-length:]
            if ending in self.rules and (len(word) - length >= _SHORTEST - 1):
                return ending
        return ""


def inflected_aliases(name: str, langs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return proposed forms of a name by language, as `Brand.with_aliases` takes them.

    Proposals are for a person to look through: endings are applied by spelling, so that some forms do not exist.

    Parameters
    ----------
    name : str
        The name in its basic form.
    langs : iterable of str
        ISO 639-1 codes.

    Raises
    ------
    LanguageError
        There are no rules for a language.
    """
    return {endings.lang: endings.forms(name) for endings in map(Endings.of, langs)}


@cache
def inflected_languages() -> frozenset[str]:
    """Return the languages whose endings are known."""
    return frozenset(_bundled()) - {"harmony"}


@cache
def _bundled() -> dict[str, Any]:
    """Read the bundled rules."""
    return tomllib.loads(files("blockfeat.monitor.mentions").joinpath("endings.toml").read_text(encoding="utf-8"))


def _doubled(stem: str) -> str:
    """Return what assimilates to the end of a stem: its last consonant, v behind a vowel."""
    low = stem.lower()
    if low[-2:] in _DOUBLED:
        return low[-2:]
    return "v" if not low or low[-1] in _VOWELS or not low[-1].isalpha() else low[-1]
