"""Connections for fetching: only to checked addresses, each body within a size limit.

The host is resolved once, the addresses are checked, and the connection goes to a checked address. The
name stays in the request and in the TLS handshake, so certificates are verified as usual, and a second
answer of the name server (DNS rebinding) has no effect. The caller ends what takes too long by cancelling it.
"""

from __future__ import annotations

import ipaddress
import select
import socket
import threading
import tomllib
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

from blockfeat.errors import AddressForbidden, FetchError, InputError, LimitExceeded

if TYPE_CHECKING:
    import httpcore2
    import httpx2

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
"""A range of addresses that may be fetched though it is not public."""
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# RFC 6052: the last 32 bits are an IPv4 address.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")


def parse_network(text: str) -> Network:
    """Read a network such as ``10.0.0.0/8``, or a single address.

    Raises
    ------
    InputError
        The text names no network.
    """
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError as error:
        raise InputError(f"{text!r} is no network such as 10.0.0.0/8: {error}") from error


def is_address(name: str) -> bool:
    """Return whether a name is an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet.

    Those of ``special_networks.toml`` do not: private, loopback, link-local, shared, reserved, multicast and others;
    an IPv6 address that embeds IPv4 addresses (mapped, 6to4, Teredo, NAT64) is as public as all of these are.
    """
    return is_address(address) and all(_is_public(part) for part in _carried(ipaddress.ip_address(address)))


def _carried(address: _Address) -> list[_Address]:
    """Return the IPv4 addresses embedded in an IPv6 address, or else the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        return list(address.teredo)
    if address in _NAT64:
        return [ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)]
    return [address]


def _is_public(address: _Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    return not any(address in network for network in _special_networks())


@cache
def _special_networks() -> tuple[Network, ...]:
    """Read the networks that are not public: our own list, for that of `ipaddress` differs from release to release."""
    text = files("blockfeat.io.http").joinpath("special_networks.toml").read_text(encoding="utf-8")
    return tuple(ipaddress.ip_network(name) for table in tomllib.loads(text).values() for name in table)


def is_in_networks(address: str, networks: Sequence[Network]) -> bool:
    """Return whether an IP address, or every IPv4 address that it embeds, belongs to one of the networks."""
    if not is_address(address):
        return False
    return all(any(part in network for network in networks) for part in _carried(ipaddress.ip_address(address)))


def allowed_among(
    host: str, addresses: Sequence[str], networks: Sequence[Network] = (), *, hint: str = ""
) -> list[str]:
    """Return the addresses of a host that are public or belong to one of the networks.

    Raises
    ------
    AddressForbidden
        If there is none; the message ends with the hint, and does not reveal the addresses.
    """
    allowed = [address for address in addresses if is_public(address) or is_in_networks(address, networks)]
    if not allowed:
        raise AddressForbidden(f"no public address for host {host}{hint}")
    return allowed


def ask_resolver(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host, in the order of the system's resolver, which has no timeout.

    Names under ``localhost`` stand for this machine (RFC 6761), whatever the resolver knows.
    """
    if host.lower().rstrip(".").endswith(".localhost"):
        return ["127.0.0.1"]
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(item[4][0]) for item in found))


Resolver = Callable[[str, int], Sequence[str]]
"""Host and port to addresses, as the system resolves them."""


class _CheckedBackend:
    """An asynchronous httpcore network backend that connects to checked addresses only."""

    def __init__(self, networks: Sequence[Network], resolver: Resolver, hint: str) -> None:
        self._networks = networks
        self._resolver = resolver
        self._hint = hint

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        import httpcore2

        seconds = timeout or 60.0
        found = await resolved(host, port, seconds, self._resolver)
        addresses = allowed_among(host, found, self._networks, hint=self._hint)
        failure: Exception | None = None
        for address in addresses:
            # An address that does not answer may use only its share of the time.
            share = seconds / len(addresses)
            try:
                stream = await httpcore2.AnyIOBackend().connect_tcp(address, port, share, None, socket_options)
                return cast("httpcore2.AsyncNetworkStream", _Stream(stream, stream.get_extra_info("socket")))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        reason = "not within the time" if isinstance(failure, httpcore2.ConnectTimeout) else failure
        raise httpcore2.ConnectError(f"no connection to {host}: {reason}") from failure

    async def connect_unix_socket(self, path: str, **options: Any) -> httpcore2.AsyncNetworkStream:
        raise FetchError("only network addresses can be fetched")

    async def sleep(self, seconds: float) -> None:
        import asyncio

        await asyncio.sleep(seconds)


