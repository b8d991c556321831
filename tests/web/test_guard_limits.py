"""Where the limits of the guard lie: connections, rates, sizes, waits, paths that are free, methods."""

import asyncio
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from blockfeat.web.app import base_app, bound_socket
from blockfeat.web.guard import Guard, Rate, ServeSettings, frame_policy
from cases import CASES
from served import Served, serving_reader


async def _answering(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-frame-options", b"DENY")]})
    await send({"type": "http.response.body", "body": b""})


_GUARD = Guard(_answering, ServeSettings())


def _sent(app: Any, *, parts: Sequence[Any] = (b"",), pause: float = 0.0, **changed: Any) -> list[Any]:
    """Return what an application sends for a request whose body comes in parts; None stands for none that comes."""
    waiting, sent = list(parts), []

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.sleep(pause)
            return {"type": "http.disconnect"}
        body = waiting.pop(0)
        if body is None:
            await asyncio.get_running_loop().create_future()
        return {"type": "http.request", "body": body, "more_body": None in waiting}

    async def send(message: Any) -> None:
        sent.append(message)

    named = {"host": "localhost"} | changed.pop("headers", {})
    headers = [(name.encode(), value.encode()) for name, value in named.items()]
    scope = {"type": "http", "method": "GET", "path": "/thing", "query_string": b"", "client": ("192.0.2.1", 1)}
    found = {**scope, "headers": headers, "server": ("localhost", 80), **changed}
    asyncio.run(app(found, receive, send))
    return sent


def _status(app: Any, **changed: Any) -> tuple[int, dict[str, str]]:
    """Return the status and the headers that an application answers."""
    start = _sent(app, **changed)[0]
    return start["status"], {name.decode().lower(): value.decode() for name, value in start["headers"]}


@pytest.mark.parametrize(("length", "status"), [("9", 200), ("10", 413), ("0", 200), ("many", 200), ("²", 200)])
def test_a_length_that_is_too_large_is_refused_before_the_body_comes(length: str, status: int) -> None:
    guard = Guard(_answering, ServeSettings(max_bytes=9))
    assert _status(guard, method="POST", headers={"content-length": length})[0] == status


def test_who_asks_too_often_learns_how_long_to_wait() -> None:
    guard = Guard(_answering, ServeSettings(requests_per_minute=1))
    assert _status(guard)[0] == 200
    status, headers = _status(guard)
    assert (status, 50 <= int(headers["retry-after"]) <= 60) == (429, True)


@pytest.mark.parametrize("path", ["/", "/static/a.css", "/api/v1/health", "/favicon.ico", "/openapi.json"])
def test_what_a_page_needs_is_free(path: str) -> None:
    guard = Guard(_answering, ServeSettings(requests_per_minute=1))
    assert [_status(guard, path=path)[0] for _ in range(3)] == [200] * 3


@pytest.mark.parametrize(("method", "headers", "status"), CASES["what_other_sites_may_ask_for"])
def test_what_other_sites_may_ask_for(method: str, headers: dict[str, str], status: int) -> None:
    assert _status(_GUARD, method=method, headers=headers)[0] == status


@pytest.mark.parametrize("header", ["host", "origin"])
def test_a_problem_repeats_only_the_beginning_of_a_long_name(header: str) -> None:
    sent = _sent(_GUARD, method="POST", path="/", headers={header: "x" * 199 + "yz" + "x" * 3000})
    answer = b"".join(message.get("body", b"") for message in sent).decode()
    assert "x" * 199 + "y'" in answer
    assert len(answer) < 600


def test_an_answer_keeps_its_own_headers() -> None:
    async def own(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-security-policy", b"sandbox"), (b"cache-control", b"max-age=9")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    _, headers = _status(Guard(own, ServeSettings()))
    assert (headers["content-security-policy"], headers["cache-control"]) == ("sandbox", "max-age=9")
    _, headers = _status(_GUARD)
    assert (headers["cache-control"], headers["x-robots-tag"]) == ("no-store", "noindex, nofollow")


def test_what_is_no_request_passes_as_it_is() -> None:
    seen = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope, receive, send))

    asyncio.run(Guard(app, ServeSettings())({"type": "lifespan"}, 1, 2))  # type: ignore[arg-type]
    assert seen == [({"type": "lifespan"}, 1, 2)]


