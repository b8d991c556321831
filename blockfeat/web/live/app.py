"""The live page of a store (``blockfeat monitor serve``): its page, feeds, file and API, and feedback on mentions."""

from __future__ import annotations

import base64
import hmac
import logging
import math
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from threading import Lock
from typing import Annotated, Any, TypeVar, cast
from urllib.parse import urlencode
from zlib import crc32

from fastapi import APIRouter, Depends, FastAPI, Form, Query, Request
from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.exposition import choose_encoder
from pydantic import Field
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from blockfeat.errors import StoreError
from blockfeat.monitor.config import SavedView
from blockfeat.monitor.feedback import LEAST_JUDGED, accept, proposals
from blockfeat.monitor.feeds.syndication import atom
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.page import FUNCTIONS, evidence_of, newer, page_values
from blockfeat.monitor.reports import Filters, csv_lines, figures, mention_rows
from blockfeat.monitor.store.runs import is_password
from blockfeat.monitor.store.schema import MENTION_COLUMNS
from blockfeat.monitor.store.store import Store
from blockfeat.web.app import base_app
from blockfeat.web.guard import Rate, ServeSettings
from blockfeat.web.problems import PROBLEMS, Problem

_IN_FEEDS, _IN_API, _IN_STATUS = 50, 1000, 100
_TRIES_A_MINUTE, _SECONDS_LOGGED_IN = 5, 30 * 86_400

Asked = TypeVar("Asked", bound=Filters)


class Access:
    """Who sees the live page: whoever has its password, which is in the store, or has logged in with it.

    Parameters
    ----------
    store : Store
        The store.
    is_open : bool
        Whether everybody sees the page where no password is set.
    """

    def __init__(self, store: Store, *, is_open: bool) -> None:
        self._store, self._is_open = store, is_open
        # Tickets are of this process: who reads the store cannot make any.
        self._key = secrets.token_bytes(32)
        self.cookie = f"blockfeat_{crc32(store.name.encode()):08x}"  # other ports of this host get it, too
        self._right = ""
        self._tries = Rate(_TRIES_A_MINUTE)
        self._counting, self._one_at_a_time = Lock(), Lock()

    def _signed(self, text: str) -> str:
        return hmac.new(self._key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()

    def admits(self, request: Request) -> bool:
        """Return whether a request may see the page; raise Problem for too many tries."""
        stored = self._store.password_hash()
        if stored is None:
            return self._is_open
        end, _, sign = request.cookies.get(self.cookie, "").partition(".")
        if re.fullmatch(r"\d{1,12}", end) and int(end) > time.time() and _same(sign, self._signed(f"{end} {stored}")):
            request.state.has_logged_in = True
            return True
        given = _password_of(request)
        return given is not None and self.ticket(request, given) is not None

    def ticket(self, request: Request, password: str) -> str | None:
        """Return the value of the cookie for a password; None where it is wrong.

        Raises
        ------
        Problem
            The client has tried too often.
        """
        stored = self._store.password_hash()
        if stored is None:
            return None
        sign = self._signed(f"{password} {stored}")
        is_known = _same(sign, self._right)  # programs send it with each request
        with self._counting:
            # Where too many were wrong the right one is refused, too: else one could go on guessing.
            wait = self._tries.wait(request.client.host if request.client else "", cost=0.0 if is_known else 1.0)
        if wait > 0:
            raise Problem(429, "too many tries; wait a little", headers={"Retry-After": str(math.ceil(wait))})
        if not is_known:
            with self._one_at_a_time:
                if not is_password(password, stored):
                    return None
            self._right = sign
        end = int(time.time()) + _SECONDS_LOGGED_IN
        return f"{end}.{self._signed(f'{end} {stored}')}"


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode())


