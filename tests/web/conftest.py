"""A reader that serves, and a browser."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from blockfeat.web.guard import ServeSettings
from controls import Controls
from reader_page import DEMO, open_reader, paste
from served import Served, serving_reader
from small_site import Site, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

_ARGUMENTS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP *.test 127.0.0.1",  # names that are not known to be of this machine
)


@pytest.fixture(scope="module")
def reader() -> Iterator[Served]:
    """Return a reader that may fetch from this machine, without a limit of rate; its threads end with the module."""
    settings = ServeSettings(jobs=1, allow_private=True, requests_per_minute=0, deadline=300.0)
    with serving_reader(settings) as served:
        yield served


@pytest.fixture
def client(reader: Served) -> Iterator[httpx2.Client]:
    """Return a client of the reader."""
    with httpx2.Client(base_url=reader.url, timeout=600, trust_env=False) as made:
        yield made


@pytest.fixture
def site() -> Iterator[Site]:
    """Return a site on this machine whose answers a test sets."""
    with serving() as made:
        yield made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a headless Chromium; for a module only, as an event loop runs in this thread as long as it does."""
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("Playwright is not installed")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("there is no Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def controls() -> Controls:
    """Return what the pages of a module offer, and what its tests have used of it, once it watches their context."""
    return Controls()


@pytest.fixture
def new_context(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Return what opens browser contexts that wait long enough for a slow machine; they are closed with the test."""
    with ExitStack() as stack:

        def opened(**options: Any) -> BrowserContext:
            made = stack.enter_context(browser.new_context(**options))
            made.set_default_timeout(300_000)
            return made

        yield opened


@pytest.fixture(scope="module")
def context(browser: Browser, reader: Served) -> Iterator[BrowserContext]:
    """Return a browser context at the reader; it keeps nothing but the static files."""
    made = browser.new_context(base_url=reader.url, viewport={"width": 1280, "height": 900})
    made.set_default_timeout(300_000)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """Return a new page; errors of its scripts fail the test."""
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    opened.close()
    assert errors == []


@pytest.fixture
def read(page: Page) -> Page:
    """Return a page at the reader that has read the demo page."""
    open_reader(page)
    paste(page, DEMO.html, DEMO.url or "")
    return page
