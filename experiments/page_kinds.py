"""Kinds of pages: fit the classifier, and print the confusion table of experiments/results/kinds.md.

Usage::

    python -m experiments.page_kinds fit --output blockfeat/extraction/page_kind.json
    python -m experiments.page_kinds table [--every 4]
    python -m experiments.page_kinds held-out [--every 4]

Pages are those of `wcxb-dev` by their kind, of `andy`, `xmu`, `harvest` and `lists`, and pages made from articles of
other corpora (`experiments.made_pages`): as they are, with a consent banner, and with a front page, a wall, a stub or
an error text in place of the main text. The classifier of the table is fitted five times, each without the hosts that
it is measured on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from blockfeat._files import bundled_json
from blockfeat.data import LabelledPage, read_corpus
from blockfeat.data.split import folds_by_host
from blockfeat.extraction.extractor import Extractor
from blockfeat.extraction.page_kind import LEARNT, KindWeights, kind_measures
from blockfeat.extraction.signs import signs_of
from blockfeat.extraction.walls import KINDS, PageEvidence, consent_begins, refusal
from blockfeat.page.page import Page
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.corpora import Corpora
from experiments.made_pages import MADE, PageMaker, bare_page, held_out_pages
from experiments.needs import check_needs

__all__ = ["KIND_MEASURES", "SeenPage", "fit_weights", "main", "seen_pages"]

SOURCES = {"fundus": 1, "daniel": 4, "l3s-gn1": 6, "dragnet": 8, "newspaper4k": 1}
"""Corpora whose articles pages are made of; of each, every n-th page."""
_TYPED = ("wcxb-dev", "andy", "xmu", "harvest", "lists")
_FOLDS = 5
_DECAY = 1e-3
_MADE_WEIGHT = 0.5
KIND_MEASURES = tuple(bundled_json("blockfeat.extraction", "page_kind.json")["measures"])
"""Names of the measures, in their order; a new one is added to the file, with any numbers, before it is fitted."""
_DECLARED = slice(KIND_MEASURES.index("declared article"), KIND_MEASURES.index("made by documentation") + 1)
_ADDRESS = KIND_MEASURES.index("address")
_WANTED = {"article": "article", "article with banner": "article", "bare error page": "error page"}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SeenPage:
    """A page as the classifier sees it.

    Attributes
    ----------
    group : str
        What it was made to be, or its type in the corpus.
    wanted : str
        Its kind.
    is_made : bool
        Whether it is one of `experiments.made_pages`.
    by_rule : str or None
        The kind that rules find.
    measures : float array
        See `blockfeat.extraction.page_kind`.
    source : LabelledPage
        The page of a corpus that it is, or is made of.
    """

    group: str
    wanted: str
    is_made: bool
    by_rule: str | None
    measures: Floats
    source: LabelledPage


def seen_pages(corpora: Corpora) -> Iterator[SeenPage]:
    """Yield the pages of the typed corpus, and those that are made of articles."""
    extractor = Extractor.load("default")
    for page in (page for name in _TYPED for page in corpora.sample(corpora.pages(name))):
        is_root = bool(page.url) and urlsplit(page.url or "").path.strip("/") == ""
        kind = "article" if page.page_type in (None, "article") else "front page" if is_root else "other"
        group = f"{page.page_type or 'article'}{', start page of a host' if kind == 'front page' else ''}"
        group = group if page.corpus == _TYPED[0] else f"{page.corpus}: {group}"
        yield from _seen(extractor, page.html, page.url, (group, kind), page, is_made=False)
    articles = _articles(corpora)
    maker = PageMaker.of(articles)
    for seed, page in enumerate(articles):
        for made in maker.make(page, seed=seed):
            labels = f"made: {made.kind}", _WANTED.get(made.kind, made.kind)
            yield from _seen(extractor, made.html, made.url, labels, page, is_made=True)


def _articles(corpora: Corpora) -> list[LabelledPage]:
    """Return the articles that pages are made of."""
    return [
        page
        for name, every in SOURCES.items()
        for page in corpora.sample(list(read_corpus(corpora.folder / f"{name}.jsonl.xz"))[::every])
        if page.text
    ]


def held_out_table(corpora: Corpora) -> str:
    """Return as Markdown how often the pages of `held_out_pages` are recognised, bare and within other sites' pages."""
    extractor = Extractor.load("default")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in held_out_pages():
        if one["kind"] != "paywall stub":
            counts[one["kind"]][extractor.extract(bare_page(one)).kind] += 1
    articles = _articles(corpora)
    maker = PageMaker.of(articles)
    for seed, page in enumerate(articles):
        for made in maker.held_out(page, seed=seed):
            name = made.kind.removeprefix("held out ")
            counts[f"{name}, within a site"][extractor.extract(made.html, url=made.url).kind] += 1
    rows = []
    for group, found in sorted(counts.items()):
        right = found[group.split(",")[0]]
        cells = [str(found[kind] or "") for kind in KINDS[:8]]
        rows.append([group, str(found.total()), *cells, f"{right / found.total():.3f}"])
    return markdown_table(("page", "pages", *KINDS[:8], "right"), rows)


