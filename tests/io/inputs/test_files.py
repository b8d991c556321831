"""Single files, folders and standard input."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from blockfeat.io.inputs.files import read_file, read_folder, read_stdin
from blockfeat.io.inputs.options import InputOptions


def test_a_file_is_read_as_bytes(tmp_path: Path) -> None:
    path = tmp_path / "page.bin"
    path.write_bytes(b"\xff\x00<p>x")
    document = read_file(path)
    assert document.data == b"\xff\x00<p>x"
    assert document.id == str(path)


def test_a_file_that_cannot_be_read_becomes_an_error(tmp_path: Path) -> None:
    document = read_file(tmp_path / "missing.html")
    assert document.data is None
    assert document.error == f"{tmp_path / 'missing.html'}: no such file or folder"


def test_a_folder_is_read_sorted_and_deep(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("c.HTML", "a.htm", "b/z.xhtml", "b/y.html", "b/style.css", "settings.json"):
        (tmp_path / name).write_text(name)
    (tmp_path / "d.jsonl").write_text(json.dumps({"id": "record", "html": "<p>x"}))
    documents = list(read_folder(tmp_path))
    folder = str(tmp_path)
    assert [document.id.removeprefix(folder + os.sep) for document in documents] == [
        "a.htm",
        os.path.join("b", "y.html"),
        os.path.join("b", "z.xhtml"),
        "c.HTML",
        "record",
    ]


def test_link_loops_end_and_broken_links_are_reported(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "page.html").write_text("x")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "broken.html").symlink_to(tmp_path / "nowhere")
    documents = list(read_folder(tmp_path))
    assert [Path(document.id).name for document in documents] == ["broken.html", "page.html"]
    assert "no such file or folder" in (documents[0].error or "")


def test_a_pipe_in_a_folder_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.html")
    (document,) = read_folder(tmp_path)
    assert document.error is not None
    assert "not a regular file" in document.error


def test_a_missing_folder_becomes_an_error(tmp_path: Path) -> None:
    (document,) = read_folder(tmp_path / "missing")
    assert document.error is not None


def test_standard_input_is_read_as_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"<p>\xff")))
    (document,) = read_stdin()
    assert (document.id, document.data) == ("-", b"<p>\xff")


def test_a_folder_is_read_with_every_suffix_of_html_and_by_first_bytes(tmp_path: Path) -> None:
    for name in ("a.shtml", "b.xht", "index", "page.php", "view.aspx.html"):
        (tmp_path / name).write_text("<!DOCTYPE html><p>x")
    (tmp_path / "c.html.gz").write_bytes(gzip.compress(b"<p>packed"))
    (tmp_path / "LICENSE").write_text("no page")
    (tmp_path / "code.php").write_text("<?php echo 1; ?>")
    (tmp_path / "x.txt").write_text("<html>")
    passed: list[str] = []
    documents = list(read_folder(tmp_path, on_passed_over=passed.append))
    assert [Path(document.id).name for document in documents] == [
        "a.shtml",
        "b.xht",
        "c.html.gz",
        "index",
        "page.php",
        "view.aspx.html",
    ]
    assert documents[2].data == b"<p>packed"
    assert [Path(name).name for name in passed] == ["LICENSE", "code.php", "x.txt"]
    everything = list(read_folder(tmp_path, InputOptions("html")))
    assert len(everything) == 9


def test_a_packed_page_may_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat.io.inputs.files._MAX_UNPACKED_BYTES", 1000)
    path = tmp_path / "bomb.html.gz"
    path.write_bytes(gzip.compress(b"x" * 100_000))
    assert read_file(path).error == f"{path}: larger than 1000 bytes when unpacked"
    path.write_bytes(gzip.compress(b"x" * 900)[:-10])
    assert read_file(path).error is not None
