"""Text files, and what becomes of failures to write them."""

import errno
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from blockfeat._files import (
    config_text,
    held_alone,
    is_same_file,
    is_written_through,
    read_lines,
    whole_file,
    write_text,
    write_whole,
    writing,
    written_alone,
)
from blockfeat.errors import ConfigError, CorpusError, InputError, OutputError


def test_a_path_below_a_file_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(OutputError, match=r"file/c\.txt: cannot be written: .*/file is no folder$"):
        write_text(tmp_path / "file" / "c.txt", "text")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, link = tmp_path / "a" / "new" / "b", tmp_path / "link"
    write_whole(path, b"older")
    link.symlink_to(path)
    write_text(link, "Grüße\n")
    assert (path.read_bytes(), link.is_symlink()) == ("Grüße\n".encode(), True)
    write_whole(path, b"old")

    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError, match=r"a/new/b: cannot be written: No space left on device$"):
        write_whole(path, b"new")
    assert (path.read_bytes(), list(path.parent.iterdir())) == (b"old", [path])


def test_a_file_that_must_survive_a_crash_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []

    def fsync(file: int) -> None:
        synced.append((os.fstat(file).st_size, (tmp_path / "a").exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    with whole_file(tmp_path / "a", sync=True) as stream:
        stream.write(b"data")
    assert synced == [(4, False)]
    with whole_file(tmp_path / "b") as stream:
        stream.write(b"data")
    assert len(synced) == 1, "who does not ask for it does not wait for the disk"


def test_what_was_written_before_a_failure_is_kept_where_it_is_asked_for(tmp_path: Path) -> None:
    for data in (b"part", b"other"):
        with suppress(KeyError), whole_file(tmp_path / "out", kept=True) as stream:
            stream.write(data)
            raise KeyError
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out.new": data}


@pytest.mark.skipif(os.name == "nt", reason="has neither such pipes nor such devices")
def test_what_is_no_regular_file_is_written_through_and_the_same_as_none(tmp_path: Path) -> None:
    file, link, pipe = tmp_path / "file", tmp_path / "link", tmp_path / "pipe"
    file.write_bytes(b"older")
    link.symlink_to(file)
    os.mkfifo(pipe)
    paths = (file, link, pipe, tmp_path, tmp_path / "none", Path("/dev/null"), Path("/dev/stdout"))
    assert [is_written_through(path) for path in paths] == [False, False, True, True, False, True, True]
    assert [is_same_file(path, path) for path in paths[:6]] == [True, True, False, False, False, False]
    assert [is_same_file(name, file) for name in (link, pipe, "none", "a\0b")] == [True, False, False, False]
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for path in (file, pipe):
        with written_alone(path):
            assert (tmp_path / f".{path.name}.lock").exists() == (path == file)
            write_whole(path, b"data")
    assert (os.read(reader, 9), file.read_bytes()) == (b"data", b"data")
    os.close(reader)


def test_a_file_may_have_the_longest_name(tmp_path: Path) -> None:
    write_whole(tmp_path / ("x" * 255), b"data")
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["a\0b.jsonl", None, 5])
def test_what_is_no_path_is_named(name: Any) -> None:
    for write in (partial(write_whole, name, b""), written_alone(name).__enter__):
        with pytest.raises(OutputError, match=rf"^{name}: cannot be written: "):
            write()
    with pytest.raises(InputError, match=rf"^{name}: cannot be read: "):
        config_text(name)
    if isinstance(name, str):
        with pytest.raises(CorpusError, match="there is no such file"):
            next(read_lines(Path(name)))


def test_a_full_disk_is_named_and_a_broken_pipe_passes() -> None:
    with pytest.raises(OutputError, match=r"^out: cannot be written: No space left on device$"), writing("out"):
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(BrokenPipeError), writing("out"):
        raise BrokenPipeError


def test_a_configuration_is_read_without_its_mark_or_named(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert config_text(path) == "a = 1\n"
    path.unlink()
    with pytest.raises(InputError, match=r"a\.toml: cannot be read: No such file or directory$"):
        config_text(path)
    path.write_bytes(b"a = '\xff'\n")
    with pytest.raises(ConfigError, match=r"a\.toml: is not UTF-8 at byte 5$"):
        config_text(path)


def test_a_lock_has_one_holder_at_a_time_from_any_thread(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = held_alone(path)
    with ThreadPoolExecutor(1) as other:
        other.submit(first.__enter__).result()
    with pytest.raises(BlockingIOError, match="lock: another process has the lock"), held_alone(path):
        pass
    first.__exit__(None, None, None)
    with held_alone(path):
        pass
    with pytest.raises(OutputError, match="cannot be written"), held_alone(tmp_path / "none" / "lock"):
        pass


def test_a_file_is_written_once_at_a_time_and_a_lock_that_goes_meanwhile_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lock = tmp_path / "a" / "new" / "out", tmp_path / "a" / "new" / ".out.lock"
    with written_alone(path), pytest.raises(OutputError, match="another run is writing it"), written_alone(path):
        pass
    assert not lock.exists()

    class Late(sqlite3.Connection):
        def execute(self, *words: object) -> sqlite3.Cursor:
            lock.unlink()
            return super().execute(*words)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Late))
    with pytest.raises(OutputError, match="another run is writing it"), written_alone(path):
        pass


def test_what_cannot_be_locked_is_written_all_the_same(tmp_path: Path) -> None:
    (tmp_path / ".out.lock").write_bytes(b"no lock of this program" * 99)
    with written_alone(tmp_path / "out"):
        pass


def test_what_is_no_other_holder_of_a_lock_has_its_own_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "junk").write_bytes(b"no lock of this program" * 99)

    class Full(sqlite3.Connection):
        def execute(self, *words: object) -> sqlite3.Cursor:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    for name, reason in (("junk", "file is not a database"), ("", "unable to open database file"), ("full", "is full")):
        if name == "full":
            monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Full))
        with pytest.raises(OutputError, match=f"cannot be locked: .*{reason}"), held_alone(tmp_path / name):
            pass


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of Unix")
def test_a_configuration_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="/dev/zero: cannot be read: longer than 16,000,000 characters"):
        config_text("/dev/zero")
