"""How often each client may ask."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network

_MOST_CLIENTS = 10_000


class Rate:
    """A bucket of tokens for each client, refilled steadily; of the clients only the latest are remembered.

    Parameters
    ----------
    per_minute : int
        Requests a minute, and most at once; 0 for no limit.
    clock : callable
        Seconds, from any start.
    """

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._clients: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Count a request of a client; return the seconds that it has to wait, 0 where it may go on."""
        if not self._per_minute:
            return 0.0
        name, now = _network_of(client), self._clock()
        tokens, since = self._clients.pop(name, (float(self._per_minute), now))
        tokens = min(tokens + (now - since) * self._per_minute / 60, float(self._per_minute))
        is_free = tokens >= 1
        self._clients[name] = (tokens - 1 if is_free else tokens, now)
        if len(self._clients) > _MOST_CLIENTS:
            self._clients.popitem(last=False)
        return 0.0 if is_free else (1 - tokens) * 60 / self._per_minute


def _network_of(client: str) -> str:
    """Return the address of a client; of IPv6 the network of its site, which has addresses without end."""
    try:
        address = ip_address(client)
    except ValueError:
        return client
    if not isinstance(address, IPv6Address):
        return client
    # How a socket for both kinds names clients of IPv4, all of which would share one network.
    return str(address.ipv4_mapped or ip_network((address, 64), strict=False))