def _password_of(request: Request) -> str | None:
    """Return the password that a program sends: as a bearer's token, or with any user name, as readers of feeds do."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    sent = value.strip().encode("latin-1", "replace")
    try:
        if scheme.lower() == "basic":
            sent = base64.b64decode(sent, validate=True).partition(b":")[2]
    except ValueError:
        return ""
    return sent.decode("utf-8", "replace") if scheme.lower() in ("bearer", "basic") else None


def admitted(request: Request) -> None:
    """Raise Problem for a request that may not see the page: browsers are led to where one logs in."""
    if request.app.state.access.admits(request):
        return
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        back = urlencode({"back": request.url.path + (request.url.query and f"?{request.url.query}")})
        raise Problem(303, "log in first", headers={"Location": f"/login?{back}"})
    detail = "the password is missing or wrong: send 'Authorization: Bearer PASSWORD'"
    raise Problem(401, detail, headers={"WWW-Authenticate": "Bearer"})


_ANSWERS: dict[int | str, dict[str, Any]] = {code: PROBLEMS[code] for code in (403, 421, 422, 429, 503)}
_ANSWERS[401] = PROBLEMS[403] | {"description": "The password is missing or wrong."}
router = APIRouter(dependencies=[Depends(admitted)])
feedback_router = APIRouter(include_in_schema=False, dependencies=[Depends(admitted)])
door = APIRouter(include_in_schema=False)


def create_live_app(
    store: Store,
    *,
    title: str = "Brand mentions",
    settings: ServeSettings | None = None,
    feedback: bool = False,
    brands: Sequence[Brand] = (),
    views: Sequence[SavedView] = (),
    is_open: bool = True,
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
    views : sequence of SavedView
        Filters that can be asked for by name.
    is_open : bool
        Whether everybody who reaches the page sees it while the store has no password.
    """
    app = base_app(settings or ServeSettings(), title=title, summary="Mentions of brands, as a monitor finds them.")
    app.state.store = store
    app.state.title = title
    app.state.templates.env.globals |= {**FUNCTIONS, "feedback": feedback, "title": title, "views": views}
    app.state.brands, app.state.views = brands, views
    app.state.access = Access(store, is_open=is_open)
    app.include_router(router)
    app.include_router(door)
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


def _asked(request: Request, filters: Asked) -> Asked:
    """Return filters, with those of the saved view that they name."""
    return filters.with_view(request.app.state.views, today=request.app.state.store.today(now=time.time()))


def _page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    return cast("HTMLResponse", request.app.state.templates.TemplateResponse(request, template, values, status))


@door.get("/login")
def login(request: Request, back: str = "/", again: bool = False) -> Response:
    """Return the page on which one logs in; without ``again`` it asks for itself once more.

    A browser does not send the cookie where a link of another site led, but for a page of this site it does.
    """
    if request.app.state.access.admits(request):
        return _back(back)
    once_more = None if again else f"/login?{urlencode({'back': back, 'again': True})}"
    return _page(request, "live_login.html", 401, back=back, once_more=once_more)


@door.post("/login")
def log_in(request: Request, password: Annotated[str, Form()] = "", back: Annotated[str, Form()] = "/") -> Response:
    """Let a browser in."""
    access: Access = request.app.state.access
    ticket = access.ticket(request, password)
    if ticket is None:
        return _page(request, "live_login.html", 401, back=back, is_wrong=True)
    answer = _back(back)
    safe: dict[str, Any] = {"httponly": True, "samesite": "strict", "secure": request.url.scheme == "https"}
    answer.set_cookie(access.cookie, ticket, max_age=_SECONDS_LOGGED_IN, **safe)
    return answer


@door.post("/logout")
def log_out(request: Request) -> Response:
    """Let a browser forget that it has logged in."""
    answer = _back("/login?again=true")
    answer.delete_cookie(request.app.state.access.cookie)
    return answer


@door.get("/healthz")
def healthz(request: Request) -> Response:
    """Return whether the monitor is at work, and else the reason, to everybody."""
    try:
        trouble = request.app.state.store.trouble(now=time.time())
    except StoreError as error:
        logging.getLogger("blockfeat.web.live").error("%s", error)
        trouble = "the store cannot be read"
    return PlainTextResponse(f"{trouble or 'ok'}\n", 503 if trouble else 200)


@router.get("/status", include_in_schema=False)
def status(request: Request) -> HTMLResponse:
    """Return the page that shows how the monitor is."""
    return _page(request, "live_status.html", found=request.app.state.store.status(now=time.time(), limit=_IN_STATUS))


