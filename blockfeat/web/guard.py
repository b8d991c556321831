"""Checks before the app: connections, host, origin, rate and size of requests; settings; headers of responses."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from blockfeat._config import Count, CountOrNone, Positive, Ranged
from blockfeat._files import bundled_table
from blockfeat.io.http import Network, is_ip_address
from blockfeat.web.problems import Problem, problem_response


@dataclass(frozen=True)
class ServeSettings(Ranged):
    """Settings of the service.

    Attributes
    ----------
    models : tuple of str
        Model files beside the bundled models, offered by their names without suffix.
    allowed_hosts : tuple of str
        Host names that the service accepts in requests, beside ``localhost`` and IP addresses; ``"*"`` for any.
    allow_private : bool
        Fetch from addresses of this machine and of private networks too.
    networks : tuple of IPv4Network or IPv6Network
        Networks from which pages may be fetched although they are not public.
    max_bytes : int
        Largest page and largest request, in bytes.
    deadline : float
        Seconds that one page may take; its worker process is then replaced.
    fetch_deadline : float
        Seconds that fetching a page may take.
    jobs : int
        Worker processes.
    waiting : int
        Most requests that wait for a worker; further ones are refused with 503.
    requests_per_minute : int
        Most requests of one client a minute that fetch or extract; 0 for no limit. Further ones are refused with 429.
    connections_per_client : int
        Most connections of one client at a time; a trusted proxy has no limit.
    header_seconds : float
        Seconds within which the head of a request has to arrive.
    kept_bytes : int
        Most bytes of pages that are kept for later requests; the least recently used are dropped first.
    kept_seconds : float
        How long a page is kept after its last use.
    """

    models: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    allow_private: bool = False
    networks: tuple[Network, ...] = ()
    max_bytes: Count = 5_000_000
    deadline: Positive = 20.0
    fetch_deadline: Positive = 20.0
    jobs: Count = 2
    waiting: CountOrNone = 200
    requests_per_minute: CountOrNone = 240
    connections_per_client: Count = 100
    header_seconds: Positive = 15.0
    kept_bytes: CountOrNone = 64_000_000
    kept_seconds: Positive = 1800.0


_MOST_CLIENTS = 10_000


class Rate:
    """A rate limit with a token bucket for each client; only the buckets of the most recent clients are kept.

    Parameters
    ----------
    per_minute : int
        Requests a minute, and most in a burst; 0 for no limit.
    clock : callable
        Returns the time in seconds, from any start.
    """

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._clients: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str, *, cost: float = 1.0) -> float:
        """Count a request of a client; return the seconds that it has to wait, 0 where it is allowed now."""
        if not self._per_minute:
            return 0.0
        name, now = network_of(client), self._clock()
        tokens, since = self._clients.pop(name, (float(self._per_minute), now))
        tokens = min(tokens + (now - since) * self._per_minute / 60, float(self._per_minute))
        is_free = tokens >= 1
        self._clients[name] = (tokens - cost if is_free else tokens, now)
        if len(self._clients) > _MOST_CLIENTS:
            self._clients.popitem(last=False)
        return 0.0 if is_free else (1 - tokens) * 60 / self._per_minute


def network_of(client: str) -> str:
    """Return the address of a client; for IPv6 its /64 network, any address of which one client may use."""
    try:
        address = ip_address(client)
    except ValueError:
        return client
    if not isinstance(address, IPv6Address):
        return client
    # A dual-stack socket names IPv4 clients by mapped addresses, all of which would share one network.
    return str(address.ipv4_mapped or ip_network((address, 64), strict=False))


PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types blockfeat"
)
"""Content security policy of the service's own pages: nothing inline, nothing from elsewhere."""

_HEADERS = bundled_table("blockfeat.web", "headers.toml")
_logger = logging.getLogger("blockfeat.web.guard")
_UNEXPECTED = "an unexpected error; the service's log has more"
_READING = ("GET", "HEAD", "OPTIONS")
_SECONDS_FOR_A_BODY, _SECONDS_AHEAD, _LEAST_BYTES_A_SECOND = 60.0, 10.0, 20_000
_MOST_READ_ON = 32_000_000
_FREE = ("/static/", "/api/v1/health", "/favicon.ico", "/openapi.json")


