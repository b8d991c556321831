"""Tables 1 to 8 by source: every system, and the semi-supervised approach, on the sites with the most pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import TrainingError
from blockfeat.evaluation.markdown_table import markdown_table
from blockfeat.models.tokens.classifier import TokenClassifier
from blockfeat.models.tokens.model import TokenModel
from blockfeat.models.tokens.page_tokens import PageTokens
from blockfeat.page.page import Page
from blockfeat.training.bootstrapping import adapt_to_pages
from experiments.mss.counts import FOLDS
from experiments.mss.scores import Mean, PageScore, means, score_pages
from experiments.mss.study import Study
from experiments.mss.systems import BUNDLED, EQUAL_PRIORS, LONGEST, PAPER, PAPER_PENALTY, classifier_model, simple_name

__all__ = ["adapted_scores", "site_tables"]

_BASELINES = (LONGEST, simple_name(PAPER_PENALTY))
_SUPERVISED = (PAPER, EQUAL_PRIORS, BUNDLED)


def site_tables(study: Study) -> str:
    """Return a table a site, and one with the means."""
    scores = [*study.site_scores, *_semi_supervised(study)]
    by_site = means(scores, lambda score: score.page.host)
    overall = means(scores, lambda score: "all of them")
    parts = [_table(site, found) for site, found in by_site.items()]
    parts.append(_table("Mean of the sites", _mean_of_sites(list(by_site.values()))))
    parts.append(_table("All pages", overall["all of them"]))
    return "\n".join(parts)


def adapted_scores(classifier: TokenClassifier, pages: Sequence[LabelledPage], name: str) -> list[PageScore]:
    """Return the scores of a classifier that is adapted to pages, 60 % of each site; none where it finds no text."""
    tokens = [PageTokens.of(Page.parse(page.html).tags) for page in pages]
    try:
        adapted = adapt_to_pages(classifier, tokens, sites=[page.host for page in pages]).classifier
    except TrainingError:
        return []
    systems = {name: classifier_model(adapted)}
    return list(score_pages(pages, lambda page: systems))


def _semi_supervised(study: Study) -> list[PageScore]:
    """Return the scores of the semi-supervised approach, for each site alone and for all of them together."""
    systems = study.systems(FOLDS)
    together = [page for pages in study.sites.values() for page in pages]
    scores: list[PageScore] = []
    for name in _SUPERVISED:
        classifier = _classifier_of(systems[name])
        for pages in study.sites.values():
            scores += adapted_scores(classifier, pages, f"semi-supervised from {name}, one site")
        scores += adapted_scores(classifier, together, f"semi-supervised from {name}, all sites")
    return scores


def _classifier_of(model: TokenModel) -> TokenClassifier:
    if model.classifier is None:
        raise TrainingError(f"model {model.name!r} has no classifier to adapt")
    return model.classifier


def _is_shown(system: str) -> bool:
    return system in _BASELINES or system.startswith(_SUPERVISED) or system.startswith("semi-supervised")


def _mean_of_sites(sites: Sequence[dict[str, Mean]]) -> dict[str, Mean]:
    """Return the mean of the sites' means, of the systems that all of them have."""
    names = [name for name in sites[0] if all(name in site for site in sites)]

    def mean(name: str, value: Callable[[Mean], float]) -> float:
        return fmean(value(site[name]) for site in sites)

    return {
        name: Mean(
            sum(site[name].pages for site in sites),
            mean(name, lambda found: found.precision),
            mean(name, lambda found: found.recall),
            mean(name, lambda found: found.short),
            mean(name, lambda found: found.best),
        )
        for name in names
    }


def _table(title: str, found: dict[str, Mean]) -> str:
    rows = [[name, *mean.cells()[:-1]] for name, mean in found.items() if _is_shown(name)]
    return f"#### {title}\n\n" + markdown_table((title, "pages", "P", "R", "F1"), rows)
