"""``Brand``: a name to look for, its aliases and spellings, what rules a mention out; senses of ambiguous names."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Annotated, Any, Literal, get_args

import numpy as np

from blockfeat._config import Count, Parsed, Texts, texts
from blockfeat.errors import BrandError
from blockfeat.lang import normalise_code, script_of, stop_words_if_any, tokenize
from blockfeat.monitor.mentions.inflection import ANY_LANGUAGE, Endings, inflected_languages

Case = Literal["fold", "exact"]
"""How the case of letters counts."""
Context = Literal["window", "paragraph", "article"]
"""Where context words may stand."""


def _language(code: str) -> str:
    if normalise_code(code) is None:
        raise ValueError(f"has {code!r}, which is no language code such as 'de'")
    return code


Language = Annotated[str, Parsed(_language, late=True)]
_AnyLanguage = Annotated[str, Parsed(lambda code: code if code == ANY_LANGUAGE else _language(code), late=True)]


@dataclass(frozen=True, slots=True)
class Alias:
    """A name of a brand with rules of its own; those of the brand hold where it has none.

    Attributes
    ----------
    name : str
        The name.
    languages : tuple of str
        In which it counts, as ISO 639-1 codes; by default in those under which the brand has it.
    case, forms
        As `Brand` has them.
    """

    name: str
    languages: Texts = ()
    case: Case | None = None
    forms: bool | None = None

    def __post_init__(self) -> None:
        """Check the fields."""
        _check_name(self.name)
        object.__setattr__(self, "languages", tuple(_code(self.name, lang) for lang in texts(self.languages)))
        for part, value, known in (("case", self.case, get_args(Case)), ("forms", self.forms, (True, False))):
            if value is not None and value not in known:
                raise BrandError(f"brand {self.name!r}: {part} {value!r} is none of {', '.join(map(str, known))}")


def _names(value: Any) -> Any:
    """Return the names of a file: a single one as a list, tables as aliases."""
    listed = [value] if isinstance(value, str) else value
    try:
        return [Alias(**one) if isinstance(one, dict) else one for one in listed] if isinstance(listed, list) else value
    except TypeError:
        keys = ", ".join(each.name for each in fields(Alias))
        raise ValueError(f"has a table that is no alias with a name and none but these: {keys}") from None


_Names = Annotated[Sequence[Alias | str], Parsed(_names)]
# Names that are not given by language hold in all.
_ByLanguage = Parsed(lambda value: value if isinstance(value, dict) else {ANY_LANGUAGE: value})
Aliases = Annotated[Mapping[_AnyLanguage, _Names], _ByLanguage]


@dataclass(frozen=True)
class Brand:
    """A brand and what counts as naming it.

    Attributes
    ----------
    name : str
        The name, itself an alias in every language.
    aliases : mapping of str to tuple of str or Alias
        Other names by ISO 639-1 code, ``"*"`` for all languages; an alias counts on pages in its language, and on pages
        whose language is not known. A star at the end of one stands for any ending of its last word.
    excluded : tuple of str
        Longer phrases that are no mention: ``"Apple Street"``.
    requires : tuple of str
        Words of which at least one must stand in the context of a mention; a star at the end stands for any ending
        (``"phone*"``).
    forbids : tuple of str
        Words of which none may stand there.
    about, others : tuple of str
        Words that speak for the brand and for namesakes near it (`SenseModel`); none
        decides alone, as ``requires`` and ``forbids`` do.
    case : str
        ``"fold"``: upper and lower case are the same. ``"exact"``: only as the aliases are written (``"Orange"``).
    forms : bool
        Whether other spellings are found too (`blockfeat.monitor.mentions.brand`); never with ``case = "exact"``.
    overlaps : bool
        Whether the name counts inside of the longer name of another brand too.
    context : str
        Where context words stand: ``"window"`` (at most ``window`` characters away), ``"paragraph"`` (in the same
        block), ``"article"`` (anywhere in the article; for mentions outside of it, anywhere there).
    window : int
        How far they may be from the mention, in characters to either side.

    Raises
    ------
    BrandError
        A field is of another kind, a name has no letter or digit, or a language or case rule is unknown.
    """

    name: str
    aliases: Aliases = field(default_factory=dict)
    excluded: Texts = ()
    requires: Texts = ()
    forbids: Texts = ()
    about: Texts = ()
    others: Texts = ()
    case: Case = "fold"
    forms: bool = True
    overlaps: bool = False
    context: Context = "window"
    window: Count = 200

    def __post_init__(self) -> None:
        """Check the fields, and take lists as tuples."""
        _check_name(self.name)
        if not isinstance(self.aliases, Mapping):
            raise BrandError(f"brand {self.name!r}: aliases must be given by language, not {self.aliases!r}")
        aliases = {_code(self.name, lang): self._names("aliases", names) for lang, names in self.aliases.items()}
        object.__setattr__(self, "aliases", aliases)
        for part in ("excluded", "requires", "forbids", "about", "others"):
            object.__setattr__(self, part, self._names(part, getattr(self, part)))
        for part, value, known in (("case", self.case, get_args(Case)), ("context", self.context, get_args(Context))):
            if value not in known:
                raise BrandError(f"brand {self.name!r}: {part} {value!r} is none of {', '.join(known)}")
        if not isinstance(self.window, int) or self.window < 1:
            raise BrandError(f"brand {self.name!r}: window must be a number of characters above 0, not {self.window!r}")

    def _names(self, part: str, names: object) -> tuple[str, ...]:
        """Return the names of a field, checked."""
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise BrandError(f"brand {self.name!r}: {part} must be a list of names, not {names!r}")
        for name in names:
            if not _has_letter(name) and not (isinstance(name, Alias) and part == "aliases"):
                raise BrandError(f"brand {self.name!r}: {name!r} in {part} has no letter and no digit")
        return tuple(names)

    def spellings(self) -> Iterator[Alias]:
        """Yield each name in each language (``"*"`` for all), with the rules that it has, the brand's own first."""
        for lang, names in ((ANY_LANGUAGE, (self.name,)), *self.aliases.items()):
            for name in names:
                alias = name if isinstance(name, Alias) else Alias(name)
                case = alias.case or self.case
                forms = case != "exact" and (self.forms if alias.forms is None else alias.forms)
                yield from (Alias(alias.name, (code,), case, forms) for code in alias.languages or (lang,))


