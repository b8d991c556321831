"""Calibrate the confidence of extractions, and print the reliability table of experiments/results/kinds.md.

Usage::

    python -m experiments.expected_f1 fit --output blockfeat/extraction/confidence.json
    python -m experiments.expected_f1 table

For the sequence model, each page is extracted by the model of `tools/left_out` that saw no page of its corpus, nor of
its publishers (`experiments.nested_folds`). The other kinds are those bundled, which have few numbers and saw the
development corpora; of them every third page is taken. Pages whose gold is known to be wrong are left out. Rows of the
table come from a calibration without the corpus that they are about.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities
from blockfeat.data import LabelledPage, read_page_list, without_listed
from blockfeat.extraction.extractor import Extractor
from blockfeat.extraction.page_kind import CONFIDENCE_MEASURES, confidence_measures
from blockfeat.training.evaluation.evaluate import score_page
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.corpora import CLEANEVAL, CUT_SHORT, DEVELOPMENT, WRONG_GOLD, Corpora
from experiments.left_out import left_out_models
from experiments.needs import check_needs

__all__ = ["Outcome", "calibrate", "main", "table"]

OTHERS = ("thresholds", "margin", "mss-supervised", "web2text")
"""Bundled models of the other kinds."""
_EVERY_OF_OTHERS = 3
_RIGHT = tuple(name for name in DEVELOPMENT if name != CUT_SHORT)
# Chosen on families left out: pages of another kind than those seen were told too low with less.
_DECAY, _STEPS, _CLIPPED = 3e-2, 40, 0.05
_PARTS = 10
_SURE, _BAD = 0.9, 0.7
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """What was measured of an extraction, and its word F1; the kind of the model, and the page's corpus."""

    kind: str
    corpus: str
    measures: Sequence[float]
    f1: float


def outcomes(corpora: Corpora) -> Iterator[Outcome]:
    """Yield the extractions of the sequence models that left a corpus out, and of the other kinds."""
    right = without_listed([page for name in _RIGHT for page in corpora.pages(name)], read_page_list(WRONG_GOLD))
    pages = [page for name in _RIGHT for page in corpora.sample([one for one in right if one.corpus == name])]
    unseen = corpora.sample(corpora.pages(CLEANEVAL[1]))
    for corpus, model in left_out_models().items():
        yield from _outcomes(Extractor.of(model), [page for page in (*pages, *unseen) if page.corpus == corpus])
    for name in OTHERS:
        yield from _outcomes(Extractor.load(name), [*pages, *unseen][::_EVERY_OF_OTHERS])


def _outcomes(extractor: Extractor, pages: Sequence[LabelledPage]) -> Iterator[Outcome]:
    kind = extractor.model.kind
    for labelled in pages:
        extraction = extractor.extract(labelled.html, url=labelled.url)
        f1, found = score_page(extraction.text, labelled).f1, extraction.analysis
        if found is None or f1 is None:
            continue
        words, (_, chances) = found.measured.blocks.measures.words, found.evidence.kind
        scores, kept, is_found = found.prediction.scores, found.prediction.kept, found.choice.is_found
        measures = confidence_measures(kind, scores, kept, words, chances, is_found=is_found)
        if measures is not None:
            yield Outcome(kind, labelled.corpus, measures, f1)


def calibrate(found: Sequence[Outcome]) -> dict[str, float]:
    """Fit a logistic regression of F1 on the measures (Newton's method); measures are clipped to what was seen."""
    values = np.array([outcome.measures for outcome in found])
    low, high = np.quantile(values, (_CLIPPED, 1 - _CLIPPED), axis=0)
    is_flag = np.isin(values, (0, 1)).all(axis=0)
    low[is_flag], high[is_flag] = 0, 1
    values = np.clip(values, low, high)
    mean, scale = values.mean(axis=0), values.std(axis=0) + 1e-6
    inputs = np.column_stack(((values - mean) / scale, np.ones(len(values))))
    target = np.array([outcome.f1 for outcome in found])
    weights = np.zeros(inputs.shape[1])
    penalty = np.append(np.full(values.shape[1], _DECAY * len(found)), 0.0)
    for _ in range(_STEPS):
        chance = probabilities(inputs @ weights)
        slope = inputs.T @ (chance - target) + penalty * weights
        curve = (inputs * (chance * (1 - chance))[:, None]).T @ inputs + np.diag(penalty + 1e-9)
        weights -= np.linalg.solve(curve, slope)
    by_unit = weights[:-1] / scale
    return {
        "bias": round(float(weights[-1] - (by_unit * mean).sum()), 5),
        **{name: round(float(one), 5) for name, one in zip(CONFIDENCE_MEASURES, by_unit, strict=True)},
        **{f"least {name}": round(float(one), 5) for name, one in zip(CONFIDENCE_MEASURES, low, strict=True)},
        **{f"most {name}": round(float(one), 5) for name, one in zip(CONFIDENCE_MEASURES, high, strict=True)},
    }


