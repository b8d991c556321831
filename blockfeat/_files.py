"""File helpers: bundled tables, atomic writes, configuration texts, a lock file, and JSON Lines."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from functools import partial
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any

from blockfeat.errors import BlockfeatError, ConfigError, CorpusError, InputError, OutputError


def bundled_file(package: str, *names: str) -> Path:
    """Return where a file stands that is bundled with a package; importlib.resources would take long to load."""
    return Path(__file__).parents[1].joinpath(*package.split("."), *names)


def bundled_json(package: str, file: str) -> Any:
    """Return the content of a JSON file that is bundled with a package."""
    return json.loads(bundled_file(package, file).read_bytes())


def bundled_table(package: str, file: str) -> dict[str, Any]:
    """Return a TOML file that is bundled with a package."""
    # Not at the start of every command: it takes longer to load than the rest of this module.
    import tomllib

    return tomllib.loads(bundled_file(package, file).read_text(encoding="utf-8"))


@contextmanager
def writing(name: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an OSError inside the block into one error that names the path.

    Raises
    ------
    OutputError
        The path cannot be written, or the disk is full.
    BrokenPipeError
        The reader of a pipe has ended, which is not a failure.
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
    """Write a text file in UTF-8 atomically, and create its parent folders.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    write_whole(path, text.encode())


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically, and create its parent folders.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    with whole_file(path) as stream:
        stream.write(data)


def is_written_through(path: Path) -> bool:
    """Return whether no file may take the place of a path: a folder, a device, a pipe, or a name of an open file."""
    is_open = str(path).startswith(("/dev/std", "/dev/fd/", "/proc/"))
    return is_open or (path.exists() and not path.is_file())


def is_same_file(name: str | os.PathLike[str], path: Path) -> bool:
    """Return whether a name is that of a regular file, or of what links to it."""
    with suppress(OSError, ValueError):
        return path.is_file() and os.path.samefile(name, path)
    return False


def _target(path: str | os.PathLike[str]) -> Path:
    """Return where a path leads; raise OutputError for what is no path, such as a name with a NUL."""
    try:
        return Path(os.path.realpath(path))
    except (TypeError, ValueError) as error:
        raise OutputError(f"{path}: cannot be written: {error}") from error


@contextmanager
def whole_file(path: str | os.PathLike[str], *, sync: bool = False, kept: bool = False) -> Iterator[IO[bytes]]:
    """Open a temporary file that is renamed to ``path`` if the block ends without an error, else removed.

    Devices, pipes and what links lead to are written through.

    Parameters
    ----------
    path : str or path
        The file; its parent folders are created.
    sync : bool
        Wait until the bytes are on the disk before the file is renamed.
    kept : bool
        Keep the temporary file where the block ends with an error; it is named as `beside` says.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    target = _target(path)
    # A short name: the file's own may be as long as the system allows.
    partial = beside(target) if kept else target.with_name(f".{os.urandom(8).hex()}.part")
    with writing(path):
        if is_written_through(Path(path)):
            with open(path, "wb") as stream:
                yield stream
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with partial.open("wb" if kept else "xb") as stream:
                yield stream
                if sync:
                    stream.flush()
                    os.fsync(stream.fileno())
            partial.replace(target)
        finally:
            if not kept:
                partial.unlink(missing_ok=True)


@contextmanager
def written_alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let one run at a time write a file, where its file system has locks: two would mix their lines.

    Devices, pipes and the like are not locked.

    Raises
    ------
    OutputError
        Another run writes it, or its folder cannot be written.
    """
    with writing(path):
        target = _target(path)
    if is_written_through(Path(path)):
        yield
        return
    with writing(path):
        place = target.with_name(f".{target.name}.lock")
        target.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
        mine = place.stat()
    with ExitStack() as stack:
        try:
            with suppress(OutputError):  # a file system without locks
                stack.enter_context(held_alone(place))
            # Another run may have ended since the file was made, and taken it away: a third locks a new one.
            if not os.path.samestat(mine, place.stat()):
                raise BlockingIOError
        except (BlockingIOError, FileNotFoundError) as error:
            raise OutputError(f"{os.fspath(path)}: another run is writing it") from error
        try:
            yield
        finally:
            with suppress(OSError):
                place.unlink()


def beside(path: Path) -> Path:
    """Return where a new result is written while an old one keeps its name."""
    return (target := _target(path)).with_name(f"{target.name}.new")


