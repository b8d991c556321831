"""Integrations with pandas, Spark, datatrove and LangChain, and the reading of pages that the last two share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from blockfeat.errors import InputError
from blockfeat.extraction import Extraction
from blockfeat.io.outputs import Formatter, Rendered, record_of, row_of
from blockfeat.page import Document


def described(extraction: Extraction) -> dict[str, Any]:
    """Return metadata of a page for filtering and deduplicating a corpus; missing values are left out.

    ``url``; ``language`` and ``language_score``; ``status`` and ``kind`` (docs/status.md); ``confidence``, the expected
    word F1 of the text, from 0 to 1; ``fingerprint``, a MinHash signature, mostly equal for near-duplicate texts;
    ``title``, ``published``, ``site`` and ``authors``; ``model`` and ``version``.
    """
    record = extraction.to_dict()
    page = record["metadata"] or {}
    values = {name: record[name] for name in ("url", "status", "kind", "confidence", "fingerprint", "model", "version")}
    values |= {"language": extraction.lang, "language_score": extraction.lang_confidence}
    values |= {"title": page.get("title") or extraction.title}
    values |= {name: page.get(name) for name in ("published", "site", "authors")}
    return {name: value for name, value in values.items() if value not in (None, [], "")}


def check_columns(wanted: Iterable[str], columns: Iterable[Any]) -> None:
    """Raise an error for a column that a data frame does not have, or has twice."""
    for name in wanted:
        if (count := [*columns].count(name)) != 1:
            found = f"no column {name!r}" if not count else f"{count} columns {name!r}"
            raise InputError(f"{found} in the data frame (its columns: {', '.join(map(str, columns))})")


@dataclass(frozen=True)
class Describer(Formatter):
    """Extracts the text of a document, with a record where the status is ``"ok"``.

    `format` is a key of `blockfeat.io.outputs.FORMATS`. The record has the values of `described`, or, with the option
    ``columns``, those of these columns.
    """

    def result(self, document: Document, extraction: Extraction) -> Rendered:
        """Return the text of an extraction, with its record."""
        rendered = super().result(document, extraction)
        columns = self.options.get("columns")
        record = row_of(record_of(extraction), self.columns) if columns else described(extraction)
        return rendered._replace(record=record if extraction.status == "ok" else None)
