"""Connections of the server: so many for each client, and a deadline for the head of each request."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from blockfeat.web.guard import network_of
from blockfeat.web.settings import ServeSettings


def limited_connections(settings: ServeSettings, *, unlimited: frozenset[str] = frozenset()) -> type[asyncio.Protocol]:
    """Return a protocol of HTTP/1.1 for uvicorn that holds the limits of one server.

    Parameters
    ----------
    settings : ServeSettings
        ``connections_per_client`` and ``header_seconds``.
    unlimited : set of str
        Addresses of proxies, whose connections are those of many clients.
    """
    open_of: Counter[str] = Counter()

    class Connection(H11Protocol):
        """Closes a connection that is one too many, or whose next request does not come whole."""

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

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            if self._timer is not None:
                self._timer.cancel()
            if self._client_network:
                open_of.subtract([self._client_network])
                if not open_of[self._client_network]:
                    del open_of[self._client_network]

        def _watch(self) -> None:
            """Let the time run from the first byte that is waited for to the end of a head."""
            is_waiting = self.conn.their_state is h11.IDLE
            if is_waiting and self._timer is None:
                self._timer = self.loop.call_later(settings.header_seconds, self.transport.close)
            elif not is_waiting and self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return Connection
