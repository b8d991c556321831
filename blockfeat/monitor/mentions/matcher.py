"""``BrandMatcher``: finds every mention of many brands in one pass over a text, in linear time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING

from blockfeat.errors import BrandError
from blockfeat.lang import normalise_code, stop_words_if_any
from blockfeat.monitor.mentions.brand import Brand, variants_of
from blockfeat.monitor.mentions.folding import ACCENTED, PARAGRAPH, RAISED, Boundaries, FoldedText, Folder, visible
from blockfeat.monitor.mentions.inflection import ANY_LANGUAGE, Inflections

if TYPE_CHECKING:
    from ahocorasick_rs import AhoCorasick

INFLECTED = "inflected"
"""Variant of names in another form of their language."""
_LEAST_COMMON = 0.6e-6  # of all words, in subtitles: names of firms are rarer there
_NAME, _EXCLUDED, _REQUIRED, _FORBIDDEN = range(4)
# The Arabic article, and what it becomes after the preposition li-.
_ARTICLE, _TO_ARTICLE = "ال", "لل"
_DIGITS = "0123456789"
_OTHER_DIGITS = str.maketrans(_DIGITS + RAISED, RAISED + _DIGITS)
_TURKISH = frozenset({"tr", "az"})
# Letters of their own where they are written: nobody leaves their marks out of a foreign name, or adds them to it.
_OWN_LETTERS = frozenset("äöüåøæœðþ")
_LEAST_WITHOUT_ACCENTS, _LEAST_WITH_ACCENTS = 5, 6
_DOTTED = frozenset("iıIİ")
_TURKISH_LETTERS = frozenset("ıİğĞşŞ")


@dataclass(frozen=True, slots=True)
class Hit:
    """A brand's name in a text.

    Attributes
    ----------
    brand : str
        The brand's name.
    start, end : int
        Where it stands in the text, end exclusive.
    text : str
        The name as the text has it.
    rule : str
        The rule that takes the hit away; empty where it stands.
    variant : str
        What made the spelling that was found; empty for a name as it is given.
    """

    brand: str
    start: int
    end: int
    text: str
    rule: str = ""
    variant: str = ""


@dataclass(frozen=True, slots=True)
class _Use:
    """What a pattern is for: one brand's name in a language, an excluded phrase, or a context word."""

    brand: int
    role: int
    spelling: str
    lang: str
    open_end: bool = False
    variant: str = ""
    exact: bool = False


