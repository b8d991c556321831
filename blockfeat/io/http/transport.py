"""HTTP transport that connects only to checked IP addresses and limits the size of each body.

The host is resolved once, the addresses are checked, and the connection goes to a checked address. The
name stays in the request and in the TLS handshake, so certificates are verified as usual, and a second
answer of the name server (DNS rebinding) has no effect. The caller limits the total time by cancelling the request.
"""

from __future__ import annotations

import ipaddress
import select
import socket
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from blockfeat._files import bundled_table
from blockfeat.errors import AddressForbidden, FetchError, InputError, LimitExceeded
from blockfeat.page.document import is_ip_address

if TYPE_CHECKING:
    import httpcore2
    import httpx2

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
"""A range of IP addresses; as an option, one that may be fetched from although it is not public."""
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# RFC 6052: the last 32 bits are an IPv4 address.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")


def parse_network(text: str) -> Network:
    """Read a network such as ``10.0.0.0/8``, or a single address.

    Raises
    ------
    InputError
        The text is neither a network nor an address.
    """
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError as error:
        raise InputError(f"{text!r} is no network such as 10.0.0.0/8: {error}") from error


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet.

    Networks in ``special_networks.toml`` are not public: private, loopback, link-local, shared, reserved, multicast …
    An IPv6 address that embeds IPv4 addresses (mapped, 6to4, Teredo, NAT64) is public if all of these are.
    """
    return is_ip_address(address) and all(_is_public(part) for part in _carried(ipaddress.ip_address(address)))


def _carried(address: _Address) -> list[_Address]:
    """Return the IPv4 addresses embedded in an IPv6 address, or else the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    if embedded := address.ipv4_mapped or address.sixtofour:
        return [embedded]
    if address.teredo is not None:
        return list(address.teredo)
    if address in _NAT64:
        return [ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)]
    return [address]


def _is_public(address: _Address) -> bool:
    is_special = any(address in network for network in _special_networks())
    return not is_special and (address.version == 4 or address in _GLOBAL_UNICAST)


@cache
def _special_networks() -> tuple[Network, ...]:
    """Return the networks that are not public, from a bundled list: that of `ipaddress` depends on Python's release."""
    tables = bundled_table("blockfeat.io.http", "special_networks.toml")
    return tuple(ipaddress.ip_network(name) for table in tables.values() for name in table)


def is_in_networks(address: str, networks: Sequence[Network]) -> bool:
    """Return whether an IP address, or every IPv4 address that it embeds, belongs to one of the networks."""
    return is_ip_address(address) and all(
        any(part in network for network in networks) for part in _carried(ipaddress.ip_address(address))
    )


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

    Names below ``localhost``, and ``localhost.``, resolve to 127.0.0.1 (RFC 6761) without asking the resolver.
    """
    name = host.lower()
    if name.endswith((".localhost", ".localhost.")) or name == "localhost.":
        return ["127.0.0.1"]
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(item[4][0]) for item in found))


Resolver = Callable[[str, int], Sequence[str]]
"""Function that returns the IP addresses of a host, given host and port, such as `ask_resolver`."""


class _CheckedBackend:
    """An asynchronous httpcore network backend that connects to checked addresses only."""

    def __init__(self, networks: Sequence[Network], resolver: Resolver, hint: str) -> None:
        self._networks, self._resolver, self._hint = networks, resolver, hint

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, **options: Any
    ) -> httpcore2.AsyncNetworkStream:
        import httpcore2

        if not 0 < port < 65536:
            raise FetchError(f"there is no port {port}")
        seconds = timeout or 60.0
        found = await resolved(host, port, seconds, self._resolver)
        addresses = allowed_among(host, found, self._networks, hint=self._hint)
        failure: Exception | None = None
        for address in addresses:
            # An address that does not answer may use only its share of the time.
            share = seconds / len(addresses)
            try:
                stream = await httpcore2.AnyIOBackend().connect_tcp(address, port, share, **options)
                return cast("httpcore2.AsyncNetworkStream", _Stream(stream, stream.get_extra_info("socket")))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        reason = "not within the time" if isinstance(failure, httpcore2.ConnectTimeout) else failure
        raise httpcore2.ConnectError(f"no connection to {host}: {reason}") from failure


class _Stream:
    """A network stream with a fast check for whether the server has closed it.

    The connection pool checks each idle connection at each request. AnyIO's check takes forty times as long, which
    with connections to many hosts is most of the cost of a request.
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
    """Return the IP addresses of a host, or raise OSError; the resolver's thread is abandoned after the timeout."""
    # Imported here: it is slow to import, and reading options does not need it.
    import asyncio
    from concurrent.futures import Future

    if is_ip_address(host):
        return [host]
    answer: Future[Sequence[str] | Exception] = Future()
    answer.set_running_or_notify_cancel()

    def ask() -> None:
        try:
            answer.set_result(resolver(host, port))
        except (OSError, UnicodeError) as error:
            answer.set_result(error)

    threading.Thread(target=ask, name="blockfeat-resolve", daemon=True).start()
    try:
        found = await asyncio.wait_for(asyncio.wrap_future(answer), timeout)
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

    It raises AddressForbidden, with the hint, for a host without such an address, LimitExceeded for a body of more than
    ``max_bytes`` before decompression, OSError for a host that cannot be resolved, and the errors of httpcore2.
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

        async def __aiter__(self) -> AsyncIterator[bytes]:
            received = 0
            async for chunk in self._response.aiter_stream():
                received += len(chunk)
                if received > max_bytes:
                    raise LimitExceeded(f"larger than {max_bytes:,} bytes")
                yield chunk

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
    """Convert an httpx2 request to an httpcore2 request; raise FetchError unless the scheme is http or https."""
    import httpcore2

    asked = request.url
    if asked.scheme not in ("http", "https"):
        raise FetchError("only http and https addresses can be fetched")
    url = httpcore2.URL(scheme=asked.raw_scheme, host=asked.raw_host, port=asked.port, target=asked.raw_path)
    # The extensions hold the time limits.
    return httpcore2.Request(method=request.method, url=url, headers=request.headers.raw, extensions=request.extensions)


async def read_body(response: httpx2.Response, max_bytes: int) -> bytes:
    """Return the decompressed body of a response; raise LimitExceeded for more than ``max_bytes``."""
    declared = response.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and (len(declared) > 15 or int(declared) > max_bytes):
        raise LimitExceeded(f"larger than {max_bytes:,} bytes")
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > max_bytes:
            raise LimitExceeded(f"larger than {max_bytes:,} bytes after decompression")
    return bytes(body)
