"""Fetching over loopback: status, redirects, addresses, limits, retries, content types."""

import asyncio
import gzip
import time
from dataclasses import replace
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from blockfeat.errors import InputError
from blockfeat.monitor.fetching import Fetched, Fetcher, FetchOptions, rendering
from fake_clock import FakeClock
from fetching import OPTIONS, Web, fetch, run
from small_site import PAGE, Site


def test_a_page_with_its_validators_and_the_fetchers_name(site: Site) -> None:
    site.answers["/a"] = (200, {"Content-Type": "text/html; charset=koi8-r", "ETag": '"1"', "Last-Modified": "x"}, PAGE)
    fetched = fetch(f"{site.url}/a", replace(OPTIONS, contact="press@example.org"))
    assert (fetched.status, fetched.data, fetched.charset, fetched.error) == (200, PAGE, "koi8-r", None)
    assert (fetched.etag, fetched.last_modified, fetched.final_url) == ('"1"', "x", f"{site.url}/a")
    assert site.seen == ["/robots.txt", "/a"]
    assert {headers["user-agent"].partition("/")[0] for headers in site.headers} == {"blockfeat"}
    assert site.headers[1]["user-agent"].endswith("(+mailto:press@example.org)")


def test_a_conditional_fetch_that_answers_304(site: Site) -> None:
    site.answers["/feed"] = (304, {}, b"")
    fetched = fetch(f"{site.url}/feed", kind="feed", etag='"1"', last_modified="Thu, 14 Mar 2024 06:00:00 GMT")
    assert (fetched.not_modified, fetched.error, fetched.data) == (True, None, b"")
    assert site.seen == ["/feed"], "robots.txt is for pages"
    assert (site.headers[0]["if-none-match"], site.headers[0]["if-modified-since"][:3]) == ('"1"', "Thu")


def test_a_304_that_nobody_asked_for_is_an_error(site: Site) -> None:
    site.answers["/a"] = (304, {}, b"")
    fetched = fetch(f"{site.url}/a")
    assert (fetched.not_modified, fetched.error is None) == (False, False)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_what_the_client_did_wrong_is_not_tried_again(site: Site, status: int) -> None:
    site.answers["/x"] = (status, {}, PAGE)
    fetched = fetch(f"{site.url}/x")
    assert (fetched.status, fetched.permanent, fetched.retry_at, fetched.data) == (status, True, None, b"")
    assert str(fetched.error).startswith(f"{site.url}/x: the server answered {status}")
    assert (fetched.gone, site.seen.count("/x")) == (status == 410, 1)


@pytest.mark.parametrize("status", [408, 425, 500, 502, 503, 504])
def test_what_can_pass_is_tried_again(site: Site, status: int) -> None:
    site.answers["/x"] = [(status, {}, b""), (status, {}, b""), (200, {}, PAGE)]
    assert fetch(f"{site.url}/x").data == PAGE
    site.answers["/y"] = (status, {}, b"")
    fetched = fetch(f"{site.url}/y")
    assert (fetched.status, fetched.permanent, site.seen.count("/y")) == (status, False, 3)


@pytest.mark.parametrize(("status", "value", "wait"), [(429, "120", 120), (503, "Tue, 14 Nov 2023 22:23:20 GMT", 600)])
def test_a_retry_after_holds_the_host(site: Site, status: int, value: str, wait: float) -> None:
    site.answers |= {"/x": (status, {"Retry-After": value}, b""), "/y": (200, {}, PAGE)}
    clock = FakeClock()

    async def work(fetcher: Fetcher) -> tuple[Fetched, Fetched, Fetched, Fetched]:
        first = await fetcher.fetch(f"{site.url}/x")
        held = await fetcher.fetch(f"{site.url}/y")
        other = await fetcher.fetch(f"{site.named('other')}/y")
        clock.now += wait
        return first, held, other, await fetcher.fetch(f"{site.url}/y")

    first, held, other, later = run(work, clock=clock)
    assert (first.retry_at, first.permanent, site.seen.count("/x")) == (1_700_000_000 + wait, False, 1)
    assert (held.retry_at, held.status, held.host) == (first.retry_at, None, site.url.removeprefix("http://"))
    assert (other.data, later.data) == (PAGE, PAGE)