def _check_name(name: object) -> None:
    if not _has_letter(name) or len(str(name)) > 1000:
        shown = name[:40] if isinstance(name, str) else name
        raise BrandError(f"brand {shown!r}: a name needs a letter or a digit, and has at most 1,000 characters")


def _has_letter(name: object) -> bool:
    return isinstance(name, str) and any(character.isalnum() for character in name)


def _code(brand: str, lang: object) -> str:
    """Return the language code that a key of the aliases stands for."""
    code = normalise_code(lang) if isinstance(lang, str) and lang != ANY_LANGUAGE else lang
    if not isinstance(code, str):
        raise BrandError(f"brand {brand!r}: {lang!r} is no language code; give one such as 'de', or '*' for all")
    return code


_SIGN = re.compile(r"(?<=\w) ?([&+]) ?(?=\w)")
_JOINER = re.compile("[ \u00a0\u2010-\u2013-]")
_UMLAUTS = dict(zip("äöüøåÄÖÜØÅ", ["ae", "oe", "ue", "oe", "aa", "Ae", "Oe", "Ue", "Oe", "Aa"], strict=True))
_UMLAUT = re.compile(f"[{''.join(_UMLAUTS)}]")
# Shorter names would be joined to words.
_SHORTEST_JOINED = 7
_CHINESE = ("s2tw", "s2hk", "s2t", "t2s")


def variants_of(brand: Brand) -> Iterator[tuple[str, str, str]]:
    """Yield the other spellings of the names of a brand; none of those with ``forms = False`` or ``case = "exact"``.

    Each with the language of the pages that it is looked for on, ``"*"`` for all, and what made it: ``"spacing"``,
    ``"umlauts"`` or ``"Chinese"``.

    Spaces and hyphens stand for each other, or are left out of long names, and around & and +; ä is ae, ø is oe, å is
    aa; Chinese names are in simplified and traditional characters (OpenCC); names have the endings of a page's language
    (`blockfeat.monitor.mentions.inflection.Endings`), which are found with the name's own capital only.
    """
    known = {spelling.name for spelling in brand.spellings()}
    for name, (lang,), forms in ((each.name, each.languages, each.forms) for each in brand.spellings()):
        if name.endswith("*") or not forms:
            continue
        for rule, made in (("spacing", _spaced(name)), ("umlauts", _umlauts(name)), ("Chinese", _chinese(name))):
            yield from ((other, lang, rule) for other in made if other not in known)


def _spaced(name: str) -> Iterable[str]:
    """Return a name with its spaces and hyphens exchanged, joined where it is long, with other spaces at & and +."""
    signs = [_SIGN.sub(way, name) for way in (r"\1", r" \1 ")] if _SIGN.search(name) else []
    parts = _JOINER.split(name)
    if len(parts) == 1 or not all(part and part[0].upper() != part[0].lower() for part in parts):
        return signs
    joined = ("".join(parts),) if len(parts) == 2 and len(name) >= _SHORTEST_JOINED else ()
    return (*signs, " ".join(parts), "-".join(parts), *joined)


