"""Runs that were interrupted: done documents are kept, failed ones tried again, each at its place.

The lines of the output belong to the documents one by one. Where a failed line has to be replaced, a second file,
``<output>.part``, takes the output's place when it has come to the end of the earlier lines; up to there the output is
as it was, so that nothing done is lost at any moment.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from blockfeat._files import writing
from blockfeat.errors import ResumeError
from blockfeat.io.outputs.rendering import Rendered
from blockfeat.page.document import Document


@dataclass(frozen=True)
class EarlierRun:
    """How many lines of an output are done and how many failed."""

    done: int
    failed: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a document's line belongs: after so many lines that stay, and whether in place of a failed line."""

    kept: int
    replaces: bool


def earlier_run(output: Path) -> EarlierRun:
    """Join what an interrupted run has left, cut an incomplete last line, and count its lines.

    Raises
    ------
    OutputError
        The file cannot be read or written.
    """
    with writing(output):
        _join_partial(output)
        if not output.exists():
            return EarlierRun(0, 0)
        _cut_to_whole_lines(output)
        with output.open("rb") as lines:
            outcomes = [_outcome(line)[1] for line in lines]
    return EarlierRun(len(outcomes) - sum(outcomes), sum(outcomes))


def clear_partial(output: Path) -> None:
    """Remove what an interrupted run has left beside an output that is written anew."""
    with writing(output):
        _partial(output).unlink(missing_ok=True)


def remaining(documents: Iterator[Document], output: Path, places: deque[_Place]) -> Iterator[Document]:
    """Yield the documents that are not done, and note the place of each.

    Raises
    ------
    ResumeError
        The output belongs to other inputs.
    """
    kept = 0
    if output.exists():
        with output.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                identifier, failed = _outcome(line)
                document = next(documents, None)
                if document is None:
                    raise ResumeError(f"{output}: has {number} lines or more, but the inputs {number - 1} documents")
                if identifier != document.id:
                    raise ResumeError(
                        f"{output}: line {number} does not belong to {document.id!r}: the run had other inputs"
                    )
                if not failed:
                    kept += 1
                    continue
                places.append(_Place(kept, replaces=True))
                kept = 0
                yield document
    for document in documents:
        places.append(_Place(kept, replaces=False))
        kept = 0
        yield document


class ResumingWriter:
    """Writes JSON lines to an output that has some already.

    Parameters
    ----------
    output : Path
        The output; its folder exists where it does.
    places : deque
        The places that `remaining` notes.
    earlier : EarlierRun
        What `earlier_run` has found.
    """

    def __init__(self, output: Path, places: deque[_Place], earlier: EarlierRun) -> None:
        self._output = output
        self._places = places
        self._earlier: IO[bytes] | None = None
        with writing(output):
            output.parent.mkdir(parents=True, exist_ok=True)
            if earlier.failed:
                self._earlier = output.open("rb")
            self._stream = _partial(output).open("wb") if earlier.failed else output.open("ab", buffering=0)

    def write(self, rendered: Rendered) -> None:
        """Write one line at its place."""
        place = self._places.popleft()
        with writing(self._output):
            self._copy(place.kept)
            if not place.replaces:
                self._complete()
            elif self._earlier is not None:
                self._earlier.readline()
            self._stream.write(rendered.text.encode("utf-8", "replace"))
            self._stream.flush()

    def close(self) -> None:
        """Keep the earlier lines that no document has come to, and close the file; nothing the second time."""
        with writing(self._output):
            self._complete()
            self._stream.close()

    def _copy(self, count: int) -> None:
        if self._earlier is not None:
            for _ in range(count):
                self._stream.write(self._earlier.readline())

    def _complete(self) -> None:
        """Copy the earlier lines that are left; the new file takes the place of the old one."""
        if self._earlier is None:
            return
        for line in self._earlier:
            self._stream.write(line)
        self._stream.flush()
        self._earlier.close()
        self._earlier = None
        _partial(self._output).replace(self._output)


def _partial(output: Path) -> Path:
    return output.with_name(output.name + ".part")


def _join_partial(output: Path) -> None:
    """Complete the file of a run that was killed while it replaced failed lines, and let it take the output's place."""
    partial = _partial(output)
    if not partial.exists():
        return
    done = _cut_to_whole_lines(partial)
    if output.exists():
        with output.open("rb") as earlier, partial.open("ab") as joined:
            for number, line in enumerate(earlier):
                if number >= done:
                    joined.write(line)
    partial.replace(output)


def _cut_to_whole_lines(path: Path) -> int:
    """Remove an incomplete last line; return the number of lines left."""
    count, end = 0, 0
    with path.open("rb+") as file:
        for line in file:
            if line.endswith(b"\n"):
                count += 1
                end += len(line)
        file.truncate(end)
    return count


def _outcome(line: bytes) -> tuple[object, bool]:
    """Return the identifier in a JSON line, None if it has none, and whether the document failed."""
    try:
        record = json.loads(line)
    except ValueError:
        return None, False
    if not isinstance(record, dict):
        return None, False
    return record.get("id"), bool(record.get("error"))
