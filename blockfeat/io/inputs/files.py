"""Pages from files, folders, standard input and lists of addresses, each read in its format."""

from __future__ import annotations

import math
import os
import stat
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import PurePath
from threading import TIMEOUT_MAX, Event, Thread
from typing import IO, TYPE_CHECKING, TypeGuard

from blockfeat.errors import BlockfeatError, InputTypeError, LimitExceeded
from blockfeat.io.inputs import options as formats
from blockfeat.io.inputs import records
from blockfeat.io.inputs.options import InputOptions, Pending
from blockfeat.page.document import Document, host_of

if TYPE_CHECKING:
    from concurrent.futures import Future

_PLAIN_PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".xht", ".shtml", ".shtm")
PAGE_SUFFIXES = tuple(plain + packed for plain in _PLAIN_PAGE_SUFFIXES for packed in ("", *formats.PACKED_SUFFIXES))
_SUFFIXES = {"html": PAGE_SUFFIXES, **records.SUFFIXES}
# Bounds memory; real pages stay far below this.
_MAX_UNPACKED_BYTES = 64 * 1024 * 1024


def failed_document(name: str, error: Exception) -> Document:
    """Return a document with ``error`` for an input that cannot be read."""
    is_missing = isinstance(error, FileNotFoundError)
    reason = "no such file or folder" if is_missing else getattr(error, "strerror", None) or str(error)
    return Document(id=name, data=None, error=reason if reason.startswith(f"{name}: ") else f"{name}: {reason}")


def format_by_suffix(name: str) -> str | None:
    """Return the format that a file's suffix stands for, or None."""
    lowered = name.lower()
    return next((format for format, suffixes in _SUFFIXES.items() if lowered.endswith(suffixes)), None)


def read_file(path: str | os.PathLike[str], max_bytes: int | None = None) -> Document:
    """Return one page as bytes, decompressed; a document with ``error`` for a file that cannot be read or is larger."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as stream:
            return [*_page(name, stream, max_bytes)][-1]
    except (*formats.DAMAGE, ValueError, BlockfeatError) as error:  # also a name with a NUL
        return failed_document(name, error)


def _pages_of(name: str, options: InputOptions) -> Iterator[Pending]:
    """Yield the pages of a file; its format is that of the options, else of its suffix, else of its first bytes."""
    format = (options.format == "auto" and format_by_suffix(name)) or options.format
    # A packed page may be two documents: what is whole, and that the rest is not.
    if format == "html" and not name.lower().endswith(formats.PACKED_SUFFIXES) and os.path.isfile(name):
        yield partial(read_file, name, options.max_bytes)
        return
    try:
        with open(name, "rb") as stream:
            head, whole = formats.peeked(stream)
            if format == "jsonl" and stream.seekable() and not formats.is_packed(head):
                yield from records.unread_json_lines(name, stream, head, options.fields)
            else:
                yield from _read(name, whole, options, format)
    except (*formats.DAMAGE, BlockfeatError) as error:
        yield failed_document(name, error)


def _read(name: str, stream: IO[bytes], options: InputOptions, format: str) -> Iterator[Document]:
    start, stream = formats.peeked(stream)
    if format == "auto":
        format, stream = _detected(start, stream)
    if format == "html":
        yield from _page(name, stream, options.max_bytes, is_packed=formats.is_packed(start))
    elif format == "urls":
        yield from read_urls(name, stream)
    elif format == "warc":
        yield from records.warc_pages(name, stream)
    elif format == "parquet":
        yield from _parquet(name, stream, options)
    else:
        yield from records.json_lines(name, stream, options.fields)


def _detected(start: bytes, stream: IO[bytes]) -> tuple[str, IO[bytes]]:
    """Return the format of a stream, compressed or not, and the decompressed stream from its start; archives packed."""
    if formats.is_packed_archive(start):
        return "warc", stream
    head, whole = formats.peeked(formats.unpacked(stream))
    return formats.detected(head), whole


def _page(name: str, stream: IO[bytes], max_bytes: int | None, *, is_packed: bool = False) -> Iterator[Document]:
    """Yield a page, decompressed; behind one that is damaged, as far as it can be read, a document with ``error``.

    ``is_packed`` says that the stream is decompressed already.
    """
    head, whole = formats.peeked(stream)
    is_packed = is_packed or formats.is_packed(head)
    # What is packed, a pipe or a device may have no end.
    is_plain = os.path.isfile(name) and not is_packed
    most = min(max_bytes or math.inf, math.inf if is_plain else _MAX_UNPACKED_BYTES)
    size = int(most) + 1 if most <= _MAX_UNPACKED_BYTES else -1
    data, damage = (whole.read(size), None) if is_plain else formats.read_to_damage(whole, size)
    if len(data) > most:
        raise LimitExceeded(f"larger than {most} bytes{' when unpacked' if is_packed else ''}")
    if damage is not None and not data:
        raise damage
    yield Document(id=name, data=data)
    if damage is not None:
        yield formats.unread(f"{name}@{len(data)}", f"damaged from this byte of the page on: {damage}")


def _parquet(name: str, stream: IO[bytes], options: InputOptions) -> Iterator[Document]:
    """Yield the pages of a Parquet file, or of a temporary copy of a stream: Parquet's metadata is at the end."""
    if name != "-" and format_by_suffix(name) == "parquet":
        yield from records.parquet_pages(name, name, options.fields)
        return
    import shutil
    import tempfile

    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(formats.unpacked(stream), copy)
        copy.seek(0)
        yield from records.parquet_pages(name, copy, options.fields)


