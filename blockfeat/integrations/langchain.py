"""A document loader for LangChain."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from blockfeat._extras import importing
from blockfeat.errors import InputError
from blockfeat.extraction import Extractor, extractor_of, read_pages
from blockfeat.integrations import Describer
from blockfeat.io.inputs import InputOptions, read_inputs
from blockfeat.models import DEFAULT_MODEL, Model

with importing("langchain", what=__name__):
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document


class BlockfeatLoader(BaseLoader):
    """Loads the main texts of pages from addresses, files, folders, JSON Lines, web archives and Parquet.

    Parameters
    ----------
    inputs : str or sequence of str
        As `blockfeat extract` takes them. Only public addresses are fetched.
    model : str, Path, Model or Extractor
        As for `blockfeat.extract`.
    format : str
        ``"text"``; ``"markdown"``, whose headings text splitters use; ``"html"`` or ``"xml"``.
    columns : sequence of str
        What ``metadata`` gets of the record (docs/record.md), such as ``"metadata.tags"``; by default the values of
        `blockfeat.integrations.described`.
    reading : InputOptions, optional
        How inputs are read: their format, the names of fields, what may be fetched.
    jobs : int
        Number of processes.
    deadline : float, optional
        Seconds that one page may take.
    raise_errors : bool
        Raise `InputError` for a page that fails; otherwise it is left out with a warning in the log.
    **options
        What `Extractor.with_options` takes, such as ``favour`` or ``headline``.

    Raises
    ------
    InputError
        ``format`` is none of these, or, while loading with ``raise_errors``, a page fails.

    Notes
    -----
    Each document has ``metadata["source"]``, the page's address or else its name, and the values of
    `blockfeat.integrations.described`. Pages without a main text, and error pages, give no document.

    Examples
    --------
    >>> loader = BlockfeatLoader("https://example.org/article", format="markdown")  # doctest: +SKIP
    >>> for document in loader.lazy_load():  # doctest: +SKIP
    ...     print(document.metadata["title"], document.page_content)
    """

    def __init__(
        self,
        inputs: str | Sequence[str],
        *,
        model: str | Path | Model | Extractor = DEFAULT_MODEL,
        format: str = "text",
        columns: Sequence[str] = (),
        reading: InputOptions | None = None,
        jobs: int = 1,
        deadline: float | None = None,
        raise_errors: bool = False,
        **options: Any,
    ) -> None:
        self.inputs = [inputs] if isinstance(inputs, str) else list(inputs)
        self.describer = Describer(extractor_of(model).with_options(**options), format, {"columns": columns})
        self.reading = reading or InputOptions()
        self.jobs, self.deadline, self.raise_errors = jobs, deadline, raise_errors

    def lazy_load(self) -> Iterator[Document]:
        """Yield a document for each page with a main text, in order, as the pages are read."""
        pages = read_inputs(self.inputs, self.reading)
        for page, found in read_pages(self.describer, pages, jobs=self.jobs, deadline=self.deadline):
            if found.error is not None:
                if self.raise_errors:
                    raise InputError(found.error)
                logging.getLogger(__name__).warning("%s: %s", page.id, found.error)
            elif found.record is not None:
                yield Document(page_content=found.text, metadata={"source": page.url or page.id, **found.record})
