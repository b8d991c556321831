"""Scores of Pasternack & Roth (2009): "short" and "best" over six possible extractions, and their text-only score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blockfeat.lang import tokenize
from blockfeat.training.evaluation.metrics import Scores, word_scores

__all__ = ["PossibleExtractions", "alignment_score"]


@dataclass(frozen=True)
class PossibleExtractions:
    """The parts of an article of which an extraction may hold more or fewer (4.1), each as a sequence of words.

    Attributes
    ----------
    main : sequence of str
        The main text.
    headline, byline_before, byline_after : sequence of str
        What may stand before it and behind it; empty where there is none.
    """

    main: Sequence[str]
    headline: Sequence[str] = ()
    byline_before: Sequence[str] = ()
    byline_after: Sequence[str] = ()

    @classmethod
    def of_gold(cls, text: str, *, title: str | None = None, author: str | None = None) -> PossibleExtractions:
        """Take a gold text apart by what is known of the page.

        A gold text that begins with the title has its headline cut off; one that ends with the author, its byline.
        """
        words, headline, byline = tokenize(text), tokenize(title or ""), tokenize(author or "")
        if headline and words[: len(headline)] == headline:
            words = words[len(headline) :]
        if byline and words[: len(byline)] == byline:
            words = words[len(byline) :]
        after: list[str] = []
        if byline and words[-len(byline) :] == byline:
            words, after = words[: -len(byline)], byline
        return cls(words, headline, byline, after)

    def all(self) -> list[list[str]]:
        """Return the up to six extractions, the shortest first: three starts times two ends, without repetitions."""
        main, before = list(self.main), list(self.byline_before)
        starts = [main, before + main, list(self.headline) + before + main]
        found: list[list[str]] = []
        for words in (*starts, *(start + list(self.byline_after) for start in starts)):
            if words not in found:
                found.append(words)
        return found

    def short(self, predicted: Sequence[str]) -> Scores:
        """Compare words with the main text alone."""
        return word_scores(predicted, self.main)

    def best(self, predicted: Sequence[str]) -> Scores:
        """Compare words with the extraction that gives the highest F1; of equals the shortest."""
        return max((word_scores(predicted, words) for words in self.all()), key=lambda scores: scores.f1)


def alignment_score(predicted: str | Sequence[str], gold: str | Sequence[str]) -> float:
    """Return CleanEval's text-only score as the paper writes it (7.7): 1 - distance / alignment length, 0 to 1.

    Distance counts the words to insert and to remove, alignment length those and the aligned ones: of two texts that
    share s words in order, s / (a + b - s). It is lower than
    `blockfeat.training.evaluation.metrics.text_only_score`, the F1 of the same alignment. Two empty texts have 1.
    """
    from rapidfuzz.distance import LCSseq  # 20 ms that the other scores do not need

    first = tokenize(predicted) if isinstance(predicted, str) else predicted
    second = tokenize(gold) if isinstance(gold, str) else gold
    if not first and not second:
        return 1.0
    shared = LCSseq.similarity(first, second)
    return float(shared) / (len(first) + len(second) - shared)