# Suffixes of pages that servers generate; such a file is read if its first bytes are HTML.
_PERHAPS_PAGES = ("", ".asp", ".aspx", ".cfm", ".cgi", ".do", ".jsp", ".php")
# A .json file in a folder is more often configuration than pages: it is read only if named.
_CONFIGURATION = tuple(".json" + packed for packed in ("", *formats.PACKED_SUFFIXES))

OnPassedOver = Callable[[str], None]


def _pages_below(folder: str, options: InputOptions, on_passed_over: OnPassedOver | None) -> Iterator[Pending]:
    """Yield the pages below a folder, sorted by name at every level.

    Files are read that have a suffix of HTML, JSON Lines, WARC or Parquet, plain or compressed, and those without a
    suffix (or with one such as ``.php``) that begin like an HTML page. If the options give a format, every file is
    read in that format. Symbolic links are followed; each folder is read once, so loops end.
    """
    written = _written(folder, options.output)
    for name in _member_files(folder):
        if isinstance(name, Document):
            yield name
        elif written and os.path.realpath(name) in written:
            continue
        elif options.format != "auto" or _is_page(name):
            yield from _pages_of(name, options)
        elif on_passed_over is not None:
            on_passed_over(name)


def _written(folder: str, output: PurePath | None) -> set[str]:
    """Return the files that a run writes below a folder: what is done, and what stands beside it meanwhile."""
    place, name = os.path.split(os.path.realpath(output or ""))
    beside = (name, f"{name}.new", f"{name}.run.json", f"{name}.new.run.json", f".{name}.lock")
    is_below = output is not None and os.path.join(place, "").startswith(os.path.join(os.path.realpath(folder), ""))
    return {os.path.join(place, one) for one in beside} if is_below else set()


def _member_files(folder: str) -> Iterator[str | Document]:
    """Yield the paths of the regular files below a folder, in order; documents with ``error`` for unreadable paths."""
    folders_seen: set[tuple[int, int]] = set()
    # A stack instead of recursion; the next path is the last.
    stack = [folder]
    while stack:
        name = stack.pop()
        try:
            status = os.stat(name)
            if stat.S_ISDIR(status.st_mode):
                identity = (status.st_dev, status.st_ino)
                if identity not in folders_seen:
                    folders_seen.add(identity)
                    with os.scandir(name) as entries:
                        stack.extend(sorted((entry.path for entry in entries), reverse=True))
                continue
        except OSError as error:
            # A broken link whose suffix is not that of a page is skipped without an error.
            if format_by_suffix(name) is not None or name == folder or not os.path.islink(name):
                yield failed_document(name, error)
            continue
        if stat.S_ISREG(status.st_mode):
            yield name
        elif format_by_suffix(name) is not None:
            yield formats.unread(name, "not a regular file")


def _is_page(name: str) -> bool:
    """Return whether a file in a folder is read: by its suffix, or by its first bytes for suffixes such as .php."""
    if format_by_suffix(name) is not None:
        return not name.lower().endswith(_CONFIGURATION)
    path = PurePath(name.lower())
    if (path.with_suffix("") if path.suffix in formats.PACKED_SUFFIXES else path).suffix not in _PERHAPS_PAGES:
        return False
    try:
        with open(name, "rb") as stream:
            return formats.looks_like_html(formats.peeked(formats.unpacked(stream))[0])
    except (*formats.DAMAGE, BlockfeatError):
        return False


# Fetches under way at a time, each of another host or waiting for its turn.
_AT_ONCE = 8
_MAX_LINE_BYTES = 64 * 1024
HINT = "; --allow-network CIDR allows others"
"""End of the command line's message about an address that may not be fetched from."""


def is_web_address(name: str) -> bool:
    """Return whether a name is an address that can be fetched."""
    return name.lower().startswith(("http://", "https://"))


def unfetched(url: str) -> Document:
    """Return the document of an address that is still to be fetched."""
    return Document(id=url, data=None, url=url)


