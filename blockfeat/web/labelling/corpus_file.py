"""The corpus file that a session writes: labelled pages, each there as soon as its page is done."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from blockfeat._files import writing
from blockfeat._json_lines import json_line, parse_object, stem
from blockfeat.data.block_roles import BlockRoles
from blockfeat.data.corpus import LabelledPage, page_from_record, page_to_record
from blockfeat.errors import CorpusError, OutputError

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class _Line:
    """Where the line of a page stands in the file, and the roles that it has."""

    first: int
    end: int
    roles: BlockRoles | None


class CorpusFile:
    """A corpus file in which single pages are put, replaced and removed.

    A new page is appended. A page inside of the file is replaced or removed by writing the file anew under another
    name, which then takes its place, so that what is there is never lost. A last line that a crash cut short is taken
    off when the file is opened.
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
        """Return the roles that the file has of a page; None where it has none, or not the page."""
        line = self._lines.get(id)
        return line.roles if line is not None else None

    def pages(self) -> Iterator[LabelledPage]:
        """Yield the pages in the order of the file."""
        with self.path.open("rb") as stream:
            for line in list(self._lines.values()):
                stream.seek(line.first)
                yield page_from_record(parse_object(stream.read(line.end - line.first)), corpus=self.name)

    def put(self, page: LabelledPage) -> None:
        """Write a page, in place of the one of its id where there is one."""
        record = page_to_record(page)
        record.pop("corpus", None)
        data = json_line(record)
        if page.id in self._lines:
            self._rewrite(without=page.id)
        first = self._append(data)
        self._lines[page.id] = _Line(first, first + len(data), page.roles)

    def remove(self, id: str) -> None:
        """Take a page out; nothing where it is not there."""
        if id in self._lines:
            self._rewrite(without=id)

    def _append(self, data: bytes) -> int:
        """Write a line at the end, whole or not at all; return where it stands."""
        with writing(self.path), self.path.open("ab", buffering=0) as stream:
            first = os.fstat(stream.fileno()).st_size
            try:
                written = stream.write(data)
                os.fsync(stream.fileno())
            except OSError:
                stream.truncate(first)
                raise
            if written != len(data):
                stream.truncate(first)
                raise OutputError(f"{self.path}: cannot be written: the disk is full")
        return first

    def _rewrite(self, *, without: str) -> None:
        """Write the file without one page."""
        gone = self._lines[without]
        temporary = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.tmp")
        with writing(self.path):
            try:
                with self.path.open("rb") as old, temporary.open("xb") as new:
                    _copy(old, new, gone.first)
                    old.seek(gone.end)
                    _copy(old, new, None)
                    os.fsync(new.fileno())
                os.replace(temporary, self.path)
            finally:
                temporary.unlink(missing_ok=True)
        size = gone.end - gone.first
        del self._lines[without]
        for id, line in self._lines.items():
            if line.first >= gone.end:
                self._lines[id] = _Line(line.first - size, line.end - size, line.roles)

    def _read(self) -> None:
        """Note where each page stands; every line is checked."""
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
            if _is_cut_short(last):
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


def _is_cut_short(line: bytes) -> bool:
    """Return whether a last line without its end is no JSON object: a crash came while it was written."""
    try:
        parse_object(line)
    except CorpusError:
        return True
    return False


def _copy(source: IO[bytes], target: IO[bytes], size: int | None) -> None:
    """Copy so many bytes, or all that is left."""
    left = size
    while chunk := source.read(_CHUNK if left is None else min(left, _CHUNK)):
        target.write(chunk)
        if left is not None:
            left -= len(chunk)
