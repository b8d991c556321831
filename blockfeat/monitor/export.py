"""Rows of a store's views to JSON Lines, CSV and Parquet, a bounded number in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import quoteattr

from blockfeat._files import writing
from blockfeat.content.links import xml_characters
from blockfeat.errors import ConfigError
from blockfeat.io.outputs.tables import ParquetRows, csv_line

EXPORT_FORMATS = {"jsonl": ".jsonl", "csv": ".csv", "parquet": ".parquet", "opml": ".opml"}
"""Formats by name, each with the suffix of its files; OPML is for feeds."""

_LISTS = ("opml", "sitemapindex")
_JSON_COLUMNS = ("metadata", "warnings")


def format_of(path: Path) -> str | None:
    """Return the format that a file's suffix names."""
    return next((name for name, suffix in EXPORT_FORMATS.items() if path.suffix == suffix), None)


def export_rows(rows: Iterable[Mapping[str, Any]], format: str, file: IO[bytes], *, name: str) -> int:
    """Write rows to a binary file; return how many.

    Parameters
    ----------
    rows : iterable of mapping
        All with the same keys.
    format : str
        A key of `EXPORT_FORMATS`.
    name : str
        What the file is called in errors.

    Raises
    ------
    OutputError
        The file cannot be written.
    MissingExtraError
        Parquet needs pyarrow.
    """
    if format == "jsonl":
        return _written(_json_lines(rows), file, name)
    if format == "csv":
        return _written(_csv_lines(rows), file, name, besides=1)
    if format == "opml":
        return _written(_opml_lines(rows), file, name, besides=2)
    if format == "parquet":
        return _write_parquet(iter(rows), file, name)
    raise ConfigError(f"there is no export format {format!r}; known are {', '.join(EXPORT_FORMATS)}")


def _written(lines: Iterator[str], file: IO[bytes], name: str, *, besides: int = 0) -> int:
    count = 0
    for line in lines:
        with writing(name):
            file.write(line.encode("utf-8", "replace"))
        count += 1
    return max(count - besides, 0)


def _json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        plain = {key: _parsed(value) if key in _JSON_COLUMNS else value for key, value in row.items()}
        yield json.dumps(plain, ensure_ascii=False, default=str) + "\n"


def _parsed(value: object) -> object:
    return json.loads(value) if isinstance(value, str) else value


def _csv_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a CSV file, each row as one string; the first has the names."""
    for number, row in enumerate(rows):
        if number == 0:
            yield csv_line(row, end="\r\n")
        yield csv_line(row.values(), end="\r\n")


def _opml_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of an OPML list of the feeds that are read, at the addresses where they are now."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n<head><title>Feeds</title></head>\n<body>\n'
    for row in rows:
        if row["retired"] is None and row["kind"] not in _LISTS:
            values = (row["kind"] or "rss", row["title"] or row["url"], row["moved_to"] or row["url"])
            kind, title, address = (quoteattr(xml_characters(value)) for value in values)
            yield f"<outline type={kind} text={title} title={title} xmlUrl={address}/>\n"
    yield "</body>\n</opml>\n"


def _write_parquet(rows: Iterator[Mapping[str, Any]], file: IO[bytes], name: str) -> int:
    first = next(rows, None)
    writer = ParquetRows(file, {key: _kind(key) for key in first or ()}, name=name)
    count = 0
    for row in chain([first] if first else [], rows):
        writer.write(row)
        count += 1
    writer.close()
    return count


_NUMBERS = frozenset(("score", "similarity", "relevance"))
_WHOLE_NUMBERS = frozenset(
    (
        "http_status",
        "words",
        "version",
        "attempts",
        "start",
        "text_start",
        "stop",
        "block",
        "counted",
        "in_article",
        "in_copy",
        "first_version",
        "failures",
    )
)


def _kind(column: str) -> str:
    """Return the type of a column; the same in every file, whatever its rows have."""
    return "integer" if column in _WHOLE_NUMBERS else "number" if column in _NUMBERS else "text"
