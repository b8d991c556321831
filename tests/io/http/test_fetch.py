"""Fetching, from a server on this machine."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any

import httpcore2
import httpx2
import pytest

from blockfeat.errors import AddressForbidden, FetchError, LimitExceeded
from blockfeat.io.http.fetch import failure_of, fetch

PAGE = "<p>Grüße</p>".encode()


class _Handler(BaseHTTPRequestHandler):
    """Answers by path."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None:
        """Stay silent."""

    def _send(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        kind, _, rest = self.path[1:].partition("/")
        getattr(self, f"_{kind.partition('?')[0]}")(rest)

    def _page(self, rest: str) -> None:
        self._send(PAGE)

    def _agent(self, rest: str) -> None:
        self._send(f"{self.headers['User-Agent']} {self.headers['Host']}".encode())

    def _gzip(self, rest: str) -> None:
        self._send(gzip.compress(PAGE), Content_Encoding="gzip")

    def _bomb(self, rest: str) -> None:
        self._send(gzip.compress(b"\0" * 5_000_000), Content_Encoding="gzip")

    def _image(self, rest: str) -> None:
        self._send(b"\x89PNG", Content_Type="image/png")

    def _missing(self, rest: str) -> None:
        self._send(b"", 404)

    def _count(self, rest: str) -> None:
        self._send(b"", 302, Location=f"/count/{int(rest) - 1}" if int(rest) > 1 else "/page")

    def _to(self, rest: str) -> None:
        self._send(b"", 302, Location=rest)

    def _cookie(self, rest: str) -> None:
        if "seen=1" in self.headers.get("Cookie", ""):
            self._send(PAGE)
        else:
            self._send(b"", 302, Location="/cookie", Set_Cookie="seen=1; Path=/")

    def _endless(self, rest: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Connection", "close")
        self.end_headers()
        self._drip(b"x" * 100_000, 0.0)

    def _slow(self, rest: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        self._drip(b"x", 0.05)

    def _drip(self, piece: bytes, pause: float) -> None:
        self.close_connection = True
        try:
            for _ in range(400):
                self.wfile.write(piece)
                time.sleep(pause)
        except OSError:
            return


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent where the client has gone."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with _Server(("127.0.0.1", 0), _Handler) as running:
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


def test_a_page_is_fetched_with_its_charset(server: str) -> None:
    document = fetch(f"{server}/page", allow_private=True)
    assert (document.id, document.url) == (f"{server}/page", f"{server}/page")
    assert (document.data, document.charset, document.error) == (PAGE, "utf-8", None)


def test_a_packed_page_is_unpacked(server: str) -> None:
    assert fetch(f"{server}/gzip", allow_private=True).data == PAGE


def test_the_request_names_agent_and_host(server: str) -> None:
    named = server.replace("127.0.0.1", "localhost")
    data = fetch(f"{named}/agent", allow_private=True, user_agent="tester").data
    assert data == f"tester {named.removeprefix('http://')}".encode()


def test_redirects_are_followed_up_to_the_limit(server: str) -> None:
    document = fetch(f"{server}/count/5", allow_private=True)
    assert (document.id, document.url, document.data) == (f"{server}/count/5", f"{server}/page", PAGE)
    with pytest.raises(FetchError, match="more than 2 redirects"):
        fetch(f"{server}/count/3", allow_private=True, max_redirects=2)


def test_cookies_live_for_the_redirects_of_one_fetch(server: str) -> None:
    assert fetch(f"{server}/cookie", allow_private=True).data == PAGE


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://a.example/", "javascript:alert(1)", "http://[::1"])
def test_a_redirect_elsewhere_is_refused(server: str, target: str) -> None:
    with pytest.raises(FetchError):
        fetch(f"{server}/to/{target}", allow_private=True)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.example/",
        "file:///etc/passwd",
        "a.example",
        "http://",
        "http://[::1",
        "http://a b/",
        "",
        "http://\x00",
    ],
)
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


def test_a_redirect_to_a_private_address_is_refused(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first host counts as public here; the second is checked again and is not."""
    port = server.rpartition(":")[2]
    checked: list[str] = []

    def is_public(address: str) -> bool:
        checked.append(address)
        return len(checked) == 1

    monkeypatch.setattr("blockfeat.io.http.transport.is_public", is_public)
    with pytest.raises(FetchError, match="no public address"):
        fetch(f"{server}/to/http://127.0.0.1:{port}/page")
    assert len(checked) == 2


def test_the_name_server_is_asked_once_and_that_answer_is_connected_to(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(server.rpartition(":")[2])
    hosts: list[str] = []
    real = socket.getaddrinfo

    def getaddrinfo(host: str, *arguments: Any, **options: Any) -> Any:
        hosts.append(host)
        return real("127.0.0.1" if host == "rebinding.example" else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    fetch(f"http://rebinding.example:{port}/page", allow_private=True)
    assert hosts.count("rebinding.example") == 1


def test_the_environment_is_not_used(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert fetch(f"{server}/page", allow_private=True).data == PAGE


@pytest.mark.parametrize("path", ["endless", "bomb"])
def test_the_size_is_limited_before_and_after_unpacking(server: str, path: str) -> None:
    with pytest.raises(FetchError, match="larger than 1,000,000 bytes"):
        fetch(f"{server}/{path}", allow_private=True, max_bytes=1_000_000)


def test_the_time_is_limited_as_a_whole(server: str) -> None:
    started = time.monotonic()
    with pytest.raises(FetchError, match=r"not finished within 0\.4 seconds"):
        fetch(f"{server}/slow", allow_private=True, timeout=0.4)
    assert time.monotonic() - started < 15


@pytest.mark.parametrize(("path", "reason"), [("image", "not a page but image/png"), ("missing", "404")])
def test_what_is_not_a_page_is_refused(server: str, path: str, reason: str) -> None:
    with pytest.raises(FetchError, match=reason) as caught:
        fetch(f"{server}/{path}", allow_private=True)
    assert str(caught.value).startswith(f"{server}/{path}: ")


def test_a_server_that_is_not_there_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(FetchError, match=f"http://127.0.0.1:{port}/: no connection"):
        fetch(f"http://127.0.0.1:{port}/", allow_private=True)


def test_an_allowed_network_is_fetched_from_and_no_other(server: str) -> None:
    networks = [ip_network("127.0.0.1/32")]
    assert fetch(f"{server}/page", networks=networks).data == PAGE
    with pytest.raises(FetchError, match=r"no public address for host 127\.0\.0\.2"):
        fetch(f"{server}/to/http://127.0.0.2:9/page", networks=networks)
    with pytest.raises(FetchError, match="no public address"):
        fetch(f"{server}/page", networks=[ip_network("10.0.0.0/8")])


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
def test_a_failure_says_why_and_whether_it_passes(
    error: Exception, reason: str, passing: bool, permanent: bool, is_fault: bool
) -> None:
    failure = failure_of(error, seconds=9, connect=2, read=3)
    assert (str(failure), failure.passing, failure.permanent, failure.is_fault) == (
        reason,
        passing,
        permanent,
        is_fault,
    )
    assert failure_of(failure, seconds=1) is failure
