"""Run an extractor over many documents and write the results to a stream, a file or a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Protocol

from blockfeat.errors import InputError
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.files import writing
from blockfeat.output import FORMATS, to_json_line, to_markdown
from blockfeat.pool import in_order
from blockfeat.sources.document import Document

__all__ = ["FolderWriter", "Rendered", "Renderer", "StreamWriter", "file_writer", "resumed", "run"]

_SUFFIXES = {"text": ".txt", "markdown": ".md", "json": ".json", "html": ".html", "xml": ".xml"}
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Rendered:
    """One document's output: its identifier, the text to write, and its error if it failed."""

    id: str
    text: str
    error: str | None


@dataclass(frozen=True)
class Renderer:
    """Extracts a document and renders it, in any process.

    Attributes
    ----------
    extractor : Extractor
        The extractor.
    format : str
        A key of `blockfeat.output.FORMATS`.
    links, evidence : bool
        Whether Markdown holds links, and JSON the blocks.
    lang : str or None
        Language of all documents, where it is known.
    """

    extractor: Extractor
    format: str = "text"
    links: bool = False
    evidence: bool = False
    lang: str | None = None

    def __call__(self, document: Document) -> Rendered:
        """Extract and render one document."""
        if self.lang is not None:
            document = replace(document, lang=self.lang)
        return self.rendered(document, self.extractor.extract_document(document))

    def failed(self, document: Document, reason: str) -> Rendered:
        """Render a document whose worker died or passed its deadline."""
        return self.rendered(document, self.extractor.failed(document, reason))

    def rendered(self, document: Document, extraction: Extraction) -> Rendered:
        """Render one extraction."""
        if self.format == "json":
            text = to_json_line(extraction, evidence=self.evidence) + "\n"
        elif extraction.error is not None:
            text = ""
        elif self.format == "markdown":
            text = to_markdown(extraction, links=self.links)
        else:
            text = FORMATS[self.format](extraction)
        return Rendered(document.id, text, extraction.error)


class Writer(Protocol):
    """Writes rendered documents, one after the other."""

    def write(self, rendered: Rendered) -> None:
        """Write one document."""
        ...


@dataclass
class StreamWriter:
    """Writes to a binary stream; form feeds separate documents that are not JSON lines.

    Each document is one write, so that an unbuffered file holds whole documents at any moment.
    """

    stream: IO[bytes]
    lines: bool
    name: str = "standard output"
    count: int = 0

    def write(self, rendered: Rendered) -> None:
        """Write one document; raise `OutputError`, or `BrokenPipeError` where a pipe's reader has gone."""
        text = rendered.text
        if not self.lines:
            if rendered.error:
                return
            text = ("\f\n" if self.count else "") + text.rstrip("\n") + "\n"
        self.count += 1
        with writing(self.name):
            self.stream.write(text.encode("utf-8", "replace"))
            self.stream.flush()


def file_writer(path: Path, *, lines: bool, append: bool = False) -> StreamWriter:
    """Return a writer to one file.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        return StreamWriter(path.open("ab" if append else "wb", buffering=0), lines, str(path))


class FolderWriter:
    """Writes one file a document into a folder, named for the document."""

    def __init__(self, folder: Path, format: str) -> None:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.suffix = _SUFFIXES[format]
        self.used: set[str] = set()

    def write(self, rendered: Rendered) -> None:
        """Write one document, whole or not at all; one that failed leaves no file (JSON: its error record)."""
        if rendered.error and not rendered.text:
            return
        stem = _UNSAFE.sub("_", rendered.id).strip("._")[-150:] or "page"
        name, number = stem, 2
        while name in self.used:
            name, number = f"{stem}-{number}", number + 1
        self.used.add(name)
        target = self.folder / (name + self.suffix)
        partial = target.with_name(target.name + ".part")
        with writing(target):
            partial.write_text(rendered.text, encoding="utf-8", newline="\n")
            partial.replace(target)


@dataclass(frozen=True)
class RunCounts:
    """How many documents were extracted and how many failed."""

    extracted: int = 0
    failed: int = 0


def run(
    documents: Iterable[Document],
    renderer: Renderer,
    writer: Writer,
    *,
    jobs: int = 1,
    deadline: float | None = None,
    on_document: Callable[[Rendered], None] | None = None,
) -> RunCounts:
    """Extract, render and write documents in order; a failure is counted and the run continues."""
    extracted = failed = 0
    for _, rendered in in_order(renderer, documents, jobs=jobs, failure=renderer.failed, deadline=deadline):
        writer.write(rendered)
        if rendered.error is None:
            extracted += 1
        else:
            failed += 1
        if on_document is not None:
            on_document(rendered)
    return RunCounts(extracted, failed)


def resumed(documents: Iterator[Document], output: Path) -> tuple[Iterator[Document], int]:
    """Skip the documents that an interrupted run has written as JSON lines; return the rest and their number.

    An incomplete last line is removed. The written lines must have the identifiers of the first documents.

    Raises
    ------
    InputError
        The output belongs to other inputs.
    """
    if not output.exists():
        return documents, 0
    whole = _cut_to_whole_lines(output)
    written = 0
    with output.open(encoding="utf-8") as lines:
        for line, document in zip(lines, islice(documents, whole), strict=False):
            written += 1
            if _identifier(line) != document.id:
                raise InputError(
                    f"{output}: line {written} does not belong to {document.id!r}: the run had other inputs"
                )
    if written < whole:
        raise InputError(f"{output}: has {whole} lines, but the inputs have only {written} documents")
    return documents, written


def _identifier(line: str) -> object:
    """Return the identifier in a JSON line; None if it has none."""
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return None
    return record.get("id") if isinstance(record, dict) else None


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
