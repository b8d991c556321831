"""Feedback on the live page (``--feedback``): verdicts on mentions, what they teach, and what was accepted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from blockfeat.errors import InputError
from blockfeat.monitor.learning import LEAST_JUDGED, accept, proposals
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.store.store import Store
from blockfeat.web.problems import Problem

router = APIRouter(include_in_schema=False)


def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


def _brands(request: Request) -> Sequence[Brand]:
    brands: Sequence[Brand] = request.app.state.brands
    return brands


def _back(where: str) -> Response:
    """Return to a page of this site."""
    own = where if where.startswith("/") and not where.startswith(("//", "/\\")) else "/"
    return RedirectResponse(own, status_code=303)


@router.post("/feedback")
def judge(
    request: Request,
    mention: Annotated[str, Form()],
    verdict: Annotated[str, Form()],
    back: Annotated[str, Form()] = "/",
) -> Response:
    """Note a verdict on a mention."""
    try:
        _store(request).judge(mention, verdict, now=time.time())
    except InputError as error:
        raise Problem(422, str(error)) from error
    return _back(back)


@router.get("/lessons")
def lessons(request: Request) -> HTMLResponse:
    """Return what the verdicts teach, and what was accepted."""
    store = _store(request)
    accepted = store.lessons()
    context = {
        "title": request.app.state.title,
        "judged": store.count_judged(),
        "least": LEAST_JUDGED,
        "proposals": proposals(store, _brands(request)),
        "lessons": accepted,
        "accepted": {subject for _, subject, _ in accepted},
    }
    answer: HTMLResponse = request.app.state.templates.TemplateResponse(request, "live_lessons.html", context)
    return answer


@router.post("/lessons")
def accept_lesson(
    request: Request,
    subject: Annotated[str, Form()],
    forget: Annotated[bool, Form()] = False,
    back: Annotated[str, Form()] = "/lessons",
) -> Response:
    """Accept a proposal, or forget a lesson."""
    store = _store(request)
    if forget:
        store.forget_lesson(subject)
        return _back(back)
    chosen = next((each for each in proposals(store, _brands(request)) if each.subject == subject), None)
    if chosen is None:
        raise Problem(422, f"there is no proposal for {subject!r} any more")
    accept(store, chosen, now=time.time())
    return _back(back)
