"""Extraction of Spark data frames."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import pytest

import blockfeat
import blockfeat.integrations.spark
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from pages import article_page

sys.path.append(str(Path(__file__).parent))  # For Spark's workers as for this process.

from hostile_extractor import HostileExtractor


def hostile() -> HostileExtractor:
    extractor = Extractor.load("thresholds")
    return HostileExtractor(**{field.name: getattr(extractor, field.name) for field in dataclasses.fields(extractor)})


def test_a_row_a_page_with_the_record_of_one_page(session: Any) -> None:
    pages = [(f"https://a.example/{n}", article_page(n + 1), n) for n in range(5)]
    frame = session.createDataFrame(pages, "url string, html string, crawl long").coalesce(1)
    found = blockfeat.integrations.spark.extract(frame, keep=["crawl"], headline=True, model="thresholds")
    assert found.schema.fields[:-1] == blockfeat.integrations.spark.record_struct().fields
    rows = found.collect()
    alone = [blockfeat.extract(html, url=url, headline=True, model="thresholds") for url, html, _ in pages]
    assert [row["text"] for row in rows] == [doc.text for doc in alone]
    titles = [row["title"] for row in found.select("metadata.title").collect()]
    assert titles == [doc.metadata.title for doc in alone]
    assert [row["metadata"]["tags"] for row in rows] == [list(doc.metadata.tags) for doc in alone]
    assert [row["fingerprint"] for row in rows] == [doc.fingerprint for doc in alone]
    assert [(row["id"], row["url"]) for row in rows] == [(url, url) for url, _, _ in pages]
    assert [row["crawl"] for row in rows] == [0, 1, 2, 3, 4]


def test_a_page_that_hangs_or_kills_its_process_is_one_row(session: Any) -> None:
    pages = [article_page().encode(), b"HANG", article_page().encode(), b"CRASH", None, article_page().encode()]
    frame = session.createDataFrame([(page, n) for n, page in enumerate(pages)], "html binary, id int").coalesce(1)
    rows = blockfeat.integrations.spark.extract(frame, model=hostile(), deadline=5.0).collect()
    assert [row["id"] for row in rows] == ["0", "1", "2", "3", "4", "5"]
    assert [row["status"] for row in rows] == ["ok", "error", "ok", "error", "error", "ok"]
    assert [row["error"] for row in rows if row["error"]] == [
        "it took longer than 5 s",
        "its worker process died",
        '4: "html" is empty',
    ]


def test_columns_that_are_not_there_or_taken_are_refused(session: Any) -> None:
    frame = session.createDataFrame([("<p>x", "y")], "html string, text string")
    with pytest.raises(InputError, match="no column 'link' in the data frame \\(its columns: html, text\\)"):
        blockfeat.integrations.spark.extract(frame, url="link")
    with pytest.raises(InputError, match="'text' cannot be kept"):
        blockfeat.integrations.spark.extract(frame, keep=["text"])


def test_a_column_id_names_the_pages_where_there_is_one(session: Any) -> None:
    pages = [
        ("a", "https://a.example/", article_page()),
        (None, "https://b.example/", article_page()),
        (None, None, ""),
    ]
    frame = session.createDataFrame(pages, "id string, url string, html string").coalesce(1)
    rows = blockfeat.integrations.spark.extract(frame, model="thresholds").collect()
    assert [row["id"] for row in rows] == ["a", "https://b.example/", None]
    rows = blockfeat.integrations.spark.extract(frame, id=None, model="thresholds").collect()
    assert [row["id"] for row in rows] == ["https://a.example/", "https://b.example/", None]


def test_a_page_that_failed_has_no_metadata(session: Any) -> None:
    frame = session.createDataFrame([(b"%PDF-1.7",)], "html binary")
    row = blockfeat.integrations.spark.extract(frame, model="thresholds").first()
    assert (row["status"], row["metadata"]) == ("error", None)
