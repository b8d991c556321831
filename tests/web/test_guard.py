"""What requests pass, and the headers of answers."""

from http import HTTPStatus
from typing import Any

import pytest
from starlette.testclient import TestClient

from blockfeat.web.app import base_app
from blockfeat.web.guard import ServeSettings
from blockfeat.web.problems import PROBLEM_TYPE
from cases import CASES


def _client(host: str = "localhost", **settings: Any) -> TestClient:
    app = base_app(ServeSettings(**settings), title="test")

    @app.get("/thing")
    async def thing() -> dict[str, int]:
        return {"is": 1}

    @app.post("/thing")
    async def send(body: dict[str, Any]) -> int:
        return len(body)

    @app.get("/broken")
    async def broken() -> None:
        raise RuntimeError("a secret of the service")

    return TestClient(app, base_url=f"http://{host}", raise_server_exceptions=False)


_OWN_HOSTS = """
localhost localhost:8137 reader.localhost 127.0.0.1:8137 [::1]:8137 192.168.1.7 LOCALHOST. a.localhost. user@localhost
"""
_OTHER_HOSTS = """
evil.example evillocalhost evil-localhost:8137 localhost.evil.example 127.0.0.1.evil.example [::1 a@b 0x7f.1
"""


@pytest.mark.parametrize("host", _OWN_HOSTS.split())
def test_own_hosts_are_served(host: str) -> None:
    assert _client().get("/thing", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["", *_OTHER_HOSTS.split()])
def test_other_hosts_are_refused(host: str) -> None:
    """A name of another site that leads to this machine (DNS rebinding) is no way in."""
    answer = _client().get("/thing", headers={"host": host})
    assert (answer.status_code, answer.headers["content-type"]) == (421, PROBLEM_TYPE)
    detail = answer.json()["detail"]
    assert ("is not served here" in detail, "--" in detail) == (True, False)


def test_hosts_can_be_allowed() -> None:
    assert _client("reader.example", allowed_hosts=("Reader.example",)).get("/thing").status_code == 200
    assert _client("any.example", allowed_hosts=("*",)).get("/thing").status_code == 200


def _status(host: str, headers: dict[str, str]) -> int:
    return _client().post("/thing", json={}, headers={"host": host, **headers}).status_code


@pytest.mark.parametrize(("what", "host", "headers"), CASES["sent_by_own_pages"])
def test_own_pages_can_send(what: str, host: str, headers: dict[str, str]) -> None:
    assert _status(host, headers) == 200


@pytest.mark.parametrize(("what", "host", "headers"), CASES["sent_by_pages_of_others"])
def test_pages_of_others_cannot_send(what: str, host: str, headers: dict[str, str]) -> None:
    assert _status(host, headers) == 403


_ORIGINS = ("http://evil.example", "null", "http://localhost:99", "http://localhost.evil.example", "http://[")


@pytest.mark.parametrize(
    "headers",
    [
        *({"origin": origin} for origin in _ORIGINS),
        *({"sec-fetch-site": site} for site in ("same-site", "same-origin, cross-site")),
        {"origin": "null", "sec-fetch-site": "none"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"},
        # A proxy that does not hand on its name: where it serves any name, one that leads there looks the same.
        {"origin": "https://reader.example", "sec-fetch-site": "same-origin"},
    ],
)
def test_what_cannot_be_told_from_another_site_cannot_send(headers: dict[str, str]) -> None:
    assert _status("localhost", headers) == 403


@pytest.mark.parametrize("headers", [{}, {"origin": "http://localhost"}, {"sec-fetch-site": "none"}])
def test_programs_and_old_browsers_can_send(headers: dict[str, str]) -> None:
    assert _status("localhost", headers) == 200


def test_large_requests_are_refused_by_header_and_by_body() -> None:
    client = _client(max_bytes=1000)
    answer = client.post("/thing", json={"x": "y" * 5000})
    assert (answer.status_code, answer.json()["title"]) == (413, HTTPStatus(413).phrase)  # 3.13 names it anew

    def in_parts() -> Any:
        for _ in range(50):
            yield b" " * 100

    answer = client.post("/thing", content=in_parts(), headers={"content-type": "application/json"})
    assert (answer.status_code, client.post("/thing", json={"x": "y"}).status_code) == (413, 200)


@pytest.mark.parametrize("path", ["/thing", "/missing", "/broken", "/static/icon.svg"])
def test_every_answer_has_the_headers_of_security(path: str) -> None:
    headers = dict(_client().get(path).headers)
    policy = headers["content-security-policy"]
    assert "unsafe" not in policy
    for directive in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert directive in policy
    same = ("referrer-policy", "cross-origin-opener-policy", "cross-origin-resource-policy")
    assert headers | {"x-content-type-options": "nosniff"} | dict.fromkeys(same, "same-origin") == headers


def test_errors_are_problem_objects_without_inner_matters() -> None:
    for path, status in (("/missing", 404), ("/broken", 500)):
        answer = _client().get(path)
        assert answer.status_code == answer.json()["status"] == status
        assert (answer.headers["content-type"], "secret" in answer.text) == (PROBLEM_TYPE, False)
    answer = _client().post("/thing", content=b"{", headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["title"]) == (400, "Bad Request")
    assert "JSON" in answer.json()["detail"]
    assert _client().post("/thing", json=[]).status_code == 422


@pytest.mark.parametrize("change", [{"jobs": 0}, {"max_bytes": 0}, {"waiting": -1}, {"deadline": float("nan")}])
def test_settings_out_of_range_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(change))):
        ServeSettings(**change)


def test_head_is_answered_like_get_without_a_body() -> None:
    client = _client()
    answer, whole = client.head("/thing"), client.get("/thing")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == whole.headers["content-length"]
    assert client.head("/none").status_code == 404
