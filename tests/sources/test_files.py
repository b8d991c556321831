"""Single files, folders and standard input."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from blockfeat.sources.files import read_file, read_folder, read_stdin


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
    document = read_stdin()
    assert (document.id, document.data) == ("-", b"<p>\xff")
