"""What all sections of the page share: pages, folds, counts and the scores of the systems; computed when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from blockfeat.data.corpus import LabelledPage
from blockfeat.papers.mss.model import TokenModel
from experiments.corpora import NEWS, Corpora
from experiments.mss.counts import Counts, count_pages, folds_and_sites
from experiments.mss.scores import PageScore, score_pages
from experiments.mss.systems import systems

__all__ = ["Study"]


@dataclass(frozen=True)
class Study:
    """The experiments of one run.

    Attributes
    ----------
    corpora : Corpora
        Where the pages are, and which of them are scored; all are trained on.
    """

    corpora: Corpora

    @cached_property
    def pages(self) -> dict[str, list[LabelledPage]]:
        """The pages with a gold text, by corpus; CleanEval is not among them."""
        return {name: self.corpora.pages(name) for name in NEWS}

    @cached_property
    def _folds_and_sites(self) -> tuple[dict[tuple[str, str], int], dict[str, list[LabelledPage]]]:
        return folds_and_sites([page for found in self.pages.values() for page in found])

    @property
    def sites(self) -> dict[str, list[LabelledPage]]:
        """The pages of the large sites."""
        return self._folds_and_sites[1]

    def fold(self, page: LabelledPage) -> int:
        """Return the fold of a page."""
        return self._folds_and_sites[0][page.corpus, page.id]

    @cached_property
    def counts(self) -> Counts:
        """Counts of all pages by fold."""
        return count_pages((page for found in self.pages.values() for page in found), self._folds_and_sites[0])

    @cached_property
    def scores(self) -> list[PageScore]:
        """Scores of all systems on the sampled pages of each corpus."""
        sampled = [page for found in self.pages.values() for page in self.corpora.sample(found)]
        others = [page for page in sampled if page.host not in self.sites]
        on_sites = {(page.corpus, page.id) for page in sampled if page.host in self.sites}
        scores: list[PageScore] = []
        for fold in sorted({self.fold(page) for page in others}):
            trained = self.systems(fold)
            chosen = (page for page in others if self.fold(page) == fold)
            scores += score_pages(chosen, lambda page: trained)  # noqa: B023
        return scores + [score for score in self.site_scores if (score.page.corpus, score.page.id) in on_sites]

    @cached_property
    def site_scores(self) -> list[PageScore]:
        """Scores of all systems on all pages of the large sites."""
        found = [page for pages in self.sites.values() for page in pages]
        trained = self.systems(self.fold(found[0])) if found else {}
        return list(score_pages(found, lambda page: trained))

    def systems(self, fold: int) -> Mapping[str, TokenModel]:
        """Return the systems, trained without a fold."""
        return systems(self.counts.paper.trained(fold), self.counts.bundled.trained(fold))