def test_the_end_of_a_connection_may_be_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat.web.guard._SECONDS_FOR_A_BODY", 0.2)

    async def waits(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        assert (await receive())["type"] == "http.disconnect"
        await _answering(scope, receive, send)

    assert _status(Guard(waits, ServeSettings()), pause=0.6)[0] == 200


@pytest.mark.parametrize("limit", ["_SECONDS_FOR_A_BODY", "_SECONDS_AHEAD"])
def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(f"blockfeat.web.guard.{limit}", 0.1)
    app = base_app(ServeSettings(), title="test")

    @app.post("/taken")
    async def taken(body: dict[str, int]) -> int:
        return body["a"]

    asked = {"method": "POST", "path": "/taken", "headers": {"content-type": "application/json"}}
    status, headers = _status(app, parts=[b"{", None], **asked)
    assert (status, headers["connection"]) == (408, "close")


def test_each_client_has_its_own_rate_whatever_its_port() -> None:
    app = base_app(ServeSettings(requests_per_minute=1), title="test")
    clients = [("192.0.2.1", 1), ("192.0.2.2", 1), ("192.0.2.1", 2), None, None]
    found = [_status(app, client=client)[0] for client in clients]
    assert found == [404, 404, 429, 404, 429]


def test_an_answer_that_breaks_in_its_middle_gets_no_second_beginning() -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("a secret of the service")

    with pytest.raises(RuntimeError):
        _sent(Guard(broken, ServeSettings()))


def test_a_body_may_have_as_many_bytes_as_are_allowed() -> None:
    async def echo(scope: Any, receive: Any, send: Any) -> None:
        message = await receive()
        await send({"type": "http.response.start", "status": 200 + len(message["body"]), "headers": []})

    guarded = Guard(echo, ServeSettings(max_bytes=9))
    assert [_status(guarded, parts=[b"x" * size])[0] for size in (9, 10)] == [209, 413]


def test_a_framed_page_loads_from_the_web_only_where_it_is_shown_with_the_look_of_the_web() -> None:
    assert "http: https:" in frame_policy("web")
    for look in ("plain", ""):
        assert "http" not in frame_policy(look)
    assert frame_policy("plain").endswith("; sandbox allow-same-origin")
    assert frame_policy("web", sandbox="").endswith("; sandbox ")
    assert "script-src" not in frame_policy("web")


# How often clients may ask.


class _Limit(Rate):
    """A rate on a clock of its own."""

    def __init__(self, requests_per_minute: int) -> None:
        self.now = 0.0
        super().__init__(requests_per_minute, clock=lambda: self.now)

    def waits(self, *clients: str) -> list[float]:
        return [self.wait(client) for client in clients]


def test_a_client_waits_once_its_tokens_are_used() -> None:
    rate = _Limit(60)
    assert rate.waits(*"a" * 60, "a", "b") == [0.0] * 60 + [1.0, 0.0]
    rate.now = 1.0
    assert rate.waits("a", "a") == [0.0, 1.0]


def test_without_a_limit_nobody_waits() -> None:
    assert set(_Limit(0).waits(*"a" * 1000)) == {0}


@pytest.mark.parametrize(
    ("clients", "waiting"),
    [
        ("2001:db8::1 2001:db8::2 2001:db8:0:1::1", [False, True, False]),
        ("::ffff:192.0.2.1 ::ffff:192.0.2.2 ::ffff:192.0.2.1 192.0.2.1", [False, False, True, True]),
    ],
)
def test_addresses_of_one_ipv6_site_count_together_and_those_of_ipv4_apart(clients: str, waiting: list[bool]) -> None:
    assert [wait > 0 for wait in _Limit(1).waits(*clients.split())] == waiting


def test_only_the_latest_clients_are_remembered() -> None:
    rate = _Limit(1)
    rate.waits("a", *map(str, range(9_999)))
    assert rate.wait("a") > 0
    rate.waits(*map(str, range(10_000)))
    assert rate.wait("a") == 0, "10,000 others have asked since"


def test_no_client_saves_up_more_than_a_minute_of_requests() -> None:
    rate = _Limit(3)
    rate.wait("a")
    rate.now = 3600.0
    assert rate.waits(*"aaaa") == [0.0, 0.0, 0.0, 20.0]


# What the server allows before there is a request.


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
    with suppress(ConnectionError):
        try:
            while connection.recv(4096):
                pass
        except TimeoutError:
            return False
    return True


def test_a_head_that_does_not_come_whole_ends_the_connection(hurried: Served) -> None:
    with _connected(hurried) as silent, _connected(hurried) as slow, _connected(hurried) as second:
        second.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in second.recv(65536)
        started = time.monotonic()
        with suppress(ConnectionError):
            while time.monotonic() - started < 120:
                for dripping in (slow, second):
                    dripping.sendall(b"G")
                time.sleep(0.2)
        assert time.monotonic() - started < 120, "dripping keeps a connection"
        assert all(map(_is_closed, (silent, slow, second)))


def test_connections_of_one_client_are_limited_and_counted_down(hurried: Served) -> None:
    with ExitStack() as stack:
        assert all(map(_is_closed, [stack.enter_context(_connected(hurried)) for _ in range(25)]))
    assert httpx2.get(f"{hurried.url}/api/v1/health", trust_env=False, timeout=300).json()["status"] == "ok"


def test_a_head_that_is_too_large_is_refused(hurried: Served) -> None:
    with _connected(hurried) as large:
        large.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 70_000)
        assert b"400" in large.recv(100)


def test_who_sends_too_much_sees_why_it_is_refused(hurried: Served) -> None:
    with _connected(hurried) as connection:
        head = b"POST /api/v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n"
        connection.sendall(head + bytes(20_000_000))
        assert b" 413 " in connection.recv(65536)


def test_a_body_without_a_length_is_refused_where_it_is_too_large(hurried: Served) -> None:
    with _connected(hurried) as endless:
        endless.sendall(b"POST /api/v1/extract HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        with pytest.raises(ConnectionError):
            endless.sendall((b"10000\r\n" + bytes(0x10000) + b"\r\n") * 1000)


def test_a_body_that_goes_on_after_its_answer_ends_within_seconds(hurried: Served) -> None:
    with _connected(hurried) as endless:
        endless.sendall(b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert b" 404 " in endless.recv(65536)
        started = time.monotonic()
        with suppress(ConnectionError):
            while time.monotonic() - started < 60:
                endless.sendall(b"1\r\na\r\n")
                time.sleep(0.2)
        assert time.monotonic() - started < 60


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
