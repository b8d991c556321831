"""The live page of a store (``blockfeat monitor serve``): its page, feeds, file and API, and feedback on mentions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI, Form, Query, Request
from pydantic import Field
from starlette.responses import HTMLResponse, RedirectResponse, Response

from blockfeat.errors import InputError
from blockfeat.monitor.feedback import LEAST_JUDGED, accept, proposals
from blockfeat.monitor.feeds.syndication import atom
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.page import FUNCTIONS, evidence_of, newer, page_values
from blockfeat.monitor.reports import Filters, csv_lines, figures, mention_rows
from blockfeat.monitor.store.schema import MENTION_COLUMNS
from blockfeat.monitor.store.store import Store
from blockfeat.web.app import base_app
from blockfeat.web.guard import ServeSettings
from blockfeat.web.problems import PROBLEMS, Problem

_IN_FEEDS, _IN_API = 50, 1000

router = APIRouter()
feedback_router = APIRouter(include_in_schema=False)


def create_live_app(
    store: Store,
    *,
    title: str = "Brand mentions",
    settings: ServeSettings | None = None,
    feedback: bool = False,
    brands: Sequence[Brand] = (),
) -> FastAPI:
    """Return the app of the live page of an open store.

    Parameters
    ----------
    store : Store
        The store that is shown; only feedback changes it.
    title : str
        Heading of the page, and name of its feeds.
    settings : ServeSettings, optional
        Hosts and limits.
    feedback : bool
        Whether mentions can be judged on the page.
    brands : sequence of Brand
        The brands of the configuration, whose words are the starting point of what feedback teaches.
    """
    app = base_app(settings or ServeSettings(), title=title, summary="Mentions of brands, as a monitor finds them.")
    app.state.store = store
    app.state.title = title
    app.state.templates.env.globals |= {**FUNCTIONS, "feedback": feedback}
    app.state.brands = brands
    app.include_router(router)
    if feedback:
        app.include_router(feedback_router)
    return app


class StreamFilters(Filters):
    """Filters, and the mention at which the stream is to be continued: only articles found before it are shown."""

    before: int | None = None


class PagedFilters(Filters):
    """Filters, how many mentions are wanted, and the id of the one behind which they are to be continued."""

    limit: Annotated[int, Field(ge=1, le=_IN_API)] = _IN_API
    before: str | None = None


class NewFilters(Filters):
    """Filters, and the mention after which new ones are counted."""

    after: int = 0


def _page(request: Request, template: str, **values: Any) -> HTMLResponse:
    values["title"] = request.app.state.title
    answer: HTMLResponse = request.app.state.templates.TemplateResponse(request, template, values)
    return answer


@router.get("/", include_in_schema=False)
def live(request: Request, asked: Annotated[StreamFilters, Query()]) -> HTMLResponse:
    """Return the page: the filters, charts of the filtered mentions, and the stream of articles."""
    return _page(request, "live.html", **page_values(request.app.state.store, asked, before=asked.before))


@router.get("/article/{number}", include_in_schema=False)
def article(request: Request, number: int) -> HTMLResponse:
    """Return the evidence for a page's mentions: its blocks coloured as kept or dropped, with the mentions marked."""
    found = evidence_of(request.app.state.store, number)
    if found is None:
        raise Problem(404, f"the store has no page {number}")
    return _page(request, "live_article.html", evidence=found)


@router.get("/mentions.csv", include_in_schema=False)
def mentions_csv(request: Request, filters: Annotated[Filters, Query()]) -> Response:
    """Return the mentions that match the filters as CSV."""
    # All rows at once, so that a slow client holds no transaction open.
    text = "".join(csv_lines(mention_rows(request.app.state.store, filters), MENTION_COLUMNS))
    headers = {"content-disposition": 'attachment; filename="mentions.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/feed.atom", include_in_schema=False)
def feed_atom(request: Request, filters: Annotated[Filters, Query()]) -> Response:
    """Return the latest mentions that match the filters as an Atom feed."""
    base, query = str(request.base_url), filters.query()
    tail = f"?{query}" if query else ""
    names = {"title": filters.named(request.app.state.title), "home": f"{base}{tail}"}
    rows = mention_rows(request.app.state.store, filters, newest=_IN_FEEDS)
    found = atom(rows, address=f"{base}feed.atom{tail}", **names)
    return Response(found, media_type="application/atom+xml; charset=utf-8")


@router.get("/api/v1/mentions", responses={code: PROBLEMS[code] for code in (403, 421, 422, 429)})
def api_mentions(request: Request, response: Response, asked: Annotated[PagedFilters, Query()]) -> list[dict[str, Any]]:
    """Return the latest mentions that match the filters, a thousand at most.

    `X-Total-Count` and `X-Total-Articles` are the numbers of all; the `Link` with `rel="next"` leads to the next ones.
    """
    store: Store = request.app.state.store
    (total,) = figures(store, asked)
    rows = [*mention_rows(store, asked, newest=asked.limit, before=asked.before)]
    response.headers.update({"X-Total-Count": str(total["mentions"]), "X-Total-Articles": str(total["articles"])})
    if len(rows) == asked.limit:
        query = urlencode({"limit": asked.limit, "before": rows[-1]["id"]})
        here = "&".join(filter(None, (asked.query(), query)))
        response.headers["Link"] = f'<{request.url.path}?{here}>; rel="next"'
    return [{**row, "counted": bool(row["counted"])} for row in rows]


@router.get("/api/v1/new", responses={code: PROBLEMS[code] for code in (403, 421, 422, 429)})
def api_new(request: Request, asked: Annotated[NewFilters, Query()]) -> dict[str, int]:
    """Return the number of mentions that match the filters and were found after a given one."""
    return {"new": newer(request.app.state.store, asked, asked.after)}


def _back(where: str) -> Response:
    """Return a redirect to a page of this site."""
    own = where if where.startswith("/") and not where.startswith(("//", "/\\")) else "/"
    return RedirectResponse(own, status_code=303)


@feedback_router.post("/feedback")
def judge(
    request: Request,
    mention: Annotated[str, Form()],
    verdict: Annotated[str, Form()],
    back: Annotated[str, Form()] = "/",
) -> Response:
    """Record a verdict on a mention."""
    try:
        request.app.state.store.judge(mention, verdict, now=time.time())
    except InputError as error:
        raise Problem(422, str(error)) from error
    return _back(back)


@feedback_router.get("/lessons")
def lessons(request: Request) -> HTMLResponse:
    """Return the page of lessons: those that the verdicts suggest, and those accepted."""
    store: Store = request.app.state.store
    accepted = store.lessons()
    return _page(
        request,
        "live_lessons.html",
        judged=store.count_judged(),
        least=LEAST_JUDGED,
        proposals=proposals(store, request.app.state.brands),
        lessons=accepted,
        accepted={subject for _, subject, _ in accepted},
    )


@feedback_router.post("/lessons")
def accept_lesson(
    request: Request,
    subject: Annotated[str, Form()],
    forget: Annotated[bool, Form()] = False,
    back: Annotated[str, Form()] = "/lessons",
) -> Response:
    """Accept a proposal, or forget a lesson."""
    store: Store = request.app.state.store
    if forget:
        store.forget_lesson(subject)
        return _back(back)
    chosen = next((each for each in proposals(store, request.app.state.brands) if each.subject == subject), None)
    if chosen is None:
        raise Problem(422, f"there is no proposal for {subject!r} any more")
    accept(store, chosen, now=time.time())
    return _back(back)
