"""The reader: a page as an article, its blocks coloured and explained, and the JSON API."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from blockfeat._tasks import Workers

if TYPE_CHECKING:
    from blockfeat.web.reader.tasks import LoadedExtractors


MOST_BYTES, MOST_SECONDS = 5_000_000, 20.0
"""Size of the largest page that `page_workers` read, and the time that one may take."""


def page_workers(model: str) -> Workers[LoadedExtractors]:
    """Return the process that extracts single pages by one model; it loads what it needs, and nothing is loaded here.

    Parameters
    ----------
    model : str
        Name of a bundled model, or a model file.
    """
    return Workers(partial(_loaded, model), jobs=1, deadline=MOST_SECONDS)


def _loaded(model: str) -> LoadedExtractors:
    from blockfeat.models import DEFAULT_MODEL
    from blockfeat.web.reader.tasks import load_extractors

    loaded = load_extractors({DEFAULT_MODEL: model}, MOST_BYTES)
    read_page(loaded, html="<p>The ferry leaves at nine and returns before dark.")  # what the first page loads
    return loaded


def read_page(loaded: LoadedExtractors, *, links: bool = False, **page: Any) -> dict[str, Any]:
    """Return the ``record`` of a page, and its Markdown in ``outputs``: a task for `page_workers`.

    The page is told as `blockfeat.web.reader.tasks.PageSource` takes it: ``html``, ``url`` and ``charset``.
    """
    from blockfeat.web.reader import tasks

    source, choices = tasks.PageSource(**page), tasks.ExtractionChoices()
    return tasks.extract(loaded, source=source, choices=choices, formats=("markdown",), links=links)
