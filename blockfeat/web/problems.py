"""Errors of the service as problem details (RFC 9457): a title, the status, and a sentence with input and reason."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from blockfeat._files import bundled_table
from blockfeat.content import clean_characters
from blockfeat.errors import AddressForbidden, BlockfeatError, FetchError, LimitExceeded, NotHTML, StoreError

PROBLEM_TYPE = "application/problem+json"
_LONGEST = 2000
_PROBLEM: dict[str, Any] = {"content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}}
_SAYS = bundled_table("blockfeat.web", "problems.toml")
_RESPONSES: dict[str, dict[int | str, dict[str, Any]]] = {
    group: {int(status): {"description": says, **_PROBLEM} for status, says in by_status.items()}
    for group, by_status in _SAYS.items()
}
GUARDED = _RESPONSES["every"]
"""Error responses that every operation may return."""
PROBLEMS = GUARDED | _RESPONSES["pages"]
"""Error responses that the operations on pages may return."""


class ProblemBody(BaseModel):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[dict[str, str]] | None = None


class Problem(Exception):
    """An error that a request is answered with.

    Parameters
    ----------
    status : int
        HTTP status.
    detail : str
        A sentence that names the input and the reason.
    headers : mapping, optional
        Further headers of the response.
    **more
        Further members of the problem object.
    """

    def __init__(self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.more = status, detail, dict(headers or {}), more


_STATUS_OF = ((AddressForbidden, 403), (LimitExceeded, 413), (NotHTML, 415), (StoreError, 503))


def problem_of(error: Exception) -> Problem:
    """Return the problem, with its HTTP status, for an error of the library or of a request."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, HTTPException):
        return Problem(error.status_code, str(error.detail), headers=error.headers)
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    # An error about a forbidden address may be wrapped in one that names the page's address.
    is_wrapped = isinstance(error, FetchError) and isinstance(error.__cause__, AddressForbidden)
    kind = AddressForbidden if is_wrapped else type(error)
    return Problem(next((status for known, status in _STATUS_OF if issubclass(kind, known)), 422), str(error))


def _invalid(error: RequestValidationError) -> Problem:
    errors = error.errors()
    wrong = [
        {"at": ".".join(map(str, each["loc"])), "reason": clean_characters(reason_of(each))[:_LONGEST]}
        for each in errors[:20]
    ]
    detail = "; ".join(f"{each['at']}: {each['reason']}" for each in wrong)
    is_json = all(each["type"] != "json_invalid" for each in errors)
    return Problem(422 if is_json else 400, detail, errors=wrong)


def problem_response(problem: Problem) -> Response:
    """Return the HTTP response for a problem."""
    title, detail = HTTPStatus(problem.status).phrase, clean_characters(problem.detail)[:_LONGEST]
    body = {"type": "about:blank", "title": title, "status": problem.status, "detail": detail, **problem.more}
    data = json.dumps(body, ensure_ascii=True).encode()
    return Response(data, problem.status, headers=problem.headers, media_type=PROBLEM_TYPE)


def reason_of(error: Mapping[str, Any]) -> str:
    """Return pydantic's message about a wrong value, for this package's own checks without pydantic's prefix."""
    return str(error["msg"]).removeprefix("Value error, ")


def add_handlers(app: FastAPI) -> None:
    """Let an app return every error as a problem object."""

    async def answered(request: Request, error: Exception) -> Response:
        return problem_response(problem_of(error))

    for kind in (Problem, BlockfeatError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, answered)
