"""The pages of a session, decoded once and kept packed in a temporary file, so that memory does not grow with them."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from blockfeat.errors import BlockfeatError
from blockfeat.page.document import Document
from blockfeat.page.encoding import decode
from blockfeat.page.page import Page

_LEVEL = 1  # of packing: fast, and HTML packs well


@dataclass(frozen=True, slots=True)
class ShelvedPage:
    """One page as it was read: its id, which is unique in the session, and what the source says of it.

    Attributes
    ----------
    id : str
        The document's id; ``#2`` and so on behind it where an id comes again.
    url, lang : str or None
        Address and language, where the source says them.
    html : str
        The page, decoded.
    """

    id: str
    url: str | None
    lang: str | None
    html: str


class PageShelf:
    """Holds pages; made with `PageShelf.of`, and to be closed."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        """Why documents could not be taken, each with its name."""
        self._file = tempfile.TemporaryFile(prefix="blockfeat-label-")  # noqa: SIM115 (closed by close)
        self._places: dict[str, tuple[int, int, str | None, str | None]] = {}
        self._next_number: dict[str, int] = {}
        self._lock = Lock()
        self._end = 0

    @classmethod
    def of(cls, documents: Iterable[Document]) -> PageShelf:
        """Read documents; those that are no pages are listed in ``problems``."""
        shelf = cls()
        for document in documents:
            shelf._add(document)
        return shelf

    def close(self) -> None:
        """Remove the temporary file."""
        self._file.close()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the pages in the order of the input."""
        return tuple(self._places)

    def __contains__(self, id: object) -> bool:
        """Return whether there is a page of this id."""
        return id in self._places

    def page(self, id: str) -> ShelvedPage:
        """Return one page; KeyError where there is none of this id."""
        first, size, url, lang = self._places[id]
        with self._lock:
            self._file.seek(first)
            packed = self._file.read(size)
        return ShelvedPage(id, url, lang, zlib.decompress(packed).decode("utf-8", "surrogatepass"))

    def _add(self, document: Document) -> None:
        if document.data is None:
            self.problems.append(document.error or f"{document.id}: the document has no data")
            return
        try:
            html = _decoded(document)
        except BlockfeatError as error:
            self.problems.append(f"{document.id}: {error}")
            return
        packed = zlib.compress(html.encode("utf-8", "surrogatepass"), _LEVEL)
        self._file.write(packed)
        url = None if document.url is None else _writable(document.url)
        self._places[self._free_id(_writable(document.id))] = (self._end, len(packed), url, document.lang)
        self._end += len(packed)

    def _free_id(self, id: str) -> str:
        if id not in self._places:
            return id
        number = self._next_number.get(id, 2)
        while f"{id}#{number}" in self._places:
            number += 1
        self._next_number[id] = number + 1
        return f"{id}#{number}"


def _writable(name: str) -> str:
    """Return a name that UTF-8 can hold: file names may have bytes that are no text."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _decoded(document: Document) -> str:
    """Return a page as text.

    Raises
    ------
    NotHTML
        The bytes are of another format.
    """
    if isinstance(document.data, str):
        return document.data
    data = document.data or b""
    Page.parse(data, charset=document.charset)  # refuses what is no page
    return decode(data, document.charset).text
