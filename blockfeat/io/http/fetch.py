"""Fetch a page from the web, by the HTTP exchange that the monitor uses too: limits, failures, content types."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING

from blockfeat._files import bundled_table
from blockfeat.errors import FetchError, InputError, LimitExceeded, failure_reason
from blockfeat.io.http.transport import Network, checked_transport, parse_network, read_body
from blockfeat.page.document import Document

if TYPE_CHECKING:
    import httpx2


USER_AGENT = "Mozilla/5.0 (compatible; blockfeat)"
MOST_BYTES = 20_000_000
_MOST_REDIRECTS = 5
_EVERYWHERE = (parse_network("0.0.0.0/0"), parse_network("::/0"))
_KINDS = bundled_table("blockfeat.io.http", "kinds.toml")
_MAGIC = {b"%PDF-": "PDF", b"\x89PNG": "PNG", b"\xff\xd8\xff": "JPEG", b"PK\x03\x04": "a zip archive"}


@dataclass(eq=False, repr=False)
class ExchangeError(FetchError):
    """A request brought no usable response; the attributes say whether a retry may help.

    Attributes
    ----------
    reason : str
        The message.
    passing : bool
        Whether an immediate retry may help.
    permanent : bool
        Whether no retry can help, not even a later one.
    is_fault : bool
        Whether the cause is an unexpected exception, not the network or the response.
    retry_at : float or None
        Unix time in seconds before which the host must not be requested again.
    """

    reason: str
    _: KW_ONLY
    passing: bool = False
    permanent: bool = False
    is_fault: bool = False
    retry_at: float | None = None


def failure_of(
    error: Exception, *, seconds: float, connect: float | None = None, read: float | None = None
) -> ExchangeError:
    """Convert an exception raised by a request to an `ExchangeError`: its reason, and whether a retry may help.

    Parameters
    ----------
    error : Exception
        Raised by httpx2, httpcore2, asyncio, the system or `checked_transport`.
    seconds, connect, read : float
        Time limits in seconds: for the whole request, for connecting, and between two chunks of a response; the last
        two default to the first.
    """
    import httpcore2
    import httpx2

    reason = getattr(error, "strerror", None) or str(error) or f"the connection broke off ({type(error).__name__})"
    if isinstance(error, ExchangeError):
        return error
    if isinstance(error, (FetchError, LimitExceeded, httpx2.InvalidURL, httpx2.UnsupportedProtocol)):
        return ExchangeError(reason, permanent=True)
    if isinstance(error, (httpcore2.TimeoutException, httpx2.TimeoutException)):
        if "Connect" in type(error).__name__:
            return ExchangeError(f"no connection within {connect or seconds:g} seconds", passing=True)
        return ExchangeError(f"no more bytes within {read or seconds:g} seconds", passing=True)
    if isinstance(error, TimeoutError):
        # A server that sends the body too slowly would do so again.
        return ExchangeError(str(error) or f"not finished within {seconds:g} seconds")
    if isinstance(error, (httpcore2.NetworkError, httpcore2.ProtocolError, httpx2.TransportError, OSError)):
        return ExchangeError(reason, passing=True)
    if isinstance(error, (InputError, httpx2.RequestError)):
        return ExchangeError(reason)
    return ExchangeError(failure_reason(error), is_fault=True)


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response: a redirect or an error without its body, any other with it."""

    status: int
    reason: str
    headers: dict[str, str]
    redirect: httpx2.Request | None = None
    data: bytes = b""
    charset: str | None = None
    refusal: str | None = None

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx, other than 204 (no content)."""
        return 200 <= self.status < 300 and self.status != 204

    @property
    def error(self) -> str | None:
        """Why the response has no usable body, or None."""
        return self.refusal if self.is_success else f"the server answered {self.status} {self.reason}".rstrip()


def get_request(
    client: httpx2.AsyncClient, url: str, *, kind: str, headers: Mapping[str, str] | None = None
) -> httpx2.Request:
    """Return a GET request that accepts a kind: ``"page"``, ``"document"``, ``"feed"``, ``"robots"`` or ``"part"``.

    Raises
    ------
    ExchangeError
        The address is not a valid URL.
    """
    import httpx2

    try:
        return client.build_request("GET", url, headers={**(headers or {}), "Accept": _KINDS["accept"][kind]})
    except httpx2.InvalidURL as error:
        raise ExchangeError(f"no address: {error}", permanent=True) from error


def clean_address(request: httpx2.Request) -> str:
    """Return the address of a request without credentials and fragment; raise ExchangeError unless http or https."""
    url = request.url
    if url.scheme not in ("http", "https"):
        kind = f"can be fetched, not {url.scheme}" if url.scheme else "that name a host can be fetched"
        raise ExchangeError(f"only http and https addresses {kind}", permanent=True)
    if not url.host:
        raise ExchangeError("the address names no host", permanent=True)
    return str(url.copy_with(userinfo=b"", fragment=None))


async def exchange(
    client: httpx2.AsyncClient,
    request: httpx2.Request,
    *,
    kind: str,
    max_bytes: int,
    seconds: float,
    left: float,
    cookies: httpx2.Cookies | None = None,
) -> Answer:
    """Send a request and read the response; redirects are not followed.

    Parameters
    ----------
    client : httpx2.AsyncClient
        A client on `checked_transport`; its timeouts apply to the requests that it builds.
    kind : str
        What the body may be; see `get_request`.
    max_bytes : int
        Limit of the body after decompression.
    seconds, left : float
        Time limit for the request with its redirects, and how much of it is left.
    cookies : httpx2.Cookies, optional
        Jar to which the cookies of the response are added.

    Raises
    ------
    ExchangeError
        No response, or not in time; a forbidden address; a body that is too large or cannot be decompressed.
    """
    import asyncio

    try:
        async with asyncio.timeout(left):
            return await _exchange(client, request, kind, cookies, max_bytes)
    except Exception as error:
        # Any exception: a malformed response that a library fails on must not end a run.
        limits = request.extensions.get("timeout", {})
        failure = failure_of(error, seconds=seconds, connect=limits.get("connect"), read=limits.get("read"))
        if failure.is_fault:
            logging.getLogger("blockfeat.io.http").debug("%s: %s", request.url, error, exc_info=True)
        raise failure from error


async def _exchange(
    client: httpx2.AsyncClient, request: httpx2.Request, kind: str, cookies: httpx2.Cookies | None, max_bytes: int
) -> Answer:
    response = await client.send(request, stream=True, follow_redirects=False)
    try:
        if cookies is not None:
            cookies.extract_cookies(response)
        headers = {name.lower(): value for name, value in response.headers.items()}
        answer = Answer(response.status_code, response.reason_phrase, headers, charset=response.charset_encoding)
        if response.next_request is not None:
            return replace(answer, redirect=response.next_request)
        content_type = headers.get("content-type", "")
        refusal = _refused(content_type, b"", kind)
        if refusal or not answer.is_success:
            return replace(answer, refusal=refusal if answer.is_success else None)
        data = await read_body(response, max_bytes)
        return replace(answer, data=data, refusal=_refused(content_type, data[:8], kind))
    finally:
        await response.aclose()


def _refused(content_type: str, head: bytes, kind: str) -> str | None:
    """Return why a response is not of a kind, by its content type and first bytes, or None."""
    # Some servers send the header twice; its values are then joined by a comma.
    name = re.split("[;,]", content_type, maxsplit=1)[0].strip().lower()
    word = "page" if kind == "document" else kind
    if re.fullmatch(_KINDS["types"].get(kind, ".*"), name) is None:
        return f"not a {word} but {name}"
    # Documents are not checked here: extraction recognises more formats than these.
    found = next((word for magic, word in _MAGIC.items() if head.startswith(magic)), None)
    return f"not a {word} but {found}" if found and kind in ("page", "feed") else None


def fetch(
    url: str,
    *,
    timeout: float = 20.0,
    max_bytes: int = MOST_BYTES,
    allow_private: bool = False,
    networks: Sequence[Network] = (),
    hint: str = "",
) -> Document:
    """Fetch one page over http or https.

    Before each connection, redirects included, the address is checked to be public or in an allowed network. Proxies
    and credentials from the environment are not used.

    Parameters
    ----------
    url : str
        Address of the page.
    timeout : float
        Seconds in total: resolving, connecting, redirects, reading.
    max_bytes : int
        Largest body in bytes, before and after decompression.
    allow_private : bool
        Allow addresses of this machine and of private networks.
    networks : sequence of IPv4Network or IPv6Network
        Networks that are allowed although they are not public.
    hint : str
        End of the error message where an address is not allowed.

    Returns
    -------
    Document
        ``id`` is the requested address, ``url`` the final one, ``charset`` that of the header.

    Raises
    ------
    FetchError
        The address is not allowed, the response is not a page, or a limit is exceeded; the message names the
        address and the reason.
    """
    networks = _EVERYWHERE if allow_private else tuple(networks)
    transport = checked_transport(max_bytes=max_bytes, networks=networks, max_connections=1, hint=hint)
    return _run(_fetch(url, timeout, max_bytes, transport))


def _run(fetching: Coroutine[None, None, Document]) -> Document:
    """Run a fetch and return its document, also where this thread already runs an event loop, as in a notebook."""
    # Slow to import, and needed here only.
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(fetching)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, fetching).result()


async def _fetch(url: str, timeout: float, max_bytes: int, transport: httpx2.AsyncBaseTransport) -> Document:
    """Fetch a page; redirects are followed one by one, so that each address passes the same checks as the first."""
    import httpx2

    ends = time.monotonic() + timeout
    try:
        headers = {"User-Agent": USER_AGENT}
        async with httpx2.AsyncClient(trust_env=False, timeout=timeout, transport=transport, headers=headers) as client:
            request = get_request(client, url, kind="document")
            for _ in range(_MOST_REDIRECTS + 1):
                where, left = clean_address(request), ends - time.monotonic()
                answer = await exchange(
                    client, request, kind="document", max_bytes=max_bytes, seconds=timeout, left=left
                )
                if answer.redirect is not None:
                    request = answer.redirect
                elif answer.error:
                    raise ExchangeError(answer.error)
                else:
                    return Document(id=url, data=answer.data, url=where, charset=answer.charset)
            raise ExchangeError(f"more than {_MOST_REDIRECTS} redirects")
    except ExchangeError as error:
        raise FetchError(f"{url}: {error}") from error.__cause__ or error
