"""Figure 2 of Pasternack & Roth (2009): F1 of the supervised system by the number of sources that it is trained on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from blockfeat.data.corpus import LabelledPage
from blockfeat.data.split import seeded_key
from blockfeat.page.page import Page
from blockfeat.papers.mss.page_tokens import PageTokens
from blockfeat.papers.mss.trainer import PAPER_TAGS, gold_run
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.mss.counts import FoldedCounts, Trained
from experiments.mss.scores import score_pages
from experiments.mss.study import Study
from experiments.mss.systems import (
    EQUAL_PRIORS,
    PAPER,
    PAPER_PENALTY,
    classifier_model,
    equal_priors_classifier,
    paper_classifier,
    simple_model,
)

__all__ = ["source_order", "sources_table"]

_STEPS = (1, 4, 16, 64, 256)
_MANY_DRAWS, _FEW_DRAWS = 5, 1
_UP_TO = 64  # sources that every draw goes up to; the first one goes on
_TEST_PAGES = 240
_TESTED_FOLD = 0


def source_order(hosts: Iterable[str], seed: int) -> list[str]:
    """Return hosts in an order that a hash of seed and host gives."""
    return sorted(hosts, key=lambda host: seeded_key(seed, host))


@dataclass(frozen=True, slots=True)
class Point:
    """Training pages, and mean F1 of both supervised systems."""

    pages: float
    paper: float
    equal_priors: float


def sources_table(study: Study) -> str:
    """Return the means over draws of sources, by their number."""
    everything = [page for pages in study.pages.values() for page in pages]
    tested = [page for page in everything if study.fold(page) == _TESTED_FOLD]
    tested = tested[:: max(1, len(tested) // _TEST_PAGES)]
    by_host: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in everything:
        if study.fold(page) != _TESTED_FOLD:
            by_host[page.host].append(page)
    points: dict[int, list[Point]] = defaultdict(list)
    for seed in range(1, _MANY_DRAWS + 1):
        steps = [step for step in _STEPS if step <= _UP_TO or seed <= _FEW_DRAWS]
        for step, point in _curve(source_order(by_host, seed), by_host, steps, tested, study.counts.paper.tags):
            points[step].append(point)
    paper = study.counts.paper
    points[len(by_host)] = [Point(paper.pages(_TESTED_FOLD), *_scores(paper.trained(_TESTED_FOLD), tested))]
    rows = []
    for step, found in points.items():
        f1 = fmean(point.paper for point in found), fmean(point.equal_priors for point in found)
        rows.append([f"{step:,}", f"{fmean(point.pages for point in found):,.0f}", *(f"{value:.3f}" for value in f1)])
    head = (
        f"{len(tested)} test pages of one fold; sources of the others in {_MANY_DRAWS} random orders up to {_UP_TO} "
        f"sources, in {_FEW_DRAWS} beyond. Simple with {-PAPER_PENALTY:g} has {_simple_f1(tested):.3f} on these pages."
    )
    return f"{head}\n\n" + markdown_table(("sources", "pages", PAPER, EQUAL_PRIORS), rows)


def _curve(
    order: Sequence[str],
    by_host: Mapping[str, Sequence[LabelledPage]],
    steps: Sequence[int],
    tested: Sequence[LabelledPage],
    tags: tuple[str, ...],
) -> Iterator[tuple[int, Point]]:
    """Yield the scores with the first 1, 4, … sources of an order; a step without a page that counts is left out."""
    counts, done, pages = FoldedCounts(tags), 0, 0
    for step in steps:
        for host in order[done:step]:
            pages += sum(_count(counts, page) for page in by_host[host])
        done = step
        if pages:
            yield step, Point(pages, *_scores(counts.trained(), tested))


def _count(counts: FoldedCounts, page: LabelledPage) -> bool:
    """Count a page that passes the filter of 5.1; return whether it does."""
    tokens = PageTokens.of(Page.parse(page.html).tags)
    run = gold_run(tokens, page.text or "", most_tags=PAPER_TAGS)
    if run is not None:
        counts.add(0, page, tokens, run)
    return run is not None


def _scores(trained: Trained, pages: Sequence[LabelledPage]) -> tuple[float, float]:
    systems = {
        PAPER: classifier_model(paper_classifier(trained)),
        EQUAL_PRIORS: classifier_model(equal_priors_classifier(trained)),
    }
    scores = list(score_pages(pages, lambda page: systems))
    first, second = ([score.short for score in scores if score.system == name] for name in systems)
    return fmean(first), fmean(second)


def _simple_f1(pages: Sequence[LabelledPage]) -> float:
    systems = {"simple": simple_model(PAPER_PENALTY)}
    return fmean(score.short for score in score_pages(pages, lambda page: systems))