@dataclass
class _Found:
    """What one brand has in a text: folded spans of names and excluded phrases, offsets of context words."""

    names: dict[tuple[int, int], str] = field(default_factory=dict)
    excluded: list[tuple[int, int, str]] = field(default_factory=list)
    required: list[tuple[int, str]] = field(default_factory=list)
    forbidden: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class BrandMatcher:
    """Finds brands; make one with `BrandMatcher.of` and use it for many texts.

    Attributes
    ----------
    brands : tuple of Brand
        What is looked for.
    """

    brands: tuple[Brand, ...]
    _uses: tuple[tuple[_Use, ...], ...] = field(repr=False)
    _automaton: AhoCorasick | None = field(repr=False, compare=False)
    _folder: Folder = field(repr=False, compare=False)
    _boundaries: Boundaries = field(repr=False, compare=False)
    _inflections: Inflections = field(repr=False, compare=False)

    @classmethod
    def of(cls, brands: Iterable[Brand]) -> BrandMatcher:
        """Make a matcher of brands.

        Raises
        ------
        BrandError
            Two brands have one name, or nothing is left of a name once invisible characters are gone.
        """
        from ahocorasick_rs import AhoCorasick

        chosen, folder = tuple(brands), Folder()
        inflections = Inflections(folder)
        uses: defaultdict[str, list[_Use]] = defaultdict(list)
        names: set[str] = set()
        for number, brand in enumerate(chosen):
            if brand.name in names:
                raise BrandError(f"brand {brand.name!r} is there twice")
            names.add(brand.name)
            stems = inflections.stems_of((each.languages[0], each.name) for each in brand.spellings() if each.forms)
            inflected = ((stem, _Use(number, _NAME, *named, variant=INFLECTED)) for stem, named in stems.items())
            for pattern, use in (*_patterns(number, brand, folder), *inflected):
                if use not in uses[pattern]:
                    uses[pattern].append(use)
        automaton = AhoCorasick(list(uses)) if uses else None
        return cls(chosen, tuple(map(tuple, uses.values())), automaton, folder, Boundaries.load(), inflections)

    def __reduce__(self) -> tuple[object, tuple[tuple[Brand, ...]]]:
        """Pickle the brands only."""
        return BrandMatcher.of, (self.brands,)

    def find(
        self, text: str, *, lang: str | None = None, ruled_out: bool = False, overlaps: bool = False
    ) -> tuple[Hit, ...]:
        """Return the mentions in a text, by place, then by brand.

        Of names that overlap the longest counts; of two brands, where one stands inside of the other.

        Parameters
        ----------
        text : str
            A text; takes linear time.
        lang : str, optional
            Its language (ISO 639-1): only aliases of this language and of all languages count. Without it all do.
        ruled_out : bool
            Whether hits that a rule of the brand takes away are there too, each with its ``rule``.
        overlaps : bool
            Whether names inside of the longer name of another brand count.
        """
        if self._automaton is None or not text:
            return ()
        folded = self._folder.fold(text)
        found = self._collect(folded, text, normalise_code(lang) or lang)
        hits = [
            Hit(self.brands[number].name, *span, text[span[0] : span[1]], rule, variant)
            for number, of_brand in found.items()
            for span, rule, variant in _spans(self.brands[number], of_brand, folded)
        ]
        hits.sort(key=lambda hit: (hit.start, hit.end, hit.brand))
        if not overlaps and len(found) > 1:
            free = {brand.name for brand in self.brands if brand.overlaps}
            hits = [*_within_others(hits, free)]
        return tuple(hit for hit in hits if ruled_out or not hit.rule)

    def everyday(self, lang: str) -> tuple[Hit, ...]:
        """Return the common words of a language that are taken for brands, as they stand within or begin a sentence.

        Stop words, and of the languages of pyspellchecker what is written small more often than `_LEAST_COMMON`; these
        only for brands without words of their sense.
        """
        told = {brand.name for brand in self.brands if brand.requires or brand.about}
        stops, common = (
            self.find(PARAGRAPH.join([*words, *map(str.title, words)]), lang=lang)
            for words in (sorted(stop_words_if_any(lang)), sorted(common_words(lang)))
        )
        return (*stops, *(hit for hit in common if hit.brand not in told))

    def _collect(self, folded: FoldedText, text: str, lang: str | None) -> Mapping[int, _Found]:
        """Return what each brand has in a text, before exclusions and context."""
        assert self._automaton is not None
        found: defaultdict[int, _Found] = defaultdict(_Found)
        for number, start, end in self._automaton.find_matches_as_indexes(folded.text, overlapping=True):
            for use in self._uses[number]:
                if lang is not None and use.lang not in (ANY_LANGUAGE, lang):
                    continue
                if use.variant == INFLECTED:
                    self._add_inflected(found, use, folded, text, start, lang)
                    continue
                begins = self._boundaries.begins(folded.text, start, lang=lang, length=end - start)
                if begins and (use.open_end or self._boundaries.ends(folded.text, start, end, lang=lang)):
                    last = self._boundaries.word_end(folded.text, end) if use.open_end and use.role == _NAME else end
                    if self._is_spelt(use, folded, text, start, last, lang):
                        _add(found[use.brand], use, start, last)
        return found

    def _add_inflected(
        self, found: Mapping[int, _Found], use: _Use, folded: FoldedText, text: str, start: int, lang: str | None
    ) -> None:
        """Note a name that begins with a stem, where its words have forms of the language."""
        if lang is None or (start and folded.text[start - 1].isalnum()):
            return
        end = self._inflections.end(folded.text, start, use.spelling, lang)
        if end is not None and self._boundaries.hold(folded.text, start, end, lang=lang):
            span = folded.span(start, end)
            if span is None or text[span[0]] != use.spelling[0]:
                return
            if same_dots(use.spelling, text[span[0] : span[1]], turkish=self._is_turkish(use, lang)):
                _add(found[use.brand], use, start, end)

    def _is_spelt(self, use: _Use, folded: FoldedText, text: str, start: int, end: int, lang: str | None) -> bool:
        """Return whether the original text has the case, accents and dots of the use, which folding drops."""
        span = folded.span(start, end)
        if span is None:
            return False
        surface = text[span[0] : span[1]]
        if use.exact:
            wanted = visible(use.spelling)
            return visible(surface)[: len(wanted) if use.open_end else None] == wanted
        if use.role == _NAME and not same_accents(use.spelling, surface):
            return False
        return same_dots(use.spelling, surface, turkish=self._is_turkish(use, lang))

    def _is_turkish(self, use: _Use, lang: str | None) -> bool:
        return use.lang in _TURKISH or (lang in _TURKISH and not _TURKISH_LETTERS.isdisjoint(use.spelling))