def _seen(
    extractor: Extractor, html: str, url: str | None, labels: tuple[str, str], source: LabelledPage, *, is_made: bool
) -> Iterator[SeenPage]:
    page = Page.parse(html, url=url)
    measured = extractor.measurer.measure(page)
    found = extractor.model.predict(measured)
    consent = consent_begins()
    evidence = PageEvidence(
        measured.blocks,
        found,
        page,
        signs=signs_of(measured.blocks, found.kept, found.log_odds, consent),
        title=page.title,
    )
    if not len(measured.blocks):
        return
    values = np.array(kind_measures(measured.blocks, found.kept, found.scores, url))
    if labels[1] == "front page" and is_made:
        # What it says of itself is still that of the article that it is made of.
        values[_DECLARED] = 0.0
    yield SeenPage(*labels, is_made, refusal(evidence), values, source)


def document_of(found: KindWeights) -> dict[str, object]:
    """Return a classifier as plain values that JSON can hold, by the names of measures and kinds."""
    rows = zip(found.mean.tolist(), found.scale.tolist(), found.weights.tolist(), strict=True)
    measures = {
        name: {
            "mean": round(mean, 4),
            "scale": round(scale, 4),
            **{kind: round(one, 4) for kind, one in zip(LEARNT, weights, strict=True)},
        }
        for name, (mean, scale, weights) in zip(KIND_MEASURES, rows, strict=True)
    }
    return {"bias": dict(zip(LEARNT, found.bias.round(4).tolist(), strict=True)), "measures": measures}


def fit_weights(pages: Iterable[SeenPage]) -> KindWeights:
    """Fit the classifier on pages of its kinds, each with its address and without."""
    chosen = [page for page in pages if page.wanted in LEARNT]
    values = np.array([page.measures for page in chosen])
    without = values.copy()
    without[:, _ADDRESS:] = 0.0
    values = np.vstack((values, without))
    labels = np.tile([LEARNT.index(page.wanted) for page in chosen], 2)
    importance = np.tile([_MADE_WEIGHT if page.is_made else 1.0 for page in chosen], 2)
    importance /= importance.sum()
    mean, scale = values.mean(axis=0), values.std(axis=0) + 1e-6
    inputs = np.clip((values - mean) / scale, -KindWeights.MOST, KindWeights.MOST)
    targets = np.eye(len(LEARNT))[labels]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(-1, len(LEARNT))
        logits = inputs @ weights[:-1] + weights[-1]
        logits -= logits.max(axis=1, keepdims=True)
        chance = np.exp(logits)
        chance /= chance.sum(axis=1, keepdims=True)
        errors = (chance - targets) * importance[:, None]
        slope = np.vstack((inputs.T @ errors + _DECAY * weights[:-1], errors.sum(axis=0)))
        value = -(importance * np.log((chance * targets).sum(axis=1) + 1e-12)).sum()
        return float(value + _DECAY / 2 * (weights[:-1] ** 2).sum()), slope.ravel()

    found = minimize(loss, np.zeros((inputs.shape[1] + 1) * len(LEARNT)), jac=True, method="L-BFGS-B")
    weights = found.x.reshape(-1, len(LEARNT))
    return KindWeights(mean, scale, weights[:-1], weights[-1])


def _predicted(pages: Sequence[SeenPage]) -> Iterator[tuple[SeenPage, str, str]]:
    """Yield each page with its kind by address and text, and by text alone, from classifiers without its host."""
    of_host = defaultdict(list)
    for page in pages:
        of_host[page.source.host].append(page)
    sources = list({id(page.source): page.source for page in pages}.values())
    for training, test in folds_by_host(sources, _FOLDS):
        known, unknown = {id(page) for page in training}, {id(page) for page in test}
        weights = fit_weights(page for page in pages if id(page.source) in known)
        for page in pages:
            if id(page.source) in unknown:
                bare = page.measures.copy()
                bare[_ADDRESS:] = 0.0
                both = (LEARNT[int(weights.probabilities(values).argmax())] for values in (page.measures, bare))
                with_address, without = (page.by_rule or kind for kind in both)
                yield page, with_address, without


def table(pages: Sequence[SeenPage]) -> str:
    """Return the confusion table as Markdown: a row for each group, with the kinds found, and the share right."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    right: Counter[str] = Counter()
    wanted = {}
    for page, found, bare in _predicted(pages):
        counts[page.group][found] += 1
        right[page.group] += bare == page.wanted
        wanted[page.group] = page.wanted
    order = [*(f"made: {kind}" for kind in MADE), *sorted(group for group in counts if not group.startswith("made"))]
    rows = []
    for group in (name for name in order if name in counts):
        total = sum(counts[group].values())
        cells = [str(counts[group][kind] or "") for kind in KINDS[:8]]
        shares = [f"{number / total:.3f}" for number in (counts[group][wanted[group]], right[group])]
        rows.append([group, str(total), *cells, wanted[group], *shares])
    return markdown_table(("page", "pages", *KINDS[:8], "wanted", "right", "right without address"), rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.page_kinds", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("what", choices=["fit", "table", "held-out"])
    Corpora.add_options(parser)
    parser.add_argument("--output", type=Path, help="file for the classifier")
    options = parser.parse_args(arguments)
    read = SOURCES if options.what == "held-out" else (*_TYPED, *SOURCES)
    check_needs(folder=options.corpora, corpora=list(read))
    corpora = Corpora.of_options(options)
    if options.what == "held-out":
        sys.stdout.write(held_out_table(corpora))
        return 0
    pages = list(seen_pages(corpora))
    if options.what == "table":
        sys.stdout.write(table(pages))
    else:
        text = json.dumps(document_of(fit_weights(pages)), indent=1) + "\n"
        (options.output.write_text(text, encoding="utf-8") if options.output else sys.stdout.write(text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
