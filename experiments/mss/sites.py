"""Tables 1 to 8 by source: every system, and the semi-supervised approach, on the sites with the most pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import TrainingError
from blockfeat.page.page import Page
from blockfeat.papers.mss.classifier import TokenClassifier
from blockfeat.papers.mss.model import TokenModel
from blockfeat.papers.mss.page_tokens import PageTokens
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.mss.adapt import adapt_to_pages, without_rare
from experiments.mss.counts import FOLDS
from experiments.mss.scores import Mean, PageScore, means, score_pages
from experiments.mss.study import Study
from experiments.mss.systems import BUNDLED, EQUAL_PRIORS, LONGEST, PAPER, PAPER_PENALTY, classifier_model, simple_name

__all__ = ["adapted_scores", "site_tables"]

_BASELINES = (LONGEST, simple_name(PAPER_PENALTY))
_SUPERVISED = (PAPER, EQUAL_PRIORS, BUNDLED)
_SEMI_SUPERVISED = "semi-supervised"
_MEASURES: dict[str, Callable[[Mean], float]] = {
    "F1": lambda mean: mean.short,
    "Precision": lambda mean: mean.precision,
    "Recall": lambda mean: mean.recall,
}


def site_tables(study: Study) -> str:
    """Return F1, precision and recall of every system by site, with the means over sites and over pages."""
    scores = [*study.site_scores, *_semi_supervised(study)]
    by_site = means(scores, lambda score: score.page.host)
    overall = means(scores, lambda score: "all pages")["all pages"]
    pages = ", ".join(f"{site} {len(found)}" for site, found in study.sites.items())
    parts = [f"Pages: {pages}."]
    parts += [f"{title}:\n\n{_table(by_site, overall, value)}" for title, value in _MEASURES.items()]
    return "\n".join(parts)


def adapted_scores(classifier: TokenClassifier, pages: Sequence[LabelledPage], name: str) -> list[PageScore]:
    """Return the scores of a classifier that is adapted to pages, 60 % of each site; none where it finds no text."""
    tokens = [PageTokens.of(Page.parse(page.html).tags) for page in pages]
    try:
        adapted = adapt_to_pages(classifier, tokens, sites=[page.host for page in pages]).classifier
    except TrainingError:
        return []
    systems = {name: classifier_model(without_rare(adapted))}  # as `experiments.mss.adapt` keeps it
    return list(score_pages(pages, lambda page: systems))


def _semi_supervised(study: Study) -> list[PageScore]:
    """Return the scores of the semi-supervised approach, for each site alone and for all of them together."""
    systems = study.systems(FOLDS)
    together = [page for pages in study.sites.values() for page in pages]
    scores: list[PageScore] = []
    for name in _SUPERVISED:
        classifier = _classifier_of(systems[name])
        for pages in study.sites.values():
            scores += adapted_scores(classifier, pages, f"{_SEMI_SUPERVISED}, one site, from: {_start(name)}")
        scores += adapted_scores(classifier, together, f"{_SEMI_SUPERVISED}, all sites, from: {_start(name)}")
    return scores


def _start(system: str) -> str:
    """Return what is written of the system that the semi-supervised approach begins with."""
    return system.removeprefix("supervised, ")


def _classifier_of(model: TokenModel) -> TokenClassifier:
    if model.classifier is None:
        raise TrainingError(f"model {model.name!r} has no classifier to adapt")
    return model.classifier


def _is_shown(system: str) -> bool:
    return system in _BASELINES or system.startswith((*_SUPERVISED, _SEMI_SUPERVISED))


def _table(
    by_site: Mapping[str, Mapping[str, Mean]], overall: Mapping[str, Mean], value: Callable[[Mean], float]
) -> str:
    """Return a row a system; a dash where a classifier found no text of a site to adapt to."""
    rows = []
    for name in filter(_is_shown, overall):
        values = [value(site[name]) if name in site else None for site in by_site.values()]
        found = [one for one in values if one is not None]
        cells = [*values, fmean(found) if len(found) == len(values) else None, value(overall[name])]
        rows.append([name, *("–" if cell is None else f"{cell:.3f}" for cell in cells)])
    return markdown_table(("system", *by_site, "mean of sites", "all pages"), rows)
