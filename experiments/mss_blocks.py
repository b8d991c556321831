"""Decoders over block scores: which score decodes best as one contiguous run, and where a run beats single labels.

Usage: ``python tools/mss_blocks.py [--corpora FOLDER] [--every 1] [--output FILE]``, about four minutes on one core.
Prints the mean word F1 of decoders over block scores, by corpus: those of the bundled thresholds, and those of a
logistic regression over the eight features, fitted on folds by host.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import fit_logistic, probabilities
from blockfeat.data.align import align_words
from blockfeat.data.corpus import LabelledPage, read_corpus
from blockfeat.decode.runs import best_run, best_runs
from blockfeat.evaluation.markdown_table import markdown_table
from blockfeat.evaluation.metrics import word_scores
from blockfeat.extraction.extractor import measurer_for
from blockfeat.lang import tokenize
from blockfeat.models import load_model
from blockfeat.models.threshold.model import Margins, ThresholdModel
from blockfeat.page.page import Page
from experiments.mss_systems import FOLDS, fold_of

__all__ = ["main"]

CORPORA = ("cleanportaleval", "daniel", "dragnet", "fundus", "l3s-gn1", "newspaper4k", "wcxb-dev")
CONTENT = 2 / 3
_RIDGE = 1.0
_MOST_LOG_ODDS = 30.0
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measured:
    """One page: its blocks' words, worst margins, features, labels, and the gold words."""

    fold: int
    words: Floats
    tokens: list[str]
    token_block: NDArray[np.intp]
    smallest: Floats
    matrix: Floats
    is_content: NDArray[np.bool_]
    gold: list[str]


def measured(pages: Iterator[LabelledPage], model: ThresholdModel) -> Iterator[Measured]:
    """Measure pages with a gold text."""
    measurer = measurer_for(model)
    for page in pages:
        found = measurer.measure(Page.parse(page.html))
        measures = found.blocks.measures
        gold = tokenize(page.text or "")
        aligned = align_words(measures.tokens, gold)
        if not len(found.blocks):
            continue
        shared = np.bincount(measures.token_block[aligned >= 0], minlength=len(found.blocks))
        words = measures.words.astype(np.float64)
        yield Measured(
            fold_of(page),
            words,
            measures.tokens,
            measures.token_block,
            model.feature_margins(found.matrix, found.lang).min(axis=1),
            np.column_stack((found.matrix, np.log1p(words))),
            shared >= CONTENT * np.maximum(words, 1),
            gold,
        )


def fitted(pages: Sequence[Measured]) -> Callable[[Floats], Floats]:
    """Fit a logistic regression, blocks weighted by the root of their words."""
    matrix = np.concatenate([page.matrix for page in pages])
    label = np.concatenate([page.is_content for page in pages])
    weight = np.concatenate([np.sqrt(page.words / max(page.words.sum(), 1.0)) for page in pages])
    mean, spread = matrix.mean(axis=0), matrix.std(axis=0) + 1e-9

    def scaled(values: Floats) -> Floats:
        return np.column_stack((np.clip((values - mean) / spread, -5, 5), np.ones(values.shape[0])))

    weights = fit_logistic(scaled(matrix), label, weights=weight, ridge=_RIDGE, steps=15, limit=_MOST_LOG_ODDS)
    return lambda values: np.asarray(scaled(values) @ weights)


def one_run(scores: Floats, runs: int = 1) -> NDArray[np.bool_]:
    """Return the labels of the best runs."""
    labels = np.zeros(scores.size, dtype=bool)
    for first, end in [best_run(scores)] if runs == 1 else best_runs(scores, runs):
        labels[first:end] = True
    return labels


def decoders(margins: Margins) -> dict[str, Callable[[Measured, Floats], NDArray[np.bool_]]]:
    """Return the decoders by name; each takes a page and the log odds of its blocks."""

    def soft(softness: float, penalty: float = 2.0) -> Callable[[Measured, Floats], NDArray[np.bool_]]:
        return lambda page, odds: one_run(np.clip(page.smallest / softness, -penalty, 1) * np.maximum(page.words, 1))

    def above_half(odds: Floats) -> Floats:
        return probabilities(odds, limit=_MOST_LOG_ODDS) - 0.5

    return {
        "margins: conjunction": lambda page, odds: page.smallest >= 0,
        "margins: run of signs, blocks count 1": lambda page, odds: one_run(np.where(page.smallest >= 0, 1.0, -1.0)),
        "margins: run, sign × words": soft(0.001, 1.0),
        "margins: run, sign × words, penalty 2": soft(0.001),
        "margins: run, softness 0.05 × words": soft(0.05),
        "margins: run, softness 0.2 × words": soft(0.2),
        f"margins: run, the model's own ({margins.softness:.2f}, {margins.penalty:.1f})": soft(
            margins.softness, margins.penalty
        ),
        "margins: two runs, sign × words, penalty 2": lambda page, odds: one_run(
            np.where(page.smallest >= 0, 1.0, -2.0) * np.maximum(page.words, 1), 2
        ),
        "probability: independent, from 0.5": lambda page, odds: odds >= 0,
        "probability: run, p - 0.5, blocks count 1": lambda page, odds: one_run(above_half(odds)),
        "probability: run, (p - 0.5) × words": lambda page, odds: one_run(above_half(odds) * page.words),
        "probability: run, log odds × words": lambda page, odds: one_run(np.clip(odds, -6, 6) * page.words),
        "probability: run, log odds × √words": lambda page, odds: one_run(np.clip(odds, -6, 6) * np.sqrt(page.words)),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, decode, print a table."""
    parser = argparse.ArgumentParser(description="Decoders over block scores.")
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the corpora")
    parser.add_argument("--every", type=int, default=1, help="take each n-th page")
    parser.add_argument("--output", type=Path, help="file to write")
    options = parser.parse_args(arguments)
    model = load_model("thresholds")
    if not isinstance(model, ThresholdModel):
        raise SystemExit("the bundled model 'thresholds' is of another kind")
    by_corpus = {}
    for corpus in CORPORA:
        pages = [page for page in read_corpus(options.corpora / f"{corpus}.jsonl.xz") if page.text]
        by_corpus[corpus] = list(measured(iter(pages[:: options.every]), model))
    everything = [page for found in by_corpus.values() for page in found]
    models = {fold: fitted([page for page in everything if page.fold != fold]) for fold in range(FOLDS)}
    rows = []
    for name, labels in decoders(model.margins).items():
        row = []
        for found in by_corpus.values():
            scores = []
            for page in found:
                kept = labels(page, models[page.fold](page.matrix))
                taken = [page.tokens[token] for token in np.flatnonzero(kept[page.token_block]).tolist()]
                scores.append(word_scores(taken, page.gold).f1)
            row.append(float(np.mean(scores)))
        rows.append([name, *(f"{score:.3f}" for score in (*row, float(np.mean(row))))])
        print(rows[-1], flush=True)
    table = markdown_table(["decoder", *CORPORA, "mean"], rows)
    if options.output:
        options.output.write_text(table, encoding="utf-8")
    print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
