"""What a site profile changes: word F1 by corpus with the profile of 1, 3 and 10 other pages of the host, and without.

Usage::

    python -m experiments.site_profile
    python -m experiments.site_profile --list
    python -m experiments.site_profile --grid
    python -m experiments.site_profile --recipe margin
    python -m experiments.site_profile --speed

Each corpus is scored by the model of `tools/left_out` that saw no page of it nor of its publishers. The other pages are
the k behind a page in the order of the corpus, the first following the last; hosts with at most k pages are left out of
the row of k.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from statistics import fmean, median
from time import process_time
from typing import Any
from urllib.parse import urlsplit

from blockfeat.data import LabelledPage
from blockfeat.extraction.extractor import Extractor
from blockfeat.extraction.site_profile import MOST_PAGES, SiteProfile, SiteRule
from blockfeat.features.measuring import MeasuredPage
from blockfeat.models.model import Prediction
from blockfeat.page.page import Page
from blockfeat.page.urls import guess_host
from blockfeat.training.evaluation.evaluate import score_page
from blockfeat.training.evaluation.metrics import markdown_table, paired_difference
from experiments.corpora import CLEANEVAL, Corpora
from experiments.left_out import LEFT_OUT, left_out_models

__all__ = ["CORPORA", "Change", "changes_of", "main", "table"]

_logger = logging.getLogger(__name__)
CORPORA = ("cleanportaleval", "daniel", "fundus", CLEANEVAL[1], "wcxb-dev", "dragnet", "l3s-gn1")
"""Corpora with gold texts that have several pages of some hosts."""
_ADDRESSED = CORPORA[:5]
_OTHERS = (1, 3, 10)
_POINT = 0.01
_ROUNDS = 7
_GRID: tuple[Mapping[str, Any], ...] = (
    *({"cut": cut} for cut in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)),
    *({"copy_share": share} for share in (0.3, 0.5, 0.8, 2.0)),
    *({"least_words": words} for words in (1, 4, 8)),
    *({"most_lost": share} for share in (0.3, 0.5, 0.7, 1.0)),
)


@dataclass(frozen=True)
class Change:
    """Word F1 of a page without a profile and with one of so many other pages."""

    corpus: str
    id: str
    others: int
    without: float
    with_profile: float
    dropped: int


@dataclass(frozen=True)
class _Read:
    """A page of a host, measured and predicted."""

    labelled: LabelledPage
    page: Page
    measured: MeasuredPage
    prediction: Prediction


def host_of(page: LabelledPage) -> str | None:
    """Return the host of a page's address, or the site that the page names where its corpus gives no address."""
    if page.url is None:
        return guess_host(page.html)
    return (urlsplit(page.url).hostname or "").removeprefix("www.") or None


def by_host(pages: Iterable[LabelledPage]) -> dict[str, list[LabelledPage]]:
    """Return the hosts that have several pages."""
    found: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in pages:
        host = host_of(page)
        if host is not None and page.text:
            found[host].append(page)
    return {host: own for host, own in found.items() if len(own) > 1}


def changes_of(
    corpus: str, pages: Sequence[LabelledPage], extractor: Extractor, rules: Sequence[SiteRule]
) -> Iterator[tuple[SiteRule, Change]]:
    """Yield the changes of the pages of one host by each rule, for each number of others that it has."""
    read = [_read(page, extractor) for page in pages]
    before = [extractor.assemble(one.page, one.measured, one.prediction) for one in read]
    scores = [_f1(found.text, one.labelled) for found, one in zip(before, read, strict=True)]
    known = [{found.text: score} for found, score in zip(before, scores, strict=True)]
    for others, rule in product(_OTHERS, rules):
        for place, one in enumerate(read if others < len(pages) else []):
            profile = SiteProfile(rule=rule)
            for step in range(1, others + 1):
                profile = profile.add(before[(place + step) % len(pages)])
            found = extractor.with_site(profile).assemble(one.page, one.measured, one.prediction)
            if found.text not in known[place]:
                known[place][found.text] = _f1(found.text, one.labelled)
            score = known[place][found.text]
            yield rule, Change(corpus, one.labelled.id, others, scores[place], score, found.site_repeated or 0)


def _read(labelled: LabelledPage, extractor: Extractor) -> _Read:
    page = Page.parse(labelled.html, url=labelled.url, keep_drawings=extractor.model.table.reads_drawings)
    measured = extractor.measurer.measure(page)
    return _Read(labelled, page, measured, extractor.model.predict(measured))


def _f1(text: str, page: LabelledPage) -> float:
    found = score_page(text, page).f1
    assert found is not None  # pages without a gold text are left out
    return found


def table(changes: Sequence[Change]) -> str:
    """Return a Markdown table: a row for each number of other pages and corpus, and one for all pages of a number."""
    groups: dict[tuple[int, str], list[Change]] = defaultdict(list)
    for change in changes:
        groups[change.others, change.corpus].append(change)
    rows = []
    for others in _OTHERS:
        of_corpora = [(name, found) for (number, name), found in groups.items() if number == others]
        if not of_corpora:
            continue
        rows += [_row(others, name, found) for name, found in of_corpora]
        rows.append(_row(others, "all pages", [change for _, found in of_corpora for change in found]))
        means = [fmean(change.with_profile - change.without for change in found) for _, found in of_corpora]
        rows.append([str(others), "mean of the corpora", "", "", "", "", f"{100 * fmean(means):+.2f}", ""])
    head = ("other pages", "corpus", "pages", "touched", "without", "with", "points, 95 % interval")
    return markdown_table((*head, "better and worse by more than 1"), rows)


