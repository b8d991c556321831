"""The description of the API in OpenAPI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from blockfeat.models.store import DEFAULT_MODEL
from blockfeat.web.problems import PROBLEM_TYPE
from blockfeat.web.reader.schemas import ProblemBody

_UNUSED = ("HTTPValidationError", "ValidationError")


def described(app: FastAPI, *, model_names: Sequence[str] = ()) -> dict[str, Any]:
    """Return the description of an app's API, made at first use: errors are problem objects throughout.

    Parameters
    ----------
    app : FastAPI
        The app.
    model_names : sequence of str
        What a request may choose as its model.
    """
    if app.openapi_schema is not None:
        return app.openapi_schema
    spec = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        routes=app.routes,
        license_info=app.license_info,
        description="Pages are hostile: what comes from them is never run, and only public addresses are fetched.",
    )
    schemas = spec.setdefault("components", {}).setdefault("schemas", {})
    for name in _UNUSED:
        schemas.pop(name, None)
    schemas["ProblemBody"] = ProblemBody.model_json_schema()
    if model_names:
        _name_models(schemas, model_names)
    for operations in spec["paths"].values():
        for operation in operations.values():
            for answer in operation["responses"].values():
                if PROBLEM_TYPE in answer.get("content", {}):
                    answer["content"].pop("application/json", None)
    app.openapi_schema = spec
    return spec


def _name_models(schemas: dict[str, Any], names: Sequence[str]) -> None:
    """Write the names of the models that are offered wherever one is chosen."""
    for schema in schemas.values():
        model = schema.get("properties", {}).get("model", {})
        if model.get("default") == DEFAULT_MODEL:
            model["enum"] = list(names)