class _Stream:
    """A connection that says at once whether its server has ended it.

    The pool asks that of each idle connection at each request. AnyIO's answer takes forty times as long, which with
    connections to many hosts is most of what a request costs.
    """

    def __init__(self, stream: httpcore2.AsyncNetworkStream, connected: Any) -> None:
        self._stream = stream
        self._socket = connected
        self._waiting: select.poll | None = None
        self.read = stream.read
        self.write = stream.write
        self.aclose = stream.aclose

    async def start_tls(self, *args: Any, **options: Any) -> _Stream:
        return _Stream(await self._stream.start_tls(*args, **options), self._socket)

    def get_extra_info(self, info: str) -> Any:
        if info != "is_readable" or not hasattr(select, "poll"):
            return self._stream.get_extra_info(info)
        number = self._socket.fileno()
        if number < 0:
            return True
        if self._waiting is None:
            self._waiting = select.poll()
            self._waiting.register(number, select.POLLIN)
        return bool(self._waiting.poll(0))


async def resolved(host: str, port: int, timeout: float, resolver: Resolver = ask_resolver) -> list[str]:
    """Call the resolver in a thread that can be abandoned, since it has no timeout; raise OSError where it fails."""
    # Slow to import, and the networks of options need none of it.
    import asyncio

    if is_address(host):
        return [host]
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Sequence[str] | Exception] = loop.create_future()

    def tell(found: Sequence[str] | Exception) -> None:
        if not answer.done():
            answer.set_result(found)

    def ask() -> None:
        found: Sequence[str] | Exception
        try:
            found = resolver(host, port)
        except (OSError, UnicodeError) as error:
            found = error
        with suppress(RuntimeError):  # nobody waits: the loop is closed
            loop.call_soon_threadsafe(tell, found)

    threading.Thread(target=ask, name="blockfeat-resolve", daemon=True).start()
    try:
        found = await asyncio.wait_for(answer, timeout)
    except TimeoutError as error:
        raise TimeoutError(f"host {host} could not be resolved in time") from error
    if isinstance(found, Exception):
        reason = getattr(found, "strerror", None) or found
        raise OSError(f"host {host} could not be resolved: {reason}") from found
    return list(found)


def checked_transport(
    *,
    max_bytes: int,
    networks: Sequence[Network] = (),
    max_connections: int = 100,
    resolver: Resolver = ask_resolver,
    hint: str = "",
) -> httpx2.AsyncBaseTransport:
    """Return a transport for ``httpx2.AsyncClient`` that connects to public addresses and allowed networks only.

    It raises AddressForbidden for a host without such an address, with the hint, LimitExceeded for a body of more than
    ``max_bytes`` as received, OSError where the host cannot be resolved; errors of httpcore2 pass through.
    """
    import httpcore2
    import httpx2

    pool = httpcore2.AsyncConnectionPool(
        ssl_context=httpx2.create_ssl_context(trust_env=False),
        network_backend=cast("httpcore2.AsyncNetworkBackend", _CheckedBackend(networks, resolver, hint)),
        max_connections=max_connections,
        max_keepalive_connections=max_connections // 2,
        keepalive_expiry=15.0,
    )

    class Body(httpx2.AsyncByteStream):
        def __init__(self, response: httpcore2.Response) -> None:
            self._response = response

        def __aiter__(self) -> AsyncIterator[bytes]:
            return _limited(self._response.aiter_stream(), max_bytes)

        async def aclose(self) -> None:
            await self._response.aclose()

    class CheckedTransport(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            answer = await pool.handle_async_request(_core_request(request))
            return httpx2.Response(answer.status, headers=answer.headers, stream=Body(answer))

        async def aclose(self) -> None:
            await pool.aclose()

    return CheckedTransport()


def _core_request(request: httpx2.Request) -> httpcore2.Request:
    """Return a request of httpx2 as httpcore2 has it; raise FetchError where it is none for the web."""
    import httpcore2

    if request.url.scheme not in ("http", "https"):
        raise FetchError("only http and https addresses can be fetched")
    url = httpcore2.URL(
        scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path
    )
    # The extensions hold the time limits.
    return httpcore2.Request(method=request.method, url=url, headers=request.headers.raw, extensions=request.extensions)


async def _limited(chunks: AsyncIterable[bytes], max_bytes: int) -> AsyncIterator[bytes]:
    """Yield the bytes of a body as received, up to a limit."""
    received = 0
    async for chunk in chunks:
        received += len(chunk)
        if received > max_bytes:
            raise LimitExceeded(f"larger than {max_bytes:,} bytes")
        yield chunk


async def read_body(response: httpx2.Response, max_bytes: int) -> bytes:
    """Return the body of an answer after decompression; raise LimitExceeded for one that is larger than allowed."""
    declared = response.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and (len(declared) > 15 or int(declared) > max_bytes):
        raise LimitExceeded(f"larger than {max_bytes:,} bytes")
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > max_bytes:
            raise LimitExceeded(f"larger than {max_bytes:,} bytes after decompression")
    return bytes(body)
