"""Extraction on Spark: from a data frame of pages to a data frame of their records, by one ``mapInArrow``.

The extra ``spark`` installs PySpark and PyArrow; Java 17 is needed too. Works over Spark Connect as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockfeat._extras import require_extra
from blockfeat.errors import InputError
from blockfeat.extraction import Extractor, extractor_of, read_pages
from blockfeat.integrations import check_columns
from blockfeat.io.inputs import document_of_row
from blockfeat.io.outputs import Formatter, nested, nested_schema, record_columns, row_of
from blockfeat.models import DEFAULT_MODEL, Model
from blockfeat.page import Document

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

DEFAULT_DEADLINE = 60.0
"""Default time limit in seconds for one page on Spark, so that a single page cannot hold up a whole job."""
# Largest batches that are returned to Spark, so that memory is bounded however long the texts are.
_ROWS_OF_A_BATCH = 256
_CHARACTERS_OF_A_BATCH = 8 * 1024 * 1024


def extract(
    df: DataFrame,
    *,
    html: str = "html",
    url: str | None = "url",
    lang: str | None = None,
    charset: str | None = None,
    id: str | None = "id",
    keep: Sequence[str] = (),
    format: str = "text",
    columns: Sequence[str] | None = None,
    model: str | Path | Model | Extractor = DEFAULT_MODEL,
    jobs: int = 1,
    deadline: float | None = DEFAULT_DEADLINE,
    evidence: bool = False,
    **options: Any,
) -> DataFrame:
    """Extract the main text of the pages in a column of a Spark data frame.

    Without a shuffle; one row per page, in the order of each partition. The model is pickled with the function.

    Parameters
    ----------
    df : DataFrame
        One row per page.
    html : str
        Name of the column with the pages, string or binary.
    url, id : str or None
        Names of the columns with addresses and identifiers; None for no such column. Defaults that the frame lacks are
        ignored. The identifier of a page without one is its address.
    lang, charset : str, optional
        Names of the columns with these values of a page.
    keep : sequence of str
        Further columns that are copied unchanged after those of the record.
    format : str
        What the column ``text`` holds: ``"text"``, ``"markdown"``, ``"html"`` or ``"xml"`` (TEI).
    columns : sequence of str, optional
        Those of the record that are returned, such as ``"metadata.title"``; all but ``lead`` and ``body`` by default.
    model : str, Path, Model or Extractor
        As for `blockfeat.extract`; a file is read by the driver.
    jobs : int
        Number of processes of each task, beside Spark's own: as many as the task has cores (``spark.task.cpus``).
    deadline : float, optional
        Seconds that one page may take; 60 by default. Its process is then replaced and its row has ``error``, as for a
        page that crashes its process. None extracts in Spark's own process if ``jobs`` is 1.
    evidence : bool
        Add the column ``blocks``, JSON with every block of a page and its features.
    **options
        What `Extractor.with_options` takes, such as ``favour`` or ``headline``.

    Returns
    -------
    DataFrame
        The record of each page with the schema of `record_struct`: names and types are those that
        ``blockfeat extract -o out.parquet`` writes, but ``metadata`` is a struct, so that ``"metadata.title"`` is a
        field of it. A page that fails has ``status`` ``"error"`` and the reason in ``error``.

    Raises
    ------
    InputError
        The frame has no such column, one to keep has the name of a column of the record, or there is no such format.
    ModelError
        There is no such model, or an option does not suit it.
    MissingExtraError
        PySpark or PyArrow is not installed.

    Notes
    -----
    Spark gives its Python workers ``spark.sql.execution.arrow.maxRecordsPerBatch`` rows at once, 10,000 by default,
    which are 1 GB of pages of 100 KB. Set it to 256 or less.
    """
    require_extra("spark", what="Spark")
    from pyspark.sql.types import StructField, StructType

    records = record_struct(evidence=evidence, columns=columns)
    if clash := sorted(set(keep) & set(records.names)):
        raise InputError(f"column {clash[0]!r} cannot be kept: the record has a column of this name")
    names = {"html": html, "url": url, "lang": lang, "charset": charset, "id": id}
    given = {value: name for value, name in names.items() if name in df.columns or value != name}
    wanted = {value: name for value, name in given.items() if name is not None}
    check_columns((*wanted.values(), *keep), df.columns)
    chosen_options = {"evidence": evidence, "text": format, "columns": columns}
    work = Formatter(extractor_of(model).with_options(**options), "parquet", chosen_options)

    def extracted(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        yield from _extracted(batches, work, html=html, jobs=jobs, deadline=deadline)

    chosen = [df[f"`{name}`"].alias(value) for value, name in wanted.items()]
    kept = [df[f"`{name}`"].alias(f"kept_{name}") for name in keep]
    added = [StructField(name, df.schema[name].dataType) for name in keep]
    return df.select(*chosen, *kept).mapInArrow(extracted, StructType([*records.fields, *added]))


def record_struct(*, evidence: bool = False, columns: Sequence[str] | None = None) -> StructType:
    """Return the Spark schema of a page's record, in which ``metadata`` is a struct.

    Parameters
    ----------
    evidence : bool
        Add the column ``blocks``.
    columns : sequence of str, optional
        The columns, as for `extract`.

    Raises
    ------
    MissingExtraError
        PySpark or PyArrow is not installed.
    """
    require_extra("spark", what="Spark")
    import pyarrow
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(nested_schema(pyarrow, record_columns(evidence=evidence, names=columns)))


def _extracted(
    batches: Iterable[RecordBatch], work: Formatter, *, html: str, jobs: int, deadline: float | None
) -> Iterator[RecordBatch]:
    """Yield batches of the pages' records, in order, with the columns to keep after those of the record."""
    import pyarrow

    schema = nested_schema(pyarrow, work.columns)
    # The pool reads ahead: batches wait here until all of their records are done.
    waiting: deque[RecordBatch] = deque()
    rows: list[Mapping[str, Any]] = []
    done = characters = 0
    for _, found in read_pages(work.warmed(), _documents(batches, waiting, html), jobs=jobs, deadline=deadline):
        record = found.record or {}
        row = nested(row_of({**record, "id": record.get("id") or None}, work.columns), work.columns)
        rows.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        is_last = done + len(rows) == waiting[0].num_rows
        if is_last or len(rows) >= _ROWS_OF_A_BATCH or characters >= _CHARACTERS_OF_A_BATCH:
            batch = pyarrow.RecordBatch.from_pylist(rows, schema=schema)
            part = waiting[0].slice(done, len(rows))
            kept = {name: part.column(name) for name in part.schema.names if name.startswith("kept_")}
            names = [*schema.names, *(name.removeprefix("kept_") for name in kept)]
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, *kept.values()], names=names)
            done = 0 if is_last else done + len(rows)
            rows, characters = [], 0
            if is_last:
                waiting.popleft()


def _documents(batches: Iterable[RecordBatch], waiting: deque[RecordBatch], html: str) -> Iterator[Document]:
    """Yield a document for each row; its id is its address where the row has none."""
    for batch in batches:
        if batch.num_rows:
            waiting.append(batch)
        columns = {name: batch.column(name) for name in batch.schema.names if not name.startswith("kept_")}
        for row in range(batch.num_rows):
            yield document_of_row({name: column[row].as_py() for name, column in columns.items()}, html=html)
