"""The application of a labelling session: its page, the coloured pages for the frame, its API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse

from blockfeat.blocks.table import kinds_of_containers
from blockfeat.data.block_roles import ROLES
from blockfeat.page.page import Page
from blockfeat.web.app import base_app, described
from blockfeat.web.guard import frame_policy
from blockfeat.web.labelling.background import Background, model_file
from blockfeat.web.labelling.learning import BEST, FEWEST_PAGES, KINDS
from blockfeat.web.labelling.schemas import (
    MarkRequest,
    NextRequest,
    PageBody,
    PageId,
    PageRequest,
    SessionBody,
    SetAsideRequest,
    TrainingBody,
    TrainRequest,
    UndoBody,
)
from blockfeat.web.labelling.session import LabelSession, PageView
from blockfeat.web.problems import GUARDED, PROBLEMS, Problem
from blockfeat.web.safe.markup import LOOKS
from blockfeat.web.safe.page import coloured_page, head_styles
from blockfeat.web.settings import ServeSettings

_SUMMARY = "Labels the blocks of pages, and trains models on them."
_ANSWERS: dict[int | str, dict[str, Any]] = {**GUARDED, **{status: PROBLEMS[status] for status in (400, 413, 422)}}

api = APIRouter(prefix="/api/v1/label", tags=["labelling"], responses=_ANSWERS)
pages = APIRouter(include_in_schema=False)


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
    app.include_router(api)
    app.include_router(pages)
    app.openapi = partial(described, app)  # type: ignore[method-assign]
    return app


@pages.get("/")
async def label_page(request: Request) -> HTMLResponse:
    """Return the labelling page; everything it shows comes through the API."""
    answer: HTMLResponse = request.app.state.templates.response("label.html", roles=ROLES)
    return answer


@pages.get("/label/frame")
def frame(
    request: Request,
    page: Annotated[str, Query(max_length=8192)],
    look: Annotated[str, Query(max_length=20)] = "page",
) -> HTMLResponse:
    """Return a page with its blocks coloured by role, for the sandboxed frame."""
    if look not in LOOKS:
        raise Problem(422, f"look {look!r} is unknown; known are {', '.join(LOOKS)}")
    view = session_of(request).view(page)
    stored = view.cut.page
    table = session_of(request).suggester.extractor.model.table
    parsed = Page.parse(stored.html, url=stored.url, keep_drawings=table.reads_drawings)
    html = coloured_page(
        parsed,
        view.cut.blocks,
        view.roles,
        styles=head_styles(stored.html, url=stored.url, look=look),
        look=look,
        attributes=dict.fromkeys(view.marked, ' data-marked=""'),
        style_sheet=files("blockfeat.web").joinpath("static", "label_frame.css").read_text(encoding="utf-8"),
    )
    return HTMLResponse(html, headers={"content-security-policy": frame_policy(look)})


def session_of(request: Request) -> LabelSession:
    """Return the session of the app that a request came to."""
    session: LabelSession = request.app.state.session
    return session


def background_of(request: Request) -> Background:
    """Return the background work of the app that a request came to."""
    background: Background = request.app.state.background
    return background


# Plain functions: FastAPI runs them in threads, and the session is made for several.


@api.get("/session", summary="The session and its pages, in the order in which to label them")
def session(request: Request) -> SessionBody:
    """Return what the session is and where it stands."""
    found = session_of(request)
    return SessionBody.model_validate(
        {
            **_actions(found),
            "output": str(found.output),
            "model": found.suggester.extractor.model.name,
            "model_file": str(model_file(found.output)),
            "kinds": [BEST, *KINDS],
            "fewest_pages": FEWEST_PAGES,
            "pages": [{"page": id, "state": found.state(id), "confidence": found.confidence(id)} for id in found.order],
            "next": found.next_page(),
            "problems": found.pages.problems,
        }
    )


@api.get("/page", summary="A page with its blocks, what is suggested and what is labelled")
def page(request: Request, page: Annotated[PageId, Query()]) -> PageBody:
    """Cut a page and return its blocks."""
    found = session_of(request)
    return _page(found, found.view(page))


@api.post("/next", summary="The page to label next")
def next_page(request: Request, asked: NextRequest) -> UndoBody:
    """Return the next page, or the one before or behind another."""
    found = session_of(request)
    return UndoBody.model_validate({**_actions(found), "page": found.next_page(asked.page, step=asked.step)})


@api.post("/mark", summary="Give blocks a role")
def mark(request: Request, asked: MarkRequest) -> PageBody:
    """Give blocks a role, saved before the answer."""
    found = session_of(request)
    return _page(found, found.mark(asked.page, asked.blocks, asked.role))


@api.post("/accept", summary="The page is done: what is suggested for the other blocks counts")
def accept(request: Request, asked: PageRequest) -> UndoBody:
    """Say that a page is done; return the next one."""
    found = session_of(request)
    found.accept(asked.page)
    return UndoBody.model_validate({**_actions(found), "page": found.next_page()})


@api.post("/no-content", summary="The page is done and has no content")
def no_content(request: Request, asked: PageRequest) -> UndoBody:
    """Say that every block of a page is clutter; return the next page."""
    found = session_of(request)
    found.no_content(asked.page)
    return UndoBody.model_validate({**_actions(found), "page": found.next_page()})


@api.post("/set-aside", summary="Put a page off, call it of no use, or open it again")
def set_aside(request: Request, asked: SetAsideRequest) -> UndoBody:
    """Set the state of a page without labelling it; return the next page."""
    found = session_of(request)
    found.set_aside(asked.page, asked.state)
    return UndoBody.model_validate({**_actions(found), "page": found.next_page()})


@api.post("/undo", summary="Take the latest action back")
def undo(request: Request) -> UndoBody:
    """Take the latest action back, whatever page it was on."""
    found = session_of(request)
    page = found.undo()
    return UndoBody.model_validate({**_actions(found), "page": page})


@api.post("/redo", summary="Make an action again that was taken back")
def redo(request: Request) -> UndoBody:
    """Make the action again that was taken back last."""
    found = session_of(request)
    page = found.redo()
    return UndoBody.model_validate({**_actions(found), "page": page})


@api.post("/train", summary="Train a model on the labelled pages")
def train(request: Request, asked: TrainRequest) -> TrainingBody:
    """Start a training; GET training tells how it stands."""
    background_of(request).start_training(asked.kind)
    return _training(request)


@api.post("/train/stop", summary="Stop the training")
def stop(request: Request) -> TrainingBody:
    """Let the training end before its next fit."""
    background_of(request).stop_training()
    return _training(request)


@api.get("/training", summary="How the latest training stands")
def training(request: Request) -> TrainingBody:
    """Return progress, learning curve and result of the latest training."""
    return _training(request)


def _actions(session: LabelSession) -> dict[str, Any]:
    return {"progress": session.progress, "can_undo": session.can_undo, "can_redo": session.can_redo}


def _training(request: Request) -> TrainingBody:
    file = model_file(session_of(request).output)
    return TrainingBody.model_validate({**vars(background_of(request).state), "model_file": str(file)})


def _page(session: LabelSession, view: PageView) -> PageBody:
    cut, blocks = view.cut, view.cut.blocks
    kinds = kinds_of_containers(blocks)
    named = [kinds[container] for container in blocks.container.tolist()]
    columns = zip(
        blocks.texts(),
        blocks.measures.words.tolist(),
        named,
        view.roles,
        cut.suggestion.roles,
        cut.suggestion.chances,
        strict=True,
    )
    return PageBody.model_validate(
        {
            **_actions(session),
            "page": cut.page.id,
            "url": cut.page.url,
            "title": cut.extraction.title,
            "lang": cut.page.lang or cut.extraction.lang,
            "state": view.state,
            "warning": view.warning,
            "confidence": cut.suggestion.confidence,
            "model": cut.extraction.model,
            "blocks": [
                {
                    "index": index,
                    "text": text,
                    "words": words,
                    "kind": kind.name,
                    "level": kind.level,
                    "role": role,
                    "marked": index in view.marked,
                    "suggested": suggested,
                    "chance": round(chance, 3),
                }
                for index, (text, words, kind, role, suggested, chance) in enumerate(columns)
            ],
        }
    )
