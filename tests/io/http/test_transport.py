"""Which addresses count as public."""

import ipaddress
import socket
import threading
from typing import Any

import pytest

from blockfeat.errors import AddressForbidden, FetchError, InputError
from blockfeat.io.http.fetch import fetch
from blockfeat.io.http.transport import allowed_among, ask_resolver, is_public, parse_network


def _teredo(server: str, client: str) -> str:
    """Return the Teredo address (RFC 4380) of a client behind a server."""
    hidden = int(ipaddress.IPv4Address(client)) ^ 0xFFFFFFFF
    return str(ipaddress.IPv6Address(0x2001_0000 << 96 | int(ipaddress.IPv4Address(server)) << 64 | hidden))


_PUBLIC = """
8.8.8.8 192.0.1.1 168.63.129.17 100.128.0.1 2001:200::1 93.184.216.34 2606:4700::1111 64:ff9b::808:808
::ffff:8.8.8.8 2002:808:808::
"""
_NOT_PUBLIC = """
127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 240.0.0.1 255.255.255.255
192.0.2.1 198.18.0.1 192.0.0.192 192.0.0.9 192.88.99.1 168.63.129.16 198.19.255.255 100.127.255.255 192.175.48.1
3fff::1 3fff:fff:ffff::1 2001:2::1 2001:1ff::1 2620:4f:8000::1 5f00::1 100::1 100:0:0:1::1 4000::1
64:ff9b:1::808:808 64:ff9b::c000:c0 2002:a83f:8110::1 :: ::1 fe80::1 fe80::1%eth0 fc00::1 fec0::1 ff02::1
2001:db8::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 2002:7f00:1:: 64:ff9b::7f00:1 64:ff9b::a00:1
"""


@pytest.mark.parametrize("address", [*_PUBLIC.split(), _teredo("8.8.8.8", "93.184.216.34")])
def test_public_addresses(address: str) -> None:
    assert is_public(address)


_HIDDEN = (_teredo("8.8.8.8", "127.0.0.1"), _teredo("10.0.0.1", "93.184.216.34"))


@pytest.mark.parametrize("address", [*_NOT_PUBLIC.split(), *_HIDDEN, "not an address", ""])
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


def _answer(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **options: answers)


def test_a_host_with_private_answers_only_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    _answer(monkeypatch, "127.0.0.1")
    with pytest.raises(FetchError, match=r"no public address for host a\.example, ask the owner$"):
        fetch("http://a.example/", hint=", ask the owner")


@pytest.mark.parametrize("error", [socket.gaierror(socket.EAI_NONAME, "not known"), UnicodeError("label too long")])
@pytest.mark.parametrize("allow_private", [False, True])
def test_an_unknown_host_is_an_error(monkeypatch: pytest.MonkeyPatch, error: Exception, allow_private: bool) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(FetchError, match=rf"host a\.example could not be resolved: .*{error.args[-1]}$"):
        fetch("http://a.example/", allow_private=allow_private)


def test_a_host_without_addresses_is_refused_even_where_all_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    _answer(monkeypatch)
    with pytest.raises(FetchError, match=r"no public address"):
        fetch("http://a.example/", allow_private=True)
    with pytest.raises(FetchError, match="there is no port 99999"):
        fetch("http://a.example:99999/")


def test_the_list_does_not_depend_on_what_python_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (ipaddress.IPv4Address, ipaddress.IPv6Address):
        monkeypatch.setattr(kind, "is_global", True)
        monkeypatch.setattr(kind, "is_private", False)
    assert not any(map(is_public, ("192.0.0.192", "10.0.0.1", "3fff::1", "fc00::1")))


def test_what_is_no_address_is_in_no_network() -> None:
    with pytest.raises(AddressForbidden):
        allowed_among("a.example", ["none"], [parse_network("0.0.0.0/0"), parse_network("::/0")])


def test_networks_of_a_host_with_its_mask() -> None:
    assert str(parse_network(" 10.1.2.3/8 ")) == "10.0.0.0/8"
    with pytest.raises(InputError, match="nothing"):
        parse_network("nothing")


def test_a_resolver_that_does_not_answer_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def wait(*arguments: Any, **options: Any) -> list[Any]:
        released.wait(60)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", wait)
    with pytest.raises(FetchError, match=r"in time|not finished within"):
        fetch("http://a.example/", timeout=0.1)
    assert not released.is_set()
    waiting = [thread for thread in threading.enumerate() if thread.name == "blockfeat-resolve"]
    assert all(thread.daemon for thread in waiting), "the program would not end before its resolver does"
    released.set()


class _Recorder:
    """Notes the addresses that are connected to, in place of connecting."""

    def __init__(self) -> None:
        self.connected: list[str] = []

    async def connect_tcp(self, host: str, *arguments: Any, **options: Any) -> Any:
        import httpcore2

        self.connected.append(host)
        raise httpcore2.ConnectError("recorded")


@pytest.mark.parametrize(
    ("answers", "connected"),
    [
        (("127.0.0.1",), []),
        (("10.0.0.1", "169.254.169.254", "::1"), []),
        (("::ffff:10.0.0.1", "64:ff9b::7f00:1"), []),
        (("192.0.0.192", "168.63.129.16", "3fff::1"), []),
        (("10.0.0.1", "8.8.8.8", "1.1.1.1"), ["8.8.8.8", "1.1.1.1"]),
    ],
)
def test_refused_addresses_are_never_connected_to(
    monkeypatch: pytest.MonkeyPatch, answers: tuple[str, ...], connected: list[str]
) -> None:
    recorder = _Recorder()
    monkeypatch.setattr("httpcore2.AnyIOBackend", lambda: recorder)
    _answer(monkeypatch, *answers)
    with pytest.raises(FetchError):
        fetch("http://a.example/")
    assert recorder.connected == connected


def test_networks_are_allowed_one_by_one() -> None:
    networks = [parse_network(name) for name in ("10.0.0.0/8", "192.168.1.7", "fd00::/8")]
    found = ["10.1.2.3", "192.168.1.7", "192.168.1.8", "fd00::1", "fe80::1", "::ffff:10.0.0.1", "93.184.216.34"]
    allowed = ["10.1.2.3", "192.168.1.7", "fd00::1", "::ffff:10.0.0.1", "93.184.216.34"]
    assert allowed_among("a.example", found, networks) == allowed
    with pytest.raises(AddressForbidden, match=r"^no public address for host a\.example$"):
        allowed_among("a.example", found[:4])


def test_names_under_localhost_are_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("socket.getaddrinfo")
    assert ask_resolver("Localhost.", 80) == ["127.0.0.1"]
    assert ask_resolver("news.localhost", 80) == ["127.0.0.1"]
    assert not is_public(ask_resolver("a.b.LOCALHOST.", 80)[0])
