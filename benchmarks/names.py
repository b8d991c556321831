"""Names found in texts, to measure mentions with: capitalised words, katakana words, Chinese terms."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from blockfeat.lang.stopwords import available_languages, stop_words

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_NUMBER_BEFORE = re.compile(r"\d[.,]?\s?$")
_NUMBER_BEHIND = re.compile(r"[.,]?\s?\d")
# After these a capital does not mark a name.
_SENTENCE_START = re.compile(r"(?:[.!?:;…»«“”\"()\[\]|–—•·*>/\n]|^)\s*$")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{3,}")
_HAN = re.compile("[\u3400-\u9fff]+")
_LATIN_NAME = re.compile("[A-Z][A-Za-z0-9]{2,}")
_SHORTEST = 3
_MOST_BESIDE_NUMBERS = 0.25
_LEAST_CAPITALISED = 0.97
_MANY_PAGES = 20
_LEAST_PAGES = 2
_NGRAMS = (2, 3, 4)
_LEAST_NGRAM_PAGES = 4
_MOST_SHARE = 0.1
_LEAST_COHESION = 4.0
_LEAST_NEIGHBOURS = 1.5
# Languages whose common nouns have a capital too: one word is a name only where other languages have it as a name.
_CAPITAL_NOUNS = frozenset({"de", "lb"})
_UNSPACED = frozenset({"zh", "ja"})


def find_names(texts: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the names that occur in texts, by language, sorted.

    In scripts with case: words of at least three letters, and pairs of such words, that have a capital inside of a
    sentence on two pages or more (one where the language has fewer than twenty), are written small in less than 3 % of
    their occurrences, and stand beside a number in less than a quarter (dates, units). In German, whose nouns have
    capitals, one word counts only if it is a name in another language. In Japanese: words in katakana and in Latin
    letters. In Chinese: words in Latin letters, and n-grams of two to four characters on four pages or more, but not
    on a tenth of all, that cohere (pointwise mutual information of their parts) and have many different neighbours.

    Parameters
    ----------
    texts : mapping
        The texts of pages by ISO 639-1 code.
    """
    found = {lang: _names_of(lang, own) for lang, own in texts.items()}
    abroad = {
        name
        for lang, names in found.items()
        if lang not in _CAPITAL_NOUNS | _UNSPACED
        for name in names
        if " " not in name
    }
    return {
        lang: tuple(sorted(name for name in names if lang not in _CAPITAL_NOUNS or " " in name or name in abroad))
        for lang, names in found.items()
    }


def _names_of(lang: str, texts: Sequence[str]) -> set[str]:
    """Return the names in the texts of one language."""
    if lang in _UNSPACED:
        found = _on_pages((set(_LATIN_NAME.findall(text)) for text in texts), _least_pages(texts))
        if lang == "ja":
            return found | _on_pages((set(_KATAKANA.findall(text)) for text in texts), _least_pages(texts))
        return found | _terms(texts)
    return _capitalised(lang, texts)


def _least_pages(texts: Sequence[str]) -> int:
    return _LEAST_PAGES if len(texts) >= _MANY_PAGES else 1


def _on_pages(names: Iterable[set[str]], least: int) -> set[str]:
    """Return the names that are on at least so many pages."""
    pages = Counter(name for own in names for name in own)
    return {name for name, count in pages.items() if count >= least}


def _capitalised(lang: str, texts: Sequence[str]) -> set[str]:
    """Return words, and pairs of words, that are written with a capital inside of sentences."""
    uses = _Uses()
    pages: Counter[str] = Counter()
    for text in texts:
        pages.update(_inside_of_sentences(text, uses))
    least = _least_pages(texts)
    ignored = stop_words(lang) if lang in available_languages() else frozenset()
    return {
        name
        for name, count in pages.items()
        if count >= least and all(uses.is_name(word) and word not in ignored for word in name.lower().split())
    }


@dataclass
class _Uses:
    """How often each word is written small, with a capital, and beside a number."""

    small: Counter[str] = field(default_factory=Counter)
    capital: Counter[str] = field(default_factory=Counter)
    beside_numbers: Counter[str] = field(default_factory=Counter)

    def is_name(self, word: str) -> bool:
        """Return whether a word, in lower case, is hardly ever written small, and is no part of dates."""
        capital = self.capital[word]
        return (
            capital >= _LEAST_CAPITALISED * (self.small[word] + capital)
            and self.beside_numbers[word] < _MOST_BESIDE_NUMBERS * capital
        )


def _inside_of_sentences(text: str, uses: _Uses) -> set[str]:
    """Return the words and pairs of words with a capital inside of the sentences of a text; count what is seen."""
    inside: set[str] = set()
    before, before_end = "", 0
    for match in _WORD.finditer(text):
        word, (start, end) = match[0], match.span()
        if not word[0].isupper():
            uses.small[word.lower()] += 1
            before = ""
            continue
        uses.capital[word.lower()] += 1
        if _NUMBER_BEFORE.search(text, max(0, start - 3), start) or _NUMBER_BEHIND.match(text, end):
            uses.beside_numbers[word.lower()] += 1
        if len(word) < _SHORTEST:
            before = ""
            continue
        if not _SENTENCE_START.search(text, max(0, start - 3), start):
            inside.add(word)
            if before and text[before_end:start] == " ":
                inside.add(f"{before} {word}")
        before, before_end = word, end
    return inside


def _terms(texts: Sequence[str]) -> set[str]:
    """Return n-grams of Han characters that cohere and stand beside many different characters."""
    counts: Counter[str] = Counter()
    pages: Counter[str] = Counter()
    left: defaultdict[str, Counter[str]] = defaultdict(Counter)
    right: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        own: set[str] = set()
        for run in _HAN.findall(text):
            counts.update(run)
            for length in _NGRAMS:
                for place in range(len(run) - length + 1):
                    term = run[place : place + length]
                    counts[term] += 1
                    own.add(term)
                    left[term][run[place - 1] if place else "^"] += 1
                    right[term][run[place + length : place + length + 1] or "$"] += 1
        pages.update(own)
    total = sum(count for term, count in counts.items() if len(term) == 1)
    most = max(_LEAST_NGRAM_PAGES, _MOST_SHARE * len(texts))
    ignored = stop_words("zh")
    return {
        term
        for term, count in pages.items()
        if _LEAST_NGRAM_PAGES <= count <= most
        and not any(part in ignored for part in (term, term[0], term[-1]))
        and _cohesion(term, counts, total) >= _LEAST_COHESION
        and min(_entropy(left[term]), _entropy(right[term])) >= _LEAST_NEIGHBOURS
    }


def _cohesion(term: str, counts: Mapping[str, int], total: int) -> float:
    """Return the least pointwise mutual information of the two parts of a term, over all ways to part it."""
    return min(
        math.log2(counts[term] * total / (counts[term[:place]] * counts[term[place:]])) for place in range(1, len(term))
    )


def _entropy(neighbours: Mapping[str, int]) -> float:
    """Return the entropy of the neighbours of a term, in bits; the ends of a run count as different ones."""
    total = sum(neighbours.values())
    edges = sum(count for character, count in neighbours.items() if character in "^$")
    shares = [count / total for character, count in neighbours.items() if character not in "^$"]
    edge = edges * (1 / total) * math.log2(total) if edges else 0.0
    return edge - sum(share * math.log2(share) for share in shares)
