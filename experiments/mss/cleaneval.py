"""The supervised systems on CleanEval, all of its test pages and those whose gold is an article (7.7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from blockfeat.data.align import align_words
from blockfeat.data.corpus import LabelledPage
from blockfeat.lang import tokenize
from blockfeat.models.decoding import best_run
from blockfeat.page.page import Page
from blockfeat.papers.mss.classifier import Scale
from blockfeat.papers.mss.model import TokenModel
from blockfeat.papers.mss.page_tokens import PageTokens
from blockfeat.training.evaluation.metrics import markdown_table, word_scores
from experiments.corpora import CLEANEVAL
from experiments.mss.extractions import alignment_score
from experiments.mss.study import Study
from experiments.mss.systems import (
    bundled_classifier,
    classifier_model,
    paper_classifier,
    predicted_words,
    simple_model,
)

__all__ = ["System", "clean_eval_table", "is_article", "page_scores", "tuned"]

_PAPER_BIAS = 0.14
_PARAGRAPHS, _SENTENCES, _PARAGRAPH_WORDS = 2, 8, 10
_CONTIGUOUS = 0.95
_SENTENCE_END = re.compile(r"[.!?…。]['\"”’)\]]*(?:\s|$)")
_BLANK_LINE = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class System:
    """A system with one value to tune.

    Attributes
    ----------
    name : str
        Name of the row.
    model_of : callable
        Returns the model with a value.
    values : tuple of float
        The values that are tried on the development pages; a single one is taken as it is.
    """

    name: str
    model_of: Callable[[float], TokenModel]
    values: tuple[float, ...]


def clean_eval_table(study: Study) -> str:
    """Return the scores of the systems on CleanEval's test pages, and on the articles among them."""
    development, test = (study.corpora.pages(name) for name in CLEANEVAL)
    articles = np.array([is_article(page) for page in test])
    rows = []
    for system in _systems(study):
        value = tuned(system, development)
        scores = np.array([page_scores(system.model_of(value), page) for page in test])
        for part, chosen in (("all", np.ones_like(articles)), ("articles", articles)):
            means = scores[chosen].mean(axis=0).tolist()
            rows.append([system.name, part, str(int(chosen.sum())), *(f"{mean:.3f}" for mean in means), f"{value:g}"])
    columns = ("system", "part", "pages", "text-only", "F1 of alignment", "P", "R", "F1", "bias or penalty")
    return markdown_table(columns, rows)


def is_article(page: LabelledPage) -> bool:
    """Return whether the gold text is one contiguous piece of prose with the paper's least length of a news article.

    That is two paragraphs of at least ten words and eight sentences (4.1), and a stretch of the page with at least
    95 % of the gold's words, of whose words at least 95 % are in the gold. The paper's authors looked at the pages.
    """
    text = page.text or ""
    paragraphs = sum(len(tokenize(part)) >= _PARAGRAPH_WORDS for part in _BLANK_LINE.split(text))
    if paragraphs < _PARAGRAPHS or len(_SENTENCE_END.findall(text)) < _SENTENCES:
        return False
    tokens = PageTokens.of(Page.parse(page.html).tags)
    gold = tokenize(text)
    place = align_words(tokens.texts(np.flatnonzero(tokens.is_word)), gold)
    first, end = best_run(np.where(place >= 0, 1.0, -1.0))
    aligned = int((place[first:end] >= 0).sum())
    return aligned >= _CONTIGUOUS * len(gold) and aligned >= _CONTIGUOUS * (end - first)


def tuned(system: System, development: Sequence[LabelledPage]) -> float:
    """Return the value with the best text-only score on the development pages."""
    if len(system.values) == 1:
        return system.values[0]

    def text_only(value: float) -> float:
        model = system.model_of(value)
        return fmean(page_scores(model, page)[0] for page in development)

    return max(system.values, key=text_only)


def page_scores(model: TokenModel, page: LabelledPage) -> tuple[float, ...]:
    """Return text-only score, F1 of the same alignment, precision, recall and F1 of bags of words."""
    words, gold = predicted_words(model, Page.parse(page.html).tags), tokenize(page.text or "")
    aligned = alignment_score(words, gold)
    scores = word_scores(words, gold)
    return aligned, 2 * aligned / (1 + aligned), scores.precision, scores.recall, scores.f1


def _systems(study: Study) -> list[System]:
    counts = study.counts
    unigrams, trigrams = counts.unigrams.trained(), counts.bundled.trained()

    def paper(bias: float) -> TokenModel:
        vocabulary, bayes = unigrams
        classifier = paper_classifier((vocabulary, replace(bayes, neighbours=True)), Scale(bias=bias))
        return classifier_model(classifier)

    def bundled(bias: float) -> TokenModel:
        return classifier_model(bundled_classifier(trigrams, bias))

    return [
        System("unigrams, neighbours, the paper's bias", paper, (_PAPER_BIAS,)),
        System("unigrams, neighbours, bias tuned", paper, (0.0, 0.05, 0.1, _PAPER_BIAS, 0.2, 0.25, 0.3, 0.35)),
        System("supervised, bundled", bundled, (0.0,)),
        System("supervised, bundled, bias tuned", bundled, (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)),
        System("simple, penalty tuned", simple_model, (0.5, 1.0, 1.5, 2.0, 3.25)),
    ]
