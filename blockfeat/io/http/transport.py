"""Connections for fetching: only to checked addresses, within one deadline and a size limit.

The host is resolved once, the addresses are checked, and the connection goes to a checked address. The
name stays in the request and in the TLS handshake, so certificates are verified as usual, and a second
answer of the name server (DNS rebinding) has no effect.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from blockfeat.errors import FetchError
from blockfeat.io.http.addresses import Network, allowed_addresses

if TYPE_CHECKING:
    import ssl

    import httpcore2
    import httpx2


class Deadline:
    """The time by which a whole fetch must end.

    Parameters
    ----------
    seconds : float
        Time left, from now.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds left; raise FetchError if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise FetchError(f"not finished within {self._seconds:g} seconds")
        return left


class _DeadlineStream:
    """An httpcore network stream on which every wait ends by the deadline."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.remaining())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.remaining())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> _DeadlineStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, self._deadline.remaining())
        return _DeadlineStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _CheckedBackend:
    """An httpcore network backend that connects to checked addresses only."""

    def __init__(self, deadline: Deadline, *, allow_private: bool, networks: Sequence[Network]) -> None:
        self._deadline = deadline
        self._allow_private = allow_private
        self._networks = networks

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> _DeadlineStream:
        import httpcore2

        addresses = allowed_addresses(
            host,
            port,
            timeout=self._deadline.remaining(),
            allow_private=self._allow_private,
            networks=self._networks,
        )
        failure: Exception | None = None
        for position, address in enumerate(addresses):
            # An address that does not answer may use only its share of the time.
            share = self._deadline.remaining() / (len(addresses) - position)
            try:
                stream = httpcore2.SyncBackend().connect_tcp(address, port, share, None, socket_options)
                return _DeadlineStream(stream, self._deadline)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise FetchError(f"no connection to {host}: {failure}") from failure

    def connect_unix_socket(self, path: str, **options: Any) -> _DeadlineStream:
        raise FetchError("only network addresses can be fetched")

    def sleep(self, seconds: float) -> None:
        time.sleep(min(seconds, self._deadline.remaining()))


def checked_transport(
    deadline: Deadline, *, max_bytes: int, allow_private: bool, networks: Sequence[Network] = ()
) -> httpx2.BaseTransport:
    """Return a transport for ``httpx2.Client`` that enforces the deadline, the size limit and allowed addresses.

    It raises FetchError where one of them is violated; errors of httpcore2 pass through.
    """
    import httpcore2
    import httpx2

    checked = _CheckedBackend(deadline, allow_private=allow_private, networks=networks)
    backend = cast("httpcore2.NetworkBackend", checked)
    context = httpx2.create_ssl_context(trust_env=False)
    pool = httpcore2.ConnectionPool(ssl_context=context, network_backend=backend, max_keepalive_connections=0)

    class Body(httpx2.SyncByteStream):
        def __init__(self, response: httpcore2.Response) -> None:
            self._response = response

        def __iter__(self) -> Iterator[bytes]:
            return _limited(self._response.iter_stream(), max_bytes)

        def close(self) -> None:
            self._response.close()

    class CheckedTransport(httpx2.BaseTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            answer = pool.handle_request(core_request(request))
            return httpx2.Response(answer.status, headers=answer.headers, stream=Body(answer))

        def close(self) -> None:
            pool.close()

    return CheckedTransport()


def core_request(request: httpx2.Request) -> httpcore2.Request:
    """Return a request of httpx2 as httpcore2 has it; raise FetchError where it is none for the web."""
    import httpcore2

    if request.url.scheme not in ("http", "https"):
        raise FetchError("only http and https addresses can be fetched")
    url = httpcore2.URL(
        scheme=request.url.raw_scheme,
        host=request.url.raw_host,
        port=request.url.port,
        target=request.url.raw_path,
    )
    # The extensions hold the time limits.
    return httpcore2.Request(method=request.method, url=url, headers=request.headers.raw, extensions=request.extensions)


def _limited(chunks: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    """Yield the bytes of a body as received, up to a limit."""
    received = 0
    for chunk in chunks:
        received += len(chunk)
        if received > max_bytes:
            raise FetchError(f"larger than {max_bytes} bytes")
        yield chunk
