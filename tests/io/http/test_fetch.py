"""Fetching, from a server on this machine."""

import gzip
import socket
import time
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import httpcore2
import httpx2
import pytest

from blockfeat.errors import AddressForbidden, FetchError, LimitExceeded
from blockfeat.io.http.fetch import USER_AGENT, failure_of, fetch
from small_site import Site, serving

PAGE = "<p>Grüße</p>".encode()


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        running.answers = {
            "/page": (200, {"Content-Type": "text/html; charset=utf-8"}, PAGE),
            "/gzip": (200, {"Content-Encoding": "gzip"}, gzip.compress(PAGE)),
            "/bomb": (200, {"Content-Encoding": "gzip"}, gzip.compress(b"\0" * 5_000_000)),
            "/image": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
            "/5": (302, {"Location": "/page"}, b""),
            **{f"/{n}": (302, {"Location": f"/{n + 1}"}, b"") for n in range(5)},
            "/cookie": [(302, {"Location": "/cookie", "Set-Cookie": "seen=1; Path=/"}, b""), (200, {}, PAGE)],
        }
        yield running


def _lead(site: Site, target: str) -> str:
    """Return an address of the site that leads to another one."""
    site.answers["/to"] = 302, {"Location": target}, b""
    return f"{site.url}/to"


def test_a_page_is_fetched_with_its_charset_and_unpacked(site: Site) -> None:
    document = fetch(f"{site.url}/page", allow_private=True)
    assert (document.id, document.url) == (f"{site.url}/page", f"{site.url}/page")
    assert (document.data, document.charset, document.error) == (PAGE, "utf-8", None)
    assert fetch(f"{site.url}/gzip", allow_private=True).data == PAGE


def test_the_request_names_agent_and_host(site: Site) -> None:
    fetch(f"{site.named('a')}/page", allow_private=True)
    (headers,) = site.headers
    assert (headers["user-agent"], headers["host"]) == (USER_AGENT, site.named("a").removeprefix("http://"))


def test_redirects_are_followed_up_to_the_limit(site: Site) -> None:
    document = fetch(f"{site.url}/1", allow_private=True)
    assert (document.id, document.url, document.data) == (f"{site.url}/1", f"{site.url}/page", PAGE)
    with pytest.raises(FetchError, match="more than 5 redirects"):
        fetch(f"{site.url}/0", allow_private=True)


def test_cookies_live_for_the_redirects_of_one_fetch(site: Site) -> None:
    assert fetch(f"{site.url}/cookie", allow_private=True).data == PAGE
    assert [headers.get("cookie") for headers in site.headers] == [None, "seen=1"]


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://a.example/", "javascript:alert(1)", "http://[::1"])
def test_a_redirect_elsewhere_is_refused(site: Site, target: str) -> None:
    with pytest.raises(FetchError):
        fetch(_lead(site, target), allow_private=True)


_OTHER = (
    "ftp://a.example/",
    "file:///etc/hosts",
    "a.example",
    "http://",
    "http://[::1",
    "http://a b/",
    "",
    "http://\0",
)


