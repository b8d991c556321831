"""Lists of addresses, and their pages fetched in order with a pause for each host."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from threading import Event, Thread
from typing import IO, TYPE_CHECKING

from blockfeat.errors import BlockfeatError
from blockfeat.io.http.fetch import fetch
from blockfeat.io.inputs.options import InputOptions, unpacked
from blockfeat.page.document import Document
from blockfeat.page.urls import host_of

if TYPE_CHECKING:
    from concurrent.futures import Future


# Fetches under way at a time, each of another host or waiting for its turn.
_AT_ONCE = 8
_MAX_LINE_BYTES = 64 * 1024
HINT = "; --allow-network CIDR allows others"
"""What the command line says of an address that is not fetched from."""


def is_web_address(name: str) -> bool:
    """Return whether a name is an address that can be fetched."""
    return name.lower().startswith(("http://", "https://"))


def unfetched(url: str) -> Document:
    """Return the document of an address that is still to be fetched."""
    return Document(id=url, data=None, url=url)


def read_urls(name: str, stream: IO[bytes]) -> Iterator[Document]:
    """Yield an unfetched document for each line of a list of addresses; blank lines and ``#`` comments are skipped."""
    lines = unpacked(stream)
    number = 0
    while line := lines.readline(_MAX_LINE_BYTES):
        number += 1
        url = line.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
        if not url or url.startswith("#"):
            continue
        if is_web_address(url):
            yield unfetched(url)
        else:
            place = f"{name}:{number}"
            yield Document(id=place, data=None, error=f"{place}: no http or https address: {url[:80]!r}")


def fetched(documents: Iterable[Document], options: InputOptions) -> Iterator[Document]:
    """Fetch the unfetched documents and pass on all others, in order.

    A few hosts are asked at a time; fetches from one host start at least ``options.delay`` seconds apart.
    """
    under_way: deque[Future[Document]] = deque()
    turns: dict[str, float] = {}
    stopped = Event()
    try:
        for document in documents:
            if not under_way and not document.is_unfetched:
                yield document
                continue
            under_way.append(_started(document, options, turns, stopped))
            while under_way and (len(under_way) >= _AT_ONCE or under_way[0].done()):
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        stopped.set()


def _started(document: Document, options: InputOptions, turns: dict[str, float], stopped: Event) -> Future[Document]:
    """Start to fetch a document in a thread, at the turn of its host; one that needs no fetch is there at once."""
    from concurrent.futures import Future

    future: Future[Document] = Future()
    if not document.is_unfetched:
        future.set_result(document)
        return future
    host = host_of(document.id)
    turn = max(time.monotonic(), turns.get(host, 0.0))
    turns[host] = turn + options.delay

    def work() -> None:
        stopped.wait(max(0.0, turn - time.monotonic()))
        if not stopped.is_set():
            _settle(future, lambda: _fetched(document, options))

    # A daemon: a fetch that nobody waits for any more must not hold up the end of the program.
    Thread(target=work, name="blockfeat-fetch", daemon=True).start()
    return future


def _settle(future: Future[Document], made: Callable[[], Document]) -> None:
    try:
        future.set_result(made())
    except BaseException as error:
        future.set_exception(error)


def _fetched(document: Document, options: InputOptions) -> Document:
    try:
        return fetch(document.id, allow_private=options.allow_private, networks=options.networks, hint=HINT)
    except BlockfeatError as error:
        return Document(id=document.id, data=None, url=document.url, error=str(error))
