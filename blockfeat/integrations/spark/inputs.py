"""The inputs of the job: which files there are, and each as records of Spark."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, cast

from blockfeat.errors import InputError
from blockfeat.integrations.spark.files import Entry, HadoopFiles, local_path
from blockfeat.integrations.spark.frame import Processes, Shared, extract_with, frames_of_documents, record_struct
from blockfeat.io.inputs.files import format_by_suffix, read_path
from blockfeat.io.inputs.options import FieldNames, InputOptions
from blockfeat.io.inputs.warc import warc_pages

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import Column, DataFrame, SparkSession


READERS = ("auto", "files", "spark")
# Archives come from Spark cut here, which is where records begin, and are put together again byte for byte.
_CUT = "WARC/1."


@dataclass(frozen=True)
class Reading:
    """How inputs are read.

    Attributes
    ----------
    format : str
        ``"warc"`` or ``"parquet"``.
    fields : FieldNames
        Names of the columns of Parquet.
    reader : str
        For archives: ``"files"`` opens them in the tasks, ``"spark"`` reads them through Spark's file systems, and
        ``"auto"`` opens those on disk and reads the others through Spark.
    """

    format: str
    fields: FieldNames = field(default_factory=FieldNames)
    reader: str = "auto"


def found_inputs(files: HadoopFiles, patterns: Sequence[str], format: str) -> list[Entry]:
    """Return the files that some paths, patterns and folders name, each once, by name.

    Of a folder, those are taken whose suffix fits the format; not what is in folders below it.

    Raises
    ------
    InputError
        One of them names nothing.
    """
    found: dict[str, Entry] = {}
    for pattern in patterns:
        entries = files.glob(pattern)
        inside = [member for entry in entries if entry.is_folder for member in _members(files, entry, format)]
        named = [*(entry for entry in entries if not entry.is_folder), *inside]
        if not named:
            raise InputError(f"{pattern}: no such {format} file")
        found.update({entry.name: entry for entry in named})
    return [found[name] for name in sorted(found)]


def _members(files: HadoopFiles, folder: Entry, format: str) -> Iterator[Entry]:
    for entry in files.listed(folder.name):
        is_hidden = entry.name.rpartition("/")[2].startswith(("_", "."))
        if not entry.is_folder and not is_hidden and format_by_suffix(entry.name) == format:
            yield entry


def records_of(
    session: SparkSession,
    names: Sequence[str],
    reading: Reading,
    renderer: Shared,
    processes: Processes,
    *,
    evidence: bool,
) -> DataFrame:
    """Return the records of some files, in their order.

    Raises
    ------
    InputError
        A Parquet file has no column with pages.
    """
    if reading.format == "parquet":
        frames = [_parquet(session, name, reading.fields, renderer, processes, evidence) for name in names]
        return reduce(lambda before, after: before.union(after), frames)
    paths = [local_path(name) for name in names]
    if reading.reader == "files" or (reading.reader == "auto" and None not in paths):
        return _opened(
            session, [path or name for path, name in zip(paths, names, strict=True)], renderer, processes, evidence
        )
    return _through_spark(session, names, renderer, processes, evidence)


def _opened(
    session: SparkSession, paths: Sequence[str], renderer: Shared, processes: Processes, evidence: bool
) -> DataFrame:
    """Read archives where the tasks run: the partitions hold nothing but their numbers."""

    def extracted(frames: Iterable[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        numbers = (number for frame in frames for number in frame["id"].tolist())
        documents = (page for number in numbers for page in read_path(paths[number], InputOptions(format="warc")))
        yield from frames_of_documents(documents, renderer(), processes)

    numbered = session.range(0, len(paths), 1, numPartitions=len(paths))
    return numbered.mapInPandas(extracted, record_struct(evidence=evidence))


def _through_spark(
    session: SparkSession, names: Sequence[str], renderer: Shared, processes: Processes, evidence: bool
) -> DataFrame:
    """Read archives through Spark's file systems, which unpack them: a partition a file, some records in memory."""
    from pyspark.sql.functions import col, lit

    def extracted(frames: Iterable[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        chunks = ((name, value) for frame in frames for name, value in zip(frame["name"], frame["value"], strict=True))
        first = next(chunks, None)
        if first is None:
            return
        stream = _Joined(first[1], (value for _, value in chunks))
        documents = warc_pages(first[0], cast("io.BufferedReader", stream))
        yield from frames_of_documents(documents, renderer(), processes)

    parts = [
        session.read.option("lineSep", _CUT)
        .text(name)
        .select(lit(local_path(name) or name).alias("name"), col("value").cast("binary").alias("value"))
        for name in names
    ]
    joined = reduce(lambda before, after: before.union(after), parts)
    return joined.mapInPandas(extracted, record_struct(evidence=evidence))


class _Joined(io.RawIOBase):
    """A stream put together from what stands between the cuts."""

    def __init__(self, first: bytes, rest: Iterator[bytes]) -> None:
        self._waiting = memoryview(bytes(first))
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._waiting:
            part = next(self._rest, None)
            if part is None:
                return 0
            self._waiting = memoryview(_CUT.encode() + part)
        count = min(len(buffer), len(self._waiting))
        buffer[:count] = self._waiting[:count]
        self._waiting = self._waiting[count:]
        return count


def _parquet(
    session: SparkSession, name: str, fields: FieldNames, renderer: Shared, processes: Processes, evidence: bool
) -> DataFrame:
    """Read a Parquet file, cut at its row groups; rows without an id are named by file and number as elsewhere."""
    from pyspark.sql.functions import coalesce, col, concat, lit, nullif

    frame = session.read.parquet(name)
    if fields.html not in frame.columns:
        raise InputError(f'{name}: no column "{fields.html}" (its columns: {", ".join(frame.columns[:20])})')
    columns: dict[str, Column] = {"html": col(f"`{fields.html}`")}
    for value in ("url", "lang", "charset", "id"):
        if (column := getattr(fields, value)) in frame.columns:
            columns[value] = nullif(col(f"`{column}`").cast("string"), lit(""))
    place = concat(lit(f"{local_path(name) or name}:"), (col("_metadata.row_index") + 1).cast("string"))
    columns["id"] = coalesce(columns["id"], place) if "id" in columns else place
    return extract_with(frame, columns, renderer, processes, html=fields.html, evidence=evidence)
