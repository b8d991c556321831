"""One input page, before decoding and parsing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A page that was read, or the reason why it could not be read.

    Attributes
    ----------
    id : str
        Name of the page in messages and output: path, address, record id or ``<file>:<line>``.
    data : bytes or str or None
        The page; None where ``error`` is set, or where only the address is known (``is_unfetched``).
    url : str or None
        Address of the page, after redirects; None if unknown.
    lang : str or None
        Language of the page according to the source.
    charset : str or None
        Encoding of the bytes according to the source (HTTP header, record field).
    error : str or None
        Why the page could not be read; names the input and the reason.
    """

    id: str
    data: bytes | str | None
    url: str | None = None
    lang: str | None = None
    charset: str | None = None
    error: str | None = None

    @property
    def is_unfetched(self) -> bool:
        """Whether the page is only an address that is still to be fetched."""
        return self.data is None and self.error is None and self.url is not None