def _row(others: int, name: str, found: Sequence[Change]) -> list[str]:
    without, with_profile = ([getattr(one, part) for one in found] for part in ("without", "with_profile"))
    change = paired_difference(with_profile, without)
    gains = [after - before for after, before in zip(with_profile, without, strict=True)]
    means = [f"{100 * fmean(values):.2f}" for values in (without, with_profile)]
    interval = f"{100 * change.mean:+.2f} ({100 * change.low:+.2f} to {100 * change.high:+.2f})"
    touched = sum(one.dropped > 0 for one in found)
    return [str(others), name, str(len(found)), str(touched), *means, interval, _sides(gains)]


def _sides(gains: Sequence[float]) -> str:
    """Return how many pages gain and lose more than a point."""
    return f"{sum(gain > _POINT for gain in gains)} and {sum(gain < -_POINT for gain in gains)}"


def _grid_table(changes: Mapping[SiteRule, Sequence[Change]]) -> str:
    """Return a Markdown table: the mean gain of each rule over all pages, and those that gain and lose over a point."""
    rows = []
    for rule, found in changes.items():
        row = [f"{rule.cut:g}", f"{rule.copy_share:g}", str(rule.least_words), f"{rule.most_lost:g}"]
        for others in _OTHERS:
            gains = [one.with_profile - one.without for one in found if one.others == others]
            row += [f"{100 * fmean(gains or [0.0]):+.3f}", _sides(gains)]
        rows.append(row)
    parts = [part for others in _OTHERS for part in (f"points, {others} pages", "better and worse")]
    return markdown_table(("cut", "copy share", "least words", "most lost", *parts), rows)


def _listed(changes: Sequence[Change]) -> str:
    """Return a Markdown table of the pages that three others change by more than a point, the losses first."""
    found = [one for one in changes if one.others == _OTHERS[1] and abs(one.with_profile - one.without) > _POINT]
    found.sort(key=lambda one: one.with_profile - one.without)
    rows = [
        [one.corpus, one.id[:60], f"{100 * (one.with_profile - one.without):+.1f}", str(one.dropped)] for one in found
    ]
    return markdown_table(("corpus", "page", "points", "dropped blocks"), rows)


def speed(corpora: Corpora, extractor: Extractor) -> str:
    """Return the process time of a page with the profile of up to ten others as a ratio to that without, by rounds."""
    pages, extractors = [], []
    for name in _ADDRESSED:
        for own in by_host(corpora.pages(name)).values():
            if len(own) > _OTHERS[1]:
                profile = SiteProfile()
                for page in own[1 : MOST_PAGES + 1]:
                    profile = profile.add(extractor.extract(page.html, url=page.url))
                pages.append(own[0])
                extractors.append(extractor.with_site(profile))
    ratios = []
    for _ in range(_ROUNDS):
        seconds = [0.0, 0.0]
        for page, with_profile in zip(pages, extractors, strict=True):
            for place, one in enumerate((extractor, with_profile)):
                start = process_time()
                one.extract(page.html, url=page.url)
                seconds[place] += process_time() - start
        ratios.append(seconds[1] / seconds[0])
    rounds = ", ".join(f"{ratio:.3f}" for ratio in ratios)
    return f"{len(pages)} pages of as many hosts: median {median(ratios):.3f} of {rounds}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.site_profile", description=(__doc__ or "").split("\n")[0]
    )
    Corpora.add_options(parser)
    parser.add_argument("--models", type=Path, default=LEFT_OUT, help="folder of models that left corpora out")
    parser.add_argument("--recipe", default="default", help="the recipe of the models")
    parser.add_argument("--seed", type=int, default=1, help="their seed")
    parser.add_argument("--speed", action="store_true", help="process time with a profile, by the bundled model")
    parser.add_argument("--list", action="store_true", help="the pages that three others change by more than a point")
    parser.add_argument("--grid", action="store_true", help="the gain of other rules instead of the table")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    corpora = Corpora.of_options(options)
    if options.speed:
        sys.stdout.write(speed(corpora, Extractor.load(options.recipe)))
        return 0
    models = left_out_models(options.models, recipe=options.recipe, seed=options.seed)
    rules = [SiteRule()]
    if options.grid:
        usual = SiteRule()
        rules = list(dict.fromkeys(replace(usual, **change) for change in _GRID))
    found: dict[SiteRule, list[Change]] = defaultdict(list)
    for name in CORPORA:
        extractor = Extractor.of(models[name])
        for pages in list(by_host(corpora.pages(name)).values())[:: corpora.every]:
            for rule, change in changes_of(name, pages, extractor, rules):
                found[rule].append(change)
    show = _grid_table(found) if options.grid else (_listed if options.list else table)(found[rules[0]])
    sys.stdout.write(show)
    return 0


if __name__ == "__main__":
    sys.exit(main())
