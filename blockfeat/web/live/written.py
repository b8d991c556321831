"""Mentions for other programs: JSON Feed, CSV; and the parts of a sentence around a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from blockfeat.io.outputs.tables import csv_line
from blockfeat.monitor.notify.channels import moment_of

CSV_COLUMNS = (
    *("id", "brand", "day", "place", "counted", "not_counted_because", "lang", "source", "host", "kind", "title"),
    *("url", "copy_of", "match", "sentence"),
)
"""Columns of the file of mentions."""

_LONGEST = 400
_LINES_AT_ONCE = 500


def why_not(row: Mapping[str, Any]) -> str:
    """Return why a mention does not count; empty where it does."""
    if row["counts"]:
        return ""
    if not row["counted"]:
        return str(row["because"] or "it stands outside of the article")
    return f"copy of {row['copy_of'] or 'another page'}"


def around(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the sentence before the name, the name, and the sentence behind it; long ones cut."""
    sentence, match = row["sentence"], row["match"]
    at = sentence.find(match)
    if at < 0:
        return sentence[:_LONGEST], "", ""
    start = max(0, at - _LONGEST // 2)
    end = min(len(sentence), at + len(match) + _LONGEST // 2)
    left, right = "…" if start else "", "…" if end < len(sentence) else ""
    return left + sentence[start:at], match, sentence[at + len(match) : end] + right


def csv_parts(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a CSV file of mentions, some hundred lines at a time; no cell is a formula to a spreadsheet."""
    lines = [csv_line(CSV_COLUMNS)]
    for row in rows:
        values = {**row, "counted": int(bool(row["counts"])), "not_counted_because": why_not(row)}
        lines.append(csv_line(values[name] for name in CSV_COLUMNS))
        if len(lines) == _LINES_AT_ONCE:
            yield "".join(lines)
            lines.clear()
    yield "".join(lines)


def json_feed(rows: Iterable[Mapping[str, Any]], *, title: str, home: str, address: str) -> dict[str, Any]:
    """Return mentions as a JSON Feed (version 1.1)."""
    items = [
        {
            "id": f"urn:blockfeat:mention:{row['id']}",
            "url": row["url"],
            "title": f"{row['brand']}: {row['title'] or row['url']}",
            "content_text": row["sentence"],
            "date_published": moment_of(row),
            "tags": [row["brand"], row["place"]],
            **({"language": row["lang"]} if row["lang"] else {}),
        }
        for row in rows
    ]
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": title,
        "home_page_url": home,
        "feed_url": address,
        "items": items,
    }
