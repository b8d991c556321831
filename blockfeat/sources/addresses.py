"""Which network addresses a page may be fetched from."""

from __future__ import annotations

import ipaddress
import socket
import threading

from blockfeat.errors import FetchError

__all__ = ["allowed_addresses", "is_public"]

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# RFC 6052: the last 32 bits are an IPv4 address.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet.

    Private, loopback, link-local, shared, reserved, multicast and unspecified addresses do not; an IPv6
    address that embeds an IPv4 address (mapped, 6to4, Teredo, NAT64) is as public as the embedded one.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return all(_is_public(part) for part in _carried(parsed))


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
    refused = (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_reserved
        or address.is_multicast
        or address.is_unspecified
        or (isinstance(address, ipaddress.IPv6Address) and address.is_site_local)
    )
    return address.is_global and not refused


def allowed_addresses(host: str, port: int, *, timeout: float, allow_private: bool) -> list[str]:
    """Resolve a host and return the IP addresses that may be connected to, in the resolver's order.

    Raises
    ------
    FetchError
        If the host cannot be resolved within ``timeout`` seconds, or no address of it is public.
    """
    addresses = _resolve(host, port, timeout)
    allowed = addresses if allow_private else [address for address in addresses if is_public(address)]
    if not allowed:
        shown = ", ".join(addresses[:3]) or "none"
        raise FetchError(f"no public address for host {host} (found: {shown})")
    return allowed


def _resolve(host: str, port: int, timeout: float) -> list[str]:
    """Call the system's resolver, which has no timeout, in a thread that can be abandoned."""
    answers: list[str] = []
    failures: list[Exception] = []

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answers.extend(dict.fromkeys(str(item[4][0]) for item in found))
        except (OSError, UnicodeError) as error:
            failures.append(error)

    thread = threading.Thread(target=ask, name="blockfeat-resolve", daemon=True)
    thread.start()
    thread.join(timeout)
    if thread.is_alive():
        raise FetchError(f"host {host} could not be resolved in time")
    if failures:
        reason = getattr(failures[0], "strerror", None) or str(failures[0])
        raise FetchError(f"host {host} could not be resolved: {reason}") from failures[0]
    return answers
