"""JSON Lines files: packing, line numbers, damage, writing whole or not at all."""

import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat import _files
from blockfeat._files import (
    SUFFIXES,
    check_suffix,
    cut_to_whole_lines,
    json_line,
    line_at,
    line_places,
    lines_of,
    parse_object,
    read_lines,
    stem,
    write_lines,
)
from blockfeat.errors import CorpusError, InputError
from timing import seconds_of


def objects(path: Path) -> list[dict[str, Any]]:
    return [parse_object(line) for _, line in read_lines(path)]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"pages.v2{suffix}"
    values: list[dict[str, Any]] = [{"a": "ä\u2028b\nc"}, {"b": [1, None]}, {"lone": "\ud800"}]
    assert (write_lines(values, path), objects(path), stem(path)) == (3, values, "pages.v2")
    assert list(tmp_path.iterdir()) == [path]
    # Equal objects give equal bytes.
    write_lines(values, tmp_path / f"again{suffix}")
    assert (tmp_path / f"again{suffix}").read_bytes() == path.read_bytes()


def test_blank_lines_are_skipped_but_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\n\n  \r\n{"a": 2}')
    found = [(number, parse_object(line)) for number, line in read_lines(path)]
    assert found == [(1, {"a": 1}), (4, {"a": 2})]
    # Also a first line that holds a byte-order mark alone.
    path.write_bytes(b'\xef\xbb\xbf\n{"a": 1}\n')
    assert list(read_lines(path)) == [(2, b'{"a": 1}\n')]
    assert json_line({"a": "ä"}) == '{"a": "ä"}\n'.encode()


# Newlines and blanks often, also where a piece of three bytes begins or ends.
_LINES = st.lists(st.sampled_from([b"\n", b" ", b"\r\n", b"\x1f", b"!", b"a", b"abc", b"abc\n"])).map(b"".join)


@given(_LINES, st.sampled_from([3, 1 << 20]))
def test_lines_are_found_in_their_places(data: bytes, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_files, "_SKIP_BYTES", size)
        places = list(line_places(io.BytesIO(data)))
    found = [(number, data[start : start + length]) for number, start, length in places]
    assert found == list(lines_of(io.BytesIO(data)))
    lines = enumerate(data.split(b"\n"), start=1)
    assert [number for number, _ in found] == [number for number, line in lines if line.strip()]


def test_lines_that_are_too_long_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_files, "MAX_LINE_BYTES", 8)
    monkeypatch.setattr(_files, "_SKIP_BYTES", 3)
    for last, read in ((b"1234567", b"1234567"), (b"12345678", None)):
        data = b"1234567\n12345678\nok\n" + b"x" * 20 + b"\nagain\n" + last
        expected = [b"1234567\n", None, b"ok\n", None, b"again\n", read]
        assert list(lines_of(io.BytesIO(data))) == list(enumerate(expected, start=1))


def test_a_line_of_256_megabytes_is_the_longest_that_is_read(tmp_path: Path) -> None:
    path, most = tmp_path / "a.jsonl", 256 * 1024 * 1024
    path.write_bytes(b"{}\n")
    assert line_at(str(path), path.stat().st_ino, 0, 3) == b"{}\n"
    with pytest.raises(InputError, match="the file was cut"):
        line_at(str(path), path.stat().st_ino, 0, most)
    assert line_at(str(path), path.stat().st_ino, 0, most + 1) is None


def _with_dictionary(size: int, data: bytes) -> bytes:
    """Return an xz file that asks for a dictionary: the size is a byte in the head of its block, behind 12 bytes."""
    packed = lzma.compress(data)
    head = packed[12:16] + bytes([size]) + packed[17 : 8 + 4 * (packed[12] + 1)]
    return packed[:12] + head + zlib.crc32(head).to_bytes(4, "little") + packed[16 + len(head) :]


