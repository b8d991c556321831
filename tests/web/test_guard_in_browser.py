"""What Chromium is let do: the service's own pages send, pages of others and pages shown in frames do not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import pytest
from fastapi import Form
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from blockfeat.web.app import base_app
from blockfeat.web.guard import ServeSettings, frame_policy
from served import serving
from small_site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAME = "service.test"
_FORM = '<form method="post" action="{}/taken"><input name="x" value="1"><button>Send</button></form>'
_AT_ONCE = "<script>document.forms[0].submit()</script>"
_BY_SCRIPT = """<button onclick="fetch('{}/taken', {{ method: 'POST', mode: 'no-cors', body: 'x=1', headers: {{
  'content-type': 'application/x-www-form-urlencoded' }} }})">Send</button>"""


class _Noting:
    """Around an app and its guard: notes what comes of each request to send something."""

    def __init__(self, app: ASGIApp, answers: list[int]) -> None:
        self._app, self._answers = app, answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start" and scope["method"] == "POST":
                self._answers.append(message["status"])
            await send(message)

        await self._app(scope, receive, noted)


def _take(x: Annotated[str, Form()]) -> str:
    return f"taken {x}"


class _Service:
    """A guarded app with a form of its own, and a page of others that it shows in a frame."""

    def __init__(self) -> None:
        self.answers: list[int] = []
        self.shown, self.policy = "", frame_policy("web")
        self.app = base_app(ServeSettings(allowed_hosts=(_NAME,)), title="test")
        self.app.get("/own")(lambda: HTMLResponse(_FORM.format("")))
        self.app.get("/around")(lambda: HTMLResponse('<iframe src="/shown"></iframe><button>Beside</button>'))
        self.app.get("/shown")(self._show)
        self.app.post("/taken")(_take)
        self.app.add_middleware(_Noting, answers=self.answers)

    def _show(self) -> HTMLResponse:
        return HTMLResponse(self.shown, headers={"content-security-policy": self.policy})

    def wait(self, page: Page) -> list[int]:
        """Wait until something was sent; return what came of it."""
        end = time.monotonic() + 120
        while not self.answers and time.monotonic() < end:
            page.wait_for_timeout(50)
        return self.answers


@pytest.fixture
def service() -> _Service:
    return _Service()


@pytest.fixture
def port(service: _Service) -> Iterator[str]:
    with serving(service.app) as url:
        yield url.rpartition(":")[2]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    context.set_default_timeout(120_000)
    yield context.new_page()
    context.close()


# The last is no name of this machine for a browser: it sends it no Sec-Fetch headers.
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", _NAME])
def test_own_forms_are_taken(page: Page, service: _Service, port: str, host: str) -> None:
    page.goto(f"http://{host}:{port}/own")
    with page.expect_request("**/taken") as sent:
        page.get_by_role("button").click()
    page.get_by_text("taken 1").wait_for()
    assert service.answers == [200]
    headers = sent.value.all_headers()
    assert headers["origin"] == f"http://{host}:{port}"
    assert headers.get("sec-fetch-site") == (None if host == _NAME else "same-origin")


def test_another_name_that_leads_here_is_refused(page: Page, service: _Service, port: str) -> None:
    answer = page.goto(f"http://other.test:{port}/own")
    assert answer.status == 421


@pytest.mark.parametrize("target", ["127.0.0.1", _NAME])
@pytest.mark.parametrize("policy", ["no-referrer", "unsafe-url"])
@pytest.mark.parametrize("way", ["form", "script", "sandboxed", "data"])
def test_pages_of_others_send_nothing(
    page: Page, service: _Service, site: Site, port: str, way: str, policy: str, target: str
) -> None:
    address = f"http://{target}:{port}"
    form = _FORM.format(address)
    html = {
        "form": form,
        "script": _BY_SCRIPT.format(address),
        "sandboxed": f"<iframe sandbox='allow-forms allow-scripts' srcdoc='{form}{_AT_ONCE}'></iframe>",
        "data": f"<iframe src='data:text/html,{form}{_AT_ONCE}'></iframe>",
    }[way]
    site.answers["/"] = 200, {"Referrer-Policy": policy, "Content-Type": "text/html"}, html.encode()
    page.goto(site.url)
    if way in ("form", "script"):
        page.get_by_role("button").click()
    assert service.wait(page) == [403]


@pytest.mark.parametrize("host", ["127.0.0.1", _NAME])
@pytest.mark.parametrize(
    "policy", [frame_policy("web"), frame_policy("page", sandbox="allow-top-navigation-by-user-activation")]
)
def test_a_page_in_a_frame_cannot_send(page: Page, service: _Service, port: str, host: str, policy: str) -> None:
    service.shown, service.policy = _FORM.format("") + _AT_ONCE, policy
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    page.goto(f"http://{host}:{port}/around")
    page.frame_locator("iframe").get_by_role("button").click()
    page.get_by_role("button", name="Beside").click()
    assert (set(asked), service.answers) == ({"GET"}, [])


@pytest.mark.parametrize("host", ["127.0.0.1", _NAME])
def test_a_page_in_a_frame_that_could_send_is_refused(page: Page, service: _Service, port: str, host: str) -> None:
    """A sandbox without an origin is no own page, though its address is of the service."""
    service.shown = _FORM.format("") + _AT_ONCE
    service.policy = "sandbox allow-forms allow-scripts; frame-ancestors 'self'"
    page.goto(f"http://{host}:{port}/around")
    assert service.wait(page) == [403]