def test_a_hold_of_an_earlier_run_is_kept(site: Site) -> None:
    async def work(fetcher: Fetcher) -> Fetched:
        fetcher.hold(site.url.removeprefix("http://"), 1_700_000_050.0)
        return await fetcher.fetch(f"{site.url}/x")

    fetched = run(work, clock=FakeClock())
    assert (fetched.retry_at, site.seen) == (1_700_000_050.0, [])


def test_429_without_a_time_leaves_the_host_alone_in_the_end(site: Site) -> None:
    site.answers["/x"] = (429, {}, b"")
    fetched = fetch(f"{site.url}/x", clock=FakeClock())
    assert (site.seen.count("/x"), fetched.retry_at) == (3, 1_700_000_300.0)


def test_permanent_redirects_are_told_from_others(site: Site) -> None:
    site.answers |= {
        "/old": (301, {"Location": "/new#part"}, b""),
        "/new": (308, {"Location": "/newer"}, b""),
        "/newer": (302, {"Location": "/today"}, b""),
        "/today": (200, {}, PAGE),
    }
    fetched = fetch(f"{site.url}/old")
    assert (fetched.url, fetched.final_url) == (f"{site.url}/old", f"{site.url}/today")
    assert fetched.moved_permanently_to == f"{site.url}/newer"
    assert fetch(f"{site.url}/newer").moved_permanently_to is None


def test_redirects_without_an_end(site: Site) -> None:
    site.answers |= {"/a": (302, {"Location": "/b"}, b""), "/b": (302, {"Location": "/a"}, b"")}
    site.answers |= {f"/{n}": (302, {"Location": f"/{n + 1}"}, b"") for n in range(20)}
    for path, reason in (("/a", "lead in a circle"), ("/0", "more than 5 redirects")):
        fetched = fetch(f"{site.url}{path}")
        assert (fetched.permanent, reason in str(fetched.error), site.seen.count(path)) == (True, True, 1)


def test_cookies_live_for_the_redirects_of_one_fetch(site: Site) -> None:
    site.answers["/in"] = [(302, {"Location": "/in", "Set-Cookie": "seen=1"}, b""), (200, {}, PAGE)]

    async def work(fetcher: Fetcher) -> tuple[Fetched, Fetched]:
        return await fetcher.fetch(f"{site.url}/in"), await fetcher.fetch(f"{site.url}/in")

    assert [fetched.data for fetched in run(work)] == [PAGE, PAGE]
    assert [headers.get("cookie") for headers in site.headers[1:]] == [None, "seen=1", None]


_INSIDE = """
http://169.254.169.254/latest/meta-data/ http://10.0.0.1/ http://127.0.0.2:{port}/ http://2130706434:{port}/
http://[::1]:{port}/ http://[::ffff:127.0.0.2]:{port}/ http://inside.example:{port}/ file:///etc/passwd ftp://a.example/
"""


@pytest.mark.parametrize("target", _INSIDE.split())
def test_no_redirect_leads_to_a_forbidden_address(site: Site, target: str) -> None:
    port = site.url.rpartition(":")[2]
    site.answers["/to"] = (302, {"Location": target.format(port=port)}, b"")

    def resolver(host: str, port: int) -> list[str]:
        return {"inside.example": ["192.168.1.1", "fd00::1"], "2130706434": ["127.0.0.2"]}[host]

    fetched = run(lambda fetcher: fetcher.fetch(f"{site.url}/to"), resolver=resolver)
    assert (fetched.permanent, fetched.data, site.seen) == (True, b"", ["/robots.txt", "/to"])
    assert "no public address" in str(fetched.error) or "only http and https" in str(fetched.error)


@pytest.mark.parametrize("url", ["http://localhost:{port}/", "{url}/", "http://x.localhost:{port}/", "http://[::1]:1/"])
def test_private_addresses_are_forbidden_unless_their_network_is_allowed(site: Site, url: str) -> None:
    where = url.format(url=site.url, port=site.url.rpartition(":")[2])
    for networks in ((), ("10.0.0.0/8",)):
        fetched = fetch(where, replace(OPTIONS, allow_networks=networks))
        assert fetched.permanent
        assert "no public address" in str(fetched.error)
    assert site.seen == []


