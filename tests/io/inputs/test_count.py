"""Counting pages without reading them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from blockfeat.io.inputs import InputOptions, read_inputs
from blockfeat.io.inputs.count import count_pages


def test_files_folders_and_lines_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>")
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "p.jsonl").write_text('{"html": "x"}\n{"html": "x"}')
    inputs = [str(tmp_path), str(tmp_path / "a.html"), "http://a.example/"]
    assert count_pages(inputs, InputOptions()) == 5
    assert len(list(read_inputs(inputs[:2]))) == 4


def test_what_has_to_be_read_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress(b'{"html": "x"}\n'))
    for name in ("-", str(tmp_path), str(tmp_path / "p.jsonl.gz")):
        assert count_pages([name], InputOptions()) is None


def test_addresses_and_rows_are_counted(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("http://a.example/\n# no\n\nhttp://b.example/\n")
    assert count_pages([str(tmp_path / "list")], InputOptions("urls")) == 2
    pyarrow = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    parquet.write_table(pyarrow.table({"html": ["a"] * 7}), tmp_path / "p.parquet")
    assert count_pages([str(tmp_path / "p.parquet")], InputOptions()) == 7
