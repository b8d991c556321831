"""The files that a session writes: its journal, synced before an action takes effect, and its corpus file."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from errno import ENOSPC
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

from blockfeat._files import json_line, parse_object, stem, whole_file, writing
from blockfeat.data import ROLES, BlockRoles, LabelledPage, page_from_record, page_to_record
from blockfeat.errors import CorpusError

_logger = logging.getLogger("blockfeat.web.labelling")

STATES = ("open", "done", "skipped", "bad")
"""States of a page: still to do, labelled, put off, or of no use (broken, empty, of another kind)."""

NO_ROLE = "none"
_SCHEMA = 1
_NO_JOURNAL = "not a journal of `blockfeat label` that this version reads"


@dataclass(frozen=True)
class Change:
    """One action on one page.

    Attributes
    ----------
    page : str
        Id of the page.
    cut : str
        Digest of its blocks (`blockfeat.data.labels.cut_digest`).
    roles : mapping of int to str or None
        The new role of each block that changes; None removes the role.
    state : str or None
        The new state of the page, one of `STATES`; None leaves it.
    at : float
        When, in seconds since 1970.
    is_given : bool
        Whether the labels existed before the session: they are no action of the labeller, and cannot be undone.
    """

    page: str
    cut: str
    roles: Mapping[int, str | None] = field(default_factory=dict)
    state: str | None = None
    at: float = 0.0
    is_given: bool = False

    def to_value(self) -> dict[str, Any]:
        """Return plain values for JSON; blocks are grouped by role, which is shorter."""
        by_role: dict[str, list[int]] = {}
        for block, role in sorted(self.roles.items()):
            by_role.setdefault(role or NO_ROLE, []).append(block)
        found: dict[str, Any] = {"page": self.page, "cut": self.cut, "roles": by_role, "at": round(self.at, 3)}
        if self.is_given:
            found["given"] = True
        return found if self.state is None else {**found, "state": self.state}

    @classmethod
    def from_value(cls, value: Mapping[str, Any]) -> Change:
        """Create a change from what `to_value` returned.

        Raises
        ------
        CorpusError
            The value is no change; the message gives the reason.
        """
        try:
            roles = {
                int(block): None if role == NO_ROLE else role
                for role, blocks in value["roles"].items()
                for block in blocks
            }
            page, cut, at = str(value["page"]), str(value["cut"]), float(value["at"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise CorpusError(f"no change of a page: {type(error).__name__}: {error}") from None
        found = cls(page, cut, roles, value.get("state"), at, value.get("given") is True)
        known = (None, *ROLES)
        if found.state not in (None, *STATES) or any(role not in known for role in roles.values()):
            raise CorpusError("a change has an unknown role or state")
        return found


@dataclass
class PageLabels:
    """The labels of one page: the cut that its roles belong to, the roles by block, the state."""

    cut: str = ""
    roles: dict[int, str] = field(default_factory=dict)
    state: str = "open"


class LabelLog:
    """The state of a session, which results from its changes alone.

    The changes of all pages are in one list: undo reverts the latest, whatever page it was on.
    """

    def __init__(self) -> None:
        self.pages: dict[str, PageLabels] = {}
        self.finished: set[str] = set()
        """The pages that were done at any time, even if that was undone."""
        self._done: list[tuple[Change, PageLabels]] = []  # with the labels before each change, which undo restores
        self._undone: list[Change] = []

    def labels(self, page: str) -> PageLabels:
        """Return the labels of a page."""
        return self.pages.get(page) or PageLabels()

    def apply(self, change: Change) -> None:
        """Apply a change; what was undone before can then not be redone."""
        self._write(change.to_value())
        self._undone.clear()
        self._apply(change)
        if change.is_given:
            self._done.pop()

    def undo(self) -> str | None:
        """Undo the latest change; return its page, None where there is nothing to undo."""
        if not self._done:
            return None
        self._write({"undo": True})
        change, self.pages[change.page] = self._done.pop()
        self._undone.append(change)
        return change.page

    def redo(self) -> str | None:
        """Redo the change that was undone last; return its page, None where there is none."""
        if not self._undone:
            return None
        self._write({"redo": True})
        change = self._undone.pop()
        self._apply(change)
        return change.page

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to undo."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether there is a change to redo."""
        return bool(self._undone)

    def _write(self, value: Mapping[str, Any]) -> None:
        """Record what is about to be done; where this raises, it is not done."""

    def _apply(self, change: Change) -> None:
        before = self.labels(change.page)
        self._done.append((change, before))
        # Roles of another cut do not apply to these blocks.
        roles = dict(before.roles) if before.cut == change.cut else {}
        for block, role in change.roles.items():
            if role is None:
                roles.pop(block, None)
            else:
                roles[block] = role
        self.pages[change.page] = PageLabels(change.cut, roles, change.state or before.state)
        if change.state == "done":
            self.finished.add(change.page)


@dataclass(frozen=True, slots=True)
class _Line:
    """First and end byte of the line of a page in the file, and the roles in it."""

    first: int
    end: int
    roles: BlockRoles | None


