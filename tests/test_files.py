"""Text files, and what becomes of failures to write them."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from blockfeat._files import write_text, write_whole, writing
from blockfeat.errors import OutputError


def test_a_file_is_written_in_utf_8_with_its_folders(tmp_path: Path) -> None:
    write_text(tmp_path / "a" / "b" / "c.txt", "Grüße\n")
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == "Grüße\n".encode()


def test_a_path_below_a_file_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(OutputError, match=r"file/c\.txt: cannot be written: .*/file is no folder$"):
        write_text(tmp_path / "file" / "c.txt", "text")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a" / "b"
    write_whole(path, b"old")

    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError, match=r"a/b: cannot be written: No space left on device$"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_may_have_the_longest_name(tmp_path: Path) -> None:
    write_whole(tmp_path / ("x" * 255), b"data")
    assert len(list(tmp_path.iterdir())) == 1


def test_a_full_disk_is_named_and_a_broken_pipe_passes() -> None:
    with pytest.raises(OutputError, match=r"^out: cannot be written: No space left on device$"), writing("out"):
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(BrokenPipeError), writing("out"):
        raise BrokenPipeError
