"""Where the limits of the guard lie, told from outside: sizes, waits, paths that are free, methods."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from blockfeat.web.guard import Guard, frame_policy
from blockfeat.web.settings import ServeSettings


async def _answering(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-frame-options", b"DENY")]})
    await send({"type": "http.response.body", "body": b""})


def _status(
    guard: Guard, *, method: str = "GET", path: str = "/thing", headers: Mapping[str, str] | None = None
) -> tuple[int, dict[str, str]]:
    """Return the status and the headers that an application behind the guard answers."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    pairs = [(name.encode(), value.encode()) for name, value in ({"host": "localhost"} | dict(headers or {})).items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": pairs}
    asyncio.run(guard({**scope, "client": ("192.0.2.1", 1), "server": ("localhost", 80)}, receive, send))
    found = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found


@pytest.mark.parametrize(("length", "status"), [("9", 200), ("10", 413), ("0", 200), ("many", 200), ("²", 200)])
def test_a_length_that_is_too_large_is_refused_before_the_body_comes(length: str, status: int) -> None:
    guard = Guard(_answering, ServeSettings(max_bytes=9))
    assert _status(guard, method="POST", headers={"content-length": length})[0] == status


def test_who_asks_too_often_learns_how_long_to_wait() -> None:
    guard = Guard(_answering, ServeSettings(requests_per_minute=1))
    assert _status(guard)[0] == 200
    status, headers = _status(guard)
    assert status == 429
    assert 50 <= int(headers["retry-after"]) <= 60


@pytest.mark.parametrize("path", ["/", "/static/a.css", "/api/v1/health", "/favicon.ico", "/openapi.json"])
def test_what_a_page_needs_is_free(path: str) -> None:
    guard = Guard(_answering, ServeSettings(requests_per_minute=1))
    assert [_status(guard, path=path)[0] for _ in range(3)] == [200] * 3


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {"origin": "http://evil.example"}, 200),
        ("HEAD", {"origin": "http://evil.example"}, 200),
        ("OPTIONS", {"origin": "http://evil.example"}, 200),
        ("DELETE", {"origin": "http://evil.example"}, 403),
        ("POST", {"origin": "http://LOCALHOST"}, 200),
        ("POST", {"sec-fetch-site": "none"}, 200),
        ("POST", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}, 403),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 200),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "document"}, 403),
        ("GET", {"sec-fetch-site": "cross-site"}, 403),
    ],
)
def test_what_other_sites_may_ask_for(method: str, headers: dict[str, str], status: int) -> None:
    assert _status(Guard(_answering, ServeSettings()), method=method, headers=headers)[0] == status


@pytest.mark.parametrize(
    ("host", "status"), [("a.localhost.", 200), ("0x7f.1", 421), ("[::1]", 200), ("user@localhost", 200)]
)
def test_hosts_by_their_spelling(host: str, status: int) -> None:
    assert _status(Guard(_answering, ServeSettings()), headers={"host": host})[0] == status


def test_a_problem_repeats_only_the_beginning_of_a_long_name() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def asked(headers: Sequence[tuple[bytes, bytes]]) -> str:
        sent.clear()
        scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers}
        await Guard(_answering, ServeSettings())({**scope, "client": None}, None, send)  # type: ignore[arg-type]
        return b"".join(message.get("body", b"") for message in sent).decode()

    name = b"x" * 199 + b"yz" + b"x" * 3000
    for headers in ([(b"host", name)], [(b"host", b"localhost"), (b"origin", name)]):
        answer = asyncio.run(asked(headers))
        assert "x" * 199 + "y'" in answer
        assert len(answer) < 600


def test_an_answer_keeps_its_own_headers() -> None:
    async def own(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-security-policy", b"sandbox"), (b"cache-control", b"max-age=9")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    _, headers = _status(Guard(own, ServeSettings()))
    assert (headers["content-security-policy"], headers["cache-control"]) == ("sandbox", "max-age=9")
    _, headers = _status(Guard(_answering, ServeSettings()))
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
        await send({"type": "http.response.start", "status": 200, "headers": []})

    parts: list[dict[str, Any]] = [{"type": "http.request", "body": b""}]
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        if parts:
            return parts.pop()
        await asyncio.sleep(0.6)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message["status"])

    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [(b"host", b"localhost")]}
    asyncio.run(Guard(waits, ServeSettings())({**scope, "client": None}, receive, send))
    assert sent == [200]


def test_a_framed_page_loads_from_the_web_only_where_it_is_shown_with_the_look_of_the_web() -> None:
    assert "http: https:" in frame_policy("web")
    for look in ("plain", ""):
        assert "http" not in frame_policy(look)
    assert frame_policy("plain").endswith("; sandbox allow-same-origin")
    assert frame_policy("web", sandbox="").endswith("; sandbox ")
    assert "script-src" not in frame_policy("web")
