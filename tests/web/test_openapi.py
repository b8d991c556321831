"""The description of the API, and requests made from it."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from blockfeat.errors import FetchError
from blockfeat.web.problems import PROBLEM_TYPE
from blockfeat.web.reader import service
from script_vectors import page_with
from served import Served

_CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def test_requests_after_the_description_never_break_the_service(
    reader: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch(url: str, **options: Any) -> Any:
        raise FetchError(f"{url}: not fetched in tests")

    monkeypatch.setattr(service, "fetch", fetch)
    schema = schemathesis.openapi.from_url(f"{reader.url}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= 9
    for operation in operations:

        @settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=[*HealthCheck])
        @given(case=operation.as_strategy())
        def holds(case: schemathesis.Case) -> None:
            case.call_and_validate(checks=_CHECKS)

        holds()


def test_errors_are_described_as_problems(client: httpx2.Client) -> None:
    spec = client.get("/openapi.json").json()
    assert {"/api/v1/extract", "/api/v1/explain", "/api/v1/clean", "/api/v1/models", "/api/v1/health"} <= spec[
        "paths"
    ].keys()
    for operations in spec["paths"].values():
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


def test_examples_of_the_documents_work(client: httpx2.Client) -> None:
    """The requests of docs/serve.md."""
    html = page_with()
    for path, body in (
        ("extract", {"html": html, "formats": ["markdown"]}),
        ("explain", {"html": html, "model": "thresholds", "blocks": [0]}),
        ("compare", {"html": html, "second": {"model": "ziegler2007"}}),
        ("clean", {"html": html, "settings": {"filters": {"images": False}}, "format": "text"}),
    ):
        assert client.post(f"/api/v1/{path}", json=body).status_code == 200
