"""Pages in a column of Polars or a table of DuckDB: main texts beside them, in a query."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from blockfeat import Extractor

if TYPE_CHECKING:
    import duckdb
    import polars

_NAMES = ("status", "lang", "title", "confidence", "text")


def with_texts(frame: polars.DataFrame, html: str = "html", *, jobs: int = 1) -> polars.DataFrame:
    """Return a frame of Polars with a struct ``page``: status, language, title, likely quality and text."""
    import polars

    fields = {name: polars.Float64 if name == "confidence" else polars.String for name in _NAMES}
    rows = list(_records(frame[html], jobs))
    return frame.with_columns(polars.Series("page", rows, dtype=polars.Struct(fields)))


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Give a connection of DuckDB the function ``main_text(html)``: ``SELECT main_text(html) FROM pages``."""
    extractor = Extractor.load()

    def main_text(html: str) -> str:
        return next(extractor.extract_many([html])).text

    connection.create_function("main_text", main_text, ["VARCHAR"], "VARCHAR")  # type: ignore[list-item, arg-type]


def _records(pages: Iterable[Any], jobs: int) -> Iterable[dict[str, Any]]:
    for doc in Extractor.load().extract_many(pages, jobs=jobs):
        yield {name: getattr(doc, name) for name in _NAMES}
