"""What all sections of the page share: the pages, their renderings, and where scores are kept."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from blockfeat.data.corpus import LabelledPage
from experiments.corpora import CLEANEVAL, NEWS, Corpora
from experiments.vips.browser import Browser
from experiments.vips.cache import RenderCache
from experiments.vips.layout import RenderedPage

__all__ = ["ALL_CORPORA", "Line", "Study"]

ALL_CORPORA = (*CLEANEVAL, *NEWS)
"""The corpora with a gold text that are rendered."""
_logger = logging.getLogger(__name__)
Line = dict[str, Any]
"""A line of a file of scores."""


@dataclass(frozen=True)
class Study:
    """The experiments of one run.

    Attributes
    ----------
    corpora : Corpora
        Where the pages are, and which of them are taken.
    names : tuple of str
        The corpora.
    folder : Path
        Where renderings and scores are kept; what is there is not computed again.
    browser : Browser
        Renders the pages that are not there.
    retry : bool
        Whether pages that could not be rendered are tried again.
    seeds : tuple of int
        Seeds of the trainings.
    table_every : int
        Each n-th of the pages is scored by all systems.
    """

    corpora: Corpora
    names: tuple[str, ...]
    folder: Path
    browser: Browser = field(default_factory=Browser)
    retry: bool = False
    seeds: tuple[int, ...] = (1,)
    table_every: int = 1

    @cached_property
    def pages(self) -> list[LabelledPage]:
        """The pages that are taken."""
        return [page for found in self._by_corpus for page in found]

    @cached_property
    def _by_corpus(self) -> list[list[LabelledPage]]:
        return [self.corpora.sample(self.corpora.pages(name)) for name in self.names]

    @cached_property
    def rendered(self) -> dict[tuple[str, str], RenderedPage]:
        """The renderings of these pages by corpus and id, with those that failed."""
        cache = RenderCache(self.folder)
        number = cache.render(self.pages, browser=self.browser, retry=self.retry)
        if number:
            _logger.info("%d pages rendered, %d requests refused", number, self.browser.requests)
        return cache.read(self.pages)

    @cached_property
    def seen(self) -> list[tuple[LabelledPage, RenderedPage]]:
        """The pages that could be rendered, with their renderings."""
        return self._with_renderings(self.pages)

    @cached_property
    def tabled(self) -> list[tuple[LabelledPage, RenderedPage]]:
        """Those of them that all systems are scored on."""
        return self._with_renderings(page for found in self._by_corpus for page in found[:: self.table_every])

    def _with_renderings(self, pages: Iterable[LabelledPage]) -> list[tuple[LabelledPage, RenderedPage]]:
        found = ((page, self.rendered[page.corpus, page.id]) for page in pages)
        return [(page, rendering) for page, rendering in found if rendering.error is None]

    def scores(self, name: str) -> list[Line]:
        """Return the lines of a file of scores."""
        path = self.folder / name
        return list(map(json.loads, path.read_text(encoding="utf-8").splitlines())) if path.exists() else []

    def keep_scores(self, name: str, lines: Iterable[Line]) -> None:
        """Append lines to a file of scores, each as soon as it is there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for line in lines:
            with (self.folder / name).open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
