"""JSON Lines files, whole, bad and damaged."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat import _json_lines
from blockfeat.io.inputs.options import is_packed
from blockfeat.io.inputs.records import read_json_lines
from blockfeat.page.document import Document


def _write(path: Path, *records: dict[str, Any]) -> Path:
    data = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
    if path.suffix == ".gz":
        data = gzip.compress(data)
    if path.suffix == ".xz":
        data = lzma.compress(data)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["p.jsonl", "p.jsonl.gz", "p.jsonl.xz", "p.json"])
def test_records_are_read_from_every_packing(tmp_path: Path, name: str) -> None:
    first = {"id": "one", "html": "<p>é", "url": "http://a.example/", "lang": "fr", "charset": "utf-8"}
    path = _write(tmp_path / name, first, {"html": ""}, {"id": 7, "html": "<p>", "url": None})
    assert list(read_json_lines(path)) == [
        Document("one", "<p>é", url="http://a.example/", lang="fr", charset="utf-8"),
        Document(f"{path}:2", ""),
        Document("7", "<p>"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"[1]", "not a JSON object but an array"),
        (b'{"id": "a"}', 'no "html"'),
        (b'{"html": null}', '"html" must be a string'),
        (b'{"html": 3}', '"html" must be a string'),
        (b'{"html": "x", "url": 3}', '"url" must be'),
        (b'{"html": "x", "id": true}', '"id" must be'),
        (b'{"html": "x", "lang": ["de"]}', '"lang" must be'),
        (b'{"html": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "not "),
    ],
)
def test_a_bad_line_is_an_error_of_that_line_only(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'{"html": "a"}\n' + line + b'\n{"html": "c"}\n')
    first, bad, last = read_json_lines(path)
    assert (first.data, bad.data, last.data) == ("a", None, "c")
    assert bad.id == f"{path}:2"
    assert bad.error is not None
    assert bad.error.startswith(f"{path}:2: ")
    assert reason in bad.error


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"html": "a"}\n\n  \r\n{"html": "b"}')
    assert [(document.id, document.data) for document in read_json_lines(path)] == [
        (f"{path}:1", "a"),
        (f"{path}:4", "b"),
    ]


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_a_file_cut_short_keeps_what_was_read(tmp_path: Path, suffix: str) -> None:
    records = [{"id": str(number), "html": f"<p>{number * 7919}" * 50} for number in range(2000)]
    path = _write(tmp_path / f"p.jsonl{suffix}", *records)
    path.write_bytes(path.read_bytes()[:-500])
    documents = list(read_json_lines(path))
    assert 0 < len(documents) <= 2000
    assert [document.id for document in documents[:-1]] == [str(n) for n in range(len(documents) - 1)]
    assert all(document.error is None for document in documents[:-1])
    assert f"{path}: damaged after line" in (documents[-1].error or "")


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_a_file_that_is_not_packed_as_its_name_says_is_read_as_it_is(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"p.jsonl{suffix}"
    path.write_bytes(b"plain text, not packed at all")
    (document,) = read_json_lines(path)
    assert ":1: not JSON" in (document.error or "")


@pytest.mark.parametrize(
    "text", ['{\n  "html": "x",\n  "id": "a"\n}\n', '[\n  {\n    "html": "x"\n  }\n]\n', '[{"html": "x"}]']
)
def test_json_over_several_lines_is_one_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "p.json"
    path.write_text(text)
    (document,) = read_json_lines(path)
    assert "one object a line" in (document.error or "")


def test_a_missing_file_is_one_error(tmp_path: Path) -> None:
    (document,) = read_json_lines(tmp_path / "missing.jsonl")
    assert "missing.jsonl" in (document.error or "")


def test_a_line_too_long_to_hold_is_an_error_of_that_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_json_lines, "MAX_LINE_BYTES", 100)
    monkeypatch.setattr(_json_lines, "_SKIP_BYTES", 30)
    path = _write(tmp_path / "p.jsonl", {"html": "a"}, {"html": "x" * 500}, {"html": "c"})
    first, bad, last = read_json_lines(path)
    assert (first.data, last.data) == ("a", "c")
    assert "longer than 100 bytes" in (bad.error or "")


def test_reading_is_lazy(tmp_path: Path) -> None:
    path = _write(tmp_path / "p.jsonl.gz", {"html": "a"}, {"html": "b"})
    reader = read_json_lines(path)
    assert next(reader).data == "a"
    reader.close()  # type: ignore[attr-defined]


@given(st.lists(st.binary(max_size=60).filter(lambda line: b"\n" not in line and not is_packed(line)), max_size=5))
def test_no_line_stops_the_reader(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("lines") / "p.jsonl"
    path.write_bytes(b"\n".join([*lines, b'{"id": "last", "html": "x"}']))
    assert [document.id for document in read_json_lines(path)][-1] == "last"
