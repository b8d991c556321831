"""The pages of the reader."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote_plus, urlencode

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, StringConstraints, ValidationError
from starlette.responses import HTMLResponse, RedirectResponse, Response

from blockfeat.errors import BlockfeatError
from blockfeat.web.coloured import LOOKS
from blockfeat.web.guard import PAGE_POLICY, frame_policy
from blockfeat.web.problems import Problem, problem_of, reason_of
from blockfeat.web.reader.api import Asked
from blockfeat.web.reader.schemas import Choices, CleanChoices, FrameChoices
from blockfeat.web.reader.service import Service
from blockfeat.web.reader.tasks import LinksOn, cleaned_page, colour, read_article

router = APIRouter(include_in_schema=False)

_VIEWS = ("article", "clean")


def _look(look: str) -> str:
    if look not in LOOKS:
        raise Problem(422, f"look {look[:50]!r} is unknown; known are {', '.join(LOOKS)}")
    return look


def _clean_choices(text: str | None) -> CleanChoices:
    """Read the settings of the filters from a query."""
    try:
        return CleanChoices.model_validate_json(text) if text else CleanChoices()
    except ValidationError as error:
        first = error.errors()[0]
        raise Problem(422, f"settings: {'.'.join(map(str, first['loc']))}: {reason_of(first)}") from error


@router.get("/")
async def reader(request: Request) -> HTMLResponse:
    """Return the reader; everything it shows comes through the API."""
    answer: HTMLResponse = request.app.state.templates.TemplateResponse(request, "reader.html")
    return answer


@router.get("/api")
async def api_reference(request: Request) -> HTMLResponse:
    """Return a page that lists the operations of the API."""
    spec = request.app.openapi()
    answer: HTMLResponse = request.app.state.templates.TemplateResponse(request, "api.html", {"spec": spec})
    return answer


@router.get("/frame/{page}/coloured")
async def coloured(service: Asked, page: str, choices: Annotated[FrameChoices, Query()]) -> Response:
    """Return a kept page with its blocks coloured."""
    source = await service.source(page=page)
    task = partial(colour, source=source, choices=choices.plain(), look=choices.look)
    return _framed(await service.do(task), choices.look)


@router.get("/frame/{page}/clean")
async def cleaned(
    request: Request,
    service: Asked,
    page: str,
    settings: str | None = None,
    look: str = "page",
    read: str | None = None,
) -> Response:
    """Return a kept page cleaned; its links lead on through the reader where ``read`` has the rest of their query."""
    source = await service.source(page=page)
    links = None if read is None else LinksOn(source.url or "", _query_of(view="clean", settings=settings, look=look))
    head = request.app.state.templates.get_template("frame_head.html").render()
    cleaning = _clean_choices(settings).settings()
    task = partial(cleaned_page, source=source, settings=cleaning, look=_look(look), links=links, head=head)
    return _framed(await service.do(task), look, leads_on=read is not None)


def _framed(html: str, look: str, *, leads_on: bool = False) -> HTMLResponse:
    sandbox = "allow-top-navigation-by-user-activation" if leads_on else "allow-same-origin"
    return HTMLResponse(html, headers={"content-security-policy": frame_policy(look, sandbox=sandbox)})


def _query_of(**values: Any) -> str:
    """Return the rest of a query that names what is not as usual."""
    given = {name: value for name, value in values.items() if value not in (None, "", "page", "article", False)}
    return f"&{urlencode(given)}" if given else ""


class ReadQuery(BaseModel):
    """What is read, and how; values that are wrong are told on a page."""

    url: Annotated[str, StringConstraints(strip_whitespace=True)] = ""
    view: str = "article"
    model: str = "default"
    settings: str = ""
    look: str = "page"
    images: bool = False


@router.get("/read")
async def read(request: Request, service: Asked, asked: Annotated[ReadQuery, Query()]) -> Response:
    """Return a page to read: the article, or the page cleaned; it works without scripts."""
    if not asked.url:
        return RedirectResponse("/")
    try:
        return await _read(request, service, asked)
    except (BlockfeatError, Problem) as error:
        problem = problem_of(error) if isinstance(error, BlockfeatError) else error
        context = {**asked.model_dump(), "problem": problem}
        answer: HTMLResponse = request.app.state.templates.TemplateResponse(
            request, "read_problem.html", context, problem.status, problem.headers
        )
        return answer


async def _read(request: Request, service: Service, asked: ReadQuery) -> Response:
    templates = request.app.state.templates
    if asked.view not in _VIEWS:
        raise Problem(422, f"view {asked.view[:50]!r} is unknown; known are {', '.join(_VIEWS)}")
    _clean_choices(asked.settings)
    look = _look(asked.look)
    source = await service.source(url=asked.url)
    address = source.url or asked.url
    query = asked.model_dump(include={"model", "settings", "look", "images"})
    query["model"] = None if asked.model == "default" else asked.model
    others = {name: f"/read?url={quote_plus(address)}{_query_of(view=name, **query)}" for name in _VIEWS}
    common = {**asked.model_dump(), "address": address, "views": others, "view_names": _VIEWS}
    answer: HTMLResponse
    if asked.view == "clean":
        shown = {"read": "1", "look": look, **({"settings": asked.settings} if asked.settings else {})}
        frame = f"/frame/{service.kept.keep(source)}/clean?{urlencode(shown)}"
        answer = templates.TemplateResponse(request, "read_clean.html", {**common, "frame": frame})
        return answer
    links = LinksOn(address, _query_of(view=asked.view, **query))
    # The model's name as it came, however long: that there is none of it is found out where models are looked up.
    choices = replace(Choices().plain(), model=asked.model)
    found = await service.do(partial(read_article, source=source, choices=choices, links=links, images=asked.images))
    context = {**common, "article": found["body"], "record": found["record"]}
    answer = templates.TemplateResponse(request, "read.html", context)
    if asked.images:
        answer.headers["content-security-policy"] = PAGE_POLICY.replace(
            "img-src 'self' data:", "img-src http: https: data:"
        )
    return answer
