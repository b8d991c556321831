"""Extraction for pandas: from a data frame of pages to a data frame of their records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockfeat._extras import require_extra
from blockfeat.errors import InputTypeError
from blockfeat.extraction import Extractor, extractor_of, read_pages
from blockfeat.integrations import check_columns
from blockfeat.io.inputs import document_of_row
from blockfeat.io.outputs import Column, Formatter, row_of
from blockfeat.models import DEFAULT_MODEL, Model
from blockfeat.page import Document

if TYPE_CHECKING:
    import pandas


def extract(
    frame: pandas.DataFrame,
    html: str = "html",
    *,
    url: str | None = None,
    lang: str | None = None,
    charset: str | None = None,
    id: str | None = None,
    model: str | Path | Model | Extractor = DEFAULT_MODEL,
    jobs: int = 1,
    deadline: float | None = None,
    format: str = "text",
    columns: Sequence[str] | None = None,
    **options: Any,
) -> pandas.DataFrame:
    """Extract the main text of the pages in a column.

    Parameters
    ----------
    frame : DataFrame
        One row per page.
    html : str
        Name of the column with the pages, str or bytes.
    url, lang, charset, id : str, optional
        Names of the columns with these values of a page, if there are any; by default, the id is the row's label.
    model : str, Path, Model or Extractor
        As for `blockfeat.extract`.
    jobs : int
        Number of processes.
    deadline : float, optional
        Seconds that one page may take.
    format : str
        What the column ``text`` holds: ``"text"``, ``"markdown"``, ``"html"`` or ``"xml"`` (TEI).
    columns : sequence of str, optional
        Those of the record that the frame has, such as ``"metadata.title"``; all but ``lead`` and ``body`` by default.
    **options
        What `Extractor.with_options` takes, such as ``favour`` or ``headline``.

    Returns
    -------
    DataFrame
        The record of each page (text, lang, title, status, error …) in typed columns, with the index of ``frame``.
        A page that fails has ``status`` ``"error"`` and the reason in ``error``.

    Raises
    ------
    InputError
        The frame has no such column.
    ModelError
        There is no such model, or an option does not suit it.

    Examples
    --------
    >>> import pandas, blockfeat.integrations.pandas
    >>> html = "<p>The ferry leaves at nine and returns before dark."
    >>> pages = pandas.DataFrame({"html": [html]})
    >>> blockfeat.integrations.pandas.extract(pages)["text"][0]
    'The ferry leaves at nine and returns before dark.'
    """
    names = {"url": url, "lang": lang, "charset": charset, "id": id}
    wanted = {"html": html} | {value: name for value, name in names.items() if name is not None}
    if getattr(frame, "ndim", 0) != 2:
        raise InputTypeError(f"pages must be in a DataFrame, not a {type(frame).__name__}")
    check_columns(wanted.values(), list(frame.columns))
    extractor = extractor_of(model).with_options(**options)
    work = Formatter(extractor, "parquet", {"text": format, "columns": columns})
    found = read_pages(work, _documents(frame, wanted), jobs=jobs, deadline=deadline)
    rows = [row_of(rendered.record or {}, work.columns) for _, rendered in found]
    return typed_frame(rows, work.columns, frame.index)


def _documents(frame: pandas.DataFrame, wanted: dict[str, str]) -> Iterator[Document]:
    """Yield a document for each row; a cell that is not str or bytes becomes a document with ``error``."""
    columns = {value: frame[name].tolist() for value, name in wanted.items()}
    for row, label in enumerate(frame.index):
        cells = {value: column[row] for value, column in columns.items()}
        yield document_of_row(cells, name=str(label), place=f"row {label}", html=wanted["html"])


_PANDAS_TYPES = {"text": "string", "texts": "object", "integer": "Int64", "number": "Float64", "boolean": "boolean"}


def typed_frame(
    rows: Sequence[Mapping[str, Any]], columns: tuple[Column, ...], index: pandas.Index | None = None
) -> pandas.DataFrame:
    """Return a data frame with a row for each mapping; columns have their declared types, also if they are empty."""
    require_extra("pandas", what="a data frame")
    import pandas

    cells = {
        column.name: pandas.Series([row[column.name] for row in rows], index=index, dtype=_PANDAS_TYPES[column.type])
        for column in columns
    }
    return pandas.DataFrame(cells, index=index)
