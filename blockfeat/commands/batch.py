"""Batch extraction on the command line, without typer: output target, run, and printed summary."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any

from blockfeat._files import beside, is_same_file, is_written_through, whole_file, written_alone
from blockfeat.commands import console
from blockfeat.commands.console import NOTHING_READ, SOME_FAILED
from blockfeat.errors import ResumeError, nearest

if TYPE_CHECKING:
    from blockfeat.io.batch import Tally, Writer
    from blockfeat.io.inputs import InputOptions
    from blockfeat.io.inputs.options import Pending
    from blockfeat.io.outputs.formats import Formatter, Rendered


FORMAT_NAMES = ("text", "markdown", "json", "html", "xml", "page", "csv", "parquet")
_BY_SUFFIX = {".txt": "text", ".md": "markdown", **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json")}
_BY_SUFFIX |= {**dict.fromkeys((".html", ".htm"), "html"), ".xml": "xml", ".csv": "csv", ".parquet": "parquet"}
_TABLES = ("csv", "parquet")


@dataclass(frozen=True)
class Target:
    """Where output goes and in which format.

    Attributes
    ----------
    path : Path or None
        File or folder; None for standard output.
    is_folder : bool
        Whether each page gets a file of its own in it.
    format : str
        One of `FORMAT_NAMES`.
    """

    path: Path | None
    is_folder: bool
    format: str

    def _writer(self, stream: IO[bytes], renderer: Formatter) -> Writer:
        from blockfeat.io.batch import StreamWriter

        name = str(self.path or "standard output")
        if self.format not in _TABLES:
            return StreamWriter(stream, self.format == "json", name, self.format)
        from blockfeat.io.outputs.tables import CsvWriter, ParquetFileWriter

        make = CsvWriter if self.format == "csv" else ParquetFileWriter
        return make(stream, renderer.columns, name=name)

    @contextmanager
    def begun(
        self, pages: Iterator[Pending], renderer: Formatter, options: Mapping[str, Any], tally: Tally, *, resume: bool
    ) -> Iterator[tuple[Iterator[Pending], Writer]]:
        """Yield the pages that are to be done and their writer; the tally learns how many were done earlier.

        A file is written beside an old one and takes its name when the block ends; where that does not end, a file with
        a page stays, and standard error says so. JSON lines, each of them whole, have a name that is new at once.

        Raises
        ------
        OutputError
            The target cannot be written.
        ResumeError
            It was made by another run.
        """
        from blockfeat.io.batch import FolderWriter

        if self.path is None:
            yield pages, self._writer(sys.stdout.buffer, renderer)
        elif self.is_folder:
            yield pages, FolderWriter(self.path, self.format)
        elif self.format != "json" or is_written_through(self.path):
            file = beside(self.path)
            with written_alone(self.path), _said_where(file, tally), whole_file(self.path, kept=True) as stream:
                yield pages, self._writer(stream, renderer)
        else:
            from blockfeat.io.resume import Resumption, check_same_run, finish, prepare, run_record, write_run_record

            with written_alone(self.path):
                file = prepare(self.path, resume=resume)
                record = run_record(renderer.extractor.model, options)
                with _said_where(file):
                    if resume and file.exists():
                        check_same_run(record, file)
                        resumed = Resumption(file)
                        tally.earlier = resumed.done
                        yield resumed.remaining(pages), resumed
                    else:
                        write_run_record(record, file)
                        yield pages, self._writer(file.open("wb"), renderer)
                finish(file, self.path)


@contextmanager
def _said_where(file: Path, tally: Tally | None = None) -> Iterator[None]:
    """Print, where the block does not end, where its result stands; a file without a page of the tally goes.

    Without a tally the file has a line for each page, and can be continued.
    """
    from blockfeat.io.resume import run_record_path

    try:
        yield
    except BaseException as reason:
        has_pages = file.is_file() and file.stat().st_size and (tally is None or tally.total)
        if has_pages and not isinstance(reason, ResumeError):
            console.error(f"what was done stands in {file}{'; --resume continues it' if tally is None else ''}")
        elif not isinstance(reason, ResumeError):
            with suppress(OSError):
                file.unlink(missing_ok=True)
                run_record_path(file).unlink(missing_ok=True)
        raise


def target_of(output: str | None, format: str | None, *, inputs: Sequence[str], resume: bool) -> Target:
    """Return the target that the output options describe; raise a usage error for options that do not fit.

    An existing folder, or a name that ends in a slash, is a folder; any other name is a file, whose suffix gives the
    format if no format is named.
    """
    path = None if output is None or output == "-" else Path(output)
    is_folder = path is not None and (path.is_dir() or str(output).endswith(("/", os.sep)))
    suffix = path.suffix.lower() if path is not None and not is_folder else ""
    chosen = format or _BY_SUFFIX.get(suffix, "text")
    console.check_choice(chosen, FORMAT_NAMES, "--format")
    if suffix in (".gz", ".xz", ".zst"):
        raise console.wrong(f"{output}: packed files are not written; pack it afterwards", "--output")
    if format is None and suffix and suffix not in _BY_SUFFIX and suffix[1:].isalpha():
        unknown = f"{output}: no format has the suffix {suffix} ({nearest(suffix, _BY_SUFFIX)})"
        raise console.wrong(f"{unknown}; --format text writes it", "--output")
    if is_folder and chosen in _TABLES:
        raise console.wrong(f"{output}: {chosen} is one table, give a file, not a folder", "--output")
    if path is None and chosen == "parquet":
        raise console.wrong("parquet needs --output FILE", "--format")
    if path is not None and not is_folder and any(_is_input(name, path) for name in inputs):
        raise console.wrong(f"{output}: it is an input too", "--output")
    if resume and (path is None or is_folder or chosen != "json"):
        raise console.wrong("needs --format json and --output FILE", "--resume")
    return Target(path, is_folder, chosen)


class PassedOver(Counter[str]):
    """Counts the files of folders that are not read, by suffix."""

    def __call__(self, name: str) -> None:
        """Count a file."""
        self[PurePath(name).suffix.lower()] += 1

    def message(self) -> str | None:
        """Return a message about the files that were passed over, and why; None if there are none."""
        if not self:
            return None
        counts = ", ".join(f"{count} {suffix or 'without a suffix'}" for suffix, count in self.most_common())
        return (
            f"passed over {self.total()} file{'s' * (self.total() != 1)} in folders, no pages by their suffix or first "
            f"bytes: {counts} (--input-format html reads every file)"
        )


def extract_plainly(pages: Sequence[str], *, format: str = "text", model: str = "default", quiet: bool = False) -> int:
    """Do what ``blockfeat extract`` with these options does; return the exit code."""
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.io.inputs.options import InputOptions
    from blockfeat.io.outputs.formats import Formatter

    target = target_of(None, format, inputs=pages, resume=False)
    renderer = Formatter(Extractor.load(model), target.format)
    return run_batch(Inputs(tuple(pages), ()), InputOptions(), renderer, target, quiet=quiet)


# Counting the lines of larger files takes longer than a user waits without an answer.
_MOST_COUNTED_BYTES = 1024 * 1024 * 1024


def _is_input(name: str, path: Path) -> bool:
    """Return whether a file is an input, or stands in one and would be read there; no earlier result would."""
    if not (path.is_file() and os.path.isdir(name)):
        return is_same_file(name, path)
    from blockfeat.io.inputs.files import format_by_suffix
    from blockfeat.io.resume import run_record_path

    is_below = Path(os.path.realpath(name)) in Path(os.path.realpath(path)).parents
    return is_below and format_by_suffix(path.name) is not None and not run_record_path(path).exists()


@dataclass(frozen=True)
class Inputs:
    """Pages by name, and lists of addresses; standard input where neither is given."""

    pages: tuple[str, ...]
    lists: tuple[str, ...]

    def documents(self, reading: InputOptions, on_passed_over: PassedOver) -> Iterator[Pending]:
        """Yield the pages; addresses as unfetched documents."""
        from blockfeat.io.inputs import list_inputs

        if self.pages or not self.lists:
            yield from list_inputs(self.pages, reading, on_passed_over=on_passed_over)
        if self.lists:
            yield from list_inputs(self.lists, replace(reading, format="urls"))

    def count(self, reading: InputOptions) -> int | None:
        """Return the number of pages; None where they have to be read to know it (archives, tables, streams)."""
        names = [*self.pages, *self.lists]
        if not names or "-" in names or sum(map(os.path.getsize, filter(os.path.isfile, names))) > _MOST_COUNTED_BYTES:
            return None
        count = 0
        for page in self.documents(reading, PassedOver()):
            if getattr(page, "data", None) is not None:
                return None
            count += 1
        return count

    def __str__(self) -> str:
        """Return the names of the inputs."""
        return ", ".join(self.pages + self.lists or ("-",))


def run_batch(
    inputs: Inputs,
    reading: InputOptions,
    renderer: Formatter,
    target: Target,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    deadline: float | None = None,
    resume: bool = False,
    quiet: bool = False,
) -> int:
    """Extract and write pages, print a summary, return the exit code; only runs with equal ``options`` are resumed."""
    from blockfeat.io.batch import Tally, run
    from blockfeat.io.inputs import fetched
    from blockfeat.models.site import REDESIGNED
    from blockfeat.page.document import host_of

    passed_over, redesigned = PassedOver(), set()
    reading = replace(reading, output=None if target.is_folder else target.path)
    listed = inputs.documents(reading, passed_over)
    tally, empty = Tally(), ""
    with (
        _said(tally, passed_over, quiet=quiet),
        target.begun(listed, renderer, options or {}, tally, resume=resume) as (listed, writer),
        console.progress("extracting", quiet=quiet, total=lambda: inputs.count(reading)) as tick,
    ):

        def on_document(rendered: Rendered) -> None:
            nonlocal empty
            tally.add(rendered)
            tick(tally.earlier + tally.total)
            if rendered.reason == REDESIGNED:
                host = host_of(rendered.url or rendered.id)
                if not quiet and host not in redesigned:
                    console.error(f"{host or rendered.id}: {REDESIGNED}")
                redesigned.add(host)
            # For several pages the summary counts the reasons.
            elif not quiet and tally.total == 1 and not tally.earlier and rendered.reason:
                empty = console.with_name(rendered.id, rendered.reason)
            if rendered.error and not quiet:
                console.error(console.with_name(rendered.id, rendered.error))

        run(fetched(listed, reading), renderer, writer, jobs=jobs, deadline=deadline, on_document=on_document)
        code = NOTHING_READ if not (tally.statuses or tally.earlier) else SOME_FAILED if tally.reasons else 0
        if not tally.total and not tally.earlier:
            console.error(f"nothing to read in {inputs}")
        if code == NOTHING_READ and target.path is not None and (target.format not in _TABLES or target.path.is_file()):
            raise SystemExit(code)  # an old result stays, and a file of no page is none
    if tally.total == 1 and empty:
        console.error(empty)
    return code


@contextmanager
def _said(tally: Tally, passed_over: PassedOver, *, quiet: bool) -> Iterator[None]:
    """Print, when the block ends, unless by a broken pipe, the files passed over and the summary of the batch."""
    try:
        yield
    finally:
        is_told = not quiet and not isinstance(sys.exception(), BrokenPipeError)
        if is_told and (message := passed_over.message()):
            console.error(message)
        if is_told and (tally.total > 1 or tally.earlier):
            console.error(tally.summary())
