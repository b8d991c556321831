"""The web applications: a guarded base with templates and static files, the reader, OpenAPI description, server."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from importlib.resources import files
from typing import Any

import uvicorn
from fastapi import FastAPI
from jinja2 import Environment, PackageLoader
from starlette.applications import Starlette
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.templating import Jinja2Templates

import blockfeat
from blockfeat.errors import ConfigError
from blockfeat.lang import direction_of
from blockfeat.web.guard import Guard, ServeSettings, limited_connections
from blockfeat.web.problems import ProblemBody, add_handlers

_SUMMARY = "Finds the main text of web pages, and says why."
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


class _StaticFiles(StaticFiles):
    """The static files of the package, which browsers revalidate and download again only where they have changed."""

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
        Title and summary of the OpenAPI description, which is at ``/openapi.json``.
    lifespan : callable, optional
        Returns the context manager that is entered when the service starts and exited when it ends.
    """
    app = FastAPI(
        title=title,
        summary=summary or None,
        description="Pages are hostile: what comes from them is never run, and only public addresses are fetched.",
        version=blockfeat.__version__,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )
    app.openapi = partial(described, app)  # type: ignore[method-assign]
    app.state.settings = settings
    environment = Environment(loader=PackageLoader("blockfeat.web", "templates"), autoescape=True)
    environment.globals |= {"version": blockfeat.__version__, "direction_of": direction_of}
    app.state.templates = Jinja2Templates(env=environment)
    add_handlers(app)
    app.mount("/static", _StaticFiles(directory=str(files("blockfeat.web").joinpath("static"))), name="static")
    # Browsers ask for /favicon.ico where a page names no icon.
    app.add_route("/favicon.ico", lambda request: RedirectResponse("/static/icon.svg"), include_in_schema=False)
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
    from blockfeat.web.reader import api
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
    app.include_router(api.pages)
    return app


def described(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI description of an app; all errors are problem objects."""
    spec = FastAPI.openapi(app)
    schemas = spec.setdefault("components", {}).setdefault("schemas", {})
    schemas["ProblemBody"] = ProblemBody.model_json_schema()
    return spec


_SECONDS_TO_END = 5
_MOST_CONNECTIONS = 500
_MOST_OF_A_HEAD = 32_768


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 takes a free one.

    Raises
    ------
    ConfigError
        The address cannot be used: taken, or not this machine's.
    """
    if not host:
        raise ConfigError("cannot listen: the host is empty; 0.0.0.0 is all addresses")
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]
        raise ConfigError(f"cannot listen at {host}, port {port}: {reason}") from error


def address_of(listening: socket.socket) -> str:
    """Return the address that a socket listens at, for browsers."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def server_of(app: Starlette, *, trusted_proxies: Sequence[str] = (), log_level: str = "warning") -> uvicorn.Server:
    """Return the server of an app, which limits connections and the heads of requests.

    Parameters
    ----------
    app : Starlette
        The app, whose ``state.settings`` has the limits.
    trusted_proxies : sequence of str
        IP addresses whose ``X-Forwarded-For`` is trusted.
    log_level : str
        Level of the server's own log.
    """
    config = uvicorn.Config(
        app,
        http=limited_connections(app.state.settings, unlimited=frozenset(trusted_proxies)),
        h11_max_incomplete_event_size=_MOST_OF_A_HEAD,
        log_level=log_level,
        access_log=log_level in ("info", "debug", "trace"),
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=list(trusted_proxies),
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=_SECONDS_TO_END,
        timeout_keep_alive=10,
        ws="none",
    )
    return uvicorn.Server(config)
