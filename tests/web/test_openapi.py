"""The description of the API, and requests made from it."""

from typing import Any

import httpx2
import pytest

from blockfeat.errors import FetchError
from blockfeat.web.problems import PROBLEM_TYPE
from blockfeat.web.reader import service
from described_api import answers_as_described
from served import Served


def test_requests_by_the_description_never_break_the_service(reader: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(url: str, **options: Any) -> Any:
        raise FetchError(f"{url}: not fetched in tests")

    monkeypatch.setattr(service, "fetch", fetch)
    assert answers_as_described(reader.url, requests=4) >= 9


def test_errors_are_described_as_problems(client: httpx2.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert {f"/api/v1/{name}" for name in ("extract", "explain", "clean", "models", "health")} <= set(paths)
    for operations in paths.values():
        for operation in operations.values():
            assert operation["summary"]
            for status, answer in operation["responses"].items():
                kinds = list(answer["content"])
                assert kinds == (["application/json"] if status == "200" else [PROBLEM_TYPE])


def test_the_reference_page_lists_every_operation(client: httpx2.Client) -> None:
    text = client.get("/api").text
    for path, operations in client.get("/openapi.json").json()["paths"].items():
        for method in operations:
            assert f"{method.upper()} {path}" in text