def _expected(weights: dict[str, float], measures: Sequence[float]) -> float:
    terms = zip(CONFIDENCE_MEASURES, measures, strict=True)
    total = sum(weights[name] * min(max(one, weights[f"least {name}"]), weights[f"most {name}"]) for name, one in terms)
    return float(probabilities(np.array([weights["bias"] + total]))[0])


def table(found: Sequence[Outcome], kind: str) -> str:
    """Return the reliability table of a kind: for each tenth of the pages the mean confidence and the mean F1."""
    chosen = [outcome for outcome in found if outcome.kind == kind]
    pairs = []
    for corpus in dict.fromkeys(outcome.corpus for outcome in chosen):
        weights = calibrate([outcome for outcome in chosen if outcome.corpus != corpus])
        pairs += [(_expected(weights, one.measures), one.f1) for one in chosen if one.corpus == corpus]
    values = np.array(pairs)
    values = values[values[:, 0].argsort(kind="stable")]
    rows = []
    for part in np.array_split(values, _PARTS):
        bad = (part[:, 1] < _BAD).mean()
        bounds = f"{part[0, 0]:.2f} to {part[-1, 0]:.2f}"
        rows.append([bounds, len(part), *(f"{one:.3f}" for one in (*part.mean(axis=0), bad))])
    sure = values[values[:, 0] > _SURE]
    mistakes = 100 * float((sure[:, 1] < _BAD).mean()) if len(sure) else 0.0
    error = float(np.abs(values[:, 0] - values[:, 1]).mean())
    baseline = float(np.abs(values[:, 1] - values[:, 1].mean()).mean())
    related = float(np.asarray(np.corrcoef(values.T))[0, 1])
    ranks = values.argsort(axis=0).argsort(axis=0)
    ranked = float(np.asarray(np.corrcoef(ranks.T))[0, 1])
    head = ("confidence", "pages", "mean confidence", "mean F1", f"share of pages with F1 below {_BAD}")
    return (
        f"{markdown_table(head, [[str(cell) for cell in row] for row in rows])}\n"
        f"{len(values)} pages; mean absolute error {error:.3f} (of the mean F1 alone {baseline:.3f}); "
        f"correlation {related:.2f}, of ranks {ranked:.2f}. Of the {len(sure)} pages above {_SURE}, "
        f"{mistakes:.1f} % are below {_BAD}.\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    summary = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m experiments.expected_f1", description=summary)
    parser.add_argument("what", choices=["fit", "table"])
    Corpora.add_options(parser)
    parser.add_argument("--output", type=Path, help="file for the weights")
    options = parser.parse_args(arguments)
    check_needs(folder=options.corpora, corpora=[*_RIGHT, CLEANEVAL[1]])
    found = list(outcomes(Corpora.of_options(options)))
    kinds = list(dict.fromkeys(outcome.kind for outcome in found))
    if options.what == "table" or options.output is None:
        for kind in kinds:
            sys.stdout.write(f"### {kind}\n\n{table(found, kind)}\n")
    if options.what == "fit":
        weights = {kind: calibrate([outcome for outcome in found if outcome.kind == kind]) for kind in kinds}
        text = json.dumps(weights, indent=1) + "\n"
        (options.output.write_text(text, encoding="utf-8") if options.output else sys.stdout.write(text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
