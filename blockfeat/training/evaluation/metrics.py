"""Metrics of extracted texts against the gold, and bootstrap confidence intervals of means over pages.

Every text may be given as a str, which `blockfeat.lang.tokenize` cuts into words (characters for scripts
without spaces), or as a sequence of words. Two empty texts agree: every score is 1. If
only one of them is empty, every score is 0. No text raises an error.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import astuple, dataclass
from operator import add
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from blockfeat.content.plain import normalised
from blockfeat.errors import InputError
from blockfeat.lang.measures import is_term, tokenize

Text: TypeAlias = str | Sequence[str]
"""A text, or the words of one."""

_Item = TypeVar("_Item", bound=Hashable)


_CELLS = 4_000_000  # values drawn at once, so that memory stays at some 64 MB


@dataclass(frozen=True, slots=True)
class Scores:
    """Precision, recall and their harmonic mean, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class SnippetScores:
    """Counts of snippets that rightly or wrongly occur or do not; sums of these pool pages.

    Attributes
    ----------
    true_positives, false_negatives : int
        Snippets that must occur: those that do and those that do not.
    false_positives, true_negatives : int
        Snippets that must not occur: those that do and those that do not.
    """

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    true_negatives: int = 0

    @property
    def precision(self) -> float:
        """TP / (TP + FP). Where no snippet was found: 1.0 if none had to be, else 0.0."""
        found = self.true_positives + self.false_positives
        return self.true_positives / found if found else float(not self.false_negatives)

    @property
    def recall(self) -> float:
        """TP / (TP + FN). 1.0 where no snippet had to be found."""
        wanted = self.true_positives + self.false_negatives
        return self.true_positives / wanted if wanted else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return _harmonic_mean(self.precision, self.recall)

    @property
    def accuracy(self) -> float:
        """Share of all snippets that are right; 1.0 where there are none."""
        count = self.count
        return (self.true_positives + self.true_negatives) / count if count else 1.0

    @property
    def count(self) -> int:
        """Number of snippets."""
        return sum(astuple(self))

    def __add__(self, other: SnippetScores) -> SnippetScores:
        """Return the counts of both together."""
        if not isinstance(other, SnippetScores):
            return NotImplemented
        return SnippetScores(*map(add, astuple(self), astuple(other)))


def word_scores(predicted: Text, gold: Text) -> Scores:
    """Compare two texts as bags of words: each word counts as often as it occurs in both.

    Parameters
    ----------
    predicted, gold : str or sequence of str
        The extracted text and the gold.
    """
    return _overlap(Counter(_words(predicted)), Counter(_words(gold)))


def shingle_scores(predicted: Text, gold: Text, n: int = 4) -> Scores:
    """Compare two texts as bags of word n-grams (shingles); unlike `word_scores`, this depends on word order.

    A text shorter than `n` words is one n-gram. As in the article extraction benchmark of Zyte, per page.

    Parameters
    ----------
    predicted, gold : str or sequence of str
        The extracted text and the gold.
    n : int
        Words in an n-gram, at least 1 (less counts as 1).
    """
    return _overlap(_shingles(_words(predicted), max(n, 1)), _shingles(_words(gold), max(n, 1)))


def cosine_length_ratio(predicted: Text, gold: Text) -> float:
    """Return the cosine of the term vectors times the ratio of their lengths, from 0 to 1.

    Terms are words of more than one character, and single characters of scripts without spaces. The ratio is
    min(a/b, b/a), where a and b are the numbers of terms, repeated ones included. Symmetric. The fitness of
    Ziegler & Skubacz (2007), section 3.5.

    Parameters
    ----------
    predicted, gold : str or sequence of str
        The extracted text and the gold.
    """
    first, second = _terms(predicted), _terms(gold)
    if not first or not second:
        return float(not first and not second)
    dot = sum(count * second[term] for term, count in first.items() if term in second)
    squares = sum(count**2 for count in first.values()) * sum(count**2 for count in second.values())
    lengths = (first.total(), second.total())
    return min(dot / math.sqrt(squares), 1.0) * min(lengths) / max(lengths)


def text_only_score(predicted: Text, gold: Text) -> float:
    """Return CleanEval's score without markup: an F1 over words in order, from 0 to 1.

    The words that both have in the same order (the longest common subsequence), times two, divided by the
    words of both. Symmetric. The time is proportional to the product of both lengths, divided by 64.

    Parameters
    ----------
    predicted, gold : str or sequence of str
        The extracted text and the gold.
    """
    from rapidfuzz.distance import LCSseq  # a 20 ms import that the other metrics do not need

    first, second = _words(predicted), _words(gold)
    if not first and not second:
        return 1.0
    return 2 * LCSseq.similarity(first, second) / (len(first) + len(second))


def snippet_scores(predicted: str, present: Iterable[str], absent: Iterable[str]) -> SnippetScores:
    """Count the snippets that must and that must not occur in a text, as trafilatura's own evaluation does.

    A snippet occurs if the text contains it, case-sensitively, with every run of white space
    as one space on both sides. Snippets of white space only are left out.

    Parameters
    ----------
    predicted : str
        The extracted text.
    present, absent : iterable of str
        Snippets that must, and must not, be in it.
    """
    text = _folded(predicted)
    wanted = [snippet in text for snippet in map(_folded, present) if snippet]
    unwanted = [snippet in text for snippet in map(_folded, absent) if snippet]
    return SnippetScores(
        true_positives=sum(wanted),
        false_positives=sum(unwanted),
        false_negatives=len(wanted) - sum(wanted),
        true_negatives=len(unwanted) - sum(unwanted),
    )