def _umlauts(name: str) -> Iterable[str]:
    return (_UMLAUT.sub(lambda found: _UMLAUTS[found[0]], name),) if _UMLAUT.search(name) else ()


def _chinese(name: str) -> Iterable[str]:
    """Return a Chinese name in the other characters."""
    if not any(script_of(letter) == "han" for letter in name) or any(script_of(letter) == "kana" for letter in name):
        return ()
    from opencc import OpenCC  # type: ignore[import-untyped]

    return tuple(dict.fromkeys(OpenCC(way).convert(name) for way in _CHINESE))


_AROUND = 150
# Log-odds that a given word adds where it stands near the name, and anywhere in the article.
_ABOUT, _OTHERS = (2.0, 1.0), (-1.75, -0.75)
# Where a brand has words for it: that none stands there, and that another name stands before its own (``Tom Ford``).
_NO_WORD, _NAMED = -1.8, -1.0
_STRENGTH = 1.0
_LEAST, _UNSURE = -0.8, -2.8
_STEPS, _RATE, _SHORTEST = 300, 0.5, 3
_LEAST_USES = 2
_LIGHT = 0.05
_SHOWN = 3
_BEFORE, _BEHIND, _ANYWHERE, _NAME_BEFORE = "<", ">", "~", "<^"
_NAME_BEFORE_IT = re.compile(r"(?<![\w.])([^\W\d_][\w]*)\.?[ -]$")
_PLURALS = ("s", "es", "x", "en", "e", "er")
UNSURE = "unsure"
"""What the rule of a mention begins with that a person is to decide."""


def is_unsure(because: str | None) -> bool:
    """Return whether nothing but its sense keeps a mention from counting, so that a person is to decide."""
    return (because or "").startswith(UNSURE)


@lru_cache(maxsize=1000)
def _forms(words: frozenset[str], lang: str | None) -> Mapping[str, str]:
    """Return the forms of words in a language, plurals and cases, each with its word."""
    endings, found = Endings.of(lang) if lang in inflected_languages() else None, dict[str, str]()
    for word in sorted(word for word in words if len(word) >= _SHORTEST):
        forms = [word + ending for ending in _PLURALS] + [word[:-1] + "ies"] * word.endswith("y")
        forms += [*(endings.forms(word) if endings else ()), word[:-1] + "i"]
        found |= dict.fromkeys(forms, word)
    found |= {word: word for word in words}
    return {form: word for form, word in found.items() if form not in stop_words_if_any(lang)}


def words_in(text: str) -> list[str]:
    """Return the words of a text; of scripts without spaces the characters, and pairs of these."""
    return _with_pairs(tokenize(text))


def _with_pairs(words: list[str]) -> list[str]:
    return words + [one + other for one, other in pairwise(words) if len(one) == len(other) == 1]


def sense_features(
    text: str,
    start: int,
    end: int,
    *,
    lang: str | None = None,
    given: frozenset[str] = frozenset(),
    words: frozenset[str] | None = None,
) -> frozenset[str]:
    """Return what is near a name: words within 150 characters; the words beside it, with ``<`` and ``>`` before them.

    Stop words of the language count only beside it. Scripts without spaces have their characters, and pairs of these.
    ``<^`` is another name right before it, save in German, where any noun has a capital.

    Parameters
    ----------
    given : set of str
        Words that are found in any of their forms; ``~`` stands before those that the text has anywhere.
    words : set of str, optional
        Those of the text (`words_in`), where they are known.
    """
    before = text[max(0, start - _AROUND) : start]
    behind = text[end : end + _AROUND]
    left, right = tokenize(before), tokenize(behind)
    if len(before) == _AROUND:
        left = left[1:]
    if len(behind) == _AROUND:
        right = right[:-1]
    beside = [_BEFORE + left[-1]] if left else []
    beside += [_BEHIND + right[0]] if right else []
    forms, ignored = _forms(given, lang), stop_words_if_any(lang)
    name = _NAME_BEFORE_IT.search(before)
    if name is not None and name[1][0].isupper() and lang != "de":
        beside += [_NAME_BEFORE] if name[1].lower() not in ignored and name[1].lower() not in forms else []
    beside += [_ANYWHERE + forms[word] for word in forms.keys() & (words_in(text) if words is None else words)]
    near = (*_with_pairs(left), *_with_pairs(right))
    return frozenset(forms.get(word, word) for word in near) - ignored | frozenset(beside)


