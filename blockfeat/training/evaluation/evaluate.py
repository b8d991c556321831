"""Scores of an extractor on labelled pages: by page, by group and in total."""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from blockfeat._pool import in_order
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.lang import tokenize
from blockfeat.page.document import Document
from blockfeat.training.evaluation import metrics

METRICS = ("precision", "recall", "f1", "cosine")
"""Scores of a page against its gold text, by the names of the attributes of `PageScore`."""

KEYS = ("corpus", "lang", "page_type")
"""Attributes by which pages can be grouped."""

_logger = logging.getLogger("blockfeat.training.evaluation.evaluate")


@dataclass(frozen=True, slots=True)
class PageScore:
    """The scores of one page.

    Attributes
    ----------
    id, corpus : str
        The page and its corpus.
    lang, page_type : str or None
        As in the corpus.
    precision, recall, f1 : float or None
        Over words, from 0 to 1 (`blockfeat.training.evaluation.metrics.word_scores`); None without a gold text.
    cosine : float or None
        `blockfeat.training.evaluation.metrics.cosine_length_ratio`; None without a gold text.
    snippets : SnippetScores or None
        None if the page has no snippets.
    words_predicted, words_gold : int
        Words of the extraction and of the gold text (0 without one).
    error : str or None
        Why the extraction failed; its text counts as empty then.
    """

    id: str
    corpus: str
    lang: str | None
    page_type: str | None
    precision: float | None
    recall: float | None
    f1: float | None
    cosine: float | None
    snippets: metrics.SnippetScores | None
    words_predicted: int
    words_gold: int
    error: str | None = None

    @property
    def has_text(self) -> bool:
        """Whether the page has a gold text, and with it the scores over words."""
        return self.f1 is not None

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain values that JSON can hold."""
        return {**asdict(self), "snippets": _snippets_to_dict(self.snippets)}


@dataclass(frozen=True, slots=True)
class GroupScores:
    """Mean scores of a group of pages.

    Attributes
    ----------
    group : str
        The corpus, language or page type; ``"unknown"`` for pages without one, ``"all"`` for all pages.
    pages, text_pages, errors : int
        Pages, those with a gold text, and those whose extraction failed.
    precision, recall, f1, cosine : float or None
        Means over the pages with a gold text; None if there are none.
    f1_low, f1_high : float or None
        Bounds of the bootstrap confidence interval of the mean F1.
    snippets : SnippetScores or None
        Pooled over the pages that have snippets; None if there are none.
    """

    group: str
    pages: int
    text_pages: int
    errors: int
    precision: float | None
    recall: float | None
    f1: float | None
    cosine: float | None
    f1_low: float | None
    f1_high: float | None
    snippets: metrics.SnippetScores | None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values that JSON can hold."""
        return {**asdict(self), "snippets": _snippets_to_dict(self.snippets)}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of all pages, in the order in which they came.

    Attributes
    ----------
    pages : tuple of PageScore
        One for each page. Those without a gold text count in the snippet scores only.
    """

    pages: tuple[PageScore, ...]

    def mean(self, metric: str) -> float:
        """Return the mean of one of `METRICS` over the pages with a gold text; NaN if there are none.

        Raises
        ------
        InputError
            If there is no such metric.
        """
        values = self.values(metric)
        return math.fsum(values) / len(values) if values else math.nan

    def values(self, metric: str) -> list[float]:
        """Return one of `METRICS` for each page with a gold text, for comparisons in pairs.

        Raises
        ------
        InputError
            If there is no such metric.
        """
        if metric not in METRICS:
            raise InputError(f"unknown metric {metric!r}: there are {', '.join(METRICS)}")
        return [getattr(page, metric) for page in self.pages if page.has_text]

    def summary(self) -> GroupScores:
        """Return the mean scores of all pages, as a group named ``"all"``."""
        return self._group("all")

    def by(self, key: str) -> list[GroupScores]:
        """Return the mean scores by one of `KEYS`, sorted by group.

        Parameters
        ----------
        key : str
            ``"corpus"``, ``"lang"`` or ``"page_type"``.

        Raises
        ------
        InputError
            If the key is not one of `KEYS`.
        """
        if key not in KEYS:
            raise InputError(f"cannot group by {key!r}: there are {', '.join(KEYS)}")
        groups: defaultdict[str, list[PageScore]] = defaultdict(list)
        for page in self.pages:
            groups[getattr(page, key) or "unknown"].append(page)
        return [Evaluation(tuple(pages))._group(group) for group, pages in sorted(groups.items())]

    def _group(self, group: str) -> GroupScores:
        values = self.values("f1")
        interval = metrics.confidence_interval(values) if values else None
        means = {metric: self.mean(metric) if interval else None for metric in METRICS}
        return GroupScores(
            group=group,
            pages=len(self.pages),
            text_pages=len(values),
            errors=sum(page.error is not None for page in self.pages),
            **means,
            f1_low=interval.low if interval else None,
            f1_high=interval.high if interval else None,
            snippets=self.snippets(),
        )

    def worst(self, n: int = 10) -> list[PageScore]:
        """Return the `n` pages of lowest F1, the worst first; pages without a gold text are left out."""
        return _lowest([(page.f1, page) for page in self.pages if page.f1 is not None], n)

    def worst_by_snippets(self, n: int = 10) -> list[PageScore]:
        """Return the `n` pages of lowest snippet F1 among those without a gold text, the worst first."""
        with_snippets = [(page.snippets, page) for page in self.pages if page.snippets is not None]
        return _lowest([(snippets.f1, page) for snippets, page in with_snippets if not page.has_text], n)

    def snippets(self) -> metrics.SnippetScores | None:
        """Return the summed snippet counts of all pages; their scores are pooled, not means over pages."""
        found = [page.snippets for page in self.pages if page.snippets is not None]
        return sum(found, metrics.SnippetScores()) if found else None

    def to_dict(self, *, pages: bool = False, worst: int = 10) -> dict[str, Any]:
        """Return the scores as plain values that JSON can hold.

        Parameters
        ----------
        pages : bool
            Add the scores of every page under ``"pages"``.
        worst : int
            Number of pages under ``"worst"``, and under ``"worst_by_snippets"``.
        """
        result: dict[str, Any] = {
            "all": self.summary().to_dict(),
            "by": {key: [row.to_dict() for row in self.by(key)] for key in KEYS},
            "worst": [page.to_dict() for page in self.worst(worst)],
            "worst_by_snippets": [page.to_dict() for page in self.worst_by_snippets(worst)],
        }
        if pages:
            result["pages"] = [page.to_dict() for page in self.pages]
        return result


def score_page(text: str, page: LabelledPage, *, error: str | None = None) -> PageScore:
    """Return the scores of an extracted text against the gold of its page.

    Parameters
    ----------
    text : str
        The extraction.
    page : LabelledPage
        The page with its gold text, its snippets, or both.
    error : str, optional
        Why the extraction failed.
    """
    predicted = tokenize(text)
    gold = None if page.text is None else tokenize(page.text)
    words = None if gold is None else asdict(metrics.word_scores(predicted, gold))
    return PageScore(
        id=page.id,
        corpus=page.corpus,
        lang=page.lang,
        page_type=page.page_type,
        **(words or dict.fromkeys(("precision", "recall", "f1"))),
        cosine=None if gold is None else metrics.cosine_length_ratio(predicted, gold),
        snippets=metrics.snippet_scores(text, page.present, page.absent) if page.present or page.absent else None,
        words_predicted=len(predicted),
        words_gold=len(gold or ()),
        error=error,
    )


def evaluate(extract: Callable[[LabelledPage], str], pages: Iterable[LabelledPage]) -> Evaluation:
    """Run an extractor over labelled pages and score what it returns.

    Parameters
    ----------
    extract : callable
        Takes a page and returns its text. If it raises, the text counts as empty and the error is kept.
    pages : iterable of LabelledPage
        Iterated over once.

    Returns
    -------
    Evaluation
        With one score for each page, in their order. For extractions that were made elsewhere, such as in parallel,
        build ``Evaluation(tuple(...))`` of what `score_page` returns.
    """
    return Evaluation(tuple(_evaluated(extract, page) for page in pages))


def _evaluated(extract: Callable[[LabelledPage], str], page: LabelledPage) -> PageScore:
    try:
        text = extract(page)
    except Exception as error:  # any failure of any extractor, peers included, is a result
        _logger.warning("%s: %s: %s", page.id, type(error).__name__, error)
        return score_page("", page, error=f"{type(error).__name__}: {error}")
    return score_page(text or "", page)  # some peers return None where they find nothing


def _lowest(scored: list[tuple[float, PageScore]], n: int) -> list[PageScore]:
    """Return the pages with the lowest scores; ties by corpus and id."""
    ordered = sorted(scored, key=lambda item: (item[0], item[1].corpus, item[1].id))
    return [page for _, page in ordered[: max(n, 0)]]


def _snippets_to_dict(snippets: metrics.SnippetScores | None) -> dict[str, Any] | None:
    if snippets is None:
        return None
    scores = {name: getattr(snippets, name) for name in ("precision", "recall", "f1", "accuracy")}
    return {**asdict(snippets), **scores}


def _scored(extractor: Extractor, page: LabelledPage) -> PageScore:
    """Extract one page and score it, in any process."""
    extraction = extractor.extract_document(Document(id=page.id, data=page.html, url=page.url))
    return score_page(extraction.text, page, error=extraction.error)


def _failed(page: LabelledPage, reason: str) -> PageScore:
    return score_page("", page, error=reason)


def score_model(
    extractor: Extractor, pages: Iterable[LabelledPage], *, jobs: int = 1, on_page: Callable[[int], None] | None = None
) -> Evaluation:
    """Extract and score labelled pages; a page that fails counts as empty text and keeps its error.

    The pages' languages are identified, as in normal use, not taken from the corpus.
    """
    scores = []
    done = in_order(partial(_scored, extractor), pages, jobs=jobs, failure=_failed)
    for number, (_, score) in enumerate(done, start=1):
        scores.append(score)
        if on_page is not None:
            on_page(number)
    return Evaluation(tuple(scores))
