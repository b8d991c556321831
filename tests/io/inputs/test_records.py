"""Pages from records: JSON Lines, Parquet, web archives; whole, bad and damaged."""

import gzip
import io
import json
import lzma
import math
import os
import random
import re
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blockfeat import _files
from blockfeat._files import read_lines
from blockfeat.errors import CorpusError, MissingExtraError
from blockfeat.io.inputs import FieldNames, InputOptions, list_inputs, read_inputs, records
from blockfeat.io.inputs.options import as_read, is_packed
from blockfeat.page.document import Document
from warc_file import warc_record, zstd


def _reading(format: str) -> Callable[..., Iterator[Document]]:
    return lambda path, fields=None: read_inputs([os.fspath(path)], InputOptions(format, fields or FieldNames()))


read_json_lines, read_parquet, read_warc = map(_reading, ("jsonl", "parquet", "warc"))


def _write(path: Path, *records: dict[str, Any]) -> Path:
    data = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
    path.write_bytes({".gz": gzip.compress, ".xz": lzma.compress}.get(path.suffix, bytes)(data))
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
        (json.dumps(dict.fromkeys("abcdefghijklmn")).encode(), "(its fields: a, b, c, d, e, f, g, h, i, j, k, l; "),
        (b'{"html": null}', '"html" must be a string'),
        (b'{"html": 3}', '"html" must be a string'),
        (b'{"html": "x", "url": 3}', '"url" must be'),
        (b'{"html": "x", "id": true}', '"id" must be'),
        (b'{"html": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "not "),
    ],
)
@pytest.mark.usefixtures("nothing_to_free")
def test_a_bad_line_is_an_error_of_that_line_only(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'{"html": "a"}\n' + line + b'\n{"html": "c"}\n')
    first, bad, last = read_json_lines(path)
    assert (first.data, bad.data, last.data) == ("a", None, "c")
    assert bad.id == f"{path}:2"
    assert str(bad.error).startswith(f"{path}:2: ")
    assert reason in str(bad.error)


def test_blank_lines_byte_order_marks_and_odd_languages_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"html": "a"}\n\n  \r\n\xef\xbb\xbf{"html": "b"}\n{"html": "c", "lang": ["?"]}')
    found = [(document.id, document.data) for document in read_json_lines(path)]
    assert found == [(f"{path}:1", "a"), (f"{path}:4", "b"), (f"{path}:5", "c")]


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


def _asking_for_4_gb(data: bytes) -> bytes:
    """Return an xz file with a dictionary of 4 GB in the head of its block, which begins behind 12 bytes."""
    head = data[12:16] + b"\x28" + data[17 : 8 + 4 * (data[12] + 1)]
    return data[:12] + head + zlib.crc32(head).to_bytes(4, "little") + data[16 + len(head) :]


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
@pytest.mark.parametrize(
    ("damaged", "lines", "reason"),
    [
        (lambda data: data + bytes(8), 2, None),
        (lambda data: data + bytes(8) + data, 4, None),
        (lambda data: data + b"junk", 2, "damaged after line 2: "),
        (lambda data: data + bytes(4) + data[:2] + b"junk", 2, "damaged after line 2: "),
        (lambda data: data[:-4], 2, "damaged after line 2: "),
    ],
)
def test_no_line_before_the_damage_of_a_packed_file_is_lost_nor_what_follows_passed_over(
    tmp_path: Path, suffix: str, damaged: Callable[[bytes], bytes], lines: int, reason: str | None
) -> None:
    path = _write(tmp_path / f"p.jsonl{suffix}", {"id": "a", "html": "x"}, {"id": "b", "html": "y"})
    path.write_bytes(damaged(path.read_bytes()))
    documents = list(read_json_lines(path))
    assert [document.id for document in documents] == (["a", "b"] * 2)[:lines] + [str(path)] * bool(reason)
    assert (reason or "") in (documents[-1].error or "")
    if reason:
        with pytest.raises(CorpusError, match=r"p\.jsonl.*, after line 2: "):
            list(read_lines(path))
    else:
        assert len(list(read_lines(path))) == lines


