"""The application of a labelling session: its page, the coloured pages for the frame, its API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, FastAPI, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse

from blockfeat.data.block_roles import ROLES
from blockfeat.page.page import Page
from blockfeat.web.app import base_app
from blockfeat.web.labelling import api
from blockfeat.web.labelling.background import Background
from blockfeat.web.labelling.session import LabelSession
from blockfeat.web.openapi import described
from blockfeat.web.problems import Problem
from blockfeat.web.reader.views import frame_policy
from blockfeat.web.safe.coloured import coloured_page
from blockfeat.web.safe.markup import LOOKS
from blockfeat.web.safe.page import head_styles
from blockfeat.web.settings import ServeSettings

_SUMMARY = "Labels the blocks of pages, and trains models on them."

router = APIRouter(include_in_schema=False)


def create_label_app(session: LabelSession, settings: ServeSettings) -> FastAPI:
    """Return the labelling page of a session, and its API under ``/api/v1/label``.

    Parameters
    ----------
    session : LabelSession
        Open, and to be closed by the caller after the app has ended.
    settings : ServeSettings
        Hosts and limits; the limits of fetching and of worker processes do not apply.
    """
    background = Background(session)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        background.start_ranking()
        try:
            yield
        finally:
            await run_in_threadpool(background.close)

    app = base_app(settings, title="blockfeat label", summary=_SUMMARY, lifespan=lifespan)
    app.state.session = session
    app.state.background = background
    app.include_router(api.router)
    app.include_router(router)
    app.openapi = partial(described, app)  # type: ignore[method-assign]
    return app


@router.get("/")
async def label_page(request: Request) -> HTMLResponse:
    """Return the labelling page; everything it shows comes through the API."""
    answer: HTMLResponse = request.app.state.templates.response("label.html", roles=ROLES)
    return answer


@router.get("/favicon.ico")
async def favicon() -> RedirectResponse:
    """Lead browsers that ask for it to the icon."""
    return RedirectResponse("/static/icon.svg")


@router.get("/label/frame")
def frame(
    request: Request,
    page: Annotated[str, Query(max_length=8192)],
    look: Annotated[str, Query(max_length=20)] = "page",
) -> HTMLResponse:
    """Return a page with its blocks coloured by role, for the sandboxed frame."""
    if look not in LOOKS:
        raise Problem(422, f"look {look!r} is unknown; known are {', '.join(LOOKS)}")
    view = api.session_of(request).view(page)
    shelved = view.cut.page
    table = api.session_of(request).suggester.extractor.model.table
    parsed = Page.parse(shelved.html, url=shelved.url, keep_drawings=table.reads_drawings)
    html = coloured_page(
        parsed,
        view.cut.blocks,
        view.roles,
        styles=head_styles(shelved.html, url=shelved.url, look=look),
        look=look,
        attributes=dict.fromkeys(view.marked, ' data-marked=""'),
        style_sheet=files("blockfeat.web").joinpath("static", "label_frame.css").read_text(encoding="utf-8"),
    )
    return HTMLResponse(html, headers={"content-security-policy": frame_policy(look)})
