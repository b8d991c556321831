"""Counts of a part, read from what was written, so that tries that Spark repeats are counted once; and their sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from blockfeat.integrations.spark.hadoop import Entry
from blockfeat.io.batch.summary import reason_of

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import SparkSession


_SUMS = ("inputs", "input_bytes", "pages", "kept", "failed", "text_bytes", "output_bytes")
_COUNTERS = ("statuses", "errors")


def counts_of(session: SparkSession, inputs: Sequence[Entry], written: Sequence[Entry]) -> dict[str, Any]:
    """Return the counts of the records in some Parquet files.

    Returns
    -------
    dict
        ``inputs`` and ``input_bytes`` (files and their sizes); ``pages``; ``kept`` (pages with a text, status
        ``"ok"``); ``failed``; ``statuses`` and ``errors`` (pages by status, failed ones by reason); ``text_bytes`` (of
        the texts in UTF-8); ``output_bytes``.
    """
    from pyspark.sql.functions import col, count, lit, octet_length
    from pyspark.sql.functions import sum as sum_of

    records = session.read.parquet(*(entry.name for entry in written))
    grouped = records.groupBy("status").agg(count(lit(1)).alias("pages"), sum_of(octet_length("text")).alias("bytes"))
    rows = sorted(grouped.collect())
    statuses = {row["status"]: row["pages"] for row in rows}
    errors: Counter[str] = Counter()
    if statuses.get("error"):
        failed = records.where(col("error").isNotNull()).select("id", "error")
        reasons = failed.mapInPandas(_reasons, "reason string, pages long")
        errors.update({row["reason"]: row["sum(pages)"] for row in reasons.groupBy("reason").sum("pages").collect()})
    return {
        "inputs": len(inputs),
        "input_bytes": sum(entry.size for entry in inputs),
        "pages": sum(statuses.values()),
        "kept": statuses.get("ok", 0),
        "failed": statuses.get("error", 0),
        "statuses": statuses,
        "errors": dict(sorted(errors.items())),
        "text_bytes": sum(row["bytes"] or 0 for row in rows),
        "output_bytes": sum(entry.size for entry in written),
    }


def total(parts: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the sum of the counts of some parts."""
    sums: Counter[str] = Counter(dict.fromkeys(_SUMS, 0))
    counters: dict[str, Counter[str]] = {name: Counter() for name in _COUNTERS}
    for counts in parts:
        sums.update({name: counts[name] for name in _SUMS})
        for name, counter in counters.items():
            counter.update(counts[name])
    return {**sums, **{name: dict(sorted(counter.items())) for name, counter in counters.items()}}


def _reasons(frames: Iterable[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
    import pandas

    for frame in frames:
        reasons = [reason_of(name or "", error) for name, error in zip(frame["id"], frame["error"], strict=True)]
        counted = sorted(Counter(reasons).items())
        yield pandas.DataFrame(counted, columns=["reason", "pages"])
