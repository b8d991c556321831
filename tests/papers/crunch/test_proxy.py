"""The proxy that cleans what a browser loads: its add-on, with flows as mitmproxy gives them, and in a browser."""

import importlib.util
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest

from blockfeat.errors import ConfigError
from blockfeat.papers.crunch.proxy import SETTINGS_HOST, CleaningAddon

pytest.importorskip("sqlalchemy", reason="the site of the browser test needs the extra monitor")

from small_site import Site, serving

_PAGE = b"""<html><head><title>Storm</title><script>document.title = "run"</script></head><body>
<ul><li><a href=/1>One</a><li><a href=/2>Two</a><li><a href=/3>Three</a><li><a href=/4>Four</a></ul>
<p>The harbour council met on Monday, and the keeper told it what the storm had done.</p></body></html>"""


@dataclass
class _Message:
    content: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    method: str = "GET"
    pretty_host: str = "a.example"
    pretty_url: str = "http://a.example/"

    def get_content(self, *, strict: bool = True) -> bytes:
        return self.content

    def set_content(self, content: bytes) -> None:
        self.content = content


@dataclass
class _Flow:
    request: _Message = field(default_factory=_Message)
    response: object = None


def _respond(status: int, body: bytes, headers: dict[str, str]) -> _Message:
    return _Message(body, headers)


@pytest.fixture
def addon() -> CleaningAddon:
    return CleaningAddon(respond=_respond)


def _shown(addon: CleaningAddon, data: bytes = _PAGE, *, kind: str = "text/html", **headers: str) -> bytes:
    asked = {name.replace("_", "-"): value for name, value in headers.items()}
    flow = _Flow(_Message(headers=asked), _Message(data, {"content-type": kind}))
    addon.request(flow)
    addon.response(flow)
    assert isinstance(flow.response, _Message)
    return flow.response.content


def _settings(addon: CleaningAddon, body: bytes | None = None) -> str:
    flow = _Flow(_Message(body or b"", method="GET" if body is None else "POST", pretty_host=SETTINGS_HOST))
    addon.request(flow)
    assert isinstance(flow.response, _Message)
    return flow.response.content.decode()


def _posted(page: str, settings: str, *, on: bool = True) -> bytes:
    from urllib.parse import urlencode

    token = re.search(r'name="token" value="([^"]+)"', page)
    assert token is not None
    return urlencode({"token": token[1], "settings": settings, **({"on": "1"} if on else {})}).encode()


def test_pages_are_cleaned_and_all_else_stays(addon: CleaningAddon) -> None:
    cleaned = _shown(addon)
    assert b"keeper told" in cleaned
    assert b"<script" not in cleaned
    assert (addon.count, _shown(addon, kind="application/json")) == (1, _PAGE)
    assert (_shown(addon, sec_fetch_dest="empty"), _shown(addon, b"")) == (_PAGE, b"")
    assert "Ô" in _shown(addon, "<p>Ô".encode("latin-1"), kind="text/html; charset=iso-8859-1").decode()


def test_settings_change_what_goes(addon: CleaningAddon) -> None:
    page = _settings(addon)
    assert "[filters]" in page
    said = _settings(addon, _posted(page, "[filters]\nscripts = false\n"))
    assert "hold from now on" in said
    assert b"<script" in _shown(addon)
    _settings(addon, _posted(page, "", on=False))
    assert _shown(addon) == _PAGE


def test_wrong_settings_and_other_sites_change_nothing(addon: CleaningAddon) -> None:
    page = _settings(addon)
    assert "Nothing was changed" in _settings(addon, _posted(page, "[filters]\nscript = 3\n"))
    assert "Nothing was changed" in _settings(addon, b"token=guess&settings=")
    assert "too large" in _settings(addon, _posted(page, "#" * 200_000))
    assert "&lt;/textarea&gt;" in _settings(addon, _posted(page, "# </textarea><script>\n"))
    with pytest.raises(ConfigError):
        CleaningAddon("[filters]\nscript = 3\n", respond=_respond)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as made:
        yield made


@pytest.mark.slow
def test_a_browser_behind_the_proxy_sees_clean_pages(site: Site) -> None:
    if importlib.util.find_spec("mitmproxy") is None or importlib.util.find_spec("playwright") is None:
        pytest.skip("needs the extras proxy and render")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no Chromium is installed")
    from playwright.sync_api import sync_playwright

    site.answers = {"/": (200, {}, _PAGE)}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "blockfeat", "clean", "--proxy", str(port)]
    with ExitStack() as stack:
        proxy = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        stack.callback(proxy.terminate)
        playwright = stack.enter_context(sync_playwright())
        assert proxy.stdout is not None
        assert str(port) in proxy.stdout.readline()
        for _ in range(1200):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        options = ["--no-sandbox", f"--proxy-server=http://127.0.0.1:{port}", "--proxy-bypass-list=<-loopback>"]
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        tab = browser.new_page()
        tab.set_default_timeout(120_000)
        tab.goto(site.url)
        assert "keeper told" in tab.inner_text("body")
        assert "Three" not in tab.inner_text("body")
        assert tab.title() == "Storm"
        tab.goto(f"http://{SETTINGS_HOST}/")
        assert "1 pages cleaned" in tab.inner_text("body")
        tab.uncheck("input[name=on]")
        tab.click("button")
        tab.get_by_text("hold from now on").wait_for()
        tab.goto(f"{site.url}")
        assert "Three" in tab.inner_text("body")
        browser.close()
