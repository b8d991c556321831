"""What the server allows before there is a request."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2
import pytest

from blockfeat.web.app import bound_socket
from blockfeat.web.settings import ServeSettings
from served import Served, serving_reader


@pytest.fixture(scope="module")
def hurried() -> Iterator[Served]:
    """Return a reader with small limits."""
    with serving_reader(ServeSettings(jobs=1, deadline=300.0, header_seconds=3.0, connections_per_client=20)) as served:
        yield served


def _connected(served: Served) -> socket.socket:
    parts = urlsplit(served.url)
    return socket.create_connection((parts.hostname, parts.port), timeout=300)


def _is_closed(connection: socket.socket) -> bool:
    """Wait until the other side closes; what it says before is passed over."""
    try:
        while connection.recv(4096):
            pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    return True


def test_a_head_that_does_not_come_whole_ends_the_connection(hurried: Served) -> None:
    with _connected(hurried) as silent, _connected(hurried) as slow, _connected(hurried) as second:
        second.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in second.recv(65536)
        started = time.monotonic()
        try:
            while time.monotonic() - started < 120:
                for dripping in (slow, second):
                    dripping.sendall(b"G")
                time.sleep(0.2)
        except ConnectionError:
            pass
        assert time.monotonic() - started < 120, "dripping keeps a connection"
        assert all(map(_is_closed, (silent, slow, second)))


def test_connections_of_one_client_are_limited_and_counted_down(hurried: Served) -> None:
    many = [_connected(hurried) for _ in range(25)]
    try:
        assert all(map(_is_closed, many))
    finally:
        for connection in many:
            connection.close()
    assert httpx2.get(f"{hurried.url}/api/v1/health", trust_env=False, timeout=300).json()["status"] == "ok"


def test_a_head_that_is_too_large_is_refused(hurried: Served) -> None:
    with _connected(hurried) as large:
        large.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 70_000)
        assert b"400" in large.recv(100)


def test_a_slow_answer_is_waited_for(hurried: Served) -> None:
    """The deadline is for heads only: a body may take its time."""
    with _connected(hurried) as connection:
        head = b"POST /api/v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        body = b'{"html": "<p>Some words, and more of them.</p>"}'
        connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body[:5])
        time.sleep(3.5)
        connection.sendall(body[5:])
        assert b"200 OK" in connection.recv(65536)


def test_an_address_can_be_asked_before_its_server_is_ready() -> None:
    with bound_socket("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname(), timeout=60):
        listening.settimeout(60)
        connection, _ = listening.accept()
        connection.close()