def test_no_line_before_the_damage_of_a_zstd_file_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl.zst"
    path.write_bytes(zstd(b'{"id": "a", "html": "x"}\n{"id": "b", "html": "y"}\n') + b"junk that is no frame")
    documents = list(read_json_lines(path))
    assert [document.id for document in documents] == ["a", "b", str(path)]
    assert "damaged after line 2: " in (documents[-1].error or "")


def test_an_xz_file_that_asks_for_gigabytes_is_an_error(tmp_path: Path) -> None:
    path = _write(tmp_path / "p.jsonl.xz", {"html": "x"})
    path.write_bytes(_asking_for_4_gb(path.read_bytes()))
    (document,) = read_json_lines(path)
    assert document.error == f"{path}: cannot be read: Memory usage limit exceeded"


@pytest.mark.parametrize(
    "text", ['{\n"html": "x",\n"id": "a"\n}\n', '[\n{\n"html": "x"\n}\n]\n', '[{"html": "x"}]', "plain"]
)
@pytest.mark.parametrize("name", ["p.json", "p.jsonl.gz", "p.jsonl.xz"])
def test_json_over_several_lines_and_a_file_that_is_not_packed_as_its_name_says_are_one_error(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    (document,) = read_json_lines(path)
    assert (":1: not JSON" if text == "plain" else "one object a line") in (document.error or "")


def test_a_line_too_long_to_hold_is_an_error_of_that_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_files, "MAX_LINE_BYTES", 100)
    monkeypatch.setattr(_files, "_SKIP_BYTES", 30)
    path = _write(tmp_path / "p.jsonl", {"html": "a"}, {"html": "x" * 500}, {"html": "c"})
    first, bad, last = read_json_lines(path)
    assert (first.data, last.data) == ("a", "c")
    assert "longer than 100 bytes" in (bad.error or "")
    assert list(map(as_read, list_inputs([str(path)], InputOptions()))) == [first, bad, last]


@given(st.lists(st.binary(max_size=60).filter(lambda line: b"\n" not in line and not is_packed(line)), max_size=5))
@example([BOM_UTF8, b" \t\r", BOM_UTF8 + b'{"html": "x"}\r', b" " * 20])
@example([BOM_UTF8 + b'{"html": "x"}'])
@example([b"["])
def test_no_line_stops_the_reader(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("lines") / "p.jsonl"
    path.write_bytes(b"\n".join([*lines, b'{"id": "last", "html": "x"}']))
    documents = list(read_json_lines(path))
    is_array = re.match(rb'(\xef\xbb\xbf)?\s*\[\s*\{\s*"', path.read_bytes())
    assert documents[-1].id == (str(path) if is_array else "last")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_files, "_SKIP_BYTES", 7)
        assert list(map(as_read, list_inputs([str(path)], InputOptions()))) == documents


def test_a_file_that_changes_while_its_lines_are_worked_on_is_told(tmp_path: Path) -> None:
    path = _write(tmp_path / "p.jsonl", {"html": "a"}, {"html": "b"})
    first, second = list_inputs([str(path)], InputOptions())
    assert (as_read(first).data, as_read(second).data) == ("a", "b")
    path.write_bytes(path.read_bytes()[:-4])
    assert f"{path}:2: cannot be read: the file was cut" in (as_read(second).error or "")
    _write(tmp_path / "other.jsonl", {"html": "c"}).replace(path)
    assert "another file has taken its name" in (as_read(first).error or "")
    path.unlink()
    assert "No such file" in (as_read(first).error or "")


def _write_parquet(path: Path, columns: dict[str, list[Any]], **options: Any) -> Path:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    parquet.write_table(pyarrow.table(columns), path, **options)
    return path


def test_rows_are_read_with_their_columns(tmp_path: Path) -> None:
    columns = {"id": [1, None], "html": ["<p>a", "<p>b"], "url": ["http://a.example/", None], "n": [1, 2]}
    path = _write_parquet(tmp_path / "p.parquet", columns)
    assert list(read_parquet(path)) == [Document("1", "<p>a", url="http://a.example/"), Document(f"{path}:2", "<p>b")]


def test_many_rows_keep_their_order(tmp_path: Path) -> None:
    path = _write_parquet(tmp_path / "p.parquet", {"html": [b"%d" % number for number in range(500)]})
    assert [document.data for document in read_parquet(path)] == [b"%d" % number for number in range(500)]