def frame_policy(look: str, *, sandbox: str = "allow-same-origin") -> str:
    """Return the content security policy of a page in a frame: no scripts; what it may load depends on its look."""
    web = " http: https:" if look == "web" else ""
    return (
        f"default-src 'none'; style-src 'unsafe-inline'{web}; img-src data:{web}; font-src data:; base-uri 'none'; "
        f"form-action 'none'; frame-ancestors 'self'; sandbox {sandbox}"
    )


class Guard:
    """ASGI middleware that checks host, origin and limits of requests, and adds security headers to responses.

    Parameters
    ----------
    app : ASGI application
        The application that is guarded.
    settings : ServeSettings
        Hosts and limits.
    """

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        self._app = app
        self._settings = settings
        self._hosts = {host.lower() for host in settings.allowed_hosts} | {"localhost"}
        self._rate = Rate(settings.requests_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application; answer one that is refused, or that fails, with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        guarded, started = _with_headers(send, is_head=scope["method"] == "HEAD")
        try:
            self._check(scope)
            if scope["method"] == "HEAD":
                scope = {**scope, "method": "GET"}
            limited = _Limited(scope, receive, guarded, self._settings.max_bytes)
            await self._app(scope, limited.receive, limited.send)
        except Problem as problem:
            await _refuse(problem, scope, receive, guarded)
        except Exception:
            _logger.exception("a request failed: %s %s", scope["method"], scope["path"])
            if started():
                raise
            await problem_response(Problem(500, _UNEXPECTED))(scope, receive, guarded)

    def _check(self, scope: Scope) -> None:
        """Raise Problem for a request that is refused."""
        headers = Headers(scope=scope)
        self._check_host(headers.get("host", ""))
        _check_origin(scope["method"], headers)
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._settings.max_bytes:
            raise _too_large(self._settings.max_bytes)
        if not scope["path"].startswith(_FREE) and scope["path"] != "/":
            client = scope.get("client")
            wait = self._rate.wait(client[0] if client else "")
            if wait > 0:
                detail = f"more than {self._settings.requests_per_minute} requests a minute from this address"
                raise Problem(429, detail, headers={"Retry-After": str(math.ceil(wait))})

    def _check_host(self, host: str) -> None:
        """Refuse host names that are not the service's: another site's may resolve to this machine (DNS rebinding)."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            name = ""
        if "*" in self._hosts or name in self._hosts or name.endswith(".localhost") or is_ip_address(name):
            return
        raise Problem(421, f"host {host[:200]!r} is not served here; whoever runs this service can allow it")


def _check_origin(method: str, headers: Headers) -> None:
    """Refuse requests from pages of other sites, other than following a link to this service.

    Browsers send ``Sec-Fetch-Site`` only to HTTPS and loopback addresses; elsewhere only ``Origin`` shows the sender.
    ``Referer`` is of no use: for a sandboxed frame, Firefox sends the service's address in it.
    """
    site = headers.get("sec-fetch-site", "none")
    is_link = method in ("GET", "HEAD") and headers.get("sec-fetch-mode") == "navigate"
    is_top = headers.get("sec-fetch-dest", "document") == "document"
    if site not in ("same-origin", "none") and not (is_link and is_top):
        raise Problem(403, "another site may not use this service from its pages")
    origin = headers.get("origin")
    # "null" hides the origin, of a sandboxed frame or by a user's policy: only with Sec-Fetch-Site it can be accepted.
    if method in _READING or origin is None or (origin == "null" and site == "same-origin"):
        return
    try:
        is_own = urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    except ValueError:
        is_own = False
    if not is_own:
        raise Problem(403, f"origin {origin[:200]!r} may not send anything to this service")


def _too_large(max_bytes: int) -> Problem:
    return Problem(413, f"the request has more than {max_bytes:,} bytes", headers={"Connection": "close"})


async def _refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a problem; read on for a while what is still sent, since its client would not see the answer else."""
    response = problem_response(problem)
    if problem.status != 413:
        await response(scope, receive, send)
        return
    await send({"type": "http.response.start", "status": problem.status, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    left, is_more = _MOST_READ_ON, True
    with suppress(TimeoutError):
        async with asyncio.timeout(_SECONDS_AHEAD):
            while is_more and left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                is_more = message.get("more_body", False)
    await send({"type": "http.response.body"})


class _Limited:
    """Ends a request whose body is too large, whatever its header says, or takes too long to arrive."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, max_bytes: int) -> None:
        self._scope, self._receive, self._send, self._max_bytes = scope, receive, send, max_bytes
        self._received, self._is_whole = 0, False
        self._start = asyncio.get_running_loop().time()
        self._problem: Problem | None = None

    async def receive(self) -> Message:
        """Return the next message; raise Problem for a body that is too large or too slow, but never after its end."""
        if self._is_whole:
            return await self._receive()
        seconds = min(_SECONDS_FOR_A_BODY, _SECONDS_AHEAD + self._received / _LEAST_BYTES_A_SECOND)
        try:
            async with asyncio.timeout_at(self._start + seconds):
                message = await self._receive()
        except TimeoutError:
            detail = f"the request did not come within {seconds:.3g} s"
            self._problem = Problem(408, detail, headers={"Connection": "close"})
            raise self._problem from None
        self._received += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        if self._received > self._max_bytes:
            self._problem = _too_large(self._max_bytes)
            raise self._problem
        return message

    async def send(self, message: Message) -> None:
        """Send a response; where the body was refused, send that problem in place of the app's response."""
        if self._problem is None:
            await self._send(message)
        elif message["type"] == "http.response.start":
            await _refuse(self._problem, self._scope, self._receive, self._send)


def _with_headers(send: Send, *, is_head: bool) -> tuple[Send, Callable[[], bool]]:
    """Return a send function that adds missing security headers, and one that returns if the response has begun.

    The response to HEAD is that to GET without its body.
    """
    begun = False

    async def guarded(message: Message) -> None:
        nonlocal begun
        if message["type"] == "http.response.start":
            begun = True
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("content-security-policy", PAGE_POLICY)
            headers.setdefault("cache-control", "no-store")
        elif is_head and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return guarded, lambda: begun


def limited_connections(settings: ServeSettings, *, unlimited: frozenset[str] = frozenset()) -> type[asyncio.Protocol]:
    """Return an HTTP/1.1 protocol class for uvicorn that enforces the connection limits of one server.

    Parameters
    ----------
    settings : ServeSettings
        ``connections_per_client`` and ``header_seconds``.
    unlimited : set of str
        Addresses of proxies, whose connections serve many clients.
    """
    open_of: Counter[str] = Counter()

    class Connection(H11Protocol):
        """Closes connections beyond a client's limit, and those whose next request does not begin in time."""

        _client_network = ""
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            host = str((transport.get_extra_info("peername") or ("",))[0])
            if not unlimited & {host, "*"}:
                self._client_network = network_of(host)
                open_of[self._client_network] += 1
            if open_of[self._client_network] > settings.connections_per_client:
                transport.close()
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            if self._timer is not None:
                self._timer.cancel()
            if self._client_network:
                open_of.subtract([self._client_network])
                if not open_of[self._client_network]:
                    del open_of[self._client_network]

        def _watch(self) -> None:
            """Start the timer when the head of a request is awaited, and cancel it when the head is complete.

            What is left of a body is awaited like a head once its request has been answered.
            """
            is_answered = self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY
            is_waiting = is_answered or self.conn.their_state is h11.IDLE
            if is_waiting and self._timer is None:
                self._timer = self.loop.call_later(settings.header_seconds, self.transport.close)
            elif not is_waiting and self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return Connection
