"""Pages that are kept for a while, so that options can be switched without sending or fetching them again."""

from __future__ import annotations

import secrets
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from blockfeat.errors import LimitExceeded

# Its name, the source and its place among the others.
_BYTES_OF_AN_ENTRY = 500


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page as it came in.

    Attributes
    ----------
    html : str or bytes
        The page.
    url : str or None
        Its address, after redirects.
    charset : str or None
        Charset from the HTTP header.
    name : str or None
        Name of the file that it was sent as.
    """

    html: str | bytes
    url: str | None = None
    charset: str | None = None
    name: str | None = None

    @property
    def size(self) -> int:
        """Size in bytes."""
        return len(self.html) if isinstance(self.html, bytes) else len(self.html.encode("utf-8", "surrogatepass"))


class KeptPages:
    """Pages by names that nobody can guess; the ones that were not used for longest go first.

    Parameters
    ----------
    most_bytes : int
        Room for all.
    seconds : float
        How long a page is kept after its last use.
    clock : callable
        Seconds, from any start.
    """

    def __init__(self, most_bytes: int, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._clock = clock
        self._pages: OrderedDict[str, tuple[PageSource, int, float]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self._pages)

    def keep(self, page: PageSource) -> str:
        """Keep a page and return its name.

        Raises
        ------
        LimitExceeded
            The page is larger than the room for all.
        """
        # In memory, where a letter may take four bytes.
        size = _BYTES_OF_AN_ENTRY + sum(map(sys.getsizeof, (page.html, page.url, page.charset, page.name)))
        if size > self._most_bytes:
            raise LimitExceeded(f"the page takes {size:,} bytes, more than the {self._most_bytes:,} that can be kept")
        name = secrets.token_urlsafe(18)
        self._pages[name] = page, size, self._clock()
        self._bytes += size
        self._forget()
        return name

    def get(self, name: str) -> PageSource | None:
        """Return a page that is kept; None where there is none of this name any more."""
        self._forget()
        found = self._pages.pop(name, None)
        if found is None:
            return None
        page, size, _ = found
        self._pages[name] = page, size, self._clock()
        return page

    def _forget(self) -> None:
        """Drop what is too old, and the oldest of what is too much."""
        oldest_kept = self._clock() - self._seconds
        while self._pages:
            name, (_, size, used) = next(iter(self._pages.items()))
            if used >= oldest_kept and self._bytes <= self._most_bytes:
                return
            del self._pages[name]
            self._bytes -= size
