"""Files read, written and locked, with one error that names what cannot be."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from blockfeat.errors import ConfigError, InputError, OutputError


@contextmanager
def writing(name: str | os.PathLike[str]) -> Iterator[None]:
    """Turn a failure to write into one error that names where.

    Raises
    ------
    OutputError
        The path cannot be written, or the disk is full.
    BrokenPipeError
        The reader of a pipe has gone, which is no failure.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        # What mkdir raises where a file has the name of the folder.
        reason = f"{error.filename} is no folder" if isinstance(error, FileExistsError) else error.strerror or error
        raise OutputError(f"{os.fspath(name)}: cannot be written: {reason}") from error


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file in UTF-8, and make the folders that lead to it.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    with writing(path):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8", newline="\n")


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file, whole or not at all, and make the folders that lead to it.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    with whole_file(path) as stream:
        stream.write(data)


@contextmanager
def whole_file(path: str | os.PathLike[str], *, sync: bool = False) -> Iterator[IO[bytes]]:
    """Open a new file that takes its name where the block ends without an error; else nothing stays of it.

    Parameters
    ----------
    path : str or path
        The file; the folders that lead to it are made.
    sync : bool
        Wait until the bytes are on the disk before the file takes its name.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    target = Path(path)
    # A short name: the file's own may be as long as the system allows.
    partial = target.with_name(f".{os.urandom(8).hex()}.part")
    with writing(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with partial.open("xb") as stream:
                yield stream
                if sync:
                    stream.flush()
                    os.fsync(stream.fileno())
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)


def config_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a configuration file in UTF-8, without a byte-order mark.

    Raises
    ------
    InputError
        The file cannot be read.
    ConfigError
        It is not UTF-8.
    """
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{os.fspath(path)}: is not UTF-8 at byte {error.start}") from error


@contextmanager
def held_alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Hold a lock that one process at a time can have; the system frees it with the process, however that ends.

    The lock is an exclusive transaction on an empty SQLite database, which works on every system alike.

    Parameters
    ----------
    path : str or path
        File of the lock, made where it is not there; it stays.

    Raises
    ------
    BlockingIOError
        Another process, or another holder in this one, has the lock.
    OutputError
        The file cannot be made.
    """
    import sqlite3  # 5 ms that extraction does not need

    with writing(path):
        Path(path).touch()
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)) as session:
        try:
            session.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise BlockingIOError(f"{os.fspath(path)}: another process has the lock") from error
        yield
