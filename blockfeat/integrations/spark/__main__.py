"""``python -m blockfeat.integrations.spark`` and ``spark-submit``: the job from web archives or Parquet to Parquet."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from blockfeat._extras import require_extra
from blockfeat.errors import BlockfeatError, InputError, OutputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.extraction.options import SIDES, option_fields
from blockfeat.integrations.spark.frame import DEFAULT_DEADLINE, Processes, check_extra
from blockfeat.integrations.spark.inputs import READERS, Reading
from blockfeat.integrations.spark.job import Job, Outcome, run_job
from blockfeat.io.inputs.files import format_by_suffix
from blockfeat.io.inputs.options import FieldNames

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_SOME_FAILED, _WRONG_USAGE, _NOTHING_DONE = 1, 2, 126
_YES_OR_NO = ("headline", "captions", "tables", "comments", "rules", "metadata")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job; return the exit code: 0, 1 if pages or parts failed, 2 for wrong usage, 126 if nothing was done."""
    options = _parser().parse_args(arguments)
    try:
        check_extra()
        job = _job(options)
        session, is_own = _session(options.master)
    except BlockfeatError as error:
        return _said(str(error), _WRONG_USAGE)
    try:
        outcome = run_job(session, job, on_part=lambda name, what: _say(f"{name}: {what}"))
    except (InputError, OutputError) as error:
        return _said(str(error), _NOTHING_DONE)
    except BlockfeatError as error:
        return _said(str(error), _WRONG_USAGE)
    finally:
        if is_own:
            session.stop()
    _say(_summary(outcome))
    if outcome.unfinished:
        return _NOTHING_DONE if len(outcome.unfinished) == outcome.parts else _SOME_FAILED
    return _SOME_FAILED if outcome.counts["failed"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="blockfeat.integrations.spark",
        description="Extract the main text of the pages in web archives or Parquet files.",
    )
    add = parser.add_argument
    add("--input", "-i", nargs="+", required=True, help="files, folders or patterns: hdfs://, s3a://, file:// or paths")
    add("--output", "-o", required=True, help="folder for the Parquet files; one that the same job began is completed")
    add("--model", default="default", help="name of a bundled model, or a file that the driver reads")
    add("--format", choices=("warc", "parquet"), help="of the inputs; by default as the first one is named")
    add("--fields", help="names of Parquet columns, such as html=content,url=link")
    add("--reader", choices=READERS, default="auto", help="of archives: opened by the tasks, or read through Spark")
    add("--favour", choices=SIDES, help="less clutter, or less text lost")
    for option, _ in option_fields(*_YES_OR_NO):
        add(f"--{option.name}", action=argparse.BooleanOptionalAction, default=None, help=option.metadata["help"])
    add("--evidence", action="store_true", help="add the column blocks: every block with its features, as JSON")
    add("--max-bytes", type=int, help="largest page that is taken")
    add("--deadline", type=float, default=DEFAULT_DEADLINE, help="most seconds for one page (default %(default)g)")
    add("--jobs", type=int, default=1, help="processes of a task; as many as spark.task.cpus")
    add("--inputs-per-part", type=int, default=16, help="inputs that are done, or done again, together")
    add("--parts-at-once", type=int, help="parts that are worked on at a time")
    add("--master", help="master of Spark, such as local[2]; by default as spark-submit says")
    return parser


def _job(options: argparse.Namespace) -> Job:
    format = options.format or format_by_suffix(options.input[0].rstrip("*"))
    if format not in ("warc", "parquet"):
        raise InputError(f"{options.input[0]}: its name does not say what it is; give --format warc or parquet")
    if options.inputs_per_part < 1 or options.jobs < 1 or options.deadline <= 0:
        raise InputError("--inputs-per-part and --jobs are at least 1, --deadline is above 0")
    if format == "warc":
        require_extra("warc", what="Spark: reading WARC files")
    choices: dict[str, Any] = {name: getattr(options, name) for name in ("favour", *_YES_OR_NO)}
    extractor = Extractor.load(options.model).with_options(**choices, max_bytes=options.max_bytes)
    fields = FieldNames.parse(options.fields) if options.fields else FieldNames()
    return Job(
        inputs=tuple(options.input),
        output=options.output,
        reading=Reading(format, fields, options.reader),
        extractor=extractor,
        options={**choices, "fields": options.fields},
        processes=Processes(options.jobs, options.deadline),
        inputs_per_part=options.inputs_per_part,
        parts_at_once=options.parts_at_once,
        evidence=options.evidence,
    )


def _session(master: str | None) -> tuple[SparkSession, bool]:
    """Return a session of Spark, and whether it was started here."""
    from pyspark.sql import SparkSession

    if (active := SparkSession.getActiveSession()) is not None:
        return active, False
    builder = SparkSession.builder.appName("blockfeat")
    return (builder.master(master) if master else builder).getOrCreate(), True


def _summary(outcome: Outcome) -> str:
    counts = outcome.counts
    parts = [f"{pages:,} {status}" for status, pages in counts["statuses"].items() if status != "error"]
    if counts["failed"]:
        reasons = ", ".join(f"{reason}: {pages:,}" for reason, pages in counts["errors"].items())
        parts.append(f"{counts['failed']:,} failed ({reasons})")
    if outcome.done_earlier:
        parts.append(f"{outcome.done_earlier:,} of {outcome.parts:,} parts done earlier")
    if outcome.unfinished:
        parts.append(f"{len(outcome.unfinished):,} parts could not be done")
    return f"{counts['pages']:,} pages: {', '.join(parts)}; {outcome.seconds:.1f} s"


def _said(text: str, code: int) -> int:
    """Print a line to standard error and return an exit code."""
    _say(text)
    return code


def _say(text: str) -> None:
    sys.stderr.write(f"blockfeat: {text}\n")


if __name__ == "__main__":
    sys.exit(main())
