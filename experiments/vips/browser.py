"""Pages rendered in headless Chromium, offline: no request leaves the browser and no script of a page runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from types import TracebackType
from typing import Any

from blockfeat.data.corpus import LabelledPage
from blockfeat.monitor.fetching.rendering import find_chromium, import_playwright, launch_chromium
from experiments.vips.layout import RenderedPage
from experiments.vips.snapshot import STYLES, page_of_snapshot

__all__ = ["HEIGHT", "WIDTH", "Browser", "html_digest"]

WIDTH, HEIGHT = 1280, 1024
"""The window in CSS pixels."""
_START, _END = 60.0, 10.0  # seconds
_logger = logging.getLogger(__name__)


def html_digest(html: str) -> str:
    """Return a hash that tells one markup from another."""
    return blake2b(html.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@dataclass
class Browser:
    """One Chromium for many pages; a context manager.

    Every page has a new context (profile) of its own, which is thrown away. A page that takes too long, or that ends
    the browser, is one page with an error; the next one has a new browser.

    Parameters
    ----------
    executable : str, optional
        Path of Chromium; found on the path by default.
    seconds : float
        Longest time for a page.
    """

    executable: str | None = None
    seconds: float = 30.0
    requests: int = field(default=0, init=False)
    """Requests of pages that were refused."""
    _runner: asyncio.Runner = field(init=False, repr=False)
    _playwright: Any = field(default=None, init=False, repr=False)
    _chromium: Any = field(default=None, init=False, repr=False)

    def __enter__(self) -> Browser:
        """Start Playwright; Chromium starts with the first page."""
        library = import_playwright()
        self.executable = self.executable or find_chromium()
        self._runner = asyncio.Runner()
        self._playwright = self._runner.run(library.async_playwright().start())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End Chromium and Playwright."""
        self._runner.run(self._close())
        self._runner.run(self._playwright.stop())
        self._runner.close()

    def render(self, pages: Iterable[LabelledPage]) -> Iterator[RenderedPage]:
        """Yield the layout of each page, or a page with the reason why there is none."""
        for page in pages:
            yield self._runner.run(self._render_safely(page))

    async def _render_safely(self, page: LabelledPage) -> RenderedPage:
        digest = html_digest(page.html)
        try:
            if self._chromium is None or not self._chromium.is_connected():
                self._chromium = await asyncio.wait_for(self._launched(), _START)
            return await asyncio.wait_for(self._render(page, digest), self.seconds)
        except Exception as error:  # whatever a hostile page does to the browser
            await self._close()
            reason = f"took more than {self.seconds:g} s" if isinstance(error, TimeoutError) else _first_line(error)
            _logger.info("%s %s: %s", page.corpus, page.id, reason)
            return RenderedPage(page.corpus, page.id, digest, error=reason)

    async def _launched(self) -> Any:
        return await launch_chromium(self._playwright, self.executable or find_chromium())

    async def _render(self, page: LabelledPage, digest: str) -> RenderedPage:
        context = await self._chromium.new_context(
            java_script_enabled=False,
            offline=True,
            service_workers="block",
            accept_downloads=False,
            viewport={"width": WIDTH, "height": HEIGHT},
        )
        try:
            tab = await context.new_page()
            await tab.route("**/*", self._refuse)
            # Characters without a partner cannot be sent to the browser.
            html = page.html.encode("utf-8", "replace").decode("utf-8")
            await tab.set_content(html, wait_until="domcontentloaded", timeout=self.seconds * 1000)
            session = await context.new_cdp_session(tab)
            snapshot = await session.send("DOMSnapshot.captureSnapshot", {"computedStyles": list(STYLES)})
        finally:
            await asyncio.wait_for(context.close(), _END)
        return page_of_snapshot(snapshot, corpus=page.corpus, id=page.id, digest=digest)

    async def _refuse(self, route: Any) -> None:
        self.requests += 1
        if route.request.is_navigation_request():
            await route.fulfill(status=204)  # "no content": the page that is there stays
        else:
            await route.abort()

    async def _close(self) -> None:
        """End Chromium, if it still answers."""
        browser, self._chromium = self._chromium, None
        if browser is not None:
            try:
                await asyncio.wait_for(browser.close(), _END)
            except Exception as error:
                _logger.warning("Chromium did not end: %s", _first_line(error))


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