def _words(text: Text) -> Sequence[str]:
    # Zero-width characters and composed letters differ by convention only.
    return tokenize(normalised(text)) if isinstance(text, str) else text


def _folded(text: str) -> str:
    return " ".join(text.split())


def _shingles(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    if not words:
        return Counter()
    return Counter(tuple(words[start : start + n]) for start in range(max(1, len(words) - n + 1)))


def _overlap(predicted: Counter[_Item], gold: Counter[_Item]) -> Scores:
    """Return the scores of one bag against another."""
    if not predicted or not gold:
        score = float(not predicted and not gold)
        return Scores(score, score, score)
    shared = sum(min(count, gold[item]) for item, count in predicted.items() if item in gold)
    precision, recall = shared / predicted.total(), shared / gold.total()
    return Scores(precision, recall, _harmonic_mean(precision, recall))


def _harmonic_mean(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _terms(text: Text) -> Counter[str]:
    return Counter({word: count for word, count in Counter(_words(text)).items() if is_term(word)})


class Interval(NamedTuple):
    """A mean with the bounds of its confidence interval."""

    mean: float
    low: float
    high: float


class Difference(NamedTuple):
    """A mean difference with the bounds of its confidence interval and its p value."""

    mean: float
    low: float
    high: float
    p: float


def confidence_interval(values: ArrayLike, *, level: float = 0.95, samples: int = 1000, seed: int = 0) -> Interval:
    """Return the mean of values with its percentile bootstrap interval (Efron 1979).

    Parameters
    ----------
    values : array-like of float, shape (n,)
        Such as the F1 of each page; at least one, none of them NaN.
    level : float
        Share of cases in which the interval should hold the true mean, between 0 and 1.
    samples : int
        Number of bootstrap samples.
    seed : int
        Equal seeds give equal intervals.

    Returns
    -------
    Interval
        Named tuple ``(mean, low, high)``. For one value all three equal it.

    Raises
    ------
    InputError
        If there are no values, one is NaN or infinite, or an option is out of range.
    """
    data = _checked(values, "values")
    means = _bootstrap_means(data, level, samples, seed)
    return Interval(float(data.mean()), *_bounds(means, level))


def paired_difference(
    a: ArrayLike, b: ArrayLike, *, level: float = 0.95, samples: int = 1000, seed: int = 0
) -> Difference:
    """Return the mean of ``a - b`` over the same pages, with interval and two-sided p value.

    The p value is the share of bootstrap samples, shifted so that their mean is 0, whose mean is as far from 0
    as the one observed (Efron & Tibshirani 1993, 16.4), with one added to both counts: never below
    1 / (samples + 1).

    Parameters
    ----------
    a, b : array-like of float, shape (n,)
        Scores of two extractors on the same pages in the same order.
    level, samples, seed
        As for `confidence_interval`.

    Returns
    -------
    Difference
        Named tuple ``(mean, low, high, p)``; p is 1.0 where the mean difference is 0.

    Raises
    ------
    InputError
        As `confidence_interval`, and if `a` and `b` differ in length.
    """
    first, second = _checked(a, "a"), _checked(b, "b")
    if first.size != second.size:
        raise InputError(f"cannot compare in pairs: {first.size} values against {second.size}")
    differences = first - second
    means = _bootstrap_means(differences, level, samples, seed)
    mean = float(differences.mean())
    # A tolerance, so that sums in another order do not count as smaller.
    as_far = int((np.abs(means - mean) >= abs(mean) - 1e-12).sum())
    return Difference(mean, *_bounds(means, level), (as_far + 1) / (samples + 1))


def _checked(values: ArrayLike, name: str) -> NDArray[np.float64]:
    data = np.asarray(values, dtype=np.float64)
    if data.ndim != 1 or data.size == 0:
        raise InputError(f"{name}: one row of at least one value is needed, not an array of {data.shape}")
    if not np.isfinite(data).all():
        raise InputError(f"{name}: there are NaN or infinite values")
    return data


def _bootstrap_means(data: NDArray[np.float64], level: float, samples: int, seed: int) -> NDArray[np.float64]:
    """Return the means of samples drawn with replacement, shape (samples,)."""
    if not 0 < level < 1:
        raise InputError(f"the level must lie between 0 and 1, not {level}")
    if samples < 1:
        raise InputError(f"at least one bootstrap sample is needed, not {samples}")
    generator = np.random.default_rng(seed)
    rows = max(1, _CELLS // data.size)
    means = np.empty(samples)
    for start in range(0, samples, rows):
        stop = min(start + rows, samples)
        drawn = generator.integers(0, data.size, size=(stop - start, data.size), dtype=np.int32)
        means[start:stop] = data[drawn].mean(axis=1)
    return means


def _bounds(means: NDArray[np.float64], level: float) -> tuple[float, float]:
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def percent(value: float | None) -> str:
    """Return a score in per cent with one decimal; empty for None and NaN."""
    return "" if value is None or math.isnan(value) else f"{100 * value:.1f}"


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table: the first column left-aligned, all others right-aligned, with a final newline."""
    alignment = ["---", *["---:"] * (len(columns) - 1)]
    lines = [columns, alignment, *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines) + "\n"
