"""Run an extractor over many documents and write the results to a stream, a file or a folder."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol
from unicodedata import normalize

from blockfeat._files import is_same_file, write_whole, writing
from blockfeat.io.inputs.options import Pending, as_read
from blockfeat.io.outputs.formats import Formatter, Rendered, frame, part
from blockfeat.page.document import host_of

_PAGE_SUFFIX = re.compile(r"\.x?html?$", re.IGNORECASE)
_SUFFIXES = {"text": ".txt", "markdown": ".md", "json": ".json", "html": ".html", "xml": ".xml", "page": ".html"}
# File systems allow 255 bytes.
_BYTES_OF_A_NAME = 240
_LETTERS_OF_A_NAME = 150
_UNSAFE = re.compile(r"[^\w.-]+")


class Writer(Protocol):
    """Writes rendered documents, one after the other."""

    def write(self, rendered: Rendered) -> None:
        """Write one document."""

    def close(self) -> None:
        """Write what follows the last document, such as closing tags."""


@dataclass
class StreamWriter:
    """Writes to a binary stream: JSON Lines, or pages separated as by `blockfeat.io.outputs.formats.part`.

    A single page is written without separators, so the first page is held back until the second one. Each document is
    flushed.
    """

    stream: IO[bytes]
    lines: bool
    name: str = "standard output"
    format: str = "text"
    count: int = 0
    first: Rendered | None = None

    def write(self, rendered: Rendered) -> None:
        """Write one document; raise `OutputError` on failure, `BrokenPipeError` if the reader of a pipe has ended."""
        self.count += 1
        if self.lines:
            self._write(rendered.text)
        elif self.count == 1:
            self.first = rendered
        else:
            before = frame(self.format, "opening") + self._part(self.first) if self.first else ""
            self.first = None
            self._write(before + self._part(rendered))

    def close(self) -> None:
        """Write a single page that was held back, or what follows the last of several."""
        if self.first is not None and self.first.error is None:
            self._write(self.first.text.rstrip("\n") + "\n")
        elif self.count > 1 and not self.lines:
            self._write(frame(self.format, "closing"))
        self.first = None

    def _part(self, rendered: Rendered) -> str:
        return part(self.format, rendered.url or rendered.id, rendered.text, rendered.error)

    def _write(self, text: str) -> None:
        with writing(self.name):
            self.stream.write(text.encode("utf-8", "replace"))
            self.stream.flush()


class FolderWriter:
    """Writes one file per document into a folder, named after the document's id."""

    def __init__(self, folder: Path, format: str) -> None:
        self.folder, self.suffix = folder, _SUFFIXES[format]
        self.used: set[str] = set()

    def write(self, rendered: Rendered) -> None:
        """Write one document atomically; a failed one gets no file, or in JSON a file with its error record."""
        if rendered.error and not rendered.text:
            return
        write_whole(self.folder / self._name(rendered.id), rendered.text.encode())

    def _name(self, id: str) -> str:
        """Return a name not used before, also on file systems that ignore case or decompose letters."""
        stem = _PAGE_SUFFIX.sub("", _UNSAFE.sub("_", id)).strip("._") or "page"
        name, number = _shortened(stem, self.suffix), 2
        while (identity := _identity(name)) in self.used or is_same_file(id, self.folder / name):
            name, number = _shortened(stem, f"-{number}{self.suffix}"), number + 1
        self.used.add(identity)
        return name

    def close(self) -> None:
        """Do nothing: every file is complete."""


def _identity(name: str) -> str:
    return normalize("NFC", normalize("NFC", name).casefold())


def _shortened(stem: str, end: str) -> str:
    """Return a stem with an ending, the front of the stem cut off where the name would have too many bytes."""
    most = _BYTES_OF_A_NAME - len(end.encode())
    return stem[-_LETTERS_OF_A_NAME:].encode("utf-8", "replace")[-most:].decode("utf-8", "ignore").lstrip("._") + end


@dataclass(frozen=True)
class _Reading:
    """Reads a page where that is still to be done, and renders it, in any process."""

    renderer: Formatter

    def __call__(self, page: Pending) -> Rendered:
        return self.renderer(as_read(page))

    def failed(self, page: Pending, reason: str) -> Rendered:
        """Return what is written of a page that ended its process, or passed the deadline."""
        return self.renderer.failed(as_read(page), reason)


def run(
    documents: Iterable[Pending],
    renderer: Formatter,
    writer: Writer,
    *,
    jobs: int = 1,
    deadline: float | None = None,
    on_document: Callable[[Rendered], None] | None = None,
) -> None:
    """Extract, render and write documents in order, then close the writer; a failed document does not end the run."""
    work = _Reading(renderer)
    if jobs <= 1 and deadline is None:
        # As `in_order` does it, which takes 10 ms to load.
        done: Iterable[Rendered] = map(work, documents)
    else:
        from blockfeat._pool import in_order

        done = (found for _, found in in_order(work, documents, jobs=jobs, failure=work.failed, deadline=deadline))
    try:
        for rendered in done:
            writer.write(rendered)
            if on_document is not None:
                on_document(rendered)
    finally:
        writer.close()


_MOST_REASONS = 6
# The prefix of a reason: file and line, or archive and number of the record.
_PLACE = r"(?s)^.{0,4096}?:\d+: "
_DETAIL = r": | \(|; | after line \d+"


@dataclass
class Tally:
    """Counts the documents of a run by their outcome.

    Attributes
    ----------
    earlier : int
        Number of documents done by an earlier run.
    statuses, reasons : Counter
        Documents by status, and failed ones by reason.
    started : float
        When the run began, by the monotonic clock.
    """

    earlier: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=time.monotonic)

    def add(self, rendered: Rendered) -> None:
        """Count one document."""
        if rendered.error is None:
            self.statuses[rendered.status] += 1
        else:
            self.reasons[reason_of(rendered.id, rendered.error)] += 1

    @property
    def total(self) -> int:
        """Number of documents counted."""
        return self.statuses.total() + self.reasons.total()

    def summary(self) -> str:
        """Return one line: outcomes, time, and pages a second."""
        if not self.total:
            return f"nothing left to do: {self.earlier:,} pages done earlier"
        seconds = time.monotonic() - self.started
        parts = [f"{self.statuses['ok']:,} ok"]
        parts += [f"{count:,} {status}" for status, count in self.statuses.most_common() if status != "ok"]
        if failed := self.reasons.total():
            parts.append(f"{failed:,} failed ({self._failures()})")
        if self.earlier:
            parts.append(f"{self.earlier:,} done earlier")
        rate = self.total / max(seconds, 1e-9)
        pace = f"{rate:,.{0 if rate >= 10 else 1}f} pages a second"
        return f"{self.total:,} page{'' if self.total == 1 else 's'}: {', '.join(parts)}; {seconds:.1f} s, {pace}"

    def _failures(self) -> str:
        shown = self.reasons.most_common(_MOST_REASONS)
        parts = [f"{reason}: {count:,}" for reason, count in shown]
        if rest := self.reasons.total() - sum(count for _, count in shown):
            parts.append(f"other reasons: {rest:,}")
        return ", ".join(parts)


def reason_of(name: str, error: str) -> str:
    """Return the reason in an error message without page and details, so that equal reasons can be counted."""
    reason = error.removeprefix(f"{name}: ")
    if reason == error:
        reason = re.sub(_PLACE, "", reason, count=1)
    reason = re.split(_DETAIL, reason, maxsplit=1)[0].strip()
    if host := host_of(name):
        reason = reason.replace(f" for host {host}", "").replace(f"host {host}", "host").replace(f" to {host}", "")
    return reason or "no reason given"
