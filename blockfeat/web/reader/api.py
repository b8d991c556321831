"""The routes of the reader: its JSON API, and its pages."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, cast
from urllib.parse import quote_plus, urlencode

from fastapi import APIRouter, Body, Depends, File, Form, Query, Request, UploadFile
from pydantic import BaseModel, StringConstraints, ValidationError
from starlette.responses import HTMLResponse, RedirectResponse, Response

import blockfeat
from blockfeat.data import demo_pages
from blockfeat.errors import BlockfeatError
from blockfeat.io.outputs import FORMATS
from blockfeat.models import DEFAULT_MODEL
from blockfeat.web.coloured import LOOKS
from blockfeat.web.guard import PAGE_POLICY, frame_policy, network_of
from blockfeat.web.problems import GUARDED, PROBLEMS, Problem, problem_of, reason_of
from blockfeat.web.reader import schemas, tasks
from blockfeat.web.reader.serialise import media_of
from blockfeat.web.reader.service import Service
from blockfeat.web.reader.tasks import LinksOn, PageSource, cleaned_page, colour, read_article

# Long news pages with many menus and teasers.
_EXAMPLES = {"en": "en-harbourledger-1", "de": "de-elbtalbote-1", "ja": "ja-minatodayori-1"}
_LIGHT: dict[int | str, dict[str, Any]] = {**GUARDED, **{status: PROBLEMS[status] for status in (429, 503, 504)}}

router = APIRouter(prefix="/api/v1", tags=["reader"])


async def _service_of(request: Request) -> Service:
    """Return the service of the app that a request came to, for its client."""
    service: Service = request.app.state.service
    return replace(service, client=network_of(request.client.host if request.client else ""))


Asked = Annotated[Service, Depends(_service_of)]
"""Parameter of a route: the service, for the client of the request."""


@router.get("/health", summary="Whether the service runs", responses=GUARDED)
async def health(service: Asked) -> schemas.HealthResponse:
    """Return version and load of the service."""
    jobs, busy = service.settings.jobs, service.workers.busy
    return schemas.HealthResponse(version=blockfeat.__version__, workers=jobs, busy=busy, pages_kept=len(service.kept))


@router.get("/models", summary="The models", responses=_LIGHT)
async def models(service: Asked) -> schemas.ModelsResponse:
    """Return the models that are offered, with their features."""
    described = await service.describe_models()
    return schemas.ModelsResponse.model_validate({"default": DEFAULT_MODEL, "models": described})


@router.get("/options", summary="Formats, and the default settings of the filters", responses=_LIGHT)
async def options(service: Asked) -> schemas.OptionsResponse:
    """Return the formats and other options that can be chosen."""
    formats = [media_of(name) for name in FORMATS]
    return schemas.OptionsResponse.model_validate({"formats": formats, "max_bytes": service.settings.max_bytes})


@router.post("/pages", summary="Keep a page for further requests", responses=PROBLEMS)
async def keep_page(service: Asked, page: schemas.PageInput) -> schemas.KeptResponse:
    """Take a page, or fetch it, and keep it for a while: further requests name it instead of sending it again."""
    return _kept(service, await service.source(html=page.html, url=page.url, page=page.page))


@router.post("/examples/{lang}", summary="Keep a bundled example for further requests", responses=PROBLEMS)
async def keep_example(service: Asked, lang: Literal["en", "de", "ja"]) -> schemas.KeptResponse:
    """Keep the bundled example page of a language for a while."""
    page = next(page for page in demo_pages() if page.id == _EXAMPLES[lang])
    return _kept(service, service.checked(PageSource(page.html, page.url, None, f"{page.id}.html")))


@router.post("/files", summary="Keep a file for further requests", responses=PROBLEMS)
async def keep_file(
    service: Asked,
    file: Annotated[UploadFile, File(description="A page as a file; its encoding is found as a browser does.")],
    url: Annotated[str | None, Form(max_length=8192, description="Its address, where it has one.")] = None,
) -> schemas.KeptResponse:
    """Take a page as a file and keep it for a while."""
    data = await file.read()
    return _kept(service, service.checked(PageSource(data, url or None, None, (file.filename or "")[:255] or None)))


async def _done(service: Service, asked: schemas.PageInput, task: Callable[..., Any], **options: Any) -> Any:
    """Return what a task gives for the page of a request."""
    source = await service.source(html=asked.html, url=asked.url, page=asked.page)
    return await service.do(partial(task, source=source, **options))


@router.post("/extract", summary="The main text of a page, and its record", responses=PROBLEMS)
async def extract(service: Asked, asked: Annotated[schemas.ExtractRequest, Body()]) -> schemas.ExtractResponse:
    """Extract a page: its record, and the main text in every requested format."""
    formats = tuple(dict.fromkeys(asked.formats))
    options = {"links": asked.links, "images": asked.images, "evidence": asked.evidence}
    found = await _done(service, asked, tasks.extract, choices=asked.plain(), formats=formats, **options)
    return schemas.ExtractResponse.model_validate(found)


@router.post("/explain", summary="The blocks of a page with the reasons", responses=PROBLEMS)
async def explain(service: Asked, asked: Annotated[schemas.ExplainRequest, Body()]) -> schemas.ExplainResponse:
    """Extract a page and return each block: kept or dropped, its score, its features, and the reason in words."""
    options = {"choices": asked.plain(), "features": asked.features, "blocks": asked.blocks}
    return schemas.ExplainResponse.model_validate(await _done(service, asked, tasks.explain, **options))


@router.post("/compare", summary="Where two ways to extract a page differ", responses=PROBLEMS)
async def compare(service: Asked, asked: Annotated[schemas.CompareRequest, Body()]) -> schemas.CompareResponse:
    """Extract a page twice and return the blocks about which the two decide differently."""
    options = {"first": asked.first.plain(), "second": asked.second.plain()}
    return schemas.CompareResponse.model_validate(await _done(service, asked, tasks.compare, **options))


@router.post("/clean", summary="A page without clutter, its markup kept", responses=PROBLEMS)
async def clean(service: Asked, asked: Annotated[schemas.CleanRequest, Body()]) -> schemas.CleanResponse:
    """Clean a page by filters, as `blockfeat clean` does."""
    options = {"settings": asked.settings.settings(), "format": asked.format, "sanitise": asked.sanitise}
    return schemas.CleanResponse.model_validate(await _done(service, asked, tasks.clean, **options))


def _kept(service: Service, source: PageSource) -> schemas.KeptResponse:
    page, seconds = service.kept.keep(source), service.settings.kept_seconds
    return schemas.KeptResponse(page=page, url=source.url, name=source.name, bytes=source.size, seconds=seconds)


pages = APIRouter(include_in_schema=False)

_VIEWS = ("article", "clean")


def _check(name: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise Problem(422, f"{name} {value[:50]!r} is unknown; known are {', '.join(known)}")


def _clean_choices(text: str | None) -> schemas.CleanChoices:
    """Read the settings of the filters from a query."""
    try:
        return schemas.CleanChoices.model_validate_json(text) if text else schemas.CleanChoices()
    except ValidationError as error:
        first = error.errors()[0]
        raise Problem(422, f"settings: {'.'.join(map(str, first['loc']))}: {reason_of(first)}") from error


def _page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    return cast("HTMLResponse", request.app.state.templates.TemplateResponse(request, template, values, status))


@pages.get("/")
async def reader(request: Request) -> HTMLResponse:
    """Return the reader; everything it shows comes through the API."""
    return _page(request, "reader.html")


@pages.get("/api")
async def api_reference(request: Request) -> HTMLResponse:
    """Return a page that lists the operations of the API."""
    return _page(request, "api.html", spec=request.app.openapi())


@pages.get("/frame/{page}/coloured")
async def coloured(service: Asked, page: str, choices: Annotated[schemas.FrameChoices, Query()]) -> Response:
    """Return a kept page with its blocks coloured."""
    source = await service.source(page=page)
    task = partial(colour, source=source, choices=choices.plain(), look=choices.look)
    return _framed(await service.do(task), choices.look)


@pages.get("/frame/{page}/clean")
async def cleaned(
    request: Request,
    service: Asked,
    page: str,
    settings: str | None = None,
    look: str = "page",
    read: str | None = None,
) -> Response:
    """Return a kept page cleaned; where ``read`` is given, its links lead to further pages in the reader."""
    source = await service.source(page=page)
    links = None if read is None else LinksOn(source.url or "", _query_of(view="clean", settings=settings, look=look))
    head = request.app.state.templates.get_template("frame_head.html").render()
    cleaning = _clean_choices(settings).settings()
    _check("look", look, LOOKS)
    task = partial(cleaned_page, source=source, settings=cleaning, look=look, links=links, head=head)
    return _framed(await service.do(task), look, leads_on=read is not None)


def _framed(html: str, look: str, *, leads_on: bool = False) -> HTMLResponse:
    sandbox = "allow-top-navigation-by-user-activation" if leads_on else "allow-same-origin"
    return HTMLResponse(html, headers={"content-security-policy": frame_policy(look, sandbox=sandbox)})


def _query_of(**values: Any) -> str:
    """Return the end of a query string, beginning with ``&``, with the values that are not the defaults."""
    given = {name: value for name, value in values.items() if value not in (None, "", "page", "article", False)}
    return f"&{urlencode(given)}" if given else ""


class ReadQuery(BaseModel):
    """The page to read, and the options; wrong values are answered by an error page."""

    url: Annotated[str, StringConstraints(strip_whitespace=True)] = ""
    view: str = "article"
    model: str = "default"
    settings: str = ""
    look: str = "page"
    images: bool = False


@pages.get("/read")
async def read(request: Request, service: Asked, asked: Annotated[ReadQuery, Query()]) -> Response:
    """Return a page to read: the article, or the page cleaned; it works without scripts."""
    if not asked.url:
        return RedirectResponse("/")
    try:
        return await _read(request, service, asked)
    except (BlockfeatError, Problem) as error:
        problem = problem_of(error)
        answer = _page(request, "read_problem.html", problem.status, **asked.model_dump(), problem=problem)
        answer.headers.update(problem.headers)
        return answer


async def _read(request: Request, service: Service, asked: ReadQuery) -> Response:
    _check("view", asked.view, _VIEWS)
    _clean_choices(asked.settings)
    _check("look", asked.look, LOOKS)
    source = await service.source(url=asked.url)
    address = source.url or asked.url
    query = asked.model_dump(include={"model", "settings", "look", "images"})
    query["model"] = None if asked.model == "default" else asked.model
    others = {name: f"/read?url={quote_plus(address)}{_query_of(view=name, **query)}" for name in _VIEWS}
    common = {**asked.model_dump(), "address": address, "views": others, "view_names": _VIEWS}
    if asked.view == "clean":
        shown = {"read": "1", "look": asked.look, **({"settings": asked.settings} if asked.settings else {})}
        frame = f"/frame/{service.kept.keep(source)}/clean?{urlencode(shown)}"
        return _page(request, "read_clean.html", **common, frame=frame)
    links = LinksOn(address, _query_of(view=asked.view, **query))
    # The model's name is not checked here: an unknown one fails where models are looked up.
    choices = replace(schemas.Choices().plain(), model=asked.model)
    found = await service.do(partial(read_article, source=source, choices=choices, links=links, images=asked.images))
    answer = _page(request, "read.html", **common, article=found["body"], record=found["record"])
    if asked.images:
        policy = PAGE_POLICY.replace("img-src 'self' data:", "img-src http: https: data:")
        answer.headers["content-security-policy"] = policy
    return answer
