"""Where the output of a batch goes: standard output, a file or a folder, in which format, and what resuming means."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from blockfeat.io.batch.run import Writer
    from blockfeat.io.inputs import Document
    from blockfeat.models.model import Model


FORMAT_NAMES = ("text", "markdown", "json", "html", "xml", "page", "csv", "parquet")
_BY_SUFFIX = {
    ".txt": "text",
    ".md": "markdown",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".html": "html",
    ".htm": "html",
    ".xml": "xml",
    ".csv": "csv",
    ".parquet": "parquet",
}
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

    def writer(self, *, evidence: bool, site: bool = False) -> Writer:
        """Open the target anew, for records with the blocks or with what site profiles have dropped.

        Raises
        ------
        OutputError
            It cannot be written.
        """
        from blockfeat.io.batch import run

        lines = self.format == "json"
        if self.format in _TABLES:
            return self._table_writer(evidence=evidence, site=site)
        if self.path is None:
            return run.StreamWriter(sys.stdout.buffer, lines=lines, format=self.format)
        if self.is_folder:
            return run.FolderWriter(self.path, self.format)
        return run.file_writer(self.path, lines=lines, format=self.format)

    def _table_writer(self, *, evidence: bool, site: bool) -> Writer:
        from blockfeat.io.batch.run import file_writer
        from blockfeat.io.outputs.records import record_columns
        from blockfeat.io.outputs.tables import CsvWriter, ParquetFileWriter

        columns = record_columns(evidence=evidence, site=site)
        if self.path is None:
            return CsvWriter(sys.stdout.buffer, columns)
        if self.format == "parquet":
            return ParquetFileWriter(self.path, columns)
        return CsvWriter(file_writer(self.path, lines=False).stream, columns, name=str(self.path))

    @property
    def is_resumable(self) -> bool:
        """Whether a run to it can be interrupted and continued: JSON lines to a file."""
        is_lines = self.path is not None and not self.is_folder and self.format == "json"
        return is_lines and _is_new_or_regular(Path(str(self.path)))

    def begun(
        self, documents: Iterator[Document], model: Model, options: Mapping[str, Any], *, resume: bool
    ) -> tuple[Iterator[Document], Writer | None, int]:
        """Start or resume JSON lines to a file, with a record of model and options beside it.

        Returns
        -------
        iterator of Document, Writer or None, int
            The documents that are to be done, their writer if the output is resumed, the number of those done earlier.
        """
        if self.path is None or not self.is_resumable:
            return documents, None, 0
        from blockfeat.io.batch.resume import (
            ResumingWriter,
            check_same_run,
            clear_partial,
            earlier_run,
            remaining,
            run_record,
            write_run_record,
        )

        record = run_record(model, options)
        if resume and self.path.exists():
            check_same_run(record, self.path)
            earlier = earlier_run(self.path)
            places: deque[Any] = deque()
            return (
                remaining(documents, self.path, places),
                ResumingWriter(self.path, places, earlier),
                earlier.done,
            )
        clear_partial(self.path)
        write_run_record(record, self.path)
        return documents, None, 0


def target_of(output: str | None, format: str | None, *, inputs: Sequence[str], resume: bool) -> Target:
    """Read the options of the output.

    An existing folder, or a name that ends in a slash, is a folder; any other name is a file, whose suffix says the
    format where none is given.
    """
    path = None if output is None or output == "-" else Path(output)
    is_folder = path is not None and (path.is_dir() or str(output).endswith(("/", os.sep)))
    suffix = path.suffix.lower() if path is not None and not is_folder else ""
    chosen = format or _BY_SUFFIX.get(suffix, "text")
    if chosen not in FORMAT_NAMES:
        raise typer.BadParameter(f"'{chosen}' is none of {', '.join(FORMAT_NAMES)}", param_hint="--format")
    if suffix in (".gz", ".xz", ".zst"):
        raise typer.BadParameter(f"{output}: packed files are not written; pack it afterwards", param_hint="--output")
    if is_folder and chosen in _TABLES:
        raise typer.BadParameter(f"{output}: {chosen} is one table, give a file, not a folder", param_hint="--output")
    if path is None and chosen == "parquet":
        raise typer.BadParameter("parquet needs --output FILE", param_hint="--format")
    if path is not None and not is_folder and any(_is_same_file(name, path) for name in inputs):
        raise typer.BadParameter(f"{output}: it is an input too", param_hint="--output")
    if resume and (path is None or is_folder or chosen != "json"):
        raise typer.BadParameter("needs --format json and --output FILE", param_hint="--resume")
    return Target(path, is_folder, chosen)


def _is_new_or_regular(path: Path) -> bool:
    """Return whether a path is a plain file, or will be one: no folder, no device, no pipe."""
    return path.is_file() or not path.exists()


def _is_same_file(name: str, path: Path) -> bool:
    try:
        return path.exists() and os.path.samefile(name, path) and path.is_file()
    except (OSError, ValueError):
        return False