def test_a_network_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match=r"10\.0\.0/8"):
        Fetcher(FetchOptions(allow_networks=("10.0.0/8",)))


_NOWHERE = ("http://[", f"http://{'a' * 70}.example/", "http://a..b/", "http:x", "mailto:x", "", "/x" * 60_000)


@pytest.mark.parametrize("headers", [*({"Location": to} for to in _NOWHERE), {"Location": "/x", "Set-Cookie": "\x9d="}])
def test_strange_redirects_end_in_an_error(site: Site, headers: dict[str, str]) -> None:
    def resolver(host: str, port: int) -> list[str]:
        raise UnicodeError(f"no name: {host}")

    site.answers["/to"] = (302, headers, b"")
    fetched = run(lambda fetcher: fetcher.fetch(f"{site.url}/to"), replace(OPTIONS, attempts=1), resolver=resolver)
    assert (fetched.error is None, fetched.data) == (False, b"")


def test_credentials_of_a_redirect_are_not_shown(site: Site) -> None:
    site.answers["/to"] = (302, {"Location": "http://user:secret@10.0.0.1/"}, b"")
    fetched = fetch(f"{site.url}/to")
    assert (fetched.final_url, "secret" in repr(fetched.error)) == ("http://10.0.0.1/", False)


@pytest.mark.parametrize("url", ["", "x", "ftp://a.example/", "http://", "http://[::1", "http:///x", "javascript:1"])
def test_what_is_no_address_is_an_error(url: str) -> None:
    fetched = fetch(url)
    assert (fetched.url, fetched.permanent, fetched.error is None) == (url, True, False)


def test_a_host_without_a_name_or_a_listener_can_pass() -> None:
    def resolver(host: str, port: int) -> list[str]:
        raise OSError(-2, "Name or service not known")

    options = replace(OPTIONS, robots=False)
    unknown = run(lambda fetcher: fetcher.fetch("http://nowhere.example/"), options, resolver=resolver)
    deaf = fetch("http://127.0.0.1:1/", options)
    assert (unknown.permanent, "not known" in str(unknown.error)) == (False, True)
    assert (deaf.permanent, "no connection to 127.0.0.1" in str(deaf.error)) == (False, True)


def test_bodies_are_limited_before_and_after_decompression(site: Site) -> None:
    small = replace(OPTIONS, max_bytes=10_000)
    site.answers |= {
        "/said": (200, {"Content-Length": "99999999999"}, b""),
        "/long": (200, {}, b"x" * 20_000),
        "/bomb": (200, {"Content-Encoding": "gzip"}, gzip.compress(bytes(5_000_000))),
        "/fits": (200, {"Content-Encoding": "gzip"}, gzip.compress(PAGE)),
    }
    for path in ("/said", "/long", "/bomb"):
        fetched = fetch(f"{site.url}{path}", small)
        assert (fetched.permanent, fetched.data, site.seen.count(path)) == (True, b"", 1)
        assert "larger than 10,000 bytes" in str(fetched.error)
    assert fetch(f"{site.url}/fits", small).data == PAGE


def test_a_slow_answer_ends(site: Site) -> None:
    site.answers["/late"] = (200, {"X-Wait": "60"}, PAGE)
    started = time.monotonic()
    drip = fetch(f"{site.url}/drip", replace(OPTIONS, timeout=0.3))
    late = fetch(f"{site.url}/late", replace(OPTIONS, read_timeout=0.1, timeout=60, attempts=2))
    assert time.monotonic() - started < 30
    assert ("not finished within 0.3 seconds" in str(drip.error), drip.permanent) == (True, False)
    assert ("no more bytes within 0.1 seconds" in str(late.error), late.permanent) == (True, False)
    assert site.seen.count("/late") == 2


