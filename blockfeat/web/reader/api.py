"""The JSON API of the reader."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, File, Form, Request, UploadFile

import blockfeat
from blockfeat.data.corpus import demo_pages
from blockfeat.io.outputs import FORMATS
from blockfeat.models.store import DEFAULT_MODEL
from blockfeat.web.guard import network_of
from blockfeat.web.problems import GUARDED, PROBLEMS
from blockfeat.web.reader import tasks
from blockfeat.web.reader.described import media_of
from blockfeat.web.reader.kept import PageSource
from blockfeat.web.reader.schemas import (
    CleanRequest,
    CleanResponse,
    CompareRequest,
    CompareResponse,
    ExplainRequest,
    ExplainResponse,
    ExtractRequest,
    ExtractResponse,
    HealthResponse,
    KeptResponse,
    ModelsResponse,
    OptionsResponse,
    PageInput,
)
from blockfeat.web.reader.service import Service

# Long news pages with much around them.
_EXAMPLES = {"en": "en-harbourledger-1", "de": "de-elbtalbote-1", "ja": "ja-minatodayori-1"}
_LIGHT: dict[int | str, dict[str, Any]] = {**GUARDED, **{status: PROBLEMS[status] for status in (429, 503, 504)}}

router = APIRouter(prefix="/api/v1", tags=["reader"])


async def _service_of(request: Request) -> Service:
    """Return the service of the app that a request came to, for its client."""
    service: Service = request.app.state.service
    return service.of_client(network_of(request.client.host if request.client else ""))


Asked = Annotated[Service, Depends(_service_of)]
"""Parameter of a route: the service, for the client of the request."""


@router.get("/health", summary="Whether the service runs", responses=GUARDED)
async def health(service: Asked) -> HealthResponse:
    """Return version and load of the service."""
    return HealthResponse(
        version=blockfeat.__version__,
        workers=service.settings.jobs,
        busy=service.workers.busy,
        pages_kept=len(service.kept),
    )


@router.get("/models", summary="The models", responses=_LIGHT)
async def models(service: Asked) -> ModelsResponse:
    """Return the models that are offered, with their features."""
    described = await service.describe_models()
    return ModelsResponse.model_validate({"default": DEFAULT_MODEL, "models": described})


@router.get("/options", summary="Formats, and the default settings of the filters", responses=_LIGHT)
async def options(service: Asked) -> OptionsResponse:
    """Return what else can be chosen."""
    formats = [media_of(name) for name in FORMATS]
    return OptionsResponse.model_validate({"formats": formats, "max_bytes": service.settings.max_bytes})


@router.post("/pages", summary="Keep a page for further requests", responses=PROBLEMS)
async def keep_page(service: Asked, page: PageInput) -> KeptResponse:
    """Take a page, or fetch it, and keep it for a while: further requests name it instead of sending it again."""
    return _kept(service, await service.source(html=page.html, url=page.url, page=page.page))


@router.post("/examples/{lang}", summary="Keep a bundled example for further requests", responses=PROBLEMS)
async def keep_example(service: Asked, lang: Literal["en", "de", "ja"]) -> KeptResponse:
    """Take one of the pages that come with blockfeat, in a language, and keep it for a while."""
    page = next(page for page in demo_pages() if page.id == _EXAMPLES[lang])
    return _kept(service, service.checked(PageSource(page.html, page.url, None, f"{page.id}.html")))


@router.post("/files", summary="Keep a file for further requests", responses=PROBLEMS)
async def keep_file(
    service: Asked,
    file: Annotated[UploadFile, File(description="A page as a file; its encoding is found as a browser does.")],
    url: Annotated[str | None, Form(max_length=8192, description="Its address, where it has one.")] = None,
) -> KeptResponse:
    """Take a page as a file and keep it for a while."""
    data = await file.read()
    return _kept(service, service.checked(PageSource(data, url or None, None, (file.filename or "")[:255] or None)))


@router.post("/extract", summary="The main text of a page, and its record", responses=PROBLEMS)
async def extract(service: Asked, asked: Annotated[ExtractRequest, Body()]) -> ExtractResponse:
    """Extract a page: its record, and the main text in every format that is asked for."""
    source = await service.source(html=asked.html, url=asked.url, page=asked.page)
    task = partial(
        tasks.extract,
        source=source,
        choices=asked.plain(),
        formats=tuple(dict.fromkeys(asked.formats)),
        links=asked.links,
        images=asked.images,
        evidence=asked.evidence,
    )
    return ExtractResponse.model_validate(await service.do(task))


@router.post("/explain", summary="The blocks of a page with the reasons", responses=PROBLEMS)
async def explain(service: Asked, asked: Annotated[ExplainRequest, Body()]) -> ExplainResponse:
    """Extract a page and return each block: kept or dropped, its score, its features, and the reason in words."""
    source = await service.source(html=asked.html, url=asked.url, page=asked.page)
    choices = asked.plain()
    task = partial(tasks.explain, source=source, choices=choices, features=asked.features, blocks=asked.blocks)
    return ExplainResponse.model_validate(await service.do(task))


@router.post("/compare", summary="Where two ways to extract a page differ", responses=PROBLEMS)
async def compare(service: Asked, asked: Annotated[CompareRequest, Body()]) -> CompareResponse:
    """Extract a page twice and return the blocks about which the two decide differently."""
    source = await service.source(html=asked.html, url=asked.url, page=asked.page)
    task = partial(tasks.compare, source=source, first=asked.first.plain(), second=asked.second.plain())
    return CompareResponse.model_validate(await service.do(task))


@router.post("/clean", summary="A page without clutter, its markup kept", responses=PROBLEMS)
async def clean(service: Asked, asked: Annotated[CleanRequest, Body()]) -> CleanResponse:
    """Clean a page by filters, as `blockfeat clean` does."""
    source = await service.source(html=asked.html, url=asked.url, page=asked.page)
    settings = asked.settings.settings()
    task = partial(tasks.clean, source=source, settings=settings, format=asked.format, sanitise=asked.sanitise)
    return CleanResponse.model_validate(await service.do(task))


def _kept(service: Service, source: PageSource) -> KeptResponse:
    return KeptResponse(
        page=service.kept.keep(source),
        url=source.url,
        name=source.name,
        bytes=source.size,
        seconds=service.settings.kept_seconds,
    )
