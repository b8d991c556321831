"""``blockfeat.integrations.spark.extract``: a data frame of pages to a data frame of texts, and the schema of these."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockfeat._extras import require_extra
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor, extractor_of
from blockfeat.extraction.many import read_pages
from blockfeat.integrations.pandas import typed_frame
from blockfeat.io.inputs.records import document_of_row
from blockfeat.io.outputs.records import Column, record_columns, row_of
from blockfeat.io.outputs.rendering import Renderer
from blockfeat.models.model import Model
from blockfeat.models.store import DEFAULT_MODEL
from blockfeat.page.document import Document

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType


DEFAULT_DEADLINE = 60.0
"""Seconds that a page may take on Spark, where a page that never ends would hold up a whole job."""
# Frames go to Spark at this size, so that memory is bounded however long the texts are.
_ROWS_OF_A_FRAME = 256
_CHARACTERS_OF_A_FRAME = 8 * 1024 * 1024


@dataclass(frozen=True)
class Processes:
    """The processes that extract the pages of a task.

    Attributes
    ----------
    jobs : int
        How many; as many as the task has cores (``spark.task.cpus``).
    deadline : float or None
        Seconds that one page may take. None with one job extracts in Spark's own process: a page that kills it then
        costs the whole task.
    """

    jobs: int = 1
    deadline: float | None = DEFAULT_DEADLINE


def check_extra() -> None:
    """Check that PySpark is there, and what it needs for functions over Arrow.

    Raises
    ------
    MissingExtraError
        Something is not.
    """
    require_extra("spark", what="Spark")


def record_struct(*, evidence: bool = False) -> StructType:
    """Return the record of a page as a schema of Spark; ``metadata`` is a struct.

    Parameters
    ----------
    evidence : bool
        Add the column ``blocks``.

    Raises
    ------
    MissingExtraError
        The extra ``spark`` is not installed.
    """
    check_extra()
    from pyspark.sql.types import StructField, StructType

    def fields(columns: Iterable[Column]) -> list[StructField]:
        return [StructField(column.path[-1], _spark_type(column)) for column in columns]

    columns = record_columns(evidence=evidence)
    structs = _structs(columns)
    plain = {field.name: field for field in fields(column for column in columns if len(column.path) == 1)}
    nested = {name: StructField(name, StructType(fields(members))) for name, members in structs.items()}
    return StructType([{**plain, **nested}[name] for name in _names(columns)])


def _spark_type(column: Column) -> DataType:
    from pyspark.sql.types import ArrayType, BooleanType, DoubleType, LongType, StringType

    types: dict[str, DataType] = {
        "text": StringType(),
        "texts": ArrayType(StringType()),
        "integer": LongType(),
        "number": DoubleType(),
        "boolean": BooleanType(),
    }
    return types[column.type]


def frames_of_documents(
    documents: Iterable[Document], renderer: Renderer, processes: Processes
) -> Iterator[pandas.DataFrame]:
    """Yield the records of some documents, in order; a page that hangs or kills its process is a row with ``error``."""
    columns = record_columns(evidence=renderer.evidence)
    rows: list[Mapping[str, Any]] = []
    characters = 0
    for _, rendered in read_pages(renderer.warmed(), documents, jobs=processes.jobs, deadline=processes.deadline):
        row = row_of(rendered.record or {}, columns)
        row["id"] = row["id"] or None
        rows.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(rows) >= _ROWS_OF_A_FRAME or characters >= _CHARACTERS_OF_A_FRAME:
            yield _with_structs(typed_frame(rows, columns), rows, columns)
            rows, characters = [], 0
    if rows:
        yield _with_structs(typed_frame(rows, columns), rows, columns)


def _with_structs(
    frame: pandas.DataFrame, rows: Sequence[Mapping[str, Any]], columns: tuple[Column, ...]
) -> pandas.DataFrame:
    """Put the columns of a nested object together to one of mappings, None where the page has no such object."""
    import pandas

    for name, members in _structs(columns).items():
        nested = [{column.path[-1]: row[column.name] for column in members} for row in rows]
        values = [cells if any(cell is not None for cell in cells.values()) else None for cells in nested]
        frame[name] = pandas.Series(values, dtype="object")
    return frame[_names(columns)]


def _names(columns: tuple[Column, ...]) -> list[str]:
    """Return the names of a record's values in their order."""
    return list(dict.fromkeys(column.path[0] for column in columns))


def _structs(columns: tuple[Column, ...]) -> dict[str, list[Column]]:
    """Return the columns of nested objects by the names of these."""
    found: dict[str, list[Column]] = {}
    for column in columns:
        if len(column.path) > 1:
            found.setdefault(column.path[0], []).append(column)
    return found


def _frames_of_pages(
    frames: Iterable[pandas.DataFrame], renderer: Renderer, processes: Processes, keep: tuple[str, ...], html: str
) -> Iterator[pandas.DataFrame]:
    """Yield the records of the pages in data frames, read one at a time, with the columns to keep behind them.

    The frames have a column ``html``, of ``url``, ``lang``, ``charset`` and ``id`` those that are known, and the ones
    to keep, each named ``kept_NAME``; ``html`` is what the caller calls the column of pages.
    """
    import pandas

    # The pool reads ahead: what is kept of a page waits here until its record comes.
    kept: deque[tuple[Any, ...]] = deque()
    for records in frames_of_documents(_documents(frames, keep, kept, html), renderer, processes):
        values = [kept.popleft() for _ in range(len(records))]
        for column, name in enumerate(keep):
            records[name] = pandas.Series([row[column] for row in values], dtype="object")
        yield records


