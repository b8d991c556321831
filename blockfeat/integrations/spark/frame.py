"""``blockfeat.integrations.spark.extract``: a data frame of pages to a data frame of texts, and the schema of these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockfeat._extras import require_extra
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor, extractor_of
from blockfeat.integrations.spark.parts import DEFAULT_DEADLINE, Processes, frames_of_pages
from blockfeat.io.outputs.columns import Column, record_columns
from blockfeat.io.outputs.rendering import Renderer
from blockfeat.models.model import Model
from blockfeat.models.store import DEFAULT_MODEL

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType


def check_extra() -> None:
    """Check that PySpark is there.

    Raises
    ------
    MissingExtraError
        It is not.
    """
    require_extra("spark", "pyspark", what="Spark")


def record_struct(*, evidence: bool = False) -> StructType:
    """Return the columns of a record, as `blockfeat extract -o out.parquet` writes them, as a schema of Spark.

    Parameters
    ----------
    evidence : bool
        Add the column ``blocks``.

    Raises
    ------
    MissingExtraError
        PySpark is not installed.
    """
    check_extra()
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(column.name, _spark_type(column)) for column in record_columns(evidence=evidence)])


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


Shared = Callable[[], Renderer]
"""Gives a value that every process of a cluster has once."""


def extract(
    df: DataFrame,
    *,
    html: str = "html",
    url: str | None = "url",
    lang: str | None = None,
    charset: str | None = None,
    id: str | None = None,
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
    url : str or None
        Name of the column with their addresses; without such a column, None. The default is taken where it exists.
    lang, charset, id : str, optional
        Names of the columns with these values of a page; without an id, a page is named by its address.
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
        The record of each page with the schema of `record_struct`: the columns, names and types that
        ``blockfeat extract -o out.parquet`` writes. A page that fails has ``status`` ``"error"`` and the reason in
        ``error``. Names with a dot need backticks: ``"`metadata.title`"``.

    Raises
    ------
    InputError
        The frame has no such column, or one to keep has the name of a column of the record.
    ModelError
        There is no such model, or an option does not suit it.
    MissingExtraError
        PySpark is not installed.

    Notes
    -----
    Spark gives its Python workers ``spark.sql.execution.arrow.maxRecordsPerBatch`` rows at once, 10,000 by default,
    which are 1 GB of pages of 100 KB. Set it to 256 or less.
    """
    check_extra()
    names = {"html": html, "url": url if url != "url" or "url" in df.columns else None}
    names |= {"lang": lang, "charset": charset, "id": id}
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
        yield from frames_of_pages(frames, renderer(), processes, keep=keep, html=html)

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
