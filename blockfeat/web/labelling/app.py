"""The application of a labelling session: its page, the coloured pages for the frame, its API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse

from blockfeat.blocks import kinds_of_blocks
from blockfeat.data import ROLES
from blockfeat.web.app import base_app
from blockfeat.web.coloured import analysis_of, coloured_page, head_styles
from blockfeat.web.guard import ServeSettings, frame_policy
from blockfeat.web.labelling.background import Background, model_file, training_lacks
from blockfeat.web.labelling.curve import BEST, FEWEST_PAGES, KINDS, PAGES_OF_A_SITE, RULES
from blockfeat.web.labelling.session import LabelSession, PageView
from blockfeat.web.problems import GUARDED, PROBLEMS

Role = Literal["content", "headline", "byline", "caption", "clutter"]
PageId = Annotated[str, Field(max_length=8192, description="Id of a page of the session.")]


class _Strict(BaseModel):
    """A body of a request; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class PageRequest(_Strict):
    """An action on a page."""

    page: PageId


class MarkRequest(PageRequest):
    """Blocks that are given a role; null removes the labeller's role, so that the suggestion applies again."""

    blocks: Annotated[list[int], Field(min_length=1, max_length=100_000, description="Numbers of blocks, from 0.")]
    role: Role | None


class SetAsideRequest(PageRequest):
    """A page that is put off, of no use, or opened again."""

    state: Literal["skipped", "bad", "open"]


class NextRequest(_Strict):
    """The page to go to: the first open one, or the one before or after another in the order of the session."""

    page: Annotated[str | None, Field(max_length=8192)] = None
    step: Literal[-1, 1] = 1


class TrainRequest(_Strict):
    """The kind of model to train, or the one that is best on held-out pages."""

    kind: Literal["best", "thresholds", "margin", "rules"] = "best"


Answer = dict[str, Any]
"""What the page's own scripts get: the state of the session, and what they have asked for."""

_SUMMARY = "Labels the blocks of pages, and trains models on them."
_ANSWERS: dict[int | str, dict[str, Any]] = {**GUARDED, **{status: PROBLEMS[status] for status in (400, 413, 422)}}

api = APIRouter(prefix="/api/v1/label", tags=["labelling"], responses=_ANSWERS)
pages = APIRouter(include_in_schema=False)


