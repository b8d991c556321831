"""Other names of brands: from an export of Wikidata, and inflected by the endings of a language."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any

from blockfeat.errors import BrandError, LanguageError
from blockfeat.lang.identify import normalise_code
from blockfeat.lang.scripts import script_of, written_in
from blockfeat.monitor.mentions.brand import ANY_LANGUAGE, Brand

# What the query service writes in TSV: "Apple"@en and <http://www.wikidata.org/entity/Q312>.
_LITERAL = re.compile(r'^"(.*)"(?:@([A-Za-z-]+)|\^\^<.*>)?$', re.DOTALL)
_ITEM = re.compile(r"Q\d+")
_MULTILINGUAL = "mul"
_LANGUAGE_COLUMNS = ("lang", "language")


def read_wikidata(path: str | PathLike[str], *, lang: str = "en") -> tuple[Brand, ...]:
    """Read the items of an export as brands; an item's name is its label in a language, else in any.

    Takes JSON as ``Special:EntityData`` and ``wbgetentities`` give it, dumps (an array, or an item on each line), and
    TSV of the query service: a column ``item``, columns of names (``"Apple"@en``, or plain with a column ``lang``).
    Names in languages that blockfeat does not know are left out; those in ``mul`` hold in all.

    Parameters
    ----------
    path : str or path
        A file ending in ``.json``, ``.jsonl`` or ``.tsv``.
    lang : str
        Language of the brands' names.

    Raises
    ------
    BrandError
        The file cannot be read, or has no item with a name; the message names the file.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
        named = dict(_from_tsv(text) if file.suffix == ".tsv" else _from_json(text))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise BrandError(f"{file}: cannot be read as an export of Wikidata: {error}") from error
    brands = [_brand(names, lang) for names in named.values() if names]
    if not brands:
        raise BrandError(f"{file}: no item of Wikidata with a label")
    return tuple(_merged(brands))


Names = list[tuple[str, str]]
"""Pairs of language and name, labels first."""


def _from_json(text: str) -> Iterator[tuple[str, Names]]:
    """Yield the items of a JSON document, or of lines of JSON."""
    try:
        document = json.loads(text)
    except ValueError:
        lines = (line.strip().rstrip(",") for line in text.splitlines())
        document = [json.loads(line) for line in lines if line not in ("", "[", "]")]
    entities = document.get("entities", document) if isinstance(document, Mapping) else document
    if isinstance(entities, Mapping):
        entities = [entities] if "labels" in entities else entities.values()
    for entity in entities:
        if isinstance(entity, Mapping):
            labels, aliases = _mapping(entity.get("labels")), _mapping(entity.get("aliases"))
            lists = [[label] for label in labels.values()] + list(aliases.values())
            yield str(entity.get("id", id(entity))), [pair for names in lists for pair in _pairs(names)]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _pairs(names: Any) -> Iterator[tuple[str, str]]:
    for name in names if isinstance(names, list) else []:
        if isinstance(name, Mapping) and isinstance(name.get("value"), str) and isinstance(name.get("language"), str):
            yield name["language"], name["value"]


def _from_tsv(text: str) -> Iterator[tuple[str, Names]]:
    """Yield the items of a table of the query service."""
    rows = csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
    header = [column.strip().lstrip("?").lower() for column in next(rows, [])]
    if "item" not in header:
        raise ValueError(f"there is no column 'item' among {', '.join(header) or 'none'}")
    items: dict[str, Names] = {}
    for row in rows:
        cells = dict(zip(header, row, strict=False))
        item = _ITEM.search(cells.pop("item", ""))
        plain = next((_literal(cells.pop(column))[1] for column in _LANGUAGE_COLUMNS if column in cells), "")
        if item:
            found = (_literal(cell) for cell in cells.values())
            items.setdefault(item[0], []).extend((own or plain, name) for own, name in found if name)
    yield from items.items()


def _literal(cell: str) -> tuple[str, str]:
    """Return language and text of a cell; the language is empty for plain text."""
    match = _LITERAL.match(cell.strip())
    if match is None:
        return "", cell.strip()
    return match[2] or "", match[1].replace('\\"', '"').replace("\\\\", "\\")


def _brand(names: Names, lang: str) -> Brand:
    """Return a brand of the names of an item; the first name in a language is its label."""
    by_language: dict[str, dict[str, None]] = {}
    for code, name in names:
        own = ANY_LANGUAGE if code.lower() == _MULTILINGUAL else normalise_code(code)
        if own is not None and any(map(str.isalnum, name)):
            by_language.setdefault(own, {})[name.strip()] = None
    wanted = normalise_code(lang) or lang
    order = [wanted, ANY_LANGUAGE, *by_language]
    label = next((next(iter(by_language[code])) for code in order if by_language.get(code)), names[0][1])
    aliases = {code: tuple(name for name in own if name != label) for code, own in by_language.items()}
    return Brand(label, {code: own for code, own in aliases.items() if own})


def _merged(brands: Iterable[Brand]) -> list[Brand]:
    """Return brands of different names; items of one name are one brand."""
    merged: dict[str, Brand] = {}
    for brand in brands:
        merged[brand.name] = merged[brand.name].with_aliases(brand.aliases) if brand.name in merged else brand
    return list(merged.values())


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