def test_an_empty_cell_is_an_error_of_that_row(tmp_path: Path) -> None:
    path = _write_parquet(tmp_path / "p.parquet", {"html": ["a", None, "c"]})
    first, bad, last = read_parquet(path)
    assert (first.data, last.data) == ("a", "c")
    assert bad.error == f'{path}:2: "html" is empty'


def test_damage_costs_one_row_or_what_is_left_of_one_row_group(tmp_path: Path) -> None:
    columns = {"html": [f"page {letter}" for letter in "abcdefgh"]}
    plain: dict[str, Any] = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    path = _write_parquet(tmp_path / "p.parquet", columns, row_group_size=2, **plain)
    data = path.read_bytes().replace(b"page b", b"page \xff")
    place = data.index(b"page e")
    path.write_bytes(data[: place - 20] + b"\xff" * 20 + data[place:])
    found = [document.data or (document.error or "").removeprefix(str(path))[:42] for document in read_parquet(path)]
    damage = "@5: damaged from this row to row 6: Couldn"
    assert found == ["page a", ":2: not UTF-8: invalid start byte", "page c", "page d", damage, "page g", "page h"]


def test_a_file_without_html_or_of_another_format_is_one_error(tmp_path: Path) -> None:
    path = _write_parquet(tmp_path / "p.parquet", {f"c{number}": ["a"] for number in range(22)})
    (document,) = read_parquet(path)
    assert re.search('no column "html" .* c19; ', document.error or "")
    path.write_bytes(b"not parquet")
    (document,) = read_parquet(path)
    assert str(path) in (document.error or "")


@pytest.mark.parametrize(
    ("cells", "document"),
    [
        (
            {"html": bytearray(b"<p>"), "url": "http://a.example/", "id": ""},
            Document("http://a.example/", b"<p>", url="http://a.example/"),
        ),
        ({"html": "<p>", "url": math.nan, "lang": "?"}, Document("", "<p>")),
        ({"html": "<p>", "id": 0, "charset": "utf-8", "lang": "de"}, Document("0", "<p>", charset="utf-8", lang="de")),
        ({"html": 3, "id": "a"}, Document("a", None, error='a: "html" is int, not string or binary')),
        ({"html": math.nan, "id": "a"}, Document("a", None, error='a: "html" is empty')),
        ({"html": None}, Document("", None, error='"html" is empty')),
    ],
)
def test_a_row_of_any_table_is_a_document(cells: dict[str, Any], document: Document) -> None:
    assert records.document_of_row(cells) == document


_record = partial(warc_record, kind="text/html")
_LYING_LENGTHS = (b"3", b"700", b"99999999999999", b"9" * 30, b"-1", b"many")