@router.get("/metrics", include_in_schema=False)
def metrics(request: Request) -> Response:
    """Return the numbers of the status as Prometheus reads them."""
    registry, found = CollectorRegistry(), request.app.state.store.status(now=time.time(), limit=_IN_STATUS)
    numbers: dict[str, float] = {name: value for name, value in asdict(found).items() if isinstance(value, int)}
    numbers["healthy"] = not found.trouble
    if found.alive_at:
        numbers["alive_timestamp_seconds"] = _seconds(found.alive_at)
    for name, number in numbers.items():
        Gauge(f"blockfeat_{name}", name.replace("_", " "), registry=registry).set(number)
    since = {feed["url"]: _seconds(feed["failing_since"]) for feed in found.failing_feeds if feed["failing_since"]}
    by_label: dict[tuple[str, str], Mapping[str, float]] = {
        ("feed_failing_since_timestamp_seconds", "feed"): since,
        ("pages", "status"): found.pages,
        ("deliveries_waiting", "receiver"): {sink["name"]: sink["pending"] for sink in found.sinks},
        ("deliveries_given_up", "receiver"): {dead["sink"]: dead["number"] for dead in found.dead_letters},
    }
    for (name, label), values in by_label.items():
        gauge = Gauge(f"blockfeat_{name}", f"by {label}", [label], registry=registry)
        for value in values:
            gauge.labels(value).set(values[value])
    encode, media_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(registry), media_type=media_type)


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


@router.get("/", include_in_schema=False)
def live(request: Request, asked: Annotated[StreamFilters, Query()]) -> HTMLResponse:
    """Return the page: the filters, charts of the filtered mentions, and the stream of articles."""
    store, asked = request.app.state.store, _asked(request, asked)
    trouble = store.trouble(now=time.time())
    return _page(request, "live.html", trouble=trouble, **page_values(store, asked, before=asked.before))


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
    text = "".join(csv_lines(mention_rows(request.app.state.store, _asked(request, filters)), MENTION_COLUMNS))
    headers = {"content-disposition": 'attachment; filename="mentions.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/feed.atom", include_in_schema=False)
def feed_atom(request: Request, filters: Annotated[Filters, Query()]) -> Response:
    """Return the latest mentions that match the filters as an Atom feed."""
    base, query = str(request.base_url), filters.query()
    filters = _asked(request, filters)
    tail = f"?{query}" if query else ""
    rows = mention_rows(request.app.state.store, filters, newest=_IN_FEEDS)
    found = atom(rows, address=f"{base}feed.atom{tail}", title=filters.named(request.app.state.title), home=base + tail)
    return Response(found, media_type="application/atom+xml; charset=utf-8")


@router.get("/api/v1/mentions", responses=_ANSWERS)
def api_mentions(request: Request, response: Response, asked: Annotated[PagedFilters, Query()]) -> list[dict[str, Any]]:
    """Return the latest mentions that match the filters, a thousand at most.

    `X-Total-Count` and `X-Total-Articles` are the numbers of all; the `Link` with `rel="next"` leads to the next ones.
    """
    store, asked = request.app.state.store, _asked(request, asked)
    if asked.before and not store.query("SELECT 1 FROM mention WHERE key = :key", {"key": asked.before}):
        raise Problem(422, f"before: there is no mention {asked.before!r} any more; begin anew")
    (total,) = figures(store, asked)
    rows = [*mention_rows(store, asked, newest=asked.limit, before=asked.before)]
    response.headers.update({"X-Total-Count": str(total["mentions"]), "X-Total-Articles": str(total["articles"])})
    if len(rows) == asked.limit:
        here = "&".join(filter(None, (asked.query(), urlencode({"limit": asked.limit, "before": rows[-1]["id"]}))))
        response.headers["Link"] = f'<{request.url.path}?{here}>; rel="next"'
    return [{**row, "counted": bool(row["counted"])} for row in rows]


@router.get("/api/v1/new", responses=_ANSWERS)
def api_new(request: Request, asked: Annotated[NewFilters, Query()]) -> dict[str, int]:
    """Return the number of mentions that match the filters and were found after a given one."""
    return {"new": newer(request.app.state.store, _asked(request, asked), asked.after)}


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
    request.app.state.store.judge(mention, verdict, now=time.time())
    return _back(back)


@feedback_router.get("/lessons")
def lessons(request: Request) -> HTMLResponse:
    """Return the page of lessons: those that the verdicts suggest, and those accepted."""
    store: Store = request.app.state.store
    known, found = store.lessons(), proposals(store, request.app.state.brands)
    values: dict[str, Any] = {"proposals": found, "lessons": known, "accepted": {subject for _, subject, _ in known}}
    return _page(request, "live_lessons.html", judged=store.count_judged(), least=LEAST_JUDGED, **values)


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