@pytest.mark.parametrize(
    ("content_type", "body", "kind", "other"),
    [
        ("application/pdf", b"%PDF-1.7", "page", "application/pdf"),
        ("text/html", b"%PDF-1.7", "page", "PDF"),
        ("image/png", b"", "page", "image/png"),
        ("application/json", b"{}", "page", "application/json"),
        ("application/pdf", b"%PDF-1.7", "feed", "application/pdf"),
        *(("application/xhtml+xml", PAGE, "page", None), ("", PAGE, "page", None)),
        *((kind, b"{}", "feed", None) for kind in ("application/feed+json", "application/x-gzip")),
        ("application/rss+xml", b"<rss/>", "feed", None),
    ],
)
def test_content_types(site: Site, content_type: str, body: bytes, kind: str, other: str | None) -> None:
    site.answers["/x"] = (200, {"Content-Type": content_type}, body)
    fetched = fetch(f"{site.url}/x", kind=kind)
    assert str(fetched.error).endswith(f"not a {kind} but {other}" if other else "None")
    assert fetched.permanent is (other is not None)


@pytest.fixture
def chromium(monkeypatch: pytest.MonkeyPatch) -> AsyncMock:
    """Let pages be rendered by a browser that does nothing; each page becomes nine letters."""
    pytest.importorskip("playwright", reason="needs the extra render")
    made = AsyncMock(is_connected=Mock(return_value=True))
    context = made.new_context.return_value
    context.on, context.new_page.return_value.content.return_value = Mock(), "a text so"
    monkeypatch.setattr(rendering, "find_chromium", lambda: "/bin/chromium")
    return made


@pytest.fixture
def playwright(chromium: AsyncMock) -> AsyncMock:
    return AsyncMock(**{"chromium.launch.return_value": chromium})


def _browser(playwright: AsyncMock, web: Web, **options: Any) -> rendering.Browser:
    browser = rendering.Browser(web.fetch, **options)
    browser._playwright = playwright
    return browser


_SHOWN = Fetched("http://a.example/", "http://a.example/", 200, {"content-type": "text/html; x"}, b"<p>")


def test_a_page_that_a_browser_shows_has_the_limit_of_others(playwright: AsyncMock, chromium: AsyncMock) -> None:
    content = chromium.new_context.return_value.new_page.return_value.content

    def is_shown(text: str, **limit: int) -> bool:
        content.return_value = text
        return asyncio.run(_browser(playwright, Web(), **limit).render(_SHOWN)) == text.encode()

    assert (is_shown("a text so", max_bytes=9), is_shown("a text so", max_bytes=8)) == (True, False)
    usual = "x" * 20_000_000
    assert (is_shown(usual), is_shown(usual + "x")) == (True, False)


@pytest.mark.parametrize(("user", "sandbox"), [(0, False), (1000, True)])
def test_how_a_browser_is_started_and_how_long_it_waits(
    playwright: AsyncMock, chromium: AsyncMock, monkeypatch: pytest.MonkeyPatch, user: int, *, sandbox: bool
) -> None:
    wait_for = Mock(wraps=asyncio.wait_for)
    monkeypatch.setattr("os.geteuid", lambda: user)
    monkeypatch.setattr("asyncio.wait_for", wait_for)
    asyncio.run(_browser(playwright, Web()).render(_SHOWN))
    started = playwright.chromium.launch.call_args.kwargs
    assert (started["chromium_sandbox"], started["handle_sigint"], started["executable_path"]) == (
        sandbox,
        False,
        "/bin/chromium",
    )
    assert chromium.new_context.call_args.kwargs == {"service_workers": "block", "accept_downloads": False}
    tab = chromium.new_context.return_value.new_page.return_value
    waits = (tab.goto.call_args.kwargs["timeout"], tab.wait_for_load_state.call_args.kwargs["timeout"])
    assert waits == (15_000, 8_000), "milliseconds: half of the time of a page, and what silence needs"
    waited = [call.args[1] for call in wait_for.call_args_list]
    assert waited == [60, 30, 10], "seconds: to start it, for the page, and to end the page's profile"


