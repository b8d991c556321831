"""The applications: a guarded base with templates and static files, and the reader on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from jinja2 import Environment, PackageLoader
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

import blockfeat
from blockfeat.web.guard import PAGE_POLICY, Guard
from blockfeat.web.problems import add_handlers
from blockfeat.web.settings import ServeSettings

_SUMMARY = "Finds the main text of web pages, and says why."
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


class Templates:
    """The templates of the package; everything that is filled in is escaped."""

    def __init__(self) -> None:
        self._environment = Environment(loader=PackageLoader("blockfeat.web", "templates"), autoescape=True)
        self._environment.globals["version"] = blockfeat.__version__

    def text(self, name: str, **values: Any) -> str:
        """Return a template filled in."""
        return self._environment.get_template(name).render(**values)

    def response(self, name: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """Return a template filled in as the answer to a request."""
        return HTMLResponse(self.text(name, **values), status)


class _StaticFiles(StaticFiles):
    """The static files of the package, which a browser asks for again only where they have changed."""

    async def get_response(self, path: str, scope: Any) -> Response:
        answer = await super().get_response(path, scope)
        answer.headers["cache-control"] = "no-cache"
        return answer


def base_app(settings: ServeSettings, *, title: str, summary: str = "", lifespan: Lifespan | None = None) -> FastAPI:
    """Return an app without pages: guarded, with static files at ``/static``, errors as problem objects.

    Parameters
    ----------
    settings : ServeSettings
        Hosts and limits.
    title, summary : str
        Of the description in OpenAPI, which is at ``/openapi.json``.
    lifespan : callable, optional
        What is entered when the service starts and left when it ends.
    """
    app = FastAPI(
        title=title,
        summary=summary or None,
        version=blockfeat.__version__,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )
    app.state.settings = settings
    app.state.templates = Templates()
    app.state.page_policy = PAGE_POLICY
    add_handlers(app)
    app.mount("/static", _StaticFiles(directory=str(files("blockfeat.web").joinpath("static"))), name="static")
    app.add_middleware(Guard, settings=settings)
    return app


def create_app(settings: ServeSettings | None = None) -> FastAPI:
    """Return the reader: its pages, and its API under ``/api/v1``.

    Raises
    ------
    MissingExtraError
        The extra ``web`` is not installed.
    ModelError
        A model file cannot be used.
    """
    from blockfeat.web.openapi import described
    from blockfeat.web.reader import api, views
    from blockfeat.web.reader.service import Service

    settings = settings or ServeSettings()
    service = Service.of(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with service.workers:
            yield

    app = base_app(settings, title="blockfeat", summary=_SUMMARY, lifespan=lifespan)
    app.state.service = service
    app.include_router(api.router)
    app.include_router(views.router)
    app.openapi = partial(described, app, model_names=service.names)  # type: ignore[method-assign]
    return app
