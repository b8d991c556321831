"""What differences to the papers cost: Crunch's lists of links, adaptation's formulas, labels of Web2Text's leaves.

Command: python -m experiments.differences --pages 3 --of-site 8 --output experiments/results/differences.md

Nothing is trained but the adapted classifiers. Crunch: the settings of `crunch2003` with one thing as the paper has
it. Adaptation (Pasternack & Roth 2009, 6.2.4): from the bundled `mss-supervised`, with one formula as it is printed.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from blockfeat.data import LabelledPage
from blockfeat.errors import BlockfeatError
from blockfeat.extraction.extractor import Extractor
from blockfeat.lang.identify import Identifier
from blockfeat.models.store import load_model
from blockfeat.papers.crunch.model import CrunchModel
from blockfeat.papers.mss.classifier import TokenClassifier
from blockfeat.papers.mss.model import TokenModel
from blockfeat.papers.web2text.leaves import leaf_measurer
from blockfeat.papers.web2text.trainer import LeafPageLabeller
from blockfeat.training.evaluation.evaluate import score_page
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.examples import LabelOptions
from experiments.corpora import NEWS, Corpora
from experiments.mss import adapt
from experiments.mss.counts import folds_and_sites
from experiments.mss.sites import adapted_scores
from experiments.needs import check_needs
from experiments.searches import interval

__all__ = ["main"]

Floats = NDArray[np.float64]
_SEED = 1
_logger = logging.getLogger(__name__)


def _some(pages: Sequence[LabelledPage], most: int) -> list[LabelledPage]:
    order = np.random.default_rng(_SEED).permutation(len(pages))[:most].tolist()
    return [pages[place] for place in order]


def _rows(scores: dict[str, list[float]]) -> list[list[str]]:
    """Return a row for each change: its mean, and what it gains on the first, which is as the package does."""
    usual = next(iter(scores.values()))
    rows = []
    for name, own in scores.items():
        gains = [one - other for one, other in zip(own, usual, strict=True)]
        low, high = interval(gains) if any(gains) else (0.0, 0.0)
        rows.append([name, f"{fmean(own):.3f}", f"{fmean(gains):+.3f}", f"{low:+.3f} to {high:+.3f}"])
    return rows


def crunch_rows(pages: Sequence[LabelledPage]) -> list[list[str]]:
    """Return word F1 of what is left by Crunch."""
    usual = Extractor.load("crunch2003").model
    assert isinstance(usual, CrunchModel)
    lists = usual.settings.link_lists
    changed = {
        "crunch2003": lists,
        "lists of links in table cells alone": replace(lists, containers=()),
        "a list from one link on": replace(lists, least_links=1),
        "both": replace(lists, containers=(), least_links=1),
        "no lists removed": replace(lists, remove=False),
    }
    scores = {}
    for name, own in changed.items():
        model = replace(usual, settings=replace(usual.settings, link_lists=own))
        extractor = Extractor.of(model).with_options(rules=False)
        found = [score_page(extractor.extract(page.html, url=page.url).text, page).f1 for page in pages]
        scores[name] = [score or 0.0 for score in found]
        _logger.info("Crunch: %s", name)
    return _rows(scores)


_CONFIDENCE = adapt.confidence


def _printed_confidence(probabilities: Floats, run: tuple[int, int], window: int) -> float:
    """Return the n-th root of the product around the borders, n the tokens of the page."""
    count, (first, end) = max(probabilities.size, 1), run
    factors = 2 * min(window, end - first) + min(window, first) + min(window, count - end)
    return float(_CONFIDENCE(probabilities, run, window) ** (factors / count)) if end > first else 0.0


def _printed_weights(count: int, run: tuple[int, int], distance: int) -> Floats:
    """Return the terms of the sum in 6.2.4 as it is printed: Max, and divided by d twice."""
    place = np.arange(count)
    to_border = np.minimum(np.abs(place - (run[0] - 0.5)), np.abs(place - (run[1] - 0.5))) / distance
    return np.asarray((distance - np.maximum(distance, to_border - 0.5)) / distance)


def _summed(keys: Any, grams: Any, runs: Any, distance: int) -> Floats:
    """Return the sum of the border weights of each gram, not their mean."""
    weights = [adapt.border_weights(page.size, run, distance) for page, run in zip(grams, runs, strict=True)]
    place = np.searchsorted(keys, np.concatenate(list(grams)))
    return np.asarray(np.bincount(place, weights=np.concatenate(weights), minlength=keys.size), dtype=np.float64)


def _unsigned(classifier: TokenClassifier, page: Any) -> Floats:
    """Return scores with p · 0.5 in place of p - 0.5: none is below 0."""
    return np.asarray(classifier.probabilities(page) * 0.5)


def adaptation_rows(sites: Sequence[Sequence[LabelledPage]]) -> list[list[str]]:
    """Return F1 of the runs of token models that are adapted to a site, a model for each."""
    start = load_model("mss-supervised")
    assert isinstance(start, TokenModel)
    assert start.classifier is not None
    changed: dict[str, Callable[[], AbstractContextManager[Any]]] = {
        "as `blockfeat adapt`": nullcontext,
        "confidence: n-th root, n of the page": lambda: patch.object(adapt, "confidence", _printed_confidence),
        "importance: `Max`, divided by d twice": lambda: patch.object(adapt, "border_weights", _printed_weights),
        "importance: the sum": lambda: patch.object(adapt, "importance_of", _summed),
        "score: (p · 0.5)(m · c + 1)": lambda: patch.object(TokenClassifier, "scores", _unsigned),
    }
    scores = {}
    for name, patched in changed.items():
        with patched():
            found = [adapted_scores(start.classifier, pages, name) for pages in sites]
        scores[name] = [fmean(score.short for score in own) if own else 0.0 for own in found]
        _logger.info("adaptation: %s", name)
    return _rows(scores)


def leaf_rows(pages: Sequence[LabelledPage]) -> list[list[str]]:
    """Return how many leaves have another label at two thirds than at one half, and what else tells them apart."""
    measurer = leaf_measurer(Identifier.build(), ())
    ways = {
        "half of its words": LeafPageLabeller(measurer, LabelOptions(), 0.5),
        "two thirds of its words": LeafPageLabeller(measurer, LabelOptions(), 2 / 3),
        "half, headline and byline are no content": LeafPageLabeller(measurer, LabelOptions()),
    }
    labels: dict[str, list[NDArray[np.bool_]]] = {name: [] for name in ways}
    for page in pages:
        try:
            found = {name: label(page) for name, label in ways.items()}
        except BlockfeatError:
            continue
        for name, leaves in found.items():
            labels[name].append(np.asarray(leaves.labels))
    usual = labels["half of its words"]
    return [
        [
            name,
            f"{fmean(page.mean() for page in own):.3f}",
            f"{fmean((page != other).mean() for page, other in zip(own, usual, strict=True)):.4f}",
        ]
        for name, own in labels.items()
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.differences", description=(__doc__ or "").split("\n")[0]
    )
    Corpora.add_options(parser)
    parser.add_argument("--pages", type=int, default=40, help="most pages of a corpus")
    parser.add_argument("--of-site", type=int, default=24, help="most pages of a site")
    parser.add_argument("--output", type=Path, help="file to write; standard output by default")
    options = parser.parse_args(arguments)
    check_needs(folder=options.corpora, corpora=NEWS)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    corpora = Corpora.of_options(options)
    by_corpus = [corpora.pages(name) for name in NEWS]
    pages = [page for own in by_corpus for page in _some(own, options.pages)]
    _, by_site = folds_and_sites([page for own in by_corpus for page in own])
    sites = [_some(own, options.of_site) for own in by_site.values()]
    heads = ["changed", "F1", "gain", "interval of 95 %"]
    page = _PAGE.format(
        most=options.pages,
        of_site=options.of_site,
        pages=len(pages),
        crunch=markdown_table(heads, crunch_rows(pages)),
        leaves=markdown_table(["label of a leaf", "content", "other label than half"], leaf_rows(pages)),
        sites=len(sites),
        adaptation=markdown_table(heads, adaptation_rows(sites)),
    )
    if options.output is None:
        sys.stdout.write(page)
    else:
        options.output.write_text(page, encoding="utf-8")
    return 0


_PAGE = """# What differences to the papers cost

`python -m experiments.differences --pages {most} --of-site {of_site} --output experiments/results/differences.md`

## Crunch 2003

Word F1 of what is left of {pages} pages of seven corpora; gains paired by page:

{crunch}

## Web2Text 2018

Share of the leaves of a page that are content, and that have another label than by half of their words:

{leaves}

## Pasternack and Roth 2009

F1 of token models adapted to {sites} sites, {of_site} pages of each at most, from `mss-supervised`; paired by site:

{adaptation}
"""


if __name__ == "__main__":
    sys.exit(main())
