"""One request and its answer, within the limits."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from blockfeat.errors import AddressForbidden, FetchError, InputError, LimitExceeded, failure_reason
from blockfeat.io.http.transport import read_body
from blockfeat.monitor.fetching.content_types import refused

if TYPE_CHECKING:
    import httpx2

    from blockfeat.monitor.fetching.options import FetchOptions


_logger = logging.getLogger("blockfeat.monitor.fetching")


class ExchangeError(FetchError):
    """No usable answer; ``passing`` says whether to try again at once, ``permanent`` that it is of no use ever.

    ``is_fault``: a library failed in a way that nobody has foreseen, whatever the answer was.
    """

    def __init__(
        self,
        message: str,
        *,
        passing: bool = False,
        permanent: bool = False,
        retry_at: float | None = None,
        is_fault: bool = False,
    ) -> None:
        super().__init__(message)
        self.passing = passing
        self.permanent = permanent
        self.retry_at = retry_at
        self.is_fault = is_fault


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was read: a redirect or an error without its body, anything else with it."""

    status: int
    reason: str
    headers: dict[str, str]
    redirect: httpx2.Request | None = None
    data: bytes = b""
    charset: str | None = None
    refusal: str | None = None


async def exchange(
    client: httpx2.AsyncClient,
    request: httpx2.Request,
    *,
    kind: str,
    cookies: httpx2.Cookies,
    options: FetchOptions,
    left: float,
) -> Answer:
    """Send a request and read the answer within ``left`` seconds; cookies that it sets go into ``cookies``.

    Raises
    ------
    ExchangeError
        No answer, a forbidden address, a body that is too large or cannot be decompressed, too long.
    """
    import httpcore2
    import httpx2

    try:
        async with asyncio.timeout(left):
            return await _exchange(client, request, kind, cookies, options.max_bytes)
    except (AddressForbidden, LimitExceeded, httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise ExchangeError(str(error), permanent=True) from error
    except (httpcore2.TimeoutException, httpx2.TimeoutException) as error:
        raise ExchangeError(_what_took_long(error, options), passing=True) from error
    except TimeoutError as error:
        # A body that drips would drip again.
        raise ExchangeError(str(error) or f"not finished within {options.timeout:g} seconds") from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpx2.TransportError, OSError) as error:
        raise ExchangeError(_reason(error), passing=True) from error
    except Exception as error:
        # Whatever a library makes of a strange answer: it may not end the run.
        _logger.debug("%s: %s", request.url, error, exc_info=True)
        is_fault = not isinstance(error, (InputError, httpx2.RequestError))
        raise ExchangeError(failure_reason(error) if is_fault else _reason(error), is_fault=is_fault) from error


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _what_took_long(error: Exception, options: FetchOptions) -> str:
    if "Connect" in type(error).__name__:
        return f"no connection within {options.connect_timeout:g} seconds"
    return f"no more bytes within {options.read_timeout:g} seconds"


async def _exchange(
    client: httpx2.AsyncClient, request: httpx2.Request, kind: str, cookies: httpx2.Cookies, max_bytes: int
) -> Answer:
    response = await client.send(request, stream=True, follow_redirects=False)
    try:
        cookies.extract_cookies(response)
        headers = {name.lower(): value for name, value in response.headers.items()}
        answer = Answer(response.status_code, response.reason_phrase, headers, charset=response.charset_encoding)
        if response.next_request is not None:
            return replace(answer, redirect=response.next_request)
        if not response.is_success or response.status_code == 204:
            return answer
        content_type = headers.get("content-type", "")
        refusal = refused(content_type, b"", kind)
        if refusal:
            return replace(answer, refusal=refusal)
        data = await read_body(response, max_bytes)
        return replace(answer, data=data, refusal=refused(content_type, data[:8], kind))
    finally:
        await response.aclose()