def create_label_app(session: LabelSession, settings: ServeSettings) -> FastAPI:
    """Return the app of a session: its labelling page, and its API under ``/api/v1/label``.

    Parameters
    ----------
    session : LabelSession
        An open session, which the caller closes after the app has ended.
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
    app.state.background = background
    app.include_router(api)
    app.include_router(pages)
    return app


async def _background_of(request: Request) -> Background:
    return cast("Background", request.app.state.background)


Work = Annotated[Background, Depends(_background_of)]


async def _session_of(work: Work) -> LabelSession:
    return work.session


Session = Annotated[LabelSession, Depends(_session_of)]


@pages.get("/")
async def label_page(request: Request) -> HTMLResponse:
    """Return the labelling page; everything it shows comes through the API."""
    return cast("HTMLResponse", request.app.state.templates.TemplateResponse(request, "label.html", {"roles": ROLES}))


@pages.get("/label/frame")
def frame(
    session: Session, page: Annotated[str, Query(max_length=8192)], look: Literal["plain", "page", "web"] = "page"
) -> HTMLResponse:
    """Return a page with its blocks coloured by role, for the sandboxed frame."""
    view = session.view(page)
    parsed, stored = analysis_of(view.cut.extraction).choice.page, view.cut.page
    given = {
        "styles": head_styles(stored.html, url=stored.url, look=look),
        "style_sheet": files("blockfeat.web").joinpath("static", "label_frame.css").read_text(encoding="utf-8"),
    }
    marked = {block: {"data-marked": ""} for block in view.marked}
    html = coloured_page(parsed, view.cut.blocks, view.roles, **given, look=look, attributes=marked)
    return HTMLResponse(html, headers={"content-security-policy": frame_policy(look)})


# Plain functions: FastAPI runs them in threads, and the session is thread-safe.


@api.get("/session", summary="The session and its pages, in the order in which to label them")
def session(session: Session) -> Answer:
    """Return the session, its progress and its pages."""
    offers_rules = max(session.labelled_hosts().values(), default=0) >= PAGES_OF_A_SITE
    return {
        **_actions(session),
        "output": str(session.output),
        "model": session.suggester.extractor.model.name,
        "model_file": str(model_file(session.output)),
        "kinds": [*([RULES] if offers_rules else []), BEST, *KINDS],
        "fewest_pages": FEWEST_PAGES,
        "training_lacks": training_lacks(),
        "pages": [
            {"page": id, "state": session.state(id), "confidence": session.confidence(id)} for id in session.order
        ],
        "next": session.next_page(),
        "problems": session.pages.problems,
    }


@api.get("/page", summary="A page with its blocks, what is suggested and what is labelled")
def page(session: Session, page: Annotated[PageId, Query()]) -> Answer:
    """Cut a page and return its blocks."""
    return _page(session, session.view(page))


@api.post("/next", summary="The page to label next")
def next_page(session: Session, asked: NextRequest) -> Answer:
    """Return the next page, or the one before or after another."""
    return {**_actions(session), "page": session.next_page(asked.page, step=asked.step)}


@api.post("/mark", summary="Give blocks a role")
def mark(session: Session, asked: MarkRequest) -> Answer:
    """Give blocks a role, saved before the answer."""
    return _page(session, session.mark(asked.page, asked.blocks, asked.role))


@api.post("/accept", summary="The page is done: what is suggested for the other blocks counts")
def accept(session: Session, asked: PageRequest) -> Answer:
    """Mark a page as done; return the next one, and the site if it has enough labelled pages now for rules."""
    session.accept(asked.page)
    host = session.pages.hosts[asked.page]
    offer = {"rules_for": host} if session.labelled_hosts()[host] == PAGES_OF_A_SITE else {}
    return {**_actions(session), "page": session.next_page(), **offer}


@api.post("/no-content", summary="The page is done and has no content")
def no_content(session: Session, asked: PageRequest) -> Answer:
    """Mark every block of a page as clutter; return the next page."""
    session.accept(asked.page, has_content=False)
    return {**_actions(session), "page": session.next_page()}


@api.post("/set-aside", summary="Put a page off, call it of no use, or open it again")
def set_aside(session: Session, asked: SetAsideRequest) -> Answer:
    """Set the state of a page without labelling it; return the next page."""
    session.set_aside(asked.page, asked.state)
    return {**_actions(session), "page": session.next_page()}


@api.post("/undo", summary="Take the latest action back")
def undo(session: Session) -> Answer:
    """Undo the latest action, whatever page it was on."""
    return {"page": session.undo(), **_actions(session)}


@api.post("/redo", summary="Make an action again that was taken back")
def redo(session: Session) -> Answer:
    """Redo the action that was undone last."""
    return {"page": session.redo(), **_actions(session)}


@api.post("/train", summary="Train a model on the labelled pages")
def train(work: Work, asked: TrainRequest) -> Answer:
    """Start a training; GET training returns its state."""
    work.start_training(asked.kind)
    return _training(work)


@api.post("/train/stop", summary="Stop the training")
def stop(work: Work) -> Answer:
    """Stop the training before its next fit."""
    work.stop_training()
    return _training(work)


@api.get("/training", summary="How the latest training stands")
def training(work: Work) -> Answer:
    """Return progress, learning curve and result of the latest training."""
    return _training(work)


def _actions(session: LabelSession) -> dict[str, Any]:
    return {"progress": session.progress, "can_undo": session.can_undo, "can_redo": session.can_redo}


def _training(work: Background) -> Answer:
    state, result = work.state, work.state.result
    file = model_file(work.session.output, result.kind if result else BEST)
    return {**vars(state), "result": result and result.to_dict(), "model_file": str(file)}


def _page(session: LabelSession, view: PageView) -> Answer:
    cut, blocks, offered = view.cut, view.cut.blocks, view.cut.suggestion
    texts, words = blocks.texts(), blocks.measures.words.tolist()
    columns = zip(texts, words, kinds_of_blocks(blocks), view.roles, offered.roles, offered.chances, strict=True)
    return {
        **_actions(session),
        "page": cut.page.id,
        "url": cut.page.url,
        "title": cut.extraction.title,
        "lang": cut.page.lang or cut.extraction.lang,
        "state": view.state,
        "warning": view.warning,
        "confidence": offered.confidence,
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