class CorpusFile:
    """A corpus file in which single pages are added, replaced and removed.

    A new page is appended. A page inside of the file is replaced or removed by writing a new file under another name,
    which then replaces the old one, so that nothing is ever lost. A last line that a crash cut short is removed when
    the file is opened.
    """

    def __init__(self, path: Path) -> None:
        if not path.name.lower().endswith(".jsonl"):
            raise CorpusError(f"{path}: labels go to a file whose name ends in .jsonl")
        self.path = path
        self.name = stem(path)
        """Name of the corpus."""
        self._lines: dict[str, _Line] = {}
        with writing(path):
            path.touch()
        self._read()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the pages in the file."""
        return tuple(self._lines)

    def roles(self, id: str) -> BlockRoles | None:
        """Return the roles of a page in the file; None where it has none, or the page is not in the file."""
        line = self._lines.get(id)
        return line.roles if line is not None else None

    def pages(self) -> Iterator[LabelledPage]:
        """Yield the pages in the order of the file."""
        with self.path.open("rb") as stream:
            for line in list(self._lines.values()):
                stream.seek(line.first)
                yield page_from_record(parse_object(stream.read(line.end - line.first)), corpus=self.name)

    def put(self, page: LabelledPage) -> None:
        """Write a page, which replaces a page with the same id."""
        record = page_to_record(page)
        record.pop("corpus", None)
        data = json_line(record)
        self.remove(page.id)
        with writing(self.path), self.path.open("ab", buffering=0) as stream:
            first = _append_synced(stream, data, self.path)
        self._lines[page.id] = _Line(first, first + len(data), page.roles)

    def remove(self, id: str) -> None:
        """Write the file without a page; do nothing where it is not in the file."""
        gone = self._lines.get(id)
        if gone is None:
            return
        with writing(self.path), self.path.open("rb") as old, whole_file(self.path, sync=True) as new:
            first = 0
            for page in old:
                if first != gone.first:
                    new.write(page)
                first += len(page)
        size = gone.end - gone.first
        del self._lines[id]
        for other, line in self._lines.items():
            if line.first >= gone.end:
                self._lines[other] = _Line(line.first - size, line.end - size, line.roles)

    def _read(self) -> None:
        """Record the place of each page in the file; check every line."""
        first, last = 0, b""
        with self.path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    last = line
                    break
                if line.strip():
                    self._note(line, number, first)
                first += len(line)
        if not last:
            return
        with writing(self.path), self.path.open("r+b") as stream:
            try:
                parse_object(last)
            except CorpusError:  # incomplete, as after a crash during writing
                stream.truncate(first)
            else:
                self._note(last + b"\n", number, first)
                stream.seek(0, os.SEEK_END)
                stream.write(b"\n")

    def _note(self, line: bytes, number: int, first: int) -> None:
        try:
            page = page_from_record(parse_object(line), corpus=self.name)
        except CorpusError as error:
            raise CorpusError(f"{self.path}, line {number}: {error}") from None
        if page.id in self._lines:
            raise CorpusError(f"{self.path}, line {number}: id {page.id!r} comes twice")
        self._lines[page.id] = _Line(first, first + len(line), page.roles)


def _append_synced(stream: FileIO, data: bytes, path: Path) -> int:
    """Append data to an unbuffered file and sync it to disk; return the offset of its first byte.

    Raises
    ------
    OutputError
        Not all could be written; the part that was written is removed.
    """
    with writing(path):
        end = os.fstat(stream.fileno()).st_size
        try:
            if stream.write(data) != len(data):
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            os.fsync(stream.fileno())
        except OSError:
            stream.truncate(end)
            raise
    return end


class Journal(LabelLog, AbstractContextManager["Journal"]):
    """The state of a session, whose actions are appended to a file from which it can be restored.

    A line that a crash cut short is removed when the file is opened: its action was never confirmed.
    """

    _is_replayed = False

    def __init__(self, path: Path, table: str) -> None:
        super().__init__()
        self.path = path
        with writing(path):
            self._file = path.open("ab+", buffering=0)
        try:
            self._replay(table)
        except BaseException:
            self._file.close()
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, value: Mapping[str, Any]) -> None:
        """Append a line and sync it to disk, unless it comes from there.

        Raises
        ------
        OutputError
            The line could not be written whole; the part that was written is removed.
        """
        if self._is_replayed:
            # ASCII: ids may hold lone surrogates, which UTF-8 cannot.
            _append_synced(self._file, json.dumps(value).encode("ascii") + b"\n", self.path)

    def _replay(self, table: str) -> None:
        """Restore the state from the journal; write its first line where it is empty."""
        self._file.seek(0)
        content = self._file.readall() or b""
        whole = content[: content.rfind(b"\n") + 1]
        lines, first = whole.splitlines(), {"journal": _SCHEMA, "table": table}
        if not lines and not json.dumps(first).encode("ascii").startswith(content):
            raise CorpusError(f"{self.path}, line 1: {_NO_JOURNAL}")
        for number, line in enumerate(lines, start=1):
            try:
                value = parse_object(line)
                if number > 1:
                    self._replay_line(value)
                elif value.get("journal") != _SCHEMA:
                    raise CorpusError(_NO_JOURNAL)
                elif value.get("table") != table:
                    raise CorpusError(
                        f"its pages were cut by the tag table {value.get('table')!r}, and the model cuts by {table!r}; "
                        "take a model of that table, or another output"
                    )
            except CorpusError as error:
                if number == 1:
                    raise CorpusError(f"{self.path}, line {number}: {error}") from None
                _logger.warning("%s, line %d is passed over: %s", self.path, number, error)
        # Not before it is known to be a journal: another file stays as it is.
        if len(whole) < len(content):
            self._file.truncate(len(whole))
        self._is_replayed = True
        if not lines:
            self._write(first)

    def _replay_line(self, value: dict[str, Any]) -> None:
        if "undo" in value:
            self.undo()
        elif "redo" in value:
            self.redo()
        else:
            self.apply(Change.from_value(value))