@dataclass(frozen=True)
class SenseModel:
    """Distinguishes mentions of a brand from those of its namesakes.

    Attributes
    ----------
    weights : mapping of str to float
        By feature; above 0 speaks for the brand.
    bias : float
        Where no known feature is near.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    bias: float = 0.0

    @classmethod
    def of_words(cls, about: Collection[str], others: Collection[str]) -> SenseModel:
        """Return the model of given words: those that speak for the brand, and those that speak for a namesake."""
        weights = {_NAME_BEFORE: _NAMED} if about else {}
        for words, (near, anywhere) in ((others, _OTHERS), (about, _ABOUT)):
            for phrase in words:
                for word in [word for word in words_in(phrase) if len(word) > 1] or words_in(phrase):
                    weights |= {word: near, _ANYWHERE + word: anywhere}
        return cls(weights, _NO_WORD if about else 0.0)

    @cached_property
    def given(self) -> frozenset[str]:
        """The words that count anywhere in the article, too."""
        return frozenset(word.removeprefix(_ANYWHERE) for word in self.weights if word.startswith(_ANYWHERE))

    def score(self, features: Iterable[str]) -> float:
        """Return the log-odds of the brand."""
        return self.bias + sum(self.weights.get(feature, 0.0) for feature in features)

    def rule(self, features: Collection[str]) -> str:
        """Return the rule that takes a mention away, with what weighs most against it; empty where it stands.

        It begins with ``unsure`` where so little speaks for the brand or a namesake that a person is to decide.
        """
        score = self.score(features)
        if score > _LEAST:
            return ""
        strongest = sorted((self.weights.get(feature, 0.0), feature) for feature in features)
        against = dict.fromkeys(shown_feature(feature) for weight, feature in strongest if weight < 0)
        because = ", ".join([*against][:_SHOWN]) or "little speaks for the brand"
        return f"{UNSURE if score > _UNSURE else 'sense'}: {because}"

    def learn(self, examples: Sequence[tuple[frozenset[str], bool]]) -> SenseModel:
        """Return this model updated by judged mentions.

        Parameters
        ----------
        examples : sequence of (set of str, bool)
            Features of a mention, and whether it is of the brand.
        """
        uses = Counter(feature for features, _ in examples for feature in features)
        names = sorted({name for name, count in uses.items() if count >= _LEAST_USES} | set(self.weights))
        place = {name: number for number, name in enumerate(names)}
        matrix = np.zeros((len(examples), len(names) + 1))
        matrix[:, -1] = 1.0
        for row, (features, _) in enumerate(examples):
            matrix[row, [place[feature] for feature in features if feature in place]] = 1.0
        right = np.array([is_brand for _, is_brand in examples], dtype=float)
        prior = np.array([*(self.weights.get(name, 0.0) for name in names), self.bias])
        weights = prior.copy()
        # Gradient steps of Adagrad: the problem is convex, and small.
        squares = np.full(prior.size, 1e-6)
        for _ in range(_STEPS):
            probability = 1.0 / (1.0 + np.exp(-np.clip(matrix @ weights, -30, 30)))
            gradient = matrix.T @ (probability - right) + _STRENGTH * (weights - prior)
            squares += gradient**2
            weights -= _RATE * gradient / np.sqrt(squares)
        found = zip(names, weights[:-1].tolist(), strict=True)
        kept = {name: round(value, 3) for name, value in found if abs(value) > _LIGHT}
        return SenseModel(kept, round(float(weights[-1]), 3))

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> SenseModel:
        """Return the model of such values; what is no finite number is left out."""
        weights, bias = values.get("weights"), values.get("bias")
        found = weights.items() if isinstance(weights, Mapping) else ()
        kept = {str(name): float(value) for name, value in found if _is_number(value)}
        return cls(kept, float(bias) if _is_number(bias) else 0.0)  # type: ignore[arg-type]


def shown_feature(feature: str) -> str:
    """Return a feature for people: a word, or one right before or after the name (``"the …"``, ``"… county"``)."""
    if feature == _NAME_BEFORE:
        return "another name before it"
    feature = feature.removeprefix(_ANYWHERE)
    if feature.startswith(_BEFORE):
        return f"{feature[1:]} …"
    return f"… {feature[1:]}" if feature.startswith(_BEHIND) else feature


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def senses_of(brands: Iterable[Brand]) -> dict[str, SenseModel]:
    """Return the models of the words that brands are given, by their names; none for brands without."""
    given = (brand for brand in brands if brand.about or brand.others)
    return {brand.name: SenseModel.of_words(brand.about, brand.others) for brand in given}