def read_urls(name: str, stream: IO[bytes]) -> Iterator[Document]:
    """Yield an unfetched document for each line of a list of addresses; blank lines and ``#`` comments are skipped."""
    lines = partial(formats.unpacked(stream).readline, _MAX_LINE_BYTES)
    for number, line in enumerate(iter(lines, b""), start=1):
        url = line.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
        if not url or url.startswith("#"):
            continue
        no_address = formats.unread(f"{name}:{number}", f"no http or https address: {url[:80]!r}")
        yield unfetched(url) if is_web_address(url) else no_address


def fetched(documents: Iterable[Pending], options: InputOptions) -> Iterator[Pending]:
    """Fetch the unfetched documents and pass on all others, in order.

    Several hosts are fetched from at a time; fetches from one host start at least ``options.delay`` seconds apart.
    """
    under_way: deque[Future[Pending]] = deque()
    turns: dict[str, float] = {}
    stopped = Event()
    try:
        for document in documents:
            if not under_way and not _is_unfetched(document):
                yield document
                continue
            under_way.append(_started(document, options, turns, stopped))
            while under_way and (len(under_way) >= _AT_ONCE or under_way[0].done()):
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        stopped.set()


def _is_unfetched(page: Pending) -> TypeGuard[Document]:
    return isinstance(page, Document) and page.is_unfetched


def _started(document: Pending, options: InputOptions, turns: dict[str, float], stopped: Event) -> Future[Pending]:
    """Return the future of a document, fetched in a thread after its host's delay; done at once if it has its page."""
    from concurrent.futures import Future

    from blockfeat.io.http.fetch import fetch

    future: Future[Pending] = Future()
    if not _is_unfetched(document):
        future.set_result(document)
        return future
    turn = max(time.monotonic(), turns.get(host := host_of(document.id), 0.0))
    turns[host] = turn + options.delay

    def work() -> None:
        if stopped.wait(min(max(0.0, turn - time.monotonic()), TIMEOUT_MAX)):
            return
        try:
            future.set_result(fetch(document.id, networks=options.networks, hint=HINT))
        except BlockfeatError as error:
            future.set_result(Document(id=document.id, data=None, url=document.url, error=str(error)))
        except BaseException as error:
            future.set_exception(error)

    # A daemon thread: an abandoned fetch must not delay the end of the program.
    Thread(target=work, name="blockfeat-fetch", daemon=True).start()
    return future


def read_inputs(
    inputs: Sequence[str], options: InputOptions | None = None, *, on_passed_over: OnPassedOver | None = None
) -> Iterator[Document]:
    """Yield the pages of several inputs, in order, one at a time.

    Parameters
    ----------
    inputs : sequence of str
        Addresses (http, https), ``-`` for standard input, folders and files; standard input if empty. What a file
        or standard input holds (a page, JSON Lines, a web archive, Parquet) is known by the suffix, else by the
        first bytes; gzip, xz and zstd are unpacked.
    options : InputOptions, optional
        Format, names of fields, and what may be fetched.
    on_passed_over : callable, optional
        Called with the path of each file in a folder that is not read.

    Yields
    ------
    Document
        An input that cannot be read yields a document with ``error`` set, and reading continues.

    Raises
    ------
    InputTypeError
        The inputs are no list of names.
    """
    reading = options or InputOptions()
    return map(formats.as_read, fetched(list_inputs(inputs, reading, on_passed_over=on_passed_over), reading))


def list_inputs(
    inputs: Sequence[str], options: InputOptions, *, on_passed_over: OnPassedOver | None = None
) -> Iterator[Pending]:
    """Yield the pages of several inputs as `read_inputs` does, but addresses unfetched (`fetched` fetches them).

    Pages of files are unread where whoever works on them can read them (`as_read`).
    """
    names = [*(inputs or ["-"])]
    if isinstance(inputs, str) or not all(isinstance(name, (str, os.PathLike)) for name in names):
        raise InputTypeError(f"inputs must be a list of paths and addresses, not {inputs!r:.80}")
    for name in map(os.fspath, names):
        try:
            yield from _read_input(name, options, on_passed_over)
        except (*formats.DAMAGE, BlockfeatError) as error:
            yield failed_document(name, error)


def _read_input(name: str, options: InputOptions, on_passed_over: OnPassedOver | None) -> Iterator[Pending]:
    """Read one input, an address, ``-`` or a path."""
    if is_web_address(name):
        yield unfetched(name)
    elif name == "-":
        yield from _read("-", sys.stdin.buffer, options, options.format)
    elif os.path.isdir(name):
        yield from _pages_below(name, options, on_passed_over)
    elif ("://" in name or "\0" in name or name.startswith("www.")) and not os.path.exists(name):
        reason = "only http and https addresses can be fetched" if "://" in name else "no such file or folder"
        if name.startswith("www."):
            reason += f"; the address is https://{name}"
        yield formats.unread(name, reason)
    else:
        yield from _pages_of(name, options)
