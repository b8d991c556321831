"""The journal of a session: one JSON object a line, written and synced before an action counts as done."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from blockfeat._files import writing
from blockfeat._json_lines import parse_object
from blockfeat.errors import CorpusError, OutputError
from blockfeat.web.labelling.log import Change, LabelLog

_SCHEMA = 1


class Journal:
    """Appends actions to a file that can be replayed.

    A line that a crash cut short is taken off when the file is opened: its action was never confirmed.
    """

    def __init__(self, path: Path, table: str) -> None:
        self.path = path
        self.log = LabelLog()
        """What the journal says so far."""
        with writing(path):
            self._file = path.open("ab+", buffering=0)
        try:
            self._replay(table)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        """Return the journal."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the file."""
        self._file.close()

    def apply(self, change: Change) -> None:
        """Write a change, then make it."""
        self._write(change.to_value())
        self.log.apply(change)

    def undo(self) -> str | None:
        """Write and take back the latest change; return its page."""
        if not self.log.can_undo:
            return None
        self._write({"undo": True})
        return self.log.undo()

    def redo(self) -> str | None:
        """Write and make again the change that was undone last; return its page."""
        if not self.log.can_redo:
            return None
        self._write({"redo": True})
        return self.log.redo()

    def _write(self, value: Mapping[str, Any]) -> None:
        """Append a line and wait until the disk has it.

        Raises
        ------
        OutputError
            The line could not be written whole; what was written of it is taken back.
        """
        # ASCII: ids may hold lone surrogates, which UTF-8 cannot.
        line = json.dumps(value).encode("ascii") + b"\n"
        with writing(self.path):
            end = os.fstat(self._file.fileno()).st_size
            try:
                written = self._file.write(line)
                os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(end)
                raise
        if written != len(line):
            self._file.truncate(end)
            raise OutputError(f"{self.path}: cannot be written: the disk is full")

    def _replay(self, table: str) -> None:
        """Read the journal from its start."""
        self._file.seek(0)
        content = self._file.readall() or b""
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            self._file.truncate(len(whole))
        lines = whole.splitlines()
        if not lines:
            self._write({"journal": _SCHEMA, "table": table})
            return
        self._check_header(lines[0], table)
        for number, line in enumerate(lines[1:], start=2):
            try:
                self._replay_line(parse_object(line))
            except CorpusError as error:
                raise CorpusError(f"{self.path}, line {number}: {error}") from None

    def _check_header(self, line: bytes, table: str) -> None:
        try:
            header = parse_object(line)
        except CorpusError as error:
            raise CorpusError(f"{self.path}, line 1: {error}") from None
        if header.get("journal") != _SCHEMA:
            raise CorpusError(f"{self.path}: not a journal of `blockfeat label` that this version reads")
        if header.get("table") != table:
            raise CorpusError(
                f"{self.path}: its pages were cut by the tag table {header.get('table')!r}, and the model cuts by "
                f"{table!r}; take a model of that table, or another output"
            )

    def _replay_line(self, value: dict[str, Any]) -> None:
        if "undo" in value:
            self.log.undo()
        elif "redo" in value:
            self.log.redo()
        else:
            self.log.apply(Change.from_value(value))
