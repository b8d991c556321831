"""A page from the web."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING

from blockfeat.errors import FetchError, LimitExceeded
from blockfeat.io.http.addresses import Network, parse_network
from blockfeat.page.document import Document

if TYPE_CHECKING:
    import httpx2


USER_AGENT = "Mozilla/5.0 (compatible; blockfeat)"
MOST_BYTES = 20_000_000
_EVERYWHERE = (parse_network("0.0.0.0/0"), parse_network("::/0"))
_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5"


def fetch(
    url: str,
    *,
    timeout: float = 20.0,
    max_bytes: int = MOST_BYTES,
    max_redirects: int = 5,
    user_agent: str = USER_AGENT,
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
        Limit of the body, before and after decompression.
    max_redirects : int
        Most redirects that are followed.
    user_agent : str
        Value of the header ``User-Agent``.
    allow_private : bool
        Allow addresses of this machine and of private networks.
    networks : sequence of IPv4Network or IPv6Network
        Networks that are allowed although they are not public.
    hint : str
        Ends the message where an address is not allowed.

    Returns
    -------
    Document
        ``id`` is the requested address, ``url`` the final one, ``charset`` that of the header.

    Raises
    ------
    FetchError
        The address is not allowed, the answer is not a page, or a limit is exceeded; the message names the
        address and the reason.
    """
    networks = _EVERYWHERE if allow_private else tuple(networks)
    return _run(_fetch(url, timeout, max_bytes, max_redirects, user_agent, networks, hint))


def _run(fetching: Coroutine[None, None, Document]) -> Document:
    """Wait for a fetch, also where this thread runs a loop already, as in a notebook."""
    # Slow to import, and needed here only.
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(fetching)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, fetching).result()


async def _fetch(
    url: str,
    timeout: float,
    max_bytes: int,
    max_redirects: int,
    user_agent: str,
    networks: Sequence[Network],
    hint: str,
) -> Document:
    import asyncio

    import httpcore2
    import httpx2

    from blockfeat.io.http.transport import checked_transport

    core_errors = (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError)
    client_errors = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, httpcore2.UnsupportedProtocol)
    try:
        # No connection is kept: each redirect passes the same checks as the first address.
        transport = checked_transport(max_bytes=max_bytes, networks=networks, max_connections=1, hint=hint)
        headers = {"User-Agent": user_agent, "Accept": _ACCEPT}
        async with (
            asyncio.timeout(timeout),
            httpx2.AsyncClient(transport=transport, trust_env=False, headers=headers, timeout=timeout) as client,
        ):
            return await _followed(client, url, max_redirects, max_bytes)
    except (FetchError, LimitExceeded) as error:
        raise FetchError(f"{url}: {error}") from error
    except (httpcore2.TimeoutException, httpx2.TimeoutException) as error:
        raise FetchError(f"{url}: not finished within {timeout:g} seconds") from error
    except TimeoutError as error:
        raise FetchError(f"{url}: {str(error) or f'not finished within {timeout:g} seconds'}") from error
    except (*core_errors, *client_errors, OSError, UnicodeError) as error:
        raise FetchError(f"{url}: {error or type(error).__name__}") from error


async def _followed(client: httpx2.AsyncClient, url: str, max_redirects: int, max_bytes: int) -> Document:
    """Follow redirects one by one, so that each new address passes the same checks as the first."""
    request = client.build_request("GET", url)
    for _ in range(max_redirects + 1):
        _check_scheme(request.url)
        response = await client.send(request, stream=True, follow_redirects=False)
        try:
            if response.next_request is None:
                return await _document(url, response, max_bytes)
            request = response.next_request
        finally:
            await response.aclose()
    raise FetchError(f"more than {max_redirects} redirects")


def _check_scheme(url: httpx2.URL) -> None:
    if url.scheme not in ("http", "https"):
        raise FetchError(f"only http and https addresses can be fetched, not {url.scheme or 'no scheme'}")
    if not url.host:
        raise FetchError("the address names no host")


async def _document(url: str, response: httpx2.Response, max_bytes: int) -> Document:
    """Check that the answer is a page and read it."""
    if not response.is_success:
        raise FetchError(f"the server answered {response.status_code} {response.reason_phrase}".rstrip())
    content_type = response.headers.get("content-type", "")
    if not _looks_like_page(content_type):
        raise FetchError(f"not a page but {content_type}")
    final_url = response.url.copy_with(userinfo=b"", fragment=None)
    from blockfeat.io.http.transport import read_body

    body = await read_body(response, max_bytes)
    return Document(id=url, data=body, url=str(final_url), charset=response.charset_encoding)


def _looks_like_page(content_type: str) -> bool:
    """Return whether a content type may be that of a page; a missing one may (the bytes are checked later)."""
    kind = content_type.partition(";")[0].strip().lower()
    return not kind or kind.startswith("text/") or kind == "application/xml" or kind.endswith("+xml")