def _documents(
    frames: Iterable[pandas.DataFrame], keep: tuple[str, ...], kept: deque[tuple[Any, ...]], html: str
) -> Iterator[Document]:
    """Yield a document for each row; without an id it is named by its address."""
    for frame in frames:
        carried = [f"kept_{name}" for name in keep]
        for cells in frame.to_dict("records"):
            kept.append(tuple(cells[name] for name in carried))
            yield document_of_row({str(value): cell for value, cell in cells.items()}, html=html)


Shared = Callable[[], Renderer]
"""Gives a value that every process of a cluster has once."""


def extract(
    df: DataFrame,
    *,
    html: str = "html",
    url: str | None = "url",
    lang: str | None = None,
    charset: str | None = None,
    id: str | None = "id",
    keep: Sequence[str] = (),
    model: str | Path | Model | Extractor = DEFAULT_MODEL,
    jobs: int = 1,
    deadline: float | None = DEFAULT_DEADLINE,
    evidence: bool = False,
    **options: Any,
) -> DataFrame:
    """Extract the main text of the pages in a column of a Spark data frame.

    The work is a `mapInPandas`: no shuffle, a row a page, in the order of each partition. The model is broadcast once.

    Parameters
    ----------
    df : DataFrame
        A row a page.
    html : str
        Name of the column with the pages, string or binary.
    url, id : str or None
        Names of the columns with their addresses and identifiers; without such a column, None. The defaults are taken
        where they exist. Without an identifier, a page is named by its address.
    lang, charset : str, optional
        Names of the columns with these values of a page.
    keep : sequence of str
        Further columns that are copied, as they are, behind those of the record.
    model : str, Path, Model or Extractor
        As for `blockfeat.extract`; a file is read by the driver.
    jobs : int
        Number of processes of each task, beside Spark's own.
    deadline : float, optional
        Seconds that one page may take; 60 by default. Its process is then replaced and the page is a row with
        ``error``, as one that kills its process is. None extracts in Spark's own process if ``jobs`` is 1.
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
        The frame has no such column, or one to keep has the name of a column of the record.
    ModelError
        There is no such model, or an option does not suit it.
    MissingExtraError
        The extra ``spark`` is not installed.

    Notes
    -----
    Spark gives its Python workers ``spark.sql.execution.arrow.maxRecordsPerBatch`` rows at once, 10,000 by default,
    which are 1 GB of pages of 100 KB. Set it to 256 or less.
    """
    check_extra()
    names = {"html": html, "url": url, "lang": lang, "charset": charset, "id": id}
    for value in ("url", "id"):
        if names[value] == value and value not in df.columns:
            names[value] = None
    _check_columns(df, [name for name in (*names.values(), *keep) if name is not None])
    extractor = extractor_of(model).with_options(**options)
    renderer = shared(df.sparkSession, Renderer(extractor, "parquet", evidence=evidence))
    columns = {value: _column(df, value, name) for value, name in names.items() if name is not None}
    return extract_with(
        df, columns, renderer, Processes(jobs, deadline), html=html, keep=tuple(keep), evidence=evidence
    )


def extract_with(
    df: DataFrame,
    columns: dict[str, SparkColumn],
    renderer: Shared,
    processes: Processes,
    *,
    html: str,
    keep: tuple[str, ...] = (),
    evidence: bool = False,
) -> DataFrame:
    """Extract pages whose values stand in the columns given, with a renderer that is shared already."""
    from pyspark.sql.types import StructField, StructType

    records = record_struct(evidence=evidence)
    if clash := sorted(set(keep) & set(records.names)):
        raise InputError(f"column {clash[0]!r} cannot be kept: the record has a column of this name")
    kept = [StructField(name, df.schema[name].dataType) for name in keep]

    def extracted(frames: Iterable[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        yield from _frames_of_pages(frames, renderer(), processes, keep, html)

    chosen = [column.alias(value) for value, column in columns.items()]
    chosen += [df[f"`{name}`"].alias(f"kept_{name}") for name in keep]
    return df.select(*chosen).mapInPandas(extracted, StructType([*records.fields, *kept]))


def shared(session: SparkSession, renderer: Renderer) -> Shared:
    """Broadcast a renderer; with Spark Connect, which has no broadcasts, it travels with the function."""
    try:
        broadcast = session.sparkContext.broadcast(renderer)
    except Exception as error:
        if type(error).__name__ not in ("PySparkAttributeError", "PySparkNotImplementedError", "AttributeError"):
            raise
        return lambda: renderer
    return lambda: broadcast.value


def _column(df: DataFrame, value: str, name: str) -> SparkColumn:
    """Return a column; all but the page as strings, since pandas would turn whole numbers with gaps into floats."""
    column = df[f"`{name}`"]
    return column if value == "html" else column.cast("string")


def _check_columns(df: DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if name not in df.columns:
            raise InputError(f"no column {name!r} in the data frame (its columns: {', '.join(df.columns)})")
