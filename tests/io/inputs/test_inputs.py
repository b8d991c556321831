"""Dispatch of inputs by their form."""

import gzip
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from blockfeat.io.inputs import read_inputs


def test_each_form_is_read_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"from stdin")))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.html").write_text("in folder")
    (tmp_path / "page.txt").write_text("single")
    line = json.dumps({"id": "r", "html": "record"}).encode()
    (tmp_path / "R.JSONL.GZ").write_bytes(gzip.compress(line))
    inputs = [str(tmp_path / "R.JSONL.GZ"), "-", str(tmp_path / "folder"), str(tmp_path / "page.txt")]
    assert [document.data for document in read_inputs(inputs)] == ["record", b"from stdin", b"in folder", b"single"]


def test_the_run_goes_on_after_inputs_that_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastwarc", None)
    monkeypatch.setitem(sys.modules, "fastwarc.warc", None)
    (tmp_path / "a.warc").write_bytes(b"")
    (tmp_path / "good.html").write_text("x")
    inputs = ["http://127.0.0.1:9/", "ftp://a.example/", "missing.html", str(tmp_path / "a.warc")]
    *failed, good = read_inputs([*inputs, str(tmp_path / "good.html")])
    assert [document.id for document in failed] == inputs
    assert all(document.data is None for document in failed)
    assert failed[0].url == "http://127.0.0.1:9/"
    reasons = ("no public", "only http and https", "no such file or folder", "blockfeat[warc]")
    for document, reason in zip(failed, reasons, strict=True):
        assert (reason in str(document.error), document.id in str(document.error)) == (True, True)
    assert good.data == b"x"


def test_reading_is_lazy(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    reader = read_inputs([str(path)])
    path.write_text("written after the call")
    assert next(reader).data == b"written after the call"


def test_a_path_that_no_system_knows_is_an_error() -> None:
    (document,) = read_inputs(["\x00"])
    assert "no such file or folder" in (document.error or "")


def test_why_a_name_leads_nowhere_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.html").symlink_to("b.html")
    (tmp_path / "b.html").symlink_to("a.html")
    (tmp_path / "page").touch()
    (circle, below, nul) = read_inputs([str(tmp_path / "a.html"), str(tmp_path / "page" / "c.html"), "a\0b"])
    assert (circle.error or "").endswith("Too many levels of symbolic links")
    assert (below.error or "").endswith("Not a directory")
    assert (nul.error or "").endswith("no such file or folder")