def test_an_xz_file_may_not_ask_for_256_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.xz"
    path.write_bytes(_with_dictionary(31, b"{}\n"))  # 192 MB
    assert objects(path) == [{}]
    path.write_bytes(_with_dictionary(32, b"{}\n"))  # 256 MB, and what else is needed
    with pytest.raises(CorpusError, match="Memory usage limit exceeded"):
        objects(path)


def test_an_xz_file_may_have_much_padding_between_its_streams(tmp_path: Path) -> None:
    path, packed = tmp_path / "a.jsonl.xz", lzma.compress(b"{}\n")
    path.write_bytes(packed + bytes(200_000) + packed)
    assert objects(path) == [{}, {}]


@pytest.mark.parametrize("name", ["a.json", "a.txt", "jsonl", "a.jsonl.bz2"])
def test_other_suffixes_are_refused(name: str) -> None:
    with pytest.raises(CorpusError, match=r"\.jsonl\.xz"):
        check_suffix(Path(name))


def test_missing_file_and_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"none\.jsonl: there is no such file"):
        list(read_lines(tmp_path / "none.jsonl"))
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(CorpusError, match=r"folder\.jsonl: cannot be read"):
        list(read_lines(tmp_path / "folder.jsonl"))


def _cut_short(path: Path) -> bytes:
    write_lines([{"a": str(number) * 50_000} for number in range(20)], path)
    return path.read_bytes()[:-20]


def _damaged_inside(path: Path) -> bytes:
    write_lines([{"a": list(range(5000))}], path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 50] = b"\xff" * 50
    return bytes(data)


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
@pytest.mark.parametrize(
    ("damaged", "place"),
    [(_cut_short, r", after line \d+"), (_damaged_inside, ""), (lambda path: b'{"not": "packed"}\n', "")],
)
def test_damaged_files_are_told(tmp_path: Path, suffix: str, damaged: Callable[[Path], bytes], place: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(damaged(path))
    with pytest.raises(CorpusError, match=rf"a{suffix}{place}: cannot be read"):
        list(read_lines(path))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"[1]", "an array"),
        (b"null", "null"),
        (b'"a"', "a string"),
        (b"true", "a boolean"),
        (b"1.5", "a number"),
        (b'{"a": "\xff"}', "not UTF-8: byte 0xff at position 7"),
        (b"[" * 200_000, "not usable JSON"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "not usable JSON"),
    ],
)
@pytest.mark.usefixtures("nothing_to_free")
def test_bad_lines_give_the_reason(line: bytes, reason: str) -> None:
    with pytest.raises(CorpusError, match=reason):
        parse_object(line)


def test_a_failure_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("old")

    def failing() -> Iterator[dict[str, Any]]:
        yield {"a": 1}
        raise KeyError("stop")

    with pytest.raises(KeyError):
        write_lines(failing(), path)
    assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])
    with pytest.raises(CorpusError, match=r"b\.jsonl: cannot be written"):
        write_lines([], path / "b.jsonl")


@given(st.binary(max_size=200))
def test_any_line_is_an_object_or_an_error(line: bytes) -> None:
    try:
        value = parse_object(line)
    except CorpusError:
        return
    assert isinstance(value, dict)


@pytest.mark.parametrize("whole", [b"", b"{}\n", b'{"a": 1}\n\n', b"x" * 100_000 + b"\n"])
@pytest.mark.parametrize("rest", [b"", b"{", b"\xff" * 70_000, b"y" * 65_536, b"y" * 65_535])
def test_an_incomplete_last_line_is_cut(tmp_path: Path, whole: bytes, rest: bytes) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(whole + rest)
    cut_to_whole_lines(path)
    assert path.read_bytes() == whole


@pytest.mark.skipif(os.name == "nt", reason="a hole in a file takes its place on the disk")
def test_only_the_end_of_a_large_file_is_read(tmp_path: Path) -> None:
    path, size = tmp_path / "lines.jsonl", 1 << 38
    with path.open("wb") as file:
        file.seek(size)  # the hole before it would take minutes to read
        file.write(b"\n{}\n{")
    assert seconds_of(lambda: cut_to_whole_lines(path)) < 10
    assert path.stat().st_size == size + 4
