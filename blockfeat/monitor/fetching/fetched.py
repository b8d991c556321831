"""The answer to one fetch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of fetching one address, or why nothing came.

    Attributes
    ----------
    url : str
        The address asked for.
    final_url : str
        The address that answered, after redirects; that asked for where none answered.
    status : int or None
        HTTP status of the last answer; None without one.
    headers : mapping of str to str
        Headers of the last answer, names in lower case.
    data : bytes
        The body after decompression; empty where ``error`` is set or nothing has changed.
    charset : str or None
        That of the header ``Content-Type``.
    etag, last_modified : str or None
        For the next conditional fetch.
    not_modified : bool
        The server answered 304.
    moved_permanently_to : str or None
        Where permanent redirects (301, 308) lead; the address to ask for from then on.
    retry_at : float or None
        Epoch seconds before which the host asks not to be asked again (``Retry-After``), or before which
        robots.txt cannot be read. It holds for ``host``.
    error : str or None
        Why there is no body; names the address and the reason.
    permanent : bool
        Whether asking again is of no use: 4xx other than 408, 425 and 429, a forbidden address, a body that
        is no page.
    host : str
        Host and port that ``retry_at`` holds for: ``"example.com"``, ``"example.com:8080"``.
    """

    url: str
    final_url: str
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    data: bytes = b""
    charset: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    not_modified: bool = False
    moved_permanently_to: str | None = None
    retry_at: float | None = None
    error: str | None = None
    permanent: bool = False
    host: str = ""

    @property
    def gone(self) -> bool:
        """Whether the server says that the address is gone for good (410)."""
        return self.status == 410