_LONGEST_CONFIG = 16_000_000  # a device may have no end


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
        with Path(path).open(encoding="utf-8-sig") as stream:
            if len(text := stream.read(_LONGEST_CONFIG + 1)) > _LONGEST_CONFIG:
                raise ValueError(f"longer than {_LONGEST_CONFIG:,} characters")
            return text
    except UnicodeDecodeError as error:
        raise ConfigError(f"{os.fspath(path)}: is not UTF-8 at byte {error.start}") from error
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


@contextmanager
def held_alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Hold a lock that one process at a time can have; the system releases it when the process ends in any way.

    The lock is an exclusive transaction on an empty SQLite database, which works on every system alike.

    Parameters
    ----------
    path : str or path
        The lock file, created if it is missing; it is not removed.

    Raises
    ------
    BlockingIOError
        Another process, or another holder in this one, has the lock.
    OutputError
        The file cannot be created or locked: no folder, a full disk, something else in the file.
    """
    import sqlite3  # takes 5 ms, and extraction does not need it

    with writing(path):
        Path(path).touch()
    with ExitStack() as stack:
        try:
            opened = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
            stack.enter_context(closing(opened)).execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            # The lowest byte is the reason, those above it say more of it.
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                raise BlockingIOError(f"{os.fspath(path)}: another process has the lock") from error
            raise OutputError(f"{os.fspath(path)}: cannot be locked: {error}") from error
        yield


_CHUNK = 65_536
# `xz -9` makes files that need 65 MB; a header may ask for 4 GB.
_XZ_MEMORY = 256 * 1024 * 1024


class Pieces(RawIOBase):
    """A stream of pieces of bytes, none of them empty; an error behind the last one comes when these are read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read some bytes and return how many."""
        piece = self._left or next(self._pieces, b"")
        size = min(len(piece), len(buffer))
        buffer[:size] = piece[:size]
        self._left = piece[size:]
        return size


def xz_file(packed: BufferedReader) -> IO[bytes]:
    """Return what an xz file holds; unlike `lzma.open`, with an error for what is no xz behind its first stream."""
    return BufferedReader(Pieces(_xz_pieces(packed)))


def _xz_pieces(packed: BufferedReader) -> Iterator[bytes]:
    data = b""
    while data := data or packed.read1(_CHUNK):
        if not (data := data.lstrip(b"\0")):  # the padding of streams
            continue
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY)
        while not unpacker.eof:
            if not data and unpacker.needs_input and not (data := packed.read1(_CHUNK)):
                raise EOFError("the file ends within an xz stream")
            if piece := unpacker.decompress(data, _CHUNK):
                yield piece
            data = unpacker.unused_data


_OPEN: dict[str, Any] = {".jsonl": nullcontext, ".jsonl.gz": partial(gzip.GzipFile, "", "rb", 9), ".jsonl.xz": xz_file}
_PACKERS: dict[str, Any] = {
    ".jsonl": nullcontext,
    # Neither name nor time goes into the header: equal pages give equal files.
    ".jsonl.gz": lambda raw: gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0),
    ".jsonl.xz": partial(lzma.open, mode="wb"),
}
SUFFIXES = tuple(_OPEN)

# Bounds memory for a compressed file that expands to one endless line.
MAX_LINE_BYTES = 256 * 1024 * 1024
_SKIP_BYTES = 1024 * 1024


def check_suffix(path: Path) -> str:
    """Return the suffix of a JSON Lines file: ``.jsonl``, ``.jsonl.gz`` or ``.jsonl.xz``.

    Raises
    ------
    CorpusError
        If the name ends otherwise.
    """
    for suffix in SUFFIXES:
        if path.name.lower().endswith(suffix):
            return suffix
    raise CorpusError(f"{path}: not a corpus file: the name must end in {', '.join(SUFFIXES)}")


def stem(path: Path) -> str:
    """Return the file's name without the suffixes that `check_suffix` knows."""
    return path.name[: -len(check_suffix(path))]


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield line number (from 1) and bytes of every line that is not blank.

    Raises
    ------
    CorpusError
        If the file is missing, has another suffix, or its compressed data is damaged or truncated.
    """
    number, opener = 0, _OPEN[check_suffix(path)]
    try:
        # Also of a name with a NUL, whose opening is another error.
        if not path.exists():
            raise CorpusError(f"{path}: there is no such file")
        with path.open("rb") as raw, opener(raw) as stream:
            for number, line in lines_of(stream):
                if line is None:
                    raise CorpusError(f"{path}:{number}: line longer than {MAX_LINE_BYTES} bytes")
                yield number, line
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise CorpusError(f"{path}{f', after line {number}' if number else ''}: cannot be read: {error}") from error


def lines_of(stream: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Yield number (from 1) and bytes of every line that is not blank; None in place of a line that is too long."""
    for number, line in enumerate(iter(partial(stream.readline, MAX_LINE_BYTES), b""), start=1):
        if len(line) < MAX_LINE_BYTES or line.endswith(b"\n"):
            content = line.removeprefix(BOM_UTF8) if number == 1 else line
            if content.strip():
                yield number, content
            continue
        while (rest := stream.readline(_SKIP_BYTES)) and not rest.endswith(b"\n"):
            pass
        yield number, None