@pytest.fixture
def archive(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes records to an archive, packed one by one where its name says so."""
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")

    def write(*records: bytes, name: str = "a.warc") -> Path:
        pack = {".gz": gzip.compress, ".zst": zstd}.get(PurePath(name).suffix, bytes)
        (tmp_path / name).write_bytes(b"".join(map(pack, records)))
        return tmp_path / name

    return write


RECORDS = [
    _record(1, b"<p>\xe9", kind="text/html; charset=ISO-8859-1"),
    _record(2, b"{}", kind="application/json"),
    _record(3, b"<p>gone", status="404 Not Found"),
    _record(4, gzip.compress(b"<p>packed"), more="Content-Encoding: gzip\r\n"),
    _record(5, b"<p>x</p>", kind="application/xhtml+xml", url=f"https://a.example/5?{'a' * 3_000}"),
    _record(6, b"5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", more="Transfer-Encoding: chunked\r\n"),
]


@pytest.mark.parametrize("header", ["Content-Encoding: gzip", "Content-Encoding: br", "Transfer-Encoding: chunked"])
def test_a_body_that_was_stored_unpacked_is_read_though_its_header_lies(
    archive: Callable[..., Path], header: str
) -> None:
    page, junk = b"<html><p>plain" + b" words" * 99, b"\xff" * 99_999
    found = list(read_warc(archive(*(_record(n, body, more=f"{header}\r\n") for n, body in enumerate((page, junk))))))
    assert [document.data for document in found] == [page, None]
    reason = (found[1].error or "").partition(": cannot be read: ")[2]
    assert (len(reason) == 200) if "chunked" in header else (0 < len(reason) < 200)


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_only_html_pages_that_were_found_are_read(archive: Callable[..., Path], name: str) -> None:
    documents = list(read_warc(archive(*RECORDS, name=name)))
    assert [document.data for document in documents] == [b"<p>\xe9", b"<p>packed", b"<p>x</p>", b"hello!"]
    assert [(document.url or "")[:19] for document in documents] == [f"https://a.example/{n}" for n in (1, 4, 5, 6)]
    assert documents[0].id == "urn:uuid:00000000-0000-0000-0000-000000000001"
    assert [(document.charset or "").lower() for document in documents] == ["iso-8859-1", "", "", ""]


def test_a_page_without_an_id_or_an_address_is_named_by_its_place(archive: Callable[..., Path]) -> None:
    bare = re.sub(rb"WARC-(Record-ID|Target-URI).*\r\n", b"", _record(1, b"<p>1"))
    statuses = ("199 X", "200", "299 X", "300 X")
    path = archive(*(bare.replace(b"200 OK", status.encode()) for status in statuses))
    found = [(document.id, document.url, document.error) for document in read_warc(path)]
    assert found == [(f"{path}:{number}", None, None) for number in (2, 3)]


def _offsets(path: Path, documents: Iterable[Document]) -> list[int]:
    """Return the byte that each error names, in its id and its message."""
    gaps = [document for document in documents if document.error]
    assert all((gap.error or "").startswith(f"{gap.id}: damaged from this byte on: ") for gap in gaps)
    return [int(gap.id.removeprefix(f"{path}@")) for gap in gaps]


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.warc.zst"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rb"(?s).{30}\Z", b""),
        (rb"(?s)(?<=0000055>).*", b""),
        (rb"Content-Length", b"Content-Lenght"),
        (rb"WARC/", b"WORC/"),
        (rb"\r\nWARC.Type", b"\r\n\r\n\r\n"),
        *((rb"(?<=application/http; msgtype=response\r\nContent-Length: )\d+", size) for size in _LYING_LENGTHS),
    ],
)
def test_a_bad_record_of_sixty_is_one_gap(archive: Callable[..., Path], name: str, old: bytes, new: bytes) -> None:
    pages = [_record(number, b"<p>%d" % number) for number in range(60)]
    path = archive(*pages[:55], name=name)
    begin = path.stat().st_size
    bad = re.sub(old, new, pages[55], count=1)
    assert bad != pages[55]
    found = list(read_warc(archive(*pages[:55], bad, *pages[56:], name=name)))
    whole = [document.data for document in found if document.error is None]
    assert [data for data in whole if data != b"<p>55"] == [b"<p>%d" % n for n in range(60) if n != 55]
    assert _offsets(path, found) == [begin]


def test_any_flipped_byte_of_packed_records_loses_that_record_only(archive: Callable[..., Path]) -> None:
    path = archive(*(_record(number, b"<p>%d" % number) for number in range(4)), name="a.warc.gz")
    whole = path.read_bytes()
    members = [place.start() for place in re.finditer(rb"\x1f\x8b\x08", whole)]
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        found = list(read_warc(path))
        pages = [document.data for document in found if document.error is None]
        # The header of a member has bytes that say nothing of its content.
        assert len(pages) == 4 or (len(pages), _offsets(path, found)) == (3, [max(m for m in members if m <= place)])


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.warc.zst"])
def test_any_cut_is_told(archive: Callable[..., Path], name: str) -> None:
    records = [_record(number, b"<p>%d" % number) for number in range(3)]
    ends = [archive(*records[:count], name=name).stat().st_size for count in range(4)]
    path = archive(*records, name=name)
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        found = list(read_warc(path))
        begun = max(end for end in ends if end <= size)
        # Without the blank lines at its end, the page of a record is whole.
        pages = [document.data for document in found if document.error is None]
        assert pages[: ends.index(begun)] == [b"<p>%d" % n for n in range(ends.index(begun))]
        assert _offsets(path, found) == ([] if size in ends else [begun])


def test_bad_members_behind_a_large_one_are_gaps_of_their_own(archive: Callable[..., Path]) -> None:
    # What comes again 30,000 bytes later is packed as a distance.
    body = 2 * random.Random(2).randbytes(30_000) + random.Random(1).randbytes(1_940_000)
    path = archive(_record(99, body), name="a.warc.gz")
    with path.open("ab") as file:
        # What is unpacked again of a large one that is cut is no reason to lose what follows it.
        file.write(gzip.compress(_record(98, body))[:-1000])
        file.writelines(gzip.compress(_record(n, b"<p>%d" % n))[: 40 if n % 3 == 1 else None] for n in range(40))
    large, *found = read_warc(path)
    assert large.data == body
    whole = [document.data for document in found if not document.error]
    assert (whole, len(_offsets(path, found))) == ([b"<p>%d" % n for n in range(40) if n % 3 != 1], 14)


def test_the_next_record_is_found_wherever_it_begins(archive: Callable[..., Path]) -> None:
    """Behind a byte that is none of it, or across the end of the bytes that are read at once."""
    records = _record(1, b"<p>1"), _record(2, b"<p>2")
    for size in (1, *range(16 * 1024 - 80, 16 * 1024 + 3)):
        path = archive(records[0], b"x" * size, records[1])
        first, gap, second = read_warc(path)
        assert (first.data, second.data) == (b"<p>1", b"<p>2")
        assert _offsets(path, [gap]) in ([0], [len(records[0])])


def test_a_record_is_whole_though_what_follows_it_is_damaged(archive: Callable[..., Path]) -> None:
    """Its blank lines are missing, and the next begins at once, in a member of its own that is cut."""
    path = archive(_record(1, b"<p>1")[:-4], name="a.warc.gz")
    begin = path.stat().st_size
    with path.open("ab") as file:
        file.write(gzip.compress(_record(2, b"<p>2"))[:60] + gzip.compress(_record(3, b"<p>3")))
    found = list(read_warc(path))
    assert [document.data for document in found if not document.error] == [b"<p>1", b"<p>3"]
    assert _offsets(path, found) in ([0], [begin])


@pytest.mark.parametrize(("size", "place"), [(1024 * 1024, ":1"), (1024 * 1024 + 1, "@0")])
def test_the_end_of_a_head_is_looked_for_in_a_million_bytes(
    archive: Callable[..., Path], size: int, place: str
) -> None:
    usual = _record(1, b"<p>1").index(b"\r\n\r\n") + 4 - len("https://a.example/1")
    path = archive(_record(1, b"<p>1", url="u" * (size - usual)), _record(2, b"<p>2"))
    first, last = read_warc(path)
    # FastWARC reads no head that is so large, but the record behind it is the next.
    assert (first.id, first.data, last.data) == (f"{path}{place}", None, b"<p>2")


def _frame(content: bytes, form: int) -> bytes:
    """Return a zstd frame (RFC 8878); a form has sizes of content and dictionary's number, and whether a window."""
    size, single, named = form >> 4 & 3, form >> 3 & 1, form >> 1 & 3
    given = (len(content) - 256 * (size == 1)) * (single or size > 0)
    frame = b"\x28\xb5\x2f\xfd" + bytes([size << 6 | single << 5 | named]) + b"\x50" * (not single)
    frame += bytes((0, 1, 2, 4)[named]) + given.to_bytes((single, 2, 4, 8)[size], "little")
    for part in re.findall(rb"a{20,}|.+?(?=a{20}|\Z)", content, re.DOTALL):
        is_run = part == b"a" * len(part)
        frame += (len(part) << 3 | is_run << 1).to_bytes(3, "little") + (b"a" if is_run else part)
    return frame + b"\x01\x00\x00"


def test_frames_of_every_form_are_read_and_end_where_they_end(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    path, bodies = tmp_path / "a.warc.zst", [b"<p>%d %b" % (number, b"a" * 90) for number in range(2)]
    skipped, reserved = b"\x50\x2a\x4d\x18" + (700).to_bytes(4, "little") + bytes(700), b"\x07\x00\x00"
    for form in range(64):
        # Sizes of two bytes begin at 256, those of one end at 255.
        first, last = (_record(number, body) for number, body in enumerate(bodies))
        length = 250 if form >> 3 & 1 and not form >> 4 & 3 else len(first)
        frames = [_frame(first[place : place + length], form) for place in range(0, len(first), length)]
        whole = skipped + b"".join(frames)
        path.write_bytes(whole + b"\x28\xb5\x2f\xfd\x00\x50" + reserved + zstd(last))
        found = list(read_warc(path))
        assert [document.data for document in found if not document.error] == bodies
        assert _offsets(path, found) == [len(whole)]


def test_frames_that_need_a_dictionary_are_read(tmp_path: Path) -> None:
    """The archive was written by the program zstd: a dictionary, and two frames with checksums that need it."""
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    path, data = tmp_path / "a.warc.zst", Path(__file__).with_name("dictionary.warc.zst").read_bytes()
    for place, pages in ((len(data), [b"<p>1", b"<p>2"]), (-1, [b"<p>1"])):
        path.write_bytes(data[:place])
        assert [document.data for document in read_warc(path) if not document.error] == pages
    # In the second of the frames.
    path.write_bytes(data[:-6] + bytes([data[-6] ^ 1]) + data[-5:])
    first, gap = read_warc(path)
    assert (first.data, _offsets(path, [gap])) == (b"<p>1", [data.rindex(b"\x28\xb5\x2f\xfd")])


def test_a_frame_of_nothing_is_passed_over_and_one_that_is_cut_is_told(archive: Callable[..., Path]) -> None:
    body = random.Random(1).randbytes(100_000)
    path = archive(_record(1, body), name="a.warc.zst")
    whole = path.read_bytes()
    for end in (b"\x50\x2a\x4d\x18\0\0\0", b"\x50\x2a\x4d\x18\0\0\0\0"):
        path.write_bytes(whole + end)
        page, *gaps = read_warc(path)
        assert (page.data, _offsets(path, gaps)) == (body, [len(whole)] * (len(end) < 8))


def test_a_large_body_is_an_error_of_that_record(archive: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_MAX_PAGE_BYTES", 1000)
    packed = _record(1, gzip.compress(b"x" * 50_000), more="Content-Encoding: gzip\r\n")
    *large, third = read_warc(archive(packed, _record(2, b"y" * 5000), _record(3, b"z")))
    assert ["larger than 1000 bytes" in (document.error or "") for document in large] == [True, True]
    assert third.data == b"z"
    monkeypatch.setattr(records, "_MAX_HEAD_BYTES", 1024)
    body = b"<html>".ljust(20_000, b"w")
    # With the first, the page's own head has 1,024 bytes.
    own = _record(4, body).partition(b"HTTP/")[2].index(body) + len("HTTP/")
    long = "X: ".ljust(1022 - own, "x") + "\r\n"
    for most in (20_050, 20_000, 19_999, 18_000):
        monkeypatch.setattr(records, "_MAX_PAGE_BYTES", most)
        for more in (long, "", "Content-Encoding: gzip\r\n"):
            # Without its blank lines, the next begins where it ends.
            first, last = read_warc(archive(_record(4, body, more=more)[:-4], _record(5, b"z")))
            assert (first.data, last.data) == (body if most >= 20_000 else None, b"z")
            assert most >= 20_000 or f"larger than {most} bytes" in (first.error or "")


def test_a_page_has_64_mb_at_most(archive: Callable[..., Path]) -> None:
    """In a large record, another one is looked for that begins within: its own length was wrong then."""
    most = 64 * 1024 * 1024
    for size, is_read in ((most, True), (most + 2_000_000, False)):
        path = archive(_record(1, bytes(size)), _record(2, b"<p>2"), name="a.warc.gz")
        first, second = read_warc(path)
        assert (first.data == bytes(size), second.data) == (is_read, b"<p>2")
        assert is_read or f"larger than {most} bytes" in (first.error or "")


@pytest.mark.parametrize(
    ("read", "extra"), [(records.warc_pages, "warc"), (partial(records.parquet_pages, fields=FieldNames()), "parquet")]
)
def test_without_its_package_the_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, read: Callable[..., Iterator[Document]], extra: str
) -> None:
    for module in ("fastwarc", "fastwarc.warc", "pyarrow"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install .blockfeat\[{extra}\]"):
        next(read("a", io.BytesIO()))
