"""Language of a text: the declared one as a prior, then script, stop words, and n-grams of bytes in doubt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_json
from blockfeat.lang.characters import SCRIPTS, fits_script, languages_of, letters_by_script, only_language, written_in
from blockfeat.lang.measures import TextMeasures, keys_of_text
from blockfeat.lang.ngrams import NgramTable
from blockfeat.lang.stopwords import StopWordIndex, StopWordRatios, stop_word_ratios
from blockfeat.lang.word_keys import best_score, prose_sample

_CODES = bundled_json("blockfeat.lang", "codes.json")

ISO_639_1 = frozenset(_CODES["two letters"].split())
"""The two-letter codes; Norwegian is ``no`` only (``nb`` and ``nn`` are folded into it)."""

# Longer codes, withdrawn ones, and country codes that pages put where a language belongs.
_OTHER_CODES: dict[str, str] = _CODES["others"]
_FIRST_PART = re.compile(r"[^a-z]*([a-z]{2,3})(?![a-z])", re.IGNORECASE)

Codes = Sequence[str]
Starts = NDArray[np.int32]
Masks = NDArray[np.uint64]
Allowed = frozenset[str] | None
Source = Literal["declared", "script", "stopwords", "library", "none"]
LONGEST_TEXT = 30_000
"""So many characters of a text are looked at, about 5,000 words."""
_WINDOWS, _WINDOW = 6, 1_000  # longer texts: their words are taken from so many places, so many characters each
MOST_WORDS = 5_000
"""So many of its words are."""
_PROSE_WORDS = 12  # a block of so many is likely prose
_SAMPLE_WORDS = 600  # words of such blocks that suffice to identify a page's language
_NGRAM_TEXT = 2_000  # characters; more takes longer without improving accuracy
_FEWEST_WORDS = 25  # below, stop words decide nothing
_LIKE_PROSE = 0.55  # least density of the best language, as a share of what its prose has
_FEWEST_HITS = 6  # stop words of the best language
_FEWEST_HITS_SHORT = 2  # enough to make a declared language doubtful
_MOST_HITS = 0.8  # share of the most hits of any language; sparse languages win by chance otherwise
_CLEAR_LEAD = 0.7  # most that the second best may reach of the best
_OVERRULED = 0.45  # a declared language with less than this share of the best is wrong
_SURELY = 0.8  # density, as a share of what prose has, at which a declared language needs no other evidence
_MANY_WORDS = 60  # so many words
_SILENT = 0.2  # with so few of its stop words make a declared language doubtful too
_OUT_OF_QUESTION = 0.05  # probability by n-grams below which a declared language falls
_NGRAM_DOUBT = 0.04  # below, the answer of n-grams is a guess ("Home", "OK")
_FEWEST_LETTERS = 6  # weighted; fewer say nothing against a declared language
# Languages whose stop list fits a sister language that has no list (Serbian, Macedonian, Nepali ...).
_WITH_SISTERS = frozenset({"hr", "bg", "hi", "mr", "ku", "id", "ms", "bn", "af", "fa", "ar"})
_RARE = frozenset({"an", "la", "lb", "lg", "oc", "qu", "se", "vo", "wa"})  # answers to short or odd text mostly
_RARE_WEIGHT = 0.2
_NOT_ENGLISH = re.compile("[\u00c0-\u024f]")


def normalise_code(code: str | None) -> str | None:
    """Return the ISO 639-1 code of a language tag, or None where the tag names no known language.

    Reads BCP 47 tags (``de-DE``), locales (``pt_BR.UTF-8``), ISO 639-2 and -3 codes of common languages
    (``deu``, ``ger``), withdrawn codes (``iw``), macro languages (``nb``, ``nn`` give ``no``; ``cmn``,
    ``yue`` give ``zh``), lists (the first counts), and country codes that stand for no language (``cz``,
    ``jp``).
    """
    match = _FIRST_PART.match(code[:64]) if isinstance(code, str) else None
    if match is None:
        return None
    first = match[1].lower()
    return first if first in ISO_639_1 else _OTHER_CODES.get(first)


@dataclass(frozen=True)
class LanguageGuess:
    """A language and how it was found.

    Attributes
    ----------
    lang
        ISO 639-1 code, or None where nothing was found.
    source
        What decided: ``declared``, ``script``, ``stopwords``, ``library`` (n-grams of bytes, by the table made from
        py3langid's) or ``none``.
    confidence
        Between 0 and 1. Script: share of the letters that are in it. Stop words: 0.5 where two languages are
        level, 1 where there is no rival. N-grams: the probability. Declared: 1 where the text agrees, 0.5
        where it says nothing.
    """

    lang: str | None
    source: Source
    confidence: float


_NOTHING = LanguageGuess(lang=None, source="none", confidence=0.0)


class PageLanguage(NamedTuple):
    """Language of a page (ISO 639-1, None where unknown) and the stop-word ratios of its blocks."""

    lang: str | None
    stop_words: StopWordRatios


@dataclass(frozen=True, eq=False)
class Identifier:
    """Language identification over the stop lists of an index.

    Attributes
    ----------
    index
        Stop words of the languages that stop words may decide for.
    densities
        For each script the stop-word density of prose in each of these languages; infinity where the language is not
        written in the script, or words are not separate.
    """

    index: StopWordIndex
    densities: Mapping[str, NDArray[np.float64]]

    @classmethod
    def build(cls, index: StopWordIndex | None = None) -> Identifier:
        """Build an identifier over an index, by default over all 58 stop lists."""
        index = StopWordIndex.build() if index is None else index
        spaced = [np.inf if index.is_unspaced(column) else value for column, value in enumerate(index.densities)]
        densities = {
            script: np.where([written_in(lang, script) for lang in index.languages], spaced, np.inf)
            for script in SCRIPTS
        }
        return cls(index, densities)

    def identify(
        self, text: str, *, declared: str | None = None, candidates: Codes | None = None, masks: Masks | None = None
    ) -> LanguageGuess:
        """Return the language of a text; see `blockfeat.lang.identify.identify`.

        ``masks`` avoids tokenisation if the caller has already looked up the words of the text with
        `StopWordIndex.masks_of`; the first 5,000 are used.
        """
        allowed = None if candidates is None else frozenset(filter(None, map(normalise_code, candidates)))
        prior = normalise_code(declared)
        if prior is not None and allowed is not None and prior not in allowed:
            prior = None
        sample = text[:LONGEST_TEXT]
        letters: list[int] = letters_by_script(sample).tolist()
        total, most = sum(letters), max(letters)
        if total == 0:
            return _NOTHING if prior is None else LanguageGuess(prior, "declared", 0.5)
        script = SCRIPTS[letters.index(most)]
        if prior is not None and total >= _FEWEST_LETTERS and not fits_script(prior, script, letters):
            prior = None
        alone = only_language(script, letters)
        if alone is not None:
            return _decided_by_script(alone, script, most / total, prior, allowed)
        masks = self.index.masks_of(keys_of_text(_windows(sample))[0]) if masks is None else masks[:MOST_WORDS]
        return self._by_words(sample, masks, script, prior, allowed)

    def page_language(
        self,
        measures: TextMeasures,
        starts: Starts,
        *,
        declared: str | None,
        stop_lists: tuple[str, ...],
        languages: Codes = (),
        lang: str | None = None,
        page_wide: bool = True,
    ) -> PageLanguage:
        """Identify the language of a page, unless the caller knows it, and count the stop words of its blocks.

        Parameters
        ----------
        measures, starts, declared, languages
            As for `of_page`.
        stop_lists
            Languages whose stop words are counted.
        lang
            The language where the caller knows it.
        page_wide
            Count those of the page's language alone where there is a list for it.
        """
        found = normalise_code(lang) or self.of_page(measures, starts, declared=declared, languages=languages)
        if page_wide and found is not None and found in self.index.languages:
            stop_lists = (found,)
        return PageLanguage(found, stop_word_ratios(measures, self.index, stop_lists))

    def of_page(
        self, measures: TextMeasures, starts: Starts, *, declared: str | None, languages: Codes = ()
    ) -> str | None:
        """Return the language of a page by its longer blocks, or by all text where there are none.

        Parameters
        ----------
        measures
            The words of the page's blocks.
        starts
            Where each block begins in the page's text.
        declared
            What the page declares.
        languages
            Languages that the page is taken to be in unless it clearly is in none of them; empty for any.
        """
        prior = normalise_code(declared)
        if not starts.size:
            return prior
        chosen, sample = prose_sample(
            measures.words, measures.anchor_words, measures.token_keys,
            fewest_words=_PROSE_WORDS, most_words=_SAMPLE_WORDS,
        )  # fmt: skip
        if prior and (not languages or prior in languages) and self.confirms(prior, sample):
            return prior
        ends = measures.page.block_ends
        spans = zip(starts[chosen].tolist(), ends[chosen].tolist(), strict=True)
        text = "\n".join([measures.page.text[start : end - 1] for start, end in spans])
        masks = self.index.masks_of(sample)
        if languages:
            asked = self.identify(text, declared=declared, candidates=languages, masks=masks).lang
            if asked is not None:
                return asked
        return self.identify(text, declared=declared, masks=masks).lang

    def confirms(self, lang: str, words: NDArray[np.uint64]) -> bool:
        """Return whether words, given their keys, have so many stop words of a language that it is beyond doubt.

        Never for a script without spaces, nor for few words.
        """
        if lang not in self.index.languages or words.size < _MANY_WORDS:
            return False
        column = self.index.languages.index(lang)
        share = self.index.shares(words, np.array([words.size], dtype=np.int32), column)[0]
        return bool(share >= _SURELY * self.index.densities[column])

    def _by_words(self, sample: str, masks: Masks, script: str, prior: str | None, allowed: Allowed) -> LanguageGuess:
        """Decide between the languages of a script by stop words, or by n-grams in doubt."""
        words = masks.size
        counts, densities = self.index.counts(masks), self.densities[script]
        if allowed is not None:
            densities = np.where([lang in allowed for lang in self.index.languages], densities, np.inf)
        place, top, second, most = best_score(counts, words, densities)
        best, hits = self.index.languages[place], int(counts[place])
        known = self.index.languages.index(prior) if prior in self.index.languages else None
        own = None if known is None else float(counts[known] / max(1, words) / densities[known])
        if prior is not None and own is not None and own >= _OVERRULED * max(top, _LIKE_PROSE):
            return LanguageGuess(prior, "declared", min(1.0, own / top))
        speaks = top >= _LIKE_PROSE and hits >= _MOST_HITS * most
        if prior is not None:
            doubtful = (speaks and hits >= _FEWEST_HITS_SHORT) or _foreign_letters(prior, sample)
            silent = own is not None and words >= _MANY_WORDS and own < _SILENT
            if not (doubtful or silent):
                return LanguageGuess(prior, "declared", 0.5)
        clear = second <= _CLEAR_LEAD * top and best not in _WITH_SISTERS
        if speaks and clear and hits >= _FEWEST_HITS and words >= _FEWEST_WORDS:
            return LanguageGuess(best, "stopwords", 1 - 0.5 * (second / top) ** 2)
        heard, belief = _by_ngrams(sample[:_NGRAM_TEXT], script, allowed, prior)
        return heard if prior is None or belief < _OUT_OF_QUESTION else LanguageGuess(prior, "declared", 0.5)


def identify(text: str, *, declared: str | None = None, candidates: Codes | None = None) -> LanguageGuess:
    """Return the language of a text.

    The declared language wins unless the text clearly contradicts it (another script, or stop words of
    another language). Else the script decides where only one language writes in it, else the stop words, and
    for short or doubtful text n-grams of bytes, as py3langid weighs them.

    Parameters
    ----------
    text
        Running text, the longer the better; of long texts the first 30,000 characters are used.
    declared
        What the page declares (``de-DE``, ``pt_BR``, ``eng``); invalid values are ignored.
    candidates
        Languages that may be returned; all by default.

    Returns
    -------
    LanguageGuess
        Its ``lang`` is None where the text holds no letters or fits none of the candidates.
    """
    return _default_identifier().identify(text, declared=declared, candidates=candidates)


@cache
def _default_identifier() -> Identifier:
    """Return the identifier over all stop lists, a constant that is built at its first use."""
    return Identifier.build()


def _windows(sample: str) -> str:
    """Return the text, or pieces from all over it where it is long: stop words need no more."""
    if len(sample) <= _WINDOWS * _WINDOW:
        return sample
    step = (len(sample) - _WINDOW) // (_WINDOWS - 1)
    return "\n".join(sample[place * step : place * step + _WINDOW] for place in range(_WINDOWS))


def _decided_by_script(lang: str, script: str, share: float, prior: str | None, allowed: Allowed) -> LanguageGuess:
    """Return the language of a script, or the declared one that is written in it too."""
    if prior is not None:
        return LanguageGuess(prior, "declared", 1.0 if prior == lang else 0.5)
    if allowed is None or lang in allowed:
        return LanguageGuess(lang, "script", share)
    others = [other for other in languages_of(script) if other in allowed]
    return LanguageGuess(others[0], "script", 0.5 * share) if others else _NOTHING


def _foreign_letters(lang: str, sample: str) -> bool:
    """Return whether a text declared English, as templates do for any language, has letters it lacks."""
    return lang == "en" and len(_NOT_ENGLISH.findall(sample, 0, _WINDOW)) > 1


def _by_ngrams(sample: str, script: str, allowed: Allowed, prior: str | None) -> tuple[LanguageGuess, float]:
    """Return the answer of n-grams among the languages of a script, and the probability of the declared one.

    The latter is 1 where they have no clear answer.
    """
    table = NgramTable.bundled()
    probabilities: dict[str, float] = {}
    for lang, probability in zip(table.languages.tolist(), table.probabilities(sample).tolist(), strict=True):
        if lang and written_in(lang, script) and (allowed is None or lang in allowed):
            weight = _RARE_WEIGHT if lang in _RARE else 1.0
            probabilities[lang] = probabilities.get(lang, 0.0) + weight * probability
    # Candidates that the caller named share the belief; without them some is left to none of them.
    total = 1.0 if allowed is None else max(sum(probabilities.values()), 1e-6)
    lang, probability = max(probabilities.items(), key=itemgetter(1), default=("", 0.0))
    if probability / total < _NGRAM_DOUBT:
        return _NOTHING, 1.0
    return LanguageGuess(lang, "library", min(1.0, probability / total)), probabilities.get(prior or "", 0.0)
