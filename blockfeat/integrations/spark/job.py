"""The job: web archives or Parquet in, Parquet out, part by part, so that a job that stops goes on; what it counts."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blockfeat.extraction.extractor import Extractor
from blockfeat.integrations.spark.files import Entry, HadoopFiles, Output, Part, parts_of
from blockfeat.integrations.spark.frame import Processes, Shared, shared
from blockfeat.integrations.spark.inputs import Reading, found_inputs, records_of
from blockfeat.io.batch.resume import run_record
from blockfeat.io.batch.summary import reason_of
from blockfeat.io.outputs.rendering import Renderer

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


_LOG = logging.getLogger(__name__)
_ROWS_OF_A_BATCH = 64
_TERABYTE = 2**40


@dataclass(frozen=True)
class Job:
    """What is extracted, how, and where it goes.

    Attributes
    ----------
    inputs : tuple of str
        Paths, patterns and folders.
    output : str
        A folder.
    reading : Reading
        How inputs are read.
    extractor : Extractor
        The extractor, with its options.
    options : mapping
        The options that were given to it, as plain values; a job with others does not go on with this one's output.
    processes : Processes
        Those of a task.
    inputs_per_part : int
        How many inputs are done or not done together.
    parts_at_once : int or None
        How many parts are worked on at a time; by default so many that twice as many inputs as cores are under way.
    evidence : bool
        Whether records have the blocks.
    """

    inputs: tuple[str, ...]
    output: str
    reading: Reading
    extractor: Extractor
    options: Mapping[str, Any] = field(default_factory=dict)
    processes: Processes = field(default_factory=Processes)
    inputs_per_part: int = 16
    parts_at_once: int | None = None
    evidence: bool = False


@dataclass(frozen=True)
class Outcome:
    """How a job ended.

    Attributes
    ----------
    counts : dict
        Sums over all parts that are done, those of earlier runs too: `blockfeat.integrations.spark.job.counts_of`.
    parts : int
        Number of parts.
    done_earlier : int
        Parts that an earlier run has done.
    unfinished : dict
        Why parts could not be done, by their names; the next run tries them again.
    seconds : float
        What this run took.
    """

    counts: dict[str, Any]
    parts: int
    done_earlier: int
    unfinished: dict[str, str]
    seconds: float


def session_settings(format: str) -> dict[str, str]:
    """Return the settings of Spark that bound memory and make the output the same on every cluster."""
    settings = {
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(_ROWS_OF_A_BATCH),
        "spark.sql.parquet.compression.codec": "zstd",
        # Otherwise the files are cut by how many cores there are.
        "spark.sql.files.minPartitionNum": "1",
    }
    if format == "warc":
        # An archive that is not packed would be cut in the middle of records.
        settings["spark.sql.files.maxPartitionBytes"] = str(_TERABYTE)
    return settings


def run_job(session: SparkSession, job: Job, *, on_part: Callable[[str, str], None] | None = None) -> Outcome:
    """Do all parts of a job that are not done.

    Parameters
    ----------
    session : SparkSession
        A session with a driver in this process; `session_settings` are set on it.
    job : Job
        The job.
    on_part : callable, optional
        Called with the name of each part and what became of it.

    Raises
    ------
    InputError
        An input names nothing.
    ResumeError
        The output was made from other inputs, by another model or other options.
    OutputError
        The output cannot be written.
    """
    started = time.monotonic()
    for name, value in session_settings(job.reading.format).items():
        session.conf.set(name, value)
    files = HadoopFiles(session)
    inputs = found_inputs(files, job.inputs, job.reading.format)
    output = Output(files, job.output)
    options = {**job.options, "evidence": job.evidence or None}
    output.begin(run_record(job.extractor.model, options), inputs, job.inputs_per_part)
    parts = parts_of(inputs, job.inputs_per_part)
    done = output.done()
    left = [part for part in parts if part.number not in done]
    renderer = shared(session, Renderer(job.extractor, "parquet", evidence=job.evidence))
    unfinished = _work(session, job, output, left, renderer, on_part or (lambda name, what: None))
    counts = total(output.done().values())
    outcome = Outcome(counts, len(parts), len(done), unfinished, time.monotonic() - started)
    output.summarise({"parts": outcome.parts, "unfinished": unfinished, **counts})
    return outcome


def _work(
    session: SparkSession,
    job: Job,
    output: Output,
    parts: Sequence[Part],
    renderer: Shared,
    on_part: Callable[[str, str], None],
) -> dict[str, str]:
    """Do some parts, a few at a time, so that one that takes long leaves no core idle; return why some failed."""
    cores = session.sparkContext.defaultParallelism
    at_once = job.parts_at_once or max(2, -(-2 * cores // job.inputs_per_part))
    unfinished = {}
    with ThreadPoolExecutor(at_once) as pool:
        started = {pool.submit(_do, session, job, output, part, renderer): part for part in parts}
        try:
            for future in as_completed(started):
                part = started[future]
                error = future.exception()
                if error is not None:
                    unfinished[part.name] = _first_lines(error)
                    _LOG.error("%s: %s", part.name, unfinished[part.name])
                on_part(part.name, unfinished.get(part.name, "done"))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    return dict(sorted(unfinished.items()))


def _do(session: SparkSession, job: Job, output: Output, part: Part, renderer: Shared) -> None:
    """Do one part from the start."""
    output.clear(part)
    names = [entry.name for entry in part.inputs]
    records = records_of(session, names, job.reading, renderer, job.processes, evidence=job.evidence)
    records.write.mode("overwrite").parquet(output.staging(part))
    written = output.place(part)
    output.finish(part, counts_of(session, part.inputs, written))


def _first_lines(error: BaseException) -> str:
    text = str(getattr(error, "java_exception", None) or error).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines[:2])[:500]}"