def common_words(lang: str) -> frozenset[str]:
    """Return the common words of a language; none where pyspellchecker has no list."""
    from spellchecker import SpellChecker

    if lang not in SpellChecker.languages():
        return frozenset()
    words = SpellChecker(language=lang).word_frequency
    least = _LEAST_COMMON * words.total_words
    return frozenset(word for word, number in words.dictionary.items() if number >= least)


def _spans(brand: Brand, found: _Found, folded: FoldedText) -> Iterable[tuple[tuple[int, int], str, str]]:
    """Yield the original spans of a brand's names, each with the rule that takes it away and what made its spelling."""
    excluded = sorted(found.excluded)
    furthest = list(accumulate(((end, phrase) for _, end, phrase in excluded), max))
    required, forbidden = sorted(found.required), sorted(found.forbidden)
    for start, end in _longest(found.names):
        span = folded.span(start, end)
        # A name that begins or ends within a character is not collected.
        assert span is not None
        rule = ""
        place = bisect_right(excluded, start, key=itemgetter(0)) - 1
        low, high = _context(brand, folded.text, start, end)
        if place >= 0 and furthest[place][0] >= end:
            rule = f"excluded: {furthest[place][1]}"
        elif brand.requires and _word_within(required, low, high) is None:
            rule = f"requires: none of {', '.join(brand.requires)}"
        elif (word := _word_within(forbidden, low, high)) is not None:
            rule = f"forbids: {word}"
        yield span, rule, found.names[start, end]


def _within_others(hits: Sequence[Hit], free: Collection[str]) -> Iterable[Hit]:
    """Yield hits, those inside of the longer name of another brand with a rule that says so."""
    longest: list[Hit] = []
    for hit in hits:
        if not hit.rule and (not longest or hit.end > longest[-1].end):
            longest.append(hit)
    starts = [hit.start for hit in longest]
    for hit in hits:
        # Of longest hits that begin before this one the last reaches furthest: each ends after those before it.
        around = longest[bisect_right(starts, hit.start) - 1] if longest and starts[0] <= hit.start else hit
        is_longer = around.end - around.start > hit.end - hit.start
        if hit.end <= around.end and is_longer and not hit.rule and around.brand != hit.brand and hit.brand not in free:
            yield replace(hit, rule=f"within: {around.text}")
        else:
            yield hit


