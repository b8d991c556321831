"""Rendered pages in JSON Lines files, so that what reads them needs no browser."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import CorpusError
from experiments.vips.browser import Browser, html_digest
from experiments.vips.layout import RenderedPage

__all__ = ["RenderCache"]

_logger = logging.getLogger(__name__)
_EVERY = 50


@dataclass(frozen=True)
class RenderCache:
    """A folder with a file for each corpus.

    Attributes
    ----------
    folder : Path
        Made where it is missing.
    """

    folder: Path

    def read(self, pages: Sequence[LabelledPage]) -> dict[tuple[str, str], RenderedPage]:
        """Return those of some pages that were rendered, by corpus and id; failed ones have an error."""
        wanted = {(page.corpus, page.id): html_digest(page.html) for page in pages}
        found: dict[tuple[str, str], RenderedPage] = {}
        for corpus in {page.corpus for page in pages}:
            for page in self._read(corpus):
                key = (page.corpus, page.id)
                if wanted.get(key) == page.digest:
                    found[key] = page
        return found

    def render(self, pages: Sequence[LabelledPage], *, browser: Browser, retry: bool = False) -> int:
        """Render the pages that are not there yet, each written at once; return how many were.

        Parameters
        ----------
        pages : sequence of LabelledPage
            The pages that are wanted.
        browser : Browser
            Started only if a page is missing.
        retry : bool
            Whether pages that failed are missing too.
        """
        there = {key for key, page in self.read(pages).items() if not (retry and page.error is not None)}
        missing = [page for page in pages if (page.corpus, page.id) not in there]
        if missing:
            self.folder.mkdir(parents=True, exist_ok=True)
            with browser:
                self._write(browser.render(missing), len(missing))
        return len(missing)

    def _write(self, pages: Iterable[RenderedPage], total: int) -> None:
        for number, page in enumerate(pages, start=1):
            line = json.dumps(page.to_record(), ensure_ascii=True, separators=(",", ":"))
            with self._path(page.corpus).open("a", encoding="utf-8") as file:
                file.write(line + "\n")
            if number % _EVERY == 0 or number == total:
                _logger.info("%d of %d pages rendered", number, total)

    def _read(self, corpus: str) -> Iterator[RenderedPage]:
        path = self._path(corpus)
        if not path.exists():
            return
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield RenderedPage.of_record(json.loads(line))
                except (ValueError, CorpusError) as error:  # a line cut off by a stopped run: its page is rendered anew
                    _logger.warning("%s, line %d is left out: %s", path, number, error)

    def _path(self, corpus: str) -> Path:
        return self.folder / f"{corpus}.jsonl"
