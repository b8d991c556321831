"""Texts of a crawl's web archives on Spark: ``warc.paths`` in, Parquet out; runs over Spark Connect too.

Usage::

    pip install "blockfeat[spark,warc]"
    python examples/spark_job.py warc.paths.gz s3a://bucket/texts --prefix s3://commoncrawl/ --format markdown

Each line of ``warc.paths`` names an archive, which one task opens by PyArrow's file systems: local, s3, gs, hdfs.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pyarrow
from pyarrow.fs import FileSystem
from pyspark.sql import SparkSession

import blockfeat.integrations.spark
from blockfeat.io.inputs.records import warc_pages

ROWS_AT_ONCE = 64
COLUMNS = ("html", "id", "url", "charset", "damage")
PAGES = "html binary, id string, url string, charset string, damage string"
SCHEMA = pyarrow.schema([(name, pyarrow.binary() if name == "html" else pyarrow.string()) for name in COLUMNS])


def pages_of(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Yield the pages of the archives in the column ``archive``, and a row for each gap where one is damaged."""
    for archive in (name for batch in batches for name in batch.column("archive").to_pylist()):
        system, path = FileSystem.from_uri(archive if "://" in archive else Path(archive).absolute().as_uri())
        with system.open_input_stream(path, compression=None) as stream:
            found = ((page.data, page.id, page.url, page.charset, page.error) for page in warc_pages(archive, stream))
            while rows := [dict(zip(COLUMNS, row, strict=True)) for row in islice(found, ROWS_AT_ONCE)]:
                yield pyarrow.RecordBatch.from_pylist(rows, SCHEMA)


def main() -> None:
    """Run the job on the session that ``spark-submit``, ``SPARK_REMOTE`` or this machine gives."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("paths", type=Path, help="file with an archive a line, plain or packed: warc.paths.gz")
    parser.add_argument("output", help="folder for the Parquet files")
    parser.add_argument("--prefix", default="", help="what stands before each line: s3://commoncrawl/")
    parser.add_argument("--format", default="text", help="what the column text holds: text, markdown, html, xml")
    options = parser.parse_args()
    lines = (gzip.open if options.paths.suffix == ".gz" else open)(options.paths, "rt").read().split()
    spark = SparkSession.builder.appName("blockfeat").getOrCreate()
    archives = spark.createDataFrame([(options.prefix + line,) for line in lines], "archive string")
    pages = archives.repartition(len(lines)).mapInArrow(
        pages_of, "html binary, id string, url string, charset string, damage string"
    )
    texts = blockfeat.integrations.spark.extract(pages, charset="charset", keep=["damage"], format=options.format)
    texts.write.parquet(options.output)


if __name__ == "__main__":
    main()
