"""An extractor for datatrove pipelines, to be placed between a reader of web archives and the filters."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockfeat._extras import importing
from blockfeat.extraction import Extractor, extractor_of, read_pages
from blockfeat.integrations import Describer
from blockfeat.io.outputs import Rendered, written
from blockfeat.models import DEFAULT_MODEL, Model
from blockfeat.page import Document

with importing("datatrove", what=__name__):
    from datatrove.pipeline.extractors.base import BaseExtractor
    from datatrove.utils.logging import logger
    from datatrove.utils.typeshelper import StatHints

if TYPE_CHECKING:
    from datatrove.data import Document as Sample
    from datatrove.data import DocumentsPipeline


class BlockfeatExtractor(BaseExtractor):
    """Replaces the page in ``text`` by its main text, and adds to ``metadata`` what filters and deduplication need.

    Parameters
    ----------
    model : str, Path, Model or Extractor
        As for `blockfeat.extract`.
    timeout : float
        Seconds that one page may take; its process is then replaced and the page is left out.
    jobs : int
        Number of processes of each task.
    least_confidence : float
        Pages whose expected word F1 is lower are left out.
    format : str
        What ``text`` becomes: ``"text"``, ``"markdown"``, ``"html"`` or ``"xml"`` (TEI).
    columns : sequence of str
        What ``metadata`` gets of the record (docs/record.md), such as ``"metadata.tags"``, beside ``confidence``; by
        default the values of `blockfeat.integrations.described`.
    **options
        What `Extractor.with_options` takes, such as ``favour`` or ``headline``.

    Notes
    -----
    ``metadata["url"]``, which datatrove's readers set, is the page's address.
    The values of `blockfeat.integrations.described` are added. Pages without a main text, and error pages, are left
    out and counted as ``dropped``; pages that fail are counted as ``clean_error``, ``timeout`` or ``broken_process``,
    as by datatrove's own extractors.
    """

    name = "⛏ blockfeat"
    _requires_dependencies: tuple[str, ...] = ()

    def __init__(
        self,
        model: str | Path | Model | Extractor = DEFAULT_MODEL,
        *,
        timeout: float = 10.0,
        jobs: int = 1,
        least_confidence: float = 0.0,
        format: str = "text",
        columns: Sequence[str] = (),
        **options: Any,
    ) -> None:
        super().__init__(timeout)
        chosen = {"columns": columns and (*columns, "confidence")}
        self.describer = Describer(extractor_of(model).with_options(**options), format, chosen)
        self.jobs = jobs
        self.least_confidence = least_confidence

    def extract(self, text: str) -> str:
        """Return the main text of one page."""
        return written(self.describer.extractor.extract(text), self.describer.format)

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Yield the samples that have a main text, in order, each with that text."""
        # The pool reads ahead: samples wait here until their records come.
        waiting: deque[Sample] = deque()
        pages = _pages(data, waiting)
        done = read_pages(self.describer.warmed(), pages, jobs=self.jobs, deadline=self.timeout)
        results = (found for _, found in done)
        while (found := self._timed(results)) is not None:
            sample = waiting.popleft()
            self.stat_update(StatHints.total)
            if self._is_kept(str(sample.id), found):
                sample.text = found.text
                sample.metadata |= found.record or {}
                self.stat_update(StatHints.forwarded)
                self.update_doc_stats(sample)
                yield sample

    def _timed(self, results: Iterator[Rendered]) -> Rendered | None:
        with self.track_time():
            return next(results, None)

    def _is_kept(self, name: str, found: Rendered) -> bool:
        """Count a page in the statistics and return whether its sample is kept."""
        if found.error is not None:
            self.stat_update(_kind_of_failure(found.error))
            logger.warning(f"{name}: {found.error}")
            return False
        self.stat_update("extracted")
        if found.record is not None and found.record.get("confidence", 0.0) >= self.least_confidence:
            return True
        self.stat_update(StatHints.dropped)
        return False


def _pages(data: DocumentsPipeline, waiting: deque[Sample]) -> Iterator[Document]:
    for sample in data or ():
        waiting.append(sample)
        url = sample.metadata.get("url")
        yield Document(id=str(sample.id), data=sample.text, url=url if isinstance(url, str) else None)


def _kind_of_failure(error: str) -> str:
    """Return the name of a failure in datatrove's statistics."""
    if error.startswith("it took longer than"):
        return "timeout"
    return "broken_process" if error == "its worker process died" else "clean_error"