def _context(brand: Brand, text: str, start: int, end: int) -> tuple[int, int]:
    """Return between which offsets the context words of a name may begin."""
    if brand.context == "window":
        return start - brand.window, end + brand.window
    if brand.context == "article" or not (brand.requires or brand.forbids):
        return 0, len(text)
    behind = text.find(PARAGRAPH, end)
    return text.rfind(PARAGRAPH, 0, start) + 1, behind if behind >= 0 else len(text)


def _patterns(number: int, brand: Brand, folder: Folder) -> Iterable[tuple[str, _Use]]:
    """Yield each folded pattern of a brand with its use."""
    found = []
    for place, alias in enumerate(brand.spellings()):
        is_open = place > 0 and alias.name.endswith("*")
        name = alias.name.removesuffix("*") if is_open else alias.name
        found.append(_Use(number, _NAME, name, alias.languages[0], is_open, exact=alias.case == "exact"))
    found += [_Use(number, _NAME, other, lang, variant=rule) for other, lang, rule in variants_of(brand)]
    found += [_Use(number, _EXCLUDED, phrase, ANY_LANGUAGE) for phrase in brand.excluded]
    for role, words in ((_REQUIRED, brand.requires), (_FORBIDDEN, brand.forbids)):
        found += [_Use(number, role, word.removesuffix("*"), ANY_LANGUAGE, word.endswith("*")) for word in words]
    for use in found:
        pattern = folder.fold(use.spelling).text.strip()
        if not pattern:
            raise BrandError(f"brand {brand.name!r}: nothing can be seen of the name {use.spelling!r}")
        yield pattern, use
        if (raised := _last_digits(pattern)) != pattern:
            yield raised, use
        if pattern.startswith(_ARTICLE) and len(pattern) > len(_ARTICLE) + 1:
            yield _TO_ARTICLE + pattern.removeprefix(_ARTICLE), use


def _last_digits(pattern: str) -> str:
    """Return a name with the digits at its end raised, or lowered where they are: E2 and E² are one name."""
    head = pattern.rstrip(_DIGITS + RAISED)
    return head + pattern[len(head) :].translate(_OTHER_DIGITS)


def _add(found: _Found, use: _Use, start: int, end: int) -> None:
    """Note what a pattern found."""
    if use.role == _NAME:
        if found.names.get((start, end), "?"):
            found.names[start, end] = use.variant
    elif use.role == _EXCLUDED:
        found.excluded.append((start, end, use.spelling))
    else:
        word = f"{use.spelling}*" if use.open_end else use.spelling
        (found.required if use.role == _REQUIRED else found.forbidden).append((start, word))


def _longest(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans by place: none inside of another, the longest first, the first of equals, where no longer one is."""
    outer: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        if not outer or end > outer[-1][1]:
            outer.append((start, end))
    taken, kept = set[int](), []
    for start, end in sorted(outer, key=lambda span: span[0] - span[1]):
        # None that was taken is shorter, so that one that overlaps has the first or the last place.
        if start not in taken and end - 1 not in taken:
            taken.update(range(start, end))
            kept.append((start, end))
    return sorted(kept)


def _word_within(words: Sequence[tuple[int, str]], low: int, high: int) -> str | None:
    """Return the first of the words, ascending by offset, that is from low to high."""
    place = bisect_left(words, low, key=itemgetter(0))
    return words[place][1] if place < len(words) and words[place][0] <= high else None


def same_dots(name: str, found: str, *, turkish: bool) -> bool:
    """Return whether two spellings that fold alike have the same letters i.

    In a Turkish name I is the capital of ı, and İ that of i. Elsewhere I is the capital of both, and Turkish texts
    write İ in names from abroad.
    """
    if turkish or "ı" in name or "İ" in name or "ı" in found or "İ" in found:
        wanted, got = ([letter for letter in visible(text) if letter in _DOTTED] for text in (name, found))
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
    wanted, got = (ACCENTED.findall(visible(text).casefold()) for text in (name, found))
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
