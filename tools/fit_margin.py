"""Train the margin model on what ``tools/train_default.py prepare`` wrote, or without some pages, to test on them.

Usage::

    python tools/fit_margin.py fit --prepared /tmp/acc --output blockfeat/models/bundled/margin.json
    python tools/fit_margin.py leave-out --prepared /tmp/acc --corpora daniel
    python tools/fit_margin.py split --prepared /tmp/acc

``split`` leaves out every fourth host of all corpora, as ``tools/fit_default.py split`` does. Pages without their
content are neither trained nor tested on.
"""

from __future__ import annotations

import json
import logging
import sys
from collections import defaultdict
from collections.abc import Sequence
from importlib.metadata import version
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks import load_table
from blockfeat.models.margin.model import MarginModel
from blockfeat.training.margin_fit import MarginOptions, fit_margin
from blockfeat.training.margin_pages import MarginPage
from fit_default import Pages, command_parser, left_out_pages, page_score, write_results

__all__ = ["main"]

_OTHER_TYPES = 0.5


def page_of(pages: Pages, share: NDArray[np.float32], place: int) -> MarginPage:
    """Return a page to learn from; ``share`` is that of the blocks of all pages.

    The fitness counts what the labels say: a block of weight 0 has no words, and headlines and bylines are none of
    the gold's, whatever the convention of the corpus.
    """
    own, rows, record = pages.sequence(place), pages.rows(place), pages.records[place]
    found = share[rows]
    found = np.where(found < 0, own.label, np.where((found >= 0.5) == (own.label > 0), found, 0.0))
    return MarginPage(
        matrix=own.matrix,
        label=own.label,
        weight=own.weight,
        words=np.where(pages.weights[rows] > 0, pages.words[rows], 0).astype(np.float32),
        share=found.astype(np.float32),
        importance=1.0 if record["page_type"] in (None, "article") else _OTHER_TYPES,
    )


def train(pages: Pages, share: NDArray[np.float32], left_out: set[int], options: MarginOptions) -> MarginModel:
    """Train on all pages that may be trained on but some."""
    chosen = [
        place
        for place, record in enumerate(pages.records)
        if record["use"] and not record.get("emptied") and place not in left_out
    ]
    fit = fit_margin([page_of(pages, share, place) for place in chosen], options)
    logging.info("fitness %.4f at the start, %.4f at the end", fit.start, fit.fitness)
    record = {
        "corpora": sorted({pages.records[place]["corpus"] for place in chosen}),
        "pages": len(chosen),
        "seed": options.swarm.seed,
        "generations": fit.generations,
        "fitness": {"start": round(fit.start, 4), "end": round(fit.fitness, 4)},
        "blockfeat": version("blockfeat"),
        "command": "python tools/fit_margin.py fit",
    }
    terms = fit.parameters.terms(pages.names)
    bias = float(f"{fit.parameters.bias:.4g}")
    return MarginModel("margin", load_table("html5"), terms, bias, fit.parameters.transitions, record=record)


def report(model: MarginModel, pages: Pages, tested: set[int]) -> dict[str, Any]:
    """Score a model by corpus and by type of page: word F1, or snippet F1."""
    columns = [pages.names.index(name) for name in model.feature_names]
    by_corpus: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    per_page: dict[str, float] = {}
    for place in sorted(tested):
        record = pages.records[place]
        if not record.get("emptied"):
            kept = model.choose(model.scores(np.asarray(pages.matrix[pages.rows(place)])[:, columns]))
            score = page_score(record, kept)
            by_corpus[record["corpus"]][record["page_type"] or ""].append(score)
            per_page[f"{record['corpus']}/{record['id']}"] = score
    found: dict[str, Any] = {}
    for corpus, types in by_corpus.items():
        scores = [score for own in types.values() for score in own]
        by_type = {name: round(fmean(own), 4) for name, own in types.items()}
        found[corpus] = {"pages": len(scores), "f1": round(fmean(scores), 4), "by type": by_type}
        print(corpus, json.dumps(found[corpus]), flush=True)
    found["pages"] = per_page
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = command_parser(__doc__ or "")
    parser.add_argument("--features", type=int, default=MarginOptions().features)
    parser.add_argument("--rounds", type=int, default=MarginOptions().rounds, help="0 for the start alone")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    pages = Pages.load(options.prepared)
    left_out = left_out_pages(pages, options.corpora, by_host=options.command == "split")
    share = np.load(options.prepared / "share.npy")
    model = train(pages, share, left_out, MarginOptions(features=options.features, rounds=options.rounds))
    found = report(model, pages, left_out)
    write_results(options, model, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
