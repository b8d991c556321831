"""The live page of a store (``blockfeat monitor serve``), and feed, file and API of its filters; these only read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Query, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from blockfeat.monitor.alerts.atom import atom
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.mention import words_for
from blockfeat.monitor.mentions.queries import Query as ArticleQuery
from blockfeat.monitor.store.store import Store
from blockfeat.web.app import base_app
from blockfeat.web.live.charts import columns
from blockfeat.web.live.feedback import router as feedback_router
from blockfeat.web.live.filters import Filters
from blockfeat.web.live.found import choices, evidence_of, newer, overview, rows_of, stream
from blockfeat.web.live.written import around, csv_parts, json_feed, why_not
from blockfeat.web.problems import PROBLEMS, Problem
from blockfeat.web.settings import ServeSettings

_IN_FEEDS, _IN_API = 50, 1000
_MOST_FOUND = 500

router = APIRouter()


def create_live_app(
    store: Store,
    *,
    title: str = "Brand mentions",
    settings: ServeSettings | None = None,
    feedback: bool = False,
    brands: Sequence[Brand] = (),
) -> FastAPI:
    """Return the live page of an open store.

    Parameters
    ----------
    store : Store
        What is shown; nothing of it is changed but by feedback.
    title : str
        Heading of the page, and name of its feeds.
    settings : ServeSettings, optional
        Hosts and limits.
    feedback : bool
        Whether mentions can be judged on the page.
    brands : sequence of Brand
        Those of the configuration, whose words are the start of what is learnt.
    """
    app = base_app(settings or ServeSettings(), title=title, summary="Mentions of brands, as a monitor finds them.")
    app.state.store = store
    app.state.title = title
    app.state.templates.env.globals |= {"around": around, "why_not": why_not, "number": "{:,}".format}
    app.state.templates.env.globals |= {"feedback": feedback, "words_for": words_for}
    app.state.brands = brands
    app.include_router(router)
    if feedback:
        app.include_router(feedback_router)
    return app


class StreamFilters(Filters):
    """Filters, and where the articles that are asked for begin: mentions found before this one."""

    before: int | None = None


class NewFilters(Filters):
    """Filters, and the mention after which new ones are counted."""

    after: int = 0


def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


def _chosen(store: Store, filters: Filters) -> Filters:
    """Return filters with the pages that fulfil their query, the newest of them."""
    if not filters.words:
        return filters
    found = store.articles(ArticleQuery.parse(filters.words), limit=_MOST_FOUND)
    return filters.with_pages(row["id"] for row in found)


@router.get("/", include_in_schema=False)
def live(request: Request, asked: Annotated[StreamFilters, Query()]) -> HTMLResponse:
    """Return the page: filters, charts that answer to them, the stream of articles."""
    store = _store(request)
    filters = _chosen(store, Filters.model_validate(asked.model_dump(exclude={"before"})))
    found = stream(store, filters, before=asked.before)
    numbers = overview(store, filters, today=datetime.now(UTC).date()) if asked.before is None else None
    context: dict[str, Any] = {
        "title": request.app.state.title,
        "filters": filters,
        "choices": choices(store),
        "stream": found,
        "overview": numbers,
        "is_first": asked.before is None,
    }
    if numbers is not None:
        step, steps, series, before = numbers.series
        links = [f"/?{filters.query(since=first, until=last)}" for first, last in _spans(step, steps, numbers.until)]
        context |= {"step": step, "steps": steps, "series": series}
        context["chart"] = columns(steps, series, before, links=links)
    answer: HTMLResponse = request.app.state.templates.TemplateResponse(request, "live.html", context)
    return answer


def _spans(step: str, steps: list[str], until: date) -> Iterator[tuple[str, str]]:
    """Yield first and last day of each step."""
    starts = [*map(date.fromisoformat, steps)]
    for start, following in zip(starts, [*starts[1:], until + timedelta(days=1)], strict=True):
        last = start if step == "day" else following - timedelta(days=1)
        yield start.isoformat(), last.isoformat()


@router.get("/article/{number}", include_in_schema=False)
def article(request: Request, number: int) -> HTMLResponse:
    """Return a page's blocks in the colours of what was kept and dropped, its mentions marked: their evidence."""
    found = evidence_of(_store(request), number)
    if found is None:
        raise Problem(404, f"the store has no page {number}")
    context = {"title": request.app.state.title, "evidence": found}
    answer: HTMLResponse = request.app.state.templates.TemplateResponse(request, "live_article.html", context)
    return answer


@router.get("/mentions.csv", include_in_schema=False)
def mentions_csv(request: Request, filters: Annotated[Filters, Query()]) -> Response:
    """Return the mentions of some filters as CSV."""
    parts = csv_parts(rows_of(_store(request), _chosen(_store(request), filters)))
    headers = {"content-disposition": 'attachment; filename="mentions.csv"'}
    return StreamingResponse(parts, media_type="text/csv; charset=utf-8", headers=headers)


def _feed_of(request: Request, filters: Filters, name: str) -> tuple[list[Any], dict[str, str]]:
    """Return the latest mentions, and title and addresses of a feed of them."""
    base, query = str(request.base_url), filters.query()
    tail = f"?{query}" if query else ""
    names = ", ".join([*filters.brand, *filters.lang])
    title = f"{request.app.state.title}: {names}" if names else request.app.state.title
    rows = list(rows_of(_store(request), _chosen(_store(request), filters), limit=_IN_FEEDS))
    return rows, {"title": title, "home": f"{base}{tail}", "address": f"{base}{name}{tail}"}


@router.get("/feed.atom", include_in_schema=False)
def feed_atom(request: Request, filters: Annotated[Filters, Query()]) -> Response:
    """Return the latest mentions of some filters as an Atom feed."""
    rows, names = _feed_of(request, filters, "feed.atom")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Response(atom(rows, updated=now, **names), media_type="application/atom+xml; charset=utf-8")


@router.get("/feed.json", include_in_schema=False)
def feed_json(request: Request, filters: Annotated[Filters, Query()]) -> Response:
    """Return the latest mentions of some filters as a JSON Feed."""
    rows, names = _feed_of(request, filters, "feed.json")
    return JSONResponse(json_feed(rows, **names), media_type="application/feed+json")


@router.get("/api/v1/mentions", responses={code: PROBLEMS[code] for code in (403, 421, 422, 429)})
def api_mentions(request: Request, filters: Annotated[Filters, Query()]) -> list[dict[str, Any]]:
    """Return the latest mentions of some filters, a thousand at most."""
    hidden = {"number", "story", "page", "counted", "copied", "counts", "because", "verdict"}
    return [
        {name: value for name, value in row.items() if name not in hidden}
        | {"counted": bool(row["counts"]), "not_counted_because": why_not(row) or None}
        for row in rows_of(_store(request), _chosen(_store(request), filters), limit=_IN_API)
    ]


@router.get("/api/v1/new", responses={code: PROBLEMS[code] for code in (403, 421, 422, 429)})
def api_new(request: Request, asked: Annotated[NewFilters, Query()]) -> dict[str, int]:
    """Return how many mentions of some filters were found after one."""
    filters = Filters.model_validate(asked.model_dump(exclude={"after"}))
    return {"new": newer(_store(request), _chosen(_store(request), filters), asked.after)}
