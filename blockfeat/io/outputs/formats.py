"""Output formats: the record or text of a document, and the separators of several pages in one stream."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape, unescape
from itertools import chain
from sys import getsizeof
from types import MappingProxyType
from typing import Any, NamedTuple

from blockfeat._files import bundled_json, bundled_table
from blockfeat.content.links import clean_characters, fold_white_space, xml_characters
from blockfeat.errors import InputError, nearest
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import PageWork
from blockfeat.models.site import REDESIGNED
from blockfeat.page.document import NO_MARKUP, Document

_TWICE, _LINKS_AT_ONCE, _BYTES_OF_BLOCK, _BYTES_OF_STRING, _COPIES = ("lead", "body"), 10_000, 1_500, 76, 10
# What JSON writes of control characters and lone surrogates, or of a backslash.
_UNCLEAN = re.compile(r"[\x7f-\x9f\ud800-\udfff\\](?:(?<!\\)|[bfru])")


def record_of(extraction: Extraction, *, evidence: bool = False) -> dict[str, Any]:
    """Return the record of a page as plain values; with ``evidence`` also ``blocks``."""
    return dict(plain(extraction.to_dict(evidence=evidence)))


def to_json_line(extraction: Extraction, *, evidence: bool = False, columns: Sequence[str] = ()) -> str:
    """Return the extraction as JSON on exactly one line, without a line end.

    Parameters
    ----------
    extraction : Extraction
        The page's extraction, also one with an error.
    evidence : bool
        Add ``blocks``: every block with its text, label, role, score, features and XPath.
    columns : sequence of str
        The members that are written, such as ``"metadata.title"``, beside ``id`` and ``error``; by default all but
        ``lead`` and ``body``, which the text has too.

    Returns
    -------
    str
        The page's record, as described by the JSON Schema of `record_schema`; characters beyond ASCII are not escaped,
        NaN and infinity are null.
    """
    if evidence:
        rows = extraction.evidence(links=False)
        largest = max((getsizeof(block.text) for block in extraction.blocks), default=0)
        extraction.check_memory(_COPIES * largest // max(1, len(extraction.blocks)), "the copies of a text")
    line = _dumped(_chosen(extraction.to_dict(), columns))
    if evidence:
        # Block by block, appended in place: plain values of all take several times as much memory as what is written,
        # and their lines, joined at the end, twice as much. Where the heap has holes a string that grows leaves more.
        line, length, width = line[:-1] + ', "blocks": [', 0, 1.0
        for piece in _evidence(rows, extraction.blocks):
            line += piece
            # One character beyond Latin 1 makes all of a string two or four times as large.
            length, width = length + len(piece), max(width, (getsizeof(piece) - _BYTES_OF_STRING) / len(piece))
            needed = _BYTES_OF_BLOCK + int((1 + width) * length) // len(extraction.blocks)
            extraction.check_memory(needed, "the evidence of all blocks")
        line += "]}"
    # Valid inside JSON strings, but line ends for many readers; the others are not in clean strings.
    return line.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _chosen(record: dict[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """Return the members of a record, and of its metadata, that are named, and those by which a run goes on.

    Where none are named, all but those whose words the text has too.
    """
    if not columns:
        return {name: value for name, value in record.items() if name not in _TWICE}
    metadata = {name: value for name, value in (record["metadata"] or {}).items() if f"metadata.{name}" in columns}
    chosen = {name: value for name, value in record.items() if name in (*columns, "id", "error")}
    return {**chosen, "metadata": chosen.get("metadata", metadata)} if metadata else chosen


def _evidence(rows: Iterator[dict[str, Any]], blocks: Sequence[Any]) -> Iterator[str]:
    """Yield the blocks as JSON; the links of one, of which there may be a million, some at a time."""
    for number, (values, block) in enumerate(zip(rows, blocks, strict=True)):
        before, behind = _dumped(values).rsplit("[]", 1)
        yield f"{', ' if number else ''}{before}["
        for first in range(0, len(block.links), _LINKS_AT_ONCE):
            links = _dumped([link._asdict() for link in block.links[first : first + _LINKS_AT_ONCE]])
            yield f"{', ' if first else ''}{links[1:-1]}"
        yield f"]{behind}"


def _dumped(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return plain values as JSON, cleaned where they need it."""
    with suppress(TypeError, ValueError):
        line = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if _UNCLEAN.search(line) is None:
            return line
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False)


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a record."""
    return dict(bundled_json("blockfeat.io.outputs", "record.schema.json"))


def plain(value: Any) -> Any:
    """Return a value that JSON can hold: clean strings, Python numbers for numpy's, None for NaN and infinity."""
    if isinstance(value, str):
        return clean_characters(value)
    if isinstance(value, Mapping):
        return {clean_characters(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


# Types of the columns that are not text; all other columns are text, with nested values as JSON.
_TYPES = {
    **{"schema": "integer", "lang_confidence": "number", "confidence": "number", "metadata.paywall": "boolean"},
    **dict.fromkeys(("captions", "comments", "warnings"), "texts"),
    **dict.fromkeys(("metadata.authors", "metadata.agencies", "metadata.tags"), "texts"),
}
_PYTHON_TYPES: Mapping[str, Any] = {"text": str, "integer": int, "number": (int, float), "boolean": bool}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name, the path of keys to its value in a record, and its type (`_TYPES`)."""

    name: str
    path: tuple[str, ...]
    type: str

    def value(self, record: Mapping[str, Any]) -> Any:
        """Return the column's value in a record, None if it is missing; text columns hold other types as JSON."""
        value: Any = record
        for key in self.path:
            value = value.get(key) if isinstance(value, Mapping) else None
        if value is None:
            return None
        if self.type == "texts":
            items = value if isinstance(value, list) else [value]
            return [item if isinstance(item, str) else _json(item) for item in items]
        if isinstance(value, _PYTHON_TYPES[self.type]):
            return value
        return _json(value) if self.type == "text" else None


def record_columns(*, evidence: bool = False, names: Sequence[str] | None = None) -> tuple[Column, ...]:
    """Return columns of a record; a nested object has a column for each key, with a dotted name.

    Parameters
    ----------
    evidence : bool
        Include the column ``blocks``.
    names : sequence of str, optional
        The columns, or nested objects, in this order; by default all but ``lead`` and ``body``, which the text has too.

    Raises
    ------
    InputError
        There is no such column.
    """
    blank = record_of(Extraction(text=""), evidence=evidence)
    every = [Column(".".join(path), path, _TYPES.get(".".join(path), "text")) for path in _paths(blank)]
    if names is None:
        return tuple(column for column in every if column.name not in _TWICE)
    found = [[column for column in every if name in (column.name, column.path[0])] for name in names]
    for name in (name for name, columns in zip(names, found, strict=True) if not columns):
        raise InputError(f"there is no column {name!r}; {nearest(name, [column.name for column in every])}")
    return tuple(dict.fromkeys(chain.from_iterable(found)))


def row_of(record: Mapping[str, Any], columns: tuple[Column, ...]) -> dict[str, Any]:
    """Return the values of a record by column name."""
    return {column.name: column.value(record) for column in columns}


def _paths(record: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    from blockfeat.metadata.metadata import Metadata

    for key, value in record.items():
        # An object that a page may lack; each value has a column nevertheless.
        inner = tuple(value if isinstance(value, Mapping) else Metadata().to_dict() if key == "metadata" else ())
        yield from ((key, name) for name in inner) if inner else [(key,)]


_json = partial(json.dumps, ensure_ascii=False)
_METHODS = {name: getattr(Extraction, f"to_{name}") for name in ("text", "markdown", "html", "xml", "page")}
FORMATS: Mapping[str, Callable[..., str]] = MappingProxyType({**_METHODS, "json": to_json_line})
"""Functions that return one extraction as text, by the name of the format."""

TABLE_FORMATS = ("csv", "parquet")
TEXTS = ("text", "markdown", "html", "xml")
"""Formats in which the text of a record can be written."""


def options_of(format: str) -> frozenset[str]:
    """Return the names of the options that a format has, one of `FORMATS` or of `TABLE_FORMATS`."""
    if format in TABLE_FORMATS:
        return frozenset(("columns", "evidence", "text"))
    return frozenset(inspect.signature(FORMATS[format]).parameters) - {"self", "extraction"}


def written(extraction: Extraction, format: str, **options: Any) -> str:
    """Return an extraction in a format of `FORMATS`; options that the format does not have are ignored."""
    return FORMATS[format](extraction, **{name: options[name] for name in options_of(format) & options.keys()})


class Rendered(NamedTuple):
    """One document's output: identifier, what to write (a text, or a record for a table), error, address, status.

    A tuple goes to another process in a third of the time of a dataclass. ``reason`` says why there is no main text,
    that it is plain text, or that its site may have been redesigned.
    """

    id: str
    text: str
    error: str | None
    url: str | None = None
    status: str = "ok"
    record: Mapping[str, Any] | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Formatter(PageWork[Rendered]):
    """Extracts a document and renders it, also in worker processes.

    Attributes
    ----------
    extractor : Extractor
        The extractor.
    format : str
        A key of `blockfeat.io.outputs.FORMATS`, or one of `TABLE_FORMATS`: records for a table.
    options : mapping
        Options of the format (`options_of`), such as ``links``; of tables also ``columns``, as `record_columns` takes
        their names, and ``text``, one of `TEXTS`, in which the column ``text`` is written, and the options of that.
    lang : str or None
        Language of all documents, where it is known.
    write : callable or None
        Writes an extraction in place of the function of the format.

    Raises
    ------
    InputError
        There is no such format, or column.
    """

    format: str = "text"
    options: Mapping[str, Any] = field(default_factory=dict)
    lang: str | None = None
    write: Callable[[Extraction], str] | None = None

    def __post_init__(self) -> None:
        """Check the formats."""
        if self.format not in (*FORMATS, *TABLE_FORMATS) or self.options.get("text", "text") not in TEXTS:
            raise InputError(f"no format {self.options.get('text', self.format)!r}; there are {', '.join(TEXTS)}")
        _ = self.options.get("columns") and self.columns

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of a table."""
        return record_columns(evidence=self.options.get("evidence", False), names=self.options.get("columns") or None)

    def extraction(self, document: Document) -> Extraction:
        """Extract one document."""
        return super().extraction(document if self.lang is None else replace(document, lang=self.lang))

    def result(self, document: Document, extraction: Extraction) -> Rendered:
        """Render one extraction."""
        record, text = None, ""
        if self.format in TABLE_FORMATS:
            record = record_of(extraction, evidence=self.options.get("evidence", False))
            record["text"] = written(extraction, self.options.get("text", "text"), **self.options)
        elif self.format == "json":
            text = to_json_line(extraction, **self.options) + "\n"
        elif extraction.error is None:
            text = self.write(extraction) if self.write else written(extraction, self.format, **self.options)
        reason = next((warning for warning in (REDESIGNED, NO_MARKUP) if warning in extraction.warnings), None)
        if extraction.status in ("empty", "no content"):
            reason = extraction.warnings[-1]
        return Rendered(document.id, text, extraction.error, document.url, extraction.status, record, reason)


_HTML = re.compile(r"<html(?P<attributes>[^>]*)>.*?<title>(?P<title>.*?)</title>.*?<body>\n?(?P<body>.*)</body>", re.S)


def frame(format: str, place: str) -> str:
    """Return what is written before the first of several pages (``"opening"``) or after the last (``"closing"``).

    Or in the place of one that ``"failed"``.
    """
    return str(bundled_table("blockfeat.io.outputs", "frames.toml")[place].get(format, ""))


def part(format: str, name: str, text: str, error: str | None) -> str:
    """Return one page of an output of several pages, with its separator.

    Parameters
    ----------
    format : str
        ``"text"``: preceded by a line of a form feed, the page's name and, after a tab, its error. ``"markdown"``:
        preceded by a comment ``<!-- page: NAME -->``, and one with the error. ``"html"``: an ``article`` with
        ``data-page`` and ``data-error``. ``"page"``: a sandboxed ``iframe`` with ``data-page`` and ``data-error``, and
        the page as its ``srcdoc``. ``"xml"``: a ``TEI`` element for ``teiCorpus``, with a note of the error.
    name : str
        The page's address or identifier.
    text : str
        The page as it is written if it is the only one; "" where it failed.
    error : str or None
        Why it failed.
    """
    name, error = one_line(name), error and one_line(error)
    marked = f' data-error="{escape(error)}"' if error else ""
    if format == "markdown":
        failed = f"<!-- error: {error.replace('--', '- -')} -->\n" if error else ""
        return f"<!-- page: {name.replace('--', '%2D%2D')} -->\n{failed}\n{_lines(text)}"
    if format == "html":
        return _article(name, text, marked)
    if format == "page":
        attributes = f'data-page="{escape(name)}"{marked} title="{escape(name)}"'
        return f'<iframe {attributes} sandbox srcdoc="{escape(text)}"></iframe>\n'
    if format == "xml":
        if error:
            return frame("xml", "failed").format(name=escape(name), error=escape(error))
        return text.partition("?>\n")[2].rstrip("\n") + "\n"
    return f"\f{name}{f'{chr(9)}error: {error}' if error else ''}\n{_lines(text)}"


def one_line(value: str) -> str:
    """Return text from a page as one line."""
    return fold_white_space(xml_characters(value)).strip()


def _lines(text: str) -> str:
    """Return a text followed by a line end and an empty line; an empty text as it is."""
    return text.rstrip("\n") + "\n\n" if text else ""


def _article(name: str, text: str, failed: str) -> str:
    found = _HTML.search(text)
    if found is None:
        return f'<article data-page="{escape(name)}"{failed}></article>\n'
    title = f' title="{escape(unescape(found["title"]))}"' if found["title"] else ""
    return f'<article data-page="{escape(name)}"{found["attributes"]}{title}{failed}>\n{found["body"]}</article>\n'
