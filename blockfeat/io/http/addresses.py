"""Which network addresses a page may be fetched from."""

from __future__ import annotations

import ipaddress
import socket
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from blockfeat.errors import AddressForbidden, InputError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
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
        If there is none; the message ends with the hint. It does not say what the name stands for: that is nothing for
        who may not go there.
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