def line_places(stream: IO[bytes]) -> Iterator[tuple[int, int, int]]:
    """Yield number (from 1), offset and size of every line that is not blank of a seekable file.

    Of the lines of pages, hundreds of kilobytes each, nothing is copied: a sixth of the time of reading each.
    """
    chunk = bytearray(_SKIP_BYTES)
    number, start, is_blank = 1, stream.tell(), True
    while size := stream.readinto(chunk):  # type: ignore[attr-defined]
        base, first = stream.tell() - size, 0
        while first < size:
            newline = chunk.find(b"\n", first, size)
            end = size if newline < 0 else newline + 1
            is_blank = is_blank and chunk[first] <= 0x20 and not chunk[first:end].strip()
            if newline >= 0:
                if not is_blank:
                    yield number, start, base + end - start
                number, start, is_blank = number + 1, base + end, True
            first = end
    if not is_blank:
        yield number, start, stream.tell() - start


def line_at(path: str, identity: int, offset: int, size: int) -> bytes | None:
    """Return a line of a file by its place; None for one that is too long.

    Raises
    ------
    InputError
        The file was replaced or cut since its lines were found.
    """
    if size > MAX_LINE_BYTES:
        return None
    with open(path, "rb", buffering=0) as stream:
        if os.fstat(stream.fileno()).st_ino != identity:
            raise InputError("another file has taken its name since the run began")
        stream.seek(offset)
        line = stream.read(size)
    if len(line) < size:
        raise InputError("the file was cut since the run began")
    return line


def parse_object(line: bytes | None, error: type[BlockfeatError] = CorpusError) -> dict[str, Any]:
    """Return the JSON object on a line; raise ``error`` with the reason, not the place, where there is none."""
    if line is None:
        raise error(f"line longer than {MAX_LINE_BYTES} bytes")
    line = line.removeprefix(BOM_UTF8)  # also where files with one were joined
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as reason:
        raise error(f"not UTF-8: byte 0x{line[reason.start]:02x} at position {reason.start}") from None
    except json.JSONDecodeError as reason:
        raise error(f"not JSON: {reason.msg} at column {reason.colno}") from None
    except (ValueError, RecursionError) as reason:  # a number of thousands of digits; brackets without end
        raise error(f"not usable JSON: {reason}") from None
    if not isinstance(value, dict):
        raise error(f"not a JSON object but {json_type(value)}")
    return value


def json_type(value: object) -> str:
    """Return the name of a value's JSON type with its article, for messages."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "an array"}
    return "an object" if isinstance(value, dict) else names.get(type(value), "null")


def write_lines(objects: Iterable[dict[str, Any]], path: Path) -> int:
    """Write JSON objects, one per line, and return their number.

    The lines go to a temporary file in the same folder that is renamed at the end, so a reader sees the old file
    or the complete new one. Equal objects give equal bytes.

    Raises
    ------
    CorpusError
        If the suffix is unknown or the file cannot be written.
    """
    suffix, count = check_suffix(path), 0
    try:
        with whole_file(path) as raw, _PACKERS[suffix](raw) as stream:
            for value in objects:
                stream.write(json_line(value))
                count += 1
    except OutputError as error:
        raise CorpusError(str(error)) from error
    return count


def json_line(value: dict[str, Any]) -> bytes:
    """Return an object as a line of a corpus file, in UTF-8."""
    try:
        return json.dumps(value, ensure_ascii=False).encode("utf-8") + b"\n"
    except UnicodeEncodeError:  # lone surrogates can only be written as escapes
        return json.dumps(value).encode("ascii") + b"\n"


def cut_to_whole_lines(path: Path) -> None:
    """Remove an incomplete last line, which an interrupted write has left; no more than that line is read."""
    with path.open("rb+") as file:
        end, newline = file.seek(0, os.SEEK_END), 0
        while end and not newline:
            start = file.seek(max(0, end - _CHUNK))
            newline = file.read(end - start).rfind(b"\n") + 1
            end = start + newline
        file.truncate(end)