@pytest.mark.parametrize("is_connected", [True, False])
def test_a_browser_is_started_anew_only_where_it_has_failed(
    playwright: AsyncMock, chromium: AsyncMock, caplog: pytest.LogCaptureFixture, *, is_connected: bool
) -> None:
    async def shown() -> list[bytes | None]:
        browser, start, goto = _browser(playwright, Web()), playwright.chromium.launch, tab.goto
        start.side_effect = [OSError("no memory"), *[chromium] * 5]
        goto.side_effect = [None, None, ValueError("what\nelse"), TimeoutError, None]
        return [await browser.render(_SHOWN) for _ in range(6)]

    tab = chromium.new_context.return_value.new_page.return_value
    chromium.is_connected = lambda: is_connected
    assert [each is None for each in asyncio.run(shown())] == [True, False, False, True, True, False]
    reasons = [record.message.removeprefix("http://a.example/: not rendered: ") for record in caplog.records]
    assert reasons == ["no memory", "unexpected ValueError: what", "not finished within 30 seconds"]
    assert playwright.chromium.launch.await_count == (4 if is_connected else 6)
    assert chromium.close.await_count == 2


def test_a_browser_shows_one_page_at_a_time(playwright: AsyncMock, chromium: AsyncMock) -> None:
    steps: list[str] = []

    async def goto(url: str, **options: object) -> None:
        steps.append("begin")
        await asyncio.sleep(0.01)
        steps.append("end")

    async def work() -> None:
        browser = _browser(playwright, Web())
        await asyncio.gather(*(browser.render(_SHOWN) for _ in range(3)))

    chromium.new_context.return_value.new_page.return_value.goto.side_effect = goto
    asyncio.run(work())
    assert steps == ["begin", "end"] * 3


def _asked(name: str, kind: str = "script", *, method: str = "GET", is_page: bool = False) -> Mock:
    """Return a request of a page in a browser, with the ways to answer it."""
    request = Mock(url=f"http://a.example/{name}", resource_type=kind, method=method)
    request.is_navigation_request = lambda: is_page
    return Mock(request=request, abort=AsyncMock(), fulfill=AsyncMock())


@pytest.mark.parametrize(("charset", "kind"), [(None, "text/html; x"), ("koi8-r", "text/html; charset=koi8-r")])
def test_what_the_page_in_a_browser_gets(
    playwright: AsyncMock, chromium: AsyncMock, charset: str | None, kind: str
) -> None:
    web = Web()
    for number in range(70):
        web.put(f"http://a.example/{number}", b"x", 200 if number else 203, headers={"content-type": "a/b"}, error=None)
    refused = [_asked("9", "stylesheet"), _asked("9", method="POST"), _asked("9", "document", is_page=True)]
    page, gone, parts = _asked("", "document", is_page=True), _asked("gone"), [_asked(str(n)) for n in range(60)]

    async def answers() -> None:
        await _browser(playwright, web).render(replace(_SHOWN, charset=charset))
        answer = chromium.new_context.return_value.route.call_args.args[1]
        for route in (page, gone, *refused, *parts):
            await answer(route)

    asyncio.run(answers())
    page.fulfill.assert_awaited_once_with(status=200, content_type=kind, body=b"<p>")
    assert [route.abort.await_count for route in (page, gone, *refused)] == [0, 1, 1, 1, 1]
    # Sixty at most, the one that is gone among them.
    assert [route.abort.await_count for route in parts] == [0] * 59 + [1]
    assert parts[0].fulfill.call_args.kwargs["status"] == 203
    assert parts[1].fulfill.call_args.kwargs == {
        "status": 200,
        "headers": {"content-type": "a/b", "access-control-allow-origin": "*"},
        "body": b"x",
    }
    assert len(web.asked) == 60


def test_a_host_in_vain_is_left_out() -> None:
    renderer = rendering.Browser(Web().fetch)
    for _ in range(2):
        # A text begins the count anew.
        renderer.note(_SHOWN.url, has_text=True)
        for _ in range(3):
            assert renderer.is_worth(_SHOWN.url)
            renderer.note(_SHOWN.url, has_text=False)
        assert not renderer.is_worth(_SHOWN.url)
        assert renderer.is_worth("http://b.example/")


def test_a_browser_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", {"chrome": "/opt/chrome"}.get)
    assert rendering.find_chromium() == "/opt/chrome"
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(InputError, match="no Chromium found: looked for chromium, "):
        rendering.find_chromium()
