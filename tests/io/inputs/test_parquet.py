"""Parquet files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from blockfeat.errors import MissingExtraError
from blockfeat.io.inputs.records import read_parquet
from blockfeat.page.document import Document


def _write(path: Path, columns: dict[str, list[Any]]) -> Path:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    parquet.write_table(pyarrow.table(columns), path)
    return path


def test_rows_are_read_with_their_columns(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "id": [1, None],
        "html": ["<p>a", "<p>b"],
        "url": ["http://a.example/", None],
        "n": [1, 2],
    }
    path = _write(tmp_path / "p.parquet", columns)
    assert list(read_parquet(path)) == [
        Document("1", "<p>a", url="http://a.example/"),
        Document(f"{path}:2", "<p>b"),
    ]


def test_many_rows_keep_their_order(tmp_path: Path) -> None:
    path = _write(tmp_path / "p.parquet", {"html": [b"%d" % number for number in range(500)]})
    assert [document.data for document in read_parquet(path)] == [b"%d" % number for number in range(500)]


def test_an_empty_cell_is_an_error_of_that_row(tmp_path: Path) -> None:
    path = _write(tmp_path / "p.parquet", {"html": ["a", None, "c"]})
    first, bad, last = read_parquet(path)
    assert (first.data, last.data) == ("a", "c")
    assert bad.error == f'{path}:2: "html" is empty'


def test_a_file_without_html_or_of_another_format_is_one_error(tmp_path: Path) -> None:
    path = _write(tmp_path / "p.parquet", {"text": ["a"]})
    (document,) = read_parquet(path)
    assert 'no column "html"' in (document.error or "")
    path.write_bytes(b"not parquet")
    (document,) = read_parquet(path)
    assert str(path) in (document.error or "")


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install .blockfeat\[parquet\]"):
        next(read_parquet("p.parquet"))