@pytest.mark.parametrize("url", _OTHER)
def test_other_addresses_are_refused_by_name(url: str) -> None:
    with pytest.raises(FetchError) as caught:
        fetch(url)
    assert str(caught.value).startswith(f"{url}: ")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433", "169.254.169.254", "192.0.0.192"]
)
def test_private_addresses_are_refused(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def connect_tcp(*arguments: Any, **options: Any) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr("httpcore2.AnyIOBackend.connect_tcp", connect_tcp)
    with pytest.raises(FetchError, match=r"no public address|could not be resolved"):
        fetch(f"http://{host}:9/")


def test_a_redirect_to_a_private_address_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first host counts as public here; the second is checked again and is not."""
    checked: list[str] = []

    def is_public(address: str) -> bool:
        checked.append(address)
        return len(checked) == 1

    monkeypatch.setattr("blockfeat.io.http.transport.is_public", is_public)
    with pytest.raises(FetchError, match="no public address"):
        fetch(_lead(site, f"{site.url}/page"))
    assert len(checked) == 2


def test_the_name_server_is_asked_once_and_its_answer_connected_to(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    port = site.url.rpartition(":")[2]
    hosts: list[str] = []
    real = socket.getaddrinfo

    def getaddrinfo(host: str, *arguments: Any, **options: Any) -> Any:
        hosts.append(host)
        return real("127.0.0.1" if host == "rebinding.example" else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    fetch(f"http://rebinding.example:{port}/page", allow_private=True)
    assert hosts.count("rebinding.example") == 1


def test_the_environment_is_not_used(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert fetch(f"{site.url}/page", allow_private=True).data == PAGE


@pytest.mark.parametrize(("path", "most"), [("drip", 10), ("bomb", 100_000)])
def test_the_size_is_limited_before_and_after_unpacking(site: Site, path: str, most: int) -> None:
    with pytest.raises(FetchError, match=f"larger than {most:,} bytes"):
        fetch(f"{site.url}/{path}", allow_private=True, max_bytes=most)


def test_the_time_is_limited_as_a_whole(site: Site) -> None:
    started = time.monotonic()
    with pytest.raises(FetchError, match=r"not finished within 0\.4 seconds"):
        fetch(f"{site.url}/drip-head", allow_private=True, timeout=0.4)
    assert time.monotonic() - started < 15


@pytest.mark.parametrize(("path", "reason"), [("image", "not a page but image/png"), ("missing", "404")])
def test_what_is_not_a_page_is_refused(site: Site, path: str, reason: str) -> None:
    with pytest.raises(FetchError, match=reason) as caught:
        fetch(f"{site.url}/{path}", allow_private=True)
    assert str(caught.value).startswith(f"{site.url}/{path}: ")


def test_a_server_that_is_not_there_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(FetchError, match=f"http://127.0.0.1:{port}/: no connection"):
        fetch(f"http://127.0.0.1:{port}/", allow_private=True)


def test_an_allowed_network_is_fetched_from_and_no_other(site: Site) -> None:
    networks = [ip_network("127.0.0.1/32")]
    assert fetch(f"{site.url}/page", networks=networks).data == PAGE
    with pytest.raises(FetchError, match=r"no public address for host 127\.0\.0\.2"):
        fetch(_lead(site, "http://127.0.0.2:9/page"), networks=networks)
    with pytest.raises(FetchError, match="no public address"):
        fetch(f"{site.url}/page", networks=[ip_network("10.0.0.0/8")])


@pytest.mark.parametrize(
    ("error", "reason", "passing", "permanent", "is_fault"),
    [
        (AddressForbidden("no public address"), "no public address", False, True, False),
        (LimitExceeded("larger than 9 bytes"), "larger than 9 bytes", False, True, False),
        (httpx2.InvalidURL("no port"), "no port", False, True, False),
        (httpcore2.ConnectTimeout(), "no connection within 2 seconds", True, False, False),
        (httpx2.ReadTimeout(""), "no more bytes within 3 seconds", True, False, False),
        (TimeoutError(), "not finished within 9 seconds", False, False, False),
        (ConnectionResetError(104, "Connection reset by peer"), "Connection reset by peer", True, False, False),
        (httpcore2.RemoteProtocolError("bad line"), "bad line", True, False, False),
        (httpx2.DecodingError("incorrect header check"), "incorrect header check", False, False, False),
        (KeyError("a"), "unexpected KeyError: 'a'", False, False, True),
    ],
)
def test_a_failure_says_why(error: Exception, reason: str, passing: bool, permanent: bool, is_fault: bool) -> None:
    failure = failure_of(error, seconds=9, connect=2, read=3)
    found = (str(failure), failure.passing, failure.permanent, failure.is_fault)
    assert found == (reason, passing, permanent, is_fault)
    assert failure_of(failure, seconds=1) is failure
