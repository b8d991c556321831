"""Options for fetching pages and feeds, and the result of a fetch."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal
from urllib.parse import urlsplit

from blockfeat import __version__
from blockfeat._config import Count, Duration, Line, Parsed, Size, Timeout, between, texts

_CONTROL = re.compile(r"[\0-\x1f\x7f\ud800-\udfff]")


def refusal(address: str) -> str | None:
    """Return why an address cannot be fetched; None where it can."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"is no address: {error}"
    if parts.scheme not in ("http", "https"):
        return "is no http or https address"
    if not host:
        return "has no host"
    return "has a control character" if _CONTROL.search(address) else None


def _address(text: str) -> str:
    if reason := refusal(text):
        raise ValueError(f"has {text!r}, which {reason}")
    return text


Address = Annotated[str, Parsed(_address, late=True)]
"""An address that can be fetched."""


def _network(text: str) -> str:
    try:
        ipaddress.ip_network(text)
    except ValueError as error:
        raise ValueError(f"must be a network such as 10.0.0.0/8: {error}") from error
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """Limits of a `Fetcher`, and its politeness.

    Attributes
    ----------
    user_agent : str
        Product of the header ``User-Agent``, and the name looked up in robots.txt (up to the first ``/``).
    contact : str or None
        Web or e-mail address of who runs the monitor; stands in the header behind the product.
    delay : float
        Least seconds between the starts of two requests to one host; a longer ``Crawl-delay`` wins.
    max_delay : float
        Most seconds of ``Crawl-delay`` that are respected.
    per_host : int
        Most requests to one host at once.
    concurrency : int
        Most requests at once.
    connect_timeout, read_timeout : float
        Seconds for a connection, and between two pieces of an answer.
    timeout : float
        Seconds for one request with its redirects; waiting for the host's turn does not count.
    attempts : int
        Most tries where an error can pass (no answer, 408, 425, 5xx).
    first_wait, max_wait : float
        Seconds before the second try, and most seconds before any; they double from try to try.
    max_bytes : int
        Limit of a body, before and after decompression.
    max_redirects : int
        Most redirects that are followed.
    robots : bool
        Respect robots.txt for pages.
    render : str
        ``"auto"``: pages without a text are shown by an installed Chromium (extra ``render``), ``"off"``: they are not.
    allow_networks : tuple of str
        Networks of private addresses that may be connected to, such as ``"10.0.0.0/8"``.
    """

    user_agent: Line = f"blockfeat/{__version__}"
    contact: Line | None = None
    delay: Duration = 1.0
    max_delay: Duration = 60.0
    per_host: Count = 1
    concurrency: Count = 32
    connect_timeout: Timeout = 10.0
    read_timeout: Timeout = 15.0
    timeout: Timeout = 60.0
    attempts: Count = 3
    first_wait: Duration = 1.0
    max_wait: Duration = 30.0
    max_bytes: Size = 20_000_000
    max_redirects: Annotated[int, between(0)] = 5
    robots: bool = True
    render: Literal["auto", "off"] = "off"
    allow_networks: Annotated[tuple[Annotated[str, Parsed(_network, late=True)], ...], Parsed(texts)] = ()

    @property
    def agent_header(self) -> str:
        """Value of the header ``User-Agent``: ``blockfeat/1.0 (+mailto:press@example.org)``."""
        if not self.contact:
            return self.user_agent
        contact = f"mailto:{self.contact}" if "@" in self.contact and ":" not in self.contact else self.contact
        return f"{self.user_agent} (+{contact})"

    @property
    def robots_token(self) -> str:
        """Name that is looked up in robots.txt."""
        return self.user_agent.partition("/")[0].strip()


@dataclass(frozen=True, slots=True)
class Fetched:
    """Result of fetching one address, or the reason why it failed.

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
        Epoch seconds before which no request may be sent to the host (``Retry-After``), or before which
        robots.txt cannot be read. It holds for ``host``.
    error : str or None
        Why there is no body; names the address and the reason.
    permanent : bool
        Whether asking again is of no use: 4xx other than 408, 425 and 429, a forbidden address, a body that
        is no page.
    is_fault : bool
        The program failed, not the answer: it may well be read by another version of a library.
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
    is_fault: bool = False
    host: str = ""

    @property
    def gone(self) -> bool:
        """Whether the server says that the address is gone for good (410)."""
        return self.status == 410
