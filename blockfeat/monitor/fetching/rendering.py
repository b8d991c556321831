"""Pages whose text their scripts write, shown by a browser that fetches nothing itself."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, Self

from blockfeat._extras import importing
from blockfeat._files import bundled_table
from blockfeat.errors import InputError
from blockfeat.io.http import failure_of
from blockfeat.monitor.fetching.options import Fetched
from blockfeat.monitor.fetching.urls import netloc_of

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def import_playwright() -> Any:
    """Import Playwright's asynchronous interface.

    Raises
    ------
    MissingExtraError
        It is not installed; the message names the extra.
    """
    with importing("render", what="rendering pages"):
        return import_module("playwright.async_api")


def find_chromium() -> str:
    """Return the path of the Chromium that is installed.

    Raises
    ------
    InputError
        There is none.
    """
    if (path := next(filter(None, map(shutil.which, _NAMES)), None)) is not None:
        return path
    raise InputError(f"no Chromium found: looked for {', '.join(_NAMES)} on the path; Debian has it as 'chromium'")


async def launch_chromium(playwright: Any, executable: str) -> Any:
    """Start Chromium; its own sandbox does not start for root."""
    sandbox = not hasattr(os, "geteuid") or os.geteuid() != 0
    options = bundled_table("blockfeat.monitor.fetching", "browser.toml")
    return await playwright.chromium.launch(
        executable_path=executable, args=options["flags"], chromium_sandbox=sandbox, handle_sigint=False
    )


_logger = logging.getLogger("blockfeat.monitor.fetching")
# What scripts need to write a text; pictures, styles, frames and beacons are not fetched.
_PARTS = frozenset({"script", "xhr", "fetch"})
_MOST_PARTS = 60
_START_SECONDS, _END_SECONDS = 60.0, 10.0
_QUIET_SECONDS = 8.0
_TRIES = 3

Fetch = Callable[[str], Awaitable[Fetched]]
"""Fetches a part of a page, within the limits of the fetcher."""


class Browser:
    """One Chromium for the pages of a run; an asynchronous context manager.

    Every page has a context (profile) of its own, which is thrown away. Its scripts and the data that these ask for by
    GET come from ``fetch``, which checks addresses and obeys robots.txt; all other requests are refused, and the
    browser itself can reach nothing. A host of which three pages in a row were rendered in vain is left out then.

    Parameters
    ----------
    fetch : callable
        Fetches parts of pages.
    seconds : float
        Most seconds for a page.
    max_bytes : int
        Most bytes of a page as it is rendered.
    """

    def __init__(self, fetch: Fetch, *, seconds: float = 30.0, max_bytes: int = 20_000_000) -> None:
        self._fetch = fetch
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._in_vain: Counter[str] = Counter()
        self._turn = asyncio.Semaphore(1)
        self._playwright: Any = None
        self._chromium: Any = None

    async def __aenter__(self) -> Self:
        """Start Playwright; Chromium starts with the first page. Raises where one of them is missing."""
        library = import_playwright()
        find_chromium()
        self._playwright = await library.async_playwright().start()
        return self

    async def __aexit__(self, *error: object) -> None:
        """End Chromium and Playwright."""
        await self._close()
        await self._playwright.stop()

    def is_worth(self, url: str) -> bool:
        """Return whether pages of a host are rendered."""
        return self._in_vain[netloc_of(url)] < _TRIES

    def note(self, url: str, *, has_text: bool) -> None:
        """Note whether rendering has brought a text."""
        self._in_vain[netloc_of(url)] = 0 if has_text else self._in_vain[netloc_of(url)] + 1

    async def render(self, page: Fetched) -> bytes | None:
        """Return a page as its scripts have left it; None where the browser fails, with a line in the log."""
        async with self._turn:
            try:
                if self._chromium is None or not self._chromium.is_connected():
                    launched = launch_chromium(self._playwright, find_chromium())
                    self._chromium = await asyncio.wait_for(launched, _START_SECONDS)
                return await asyncio.wait_for(self._render(page), self._seconds)
            except Exception as error:  # whatever a hostile page does to the browser
                await self._close()
                reason = str(failure_of(error, seconds=self._seconds)).strip().partition("\n")[0]
                extra = {"url": page.url, "event": "not rendered"}
                _logger.warning("%s: not rendered: %s", page.url, reason, extra=extra)
                return None

    async def _render(self, page: Fetched) -> bytes | None:
        context = await self._chromium.new_context(service_workers="block", accept_downloads=False)
        try:
            await context.route_web_socket("**/*", lambda socket: socket.close())
            tab = await context.new_page()
            context.on("page", lambda other: asyncio.ensure_future(other.close()))
            await context.route("**/*", _Answers(page, self._fetch))
            # Its own errors and endless requests are no reason to have none of its text.
            with suppress(import_playwright().TimeoutError):
                await tab.goto(page.final_url, wait_until="load", timeout=self._seconds * 500)
            with suppress(import_playwright().TimeoutError):
                await tab.wait_for_load_state("networkidle", timeout=_QUIET_SECONDS * 1000)
            html: str = await tab.content()
        finally:
            await asyncio.wait_for(context.close(), _END_SECONDS)
        data = html.encode("utf-8", "replace")
        return data if len(data) <= self._max_bytes else None

    async def _close(self) -> None:
        chromium, self._chromium = self._chromium, None
        if chromium is not None:
            with suppress(Exception):
                await asyncio.wait_for(chromium.close(), _END_SECONDS)


class _Answers:
    """Answers the requests of one page: the page itself, and the parts that it may have."""

    def __init__(self, page: Fetched, fetch: Fetch) -> None:
        self._page = page
        self._fetch = fetch
        self._left = _MOST_PARTS
        self._is_shown = False

    async def __call__(self, route: Any) -> None:
        request = route.request
        if not self._is_shown and request.is_navigation_request():
            self._is_shown = True
            kind = self._page.headers.get("content-type", "text/html")
            charset = f"text/html; charset={self._page.charset}" if self._page.charset else kind
            await route.fulfill(status=200, content_type=charset, body=self._page.data)
            return
        if request.resource_type not in _PARTS or request.method != "GET" or self._left <= 0:
            await route.abort()
            return
        self._left -= 1
        part = await self._fetch(request.url)
        with suppress(Exception):  # the page is closed already
            if part.error is not None:
                await route.abort()
            else:
                headers = {"content-type": part.headers.get("content-type", ""), "access-control-allow-origin": "*"}
                await route.fulfill(status=part.status, headers=headers, body=part.data)
