"""One input page as it was read, before anything is decoded or parsed."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Document"]


@dataclass(frozen=True, slots=True)
class Document:
    """A page that was read, or the reason why it could not be.

    Attributes
    ----------
    id : str
        What names the page in messages and output: path, address, record id or ``<file>:<line>``.
    data : bytes or str or None
        The page; None where ``error`` is set.
    url : str or None
        Address of the page (after redirects), where it is known.
    lang : str or None
        Language that the source states for the page.
    charset : str or None
        Encoding label that the source states for the bytes (HTTP header, record field).
    error : str or None
        Why this one input could not be read; names the input and the reason.
    """

    id: str
    data: bytes | str | None
    url: str | None = None
    lang: str | None = None
    charset: str | None = None
    error: str | None = None
