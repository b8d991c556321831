"""Decoders over block scores: which score decodes best as one contiguous run, and where a run beats single labels.

The scores are those of the bundled thresholds, and those of a logistic regression over the eight features, fitted on
folds by host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import fit_logistic, probabilities
from blockfeat.data.align import align_words
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import ModelError
from blockfeat.extraction.extractor import measurer_for
from blockfeat.lang import tokenize
from blockfeat.models import load_model
from blockfeat.models.decoding import best_run, best_runs
from blockfeat.models.threshold import Margins, ThresholdModel
from blockfeat.page.page import Page
from blockfeat.training.evaluation.metrics import markdown_table, word_scores
from experiments.mss.counts import FOLDS
from experiments.mss.study import Study

__all__ = ["decoder_table"]

_CONTENT = 2 / 3
_RIDGE = 1.0
_MOST_LOG_ODDS = 30.0
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoredPage:
    """One page: its blocks' words, worst margins, features, labels, and the gold words."""

    fold: int
    words: Floats
    tokens: list[str]
    token_block: NDArray[np.intp]
    smallest: Floats
    matrix: Floats
    is_content: NDArray[np.bool_]
    gold: list[str]


def _measured(
    pages: Iterable[LabelledPage], model: ThresholdModel, fold_of: Callable[[LabelledPage], int]
) -> Iterator[ScoredPage]:
    """Measure pages with a gold text."""
    measurer = measurer_for(model)
    for page in pages:
        found = measurer.measure(Page.parse(page.html))
        measures = found.blocks.measures
        gold = tokenize(page.text or "")
        if not len(found.blocks):
            continue
        aligned = align_words(measures.tokens, gold)
        shared = np.bincount(measures.token_block[aligned >= 0], minlength=len(found.blocks))
        words = measures.words.astype(np.float64)
        yield ScoredPage(
            fold_of(page),
            words,
            measures.tokens,
            measures.token_block,
            model.feature_margins(found.matrix, found.lang).min(axis=1),
            np.column_stack((found.matrix, np.log1p(words))),
            shared >= _CONTENT * np.maximum(words, 1),
            gold,
        )


def _fitted(pages: Sequence[ScoredPage]) -> Callable[[Floats], Floats]:
    """Fit a logistic regression, blocks weighted by the root of their words."""
    matrix = np.concatenate([page.matrix for page in pages])
    label = np.concatenate([page.is_content for page in pages])
    weight = np.concatenate([np.sqrt(page.words / max(page.words.sum(), 1.0)) for page in pages])
    mean, spread = matrix.mean(axis=0), matrix.std(axis=0) + 1e-9

    def scaled(values: Floats) -> Floats:
        return np.column_stack((np.clip((values - mean) / spread, -5, 5), np.ones(values.shape[0])))

    weights = fit_logistic(scaled(matrix), label, weights=weight, ridge=_RIDGE, steps=15, limit=_MOST_LOG_ODDS)
    return lambda values: np.asarray(scaled(values) @ weights)


def _one_run(scores: Floats, runs: int = 1) -> NDArray[np.bool_]:
    """Return the labels of the best runs."""
    labels = np.zeros(scores.size, dtype=bool)
    for first, end in [best_run(scores)] if runs == 1 else best_runs(scores, runs):
        labels[first:end] = True
    return labels


def _decoders(margins: Margins) -> dict[str, Callable[[ScoredPage, Floats], NDArray[np.bool_]]]:
    """Return the decoders by name; each takes a page and the log odds of its blocks."""

    def soft(softness: float, penalty: float = 2.0) -> Callable[[ScoredPage, Floats], NDArray[np.bool_]]:
        return lambda page, odds: _one_run(np.clip(page.smallest / softness, -penalty, 1) * np.maximum(page.words, 1))

    def above_half(odds: Floats) -> Floats:
        return probabilities(odds, limit=_MOST_LOG_ODDS) - 0.5

    return {
        "margins: conjunction": lambda page, odds: page.smallest >= 0,
        "margins: run of signs, blocks count 1": lambda page, odds: _one_run(np.where(page.smallest >= 0, 1.0, -1.0)),
        "margins: run, sign × words": soft(0.001, 1.0),
        "margins: run, sign × words, penalty 2": soft(0.001),
        "margins: run, softness 0.05 × words": soft(0.05),
        "margins: run, softness 0.2 × words": soft(0.2),
        f"margins: run, the model's own ({margins.softness:.2f}, {margins.penalty:.1f})": soft(
            margins.softness, margins.penalty
        ),
        "margins: two runs, sign × words, penalty 2": lambda page, odds: _one_run(
            np.where(page.smallest >= 0, 1.0, -2.0) * np.maximum(page.words, 1), 2
        ),
        "probability: independent, from 0.5": lambda page, odds: odds >= 0,
        "probability: run, p - 0.5, blocks count 1": lambda page, odds: _one_run(above_half(odds)),
        "probability: run, (p - 0.5) × words": lambda page, odds: _one_run(above_half(odds) * page.words),
        "probability: run, log odds × words": lambda page, odds: _one_run(np.clip(odds, -6, 6) * page.words),
        "probability: run, log odds × √words": lambda page, odds: _one_run(np.clip(odds, -6, 6) * np.sqrt(page.words)),
    }


def decoder_table(study: Study) -> str:
    """Return the mean word F1 of every decoder by corpus."""
    model = load_model("thresholds")
    if not isinstance(model, ThresholdModel):
        raise ModelError(f"the bundled model 'thresholds' is of kind {type(model).__name__}")
    by_corpus = {
        name: list(_measured(study.corpora.sample(pages), model, study.fold)) for name, pages in study.pages.items()
    }
    everything = [page for found in by_corpus.values() for page in found]
    fitted = {fold: _fitted([page for page in everything if page.fold != fold]) for fold in range(FOLDS + 1)}
    rows = []
    for name, labels in _decoders(model.margins).items():
        means = [
            fmean(_f1(page, labels(page, fitted[page.fold](page.matrix))) for page in found)
            for found in by_corpus.values()
        ]
        rows.append([name, *(f"{mean:.3f}" for mean in (*means, fmean(means)))])
    return markdown_table(("decoder", *by_corpus, "mean"), rows)


def _f1(page: ScoredPage, kept: NDArray[np.bool_]) -> float:
    words = [page.tokens[token] for token in np.flatnonzero(kept[page.token_block]).tolist()]
    return word_scores(words, page.gold).f1
