"""Hostile pages in a real browser: nothing of them runs, asks for anything, or opens a dialog."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

import pytest

from blockfeat.papers.crunch.settings import CleanSettings, Filters
from blockfeat.web.reader import tasks
from reader_page import open_reader, paste, read_file
from script_vectors import METADATA_VECTORS, VECTORS, page_with
from served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page, Route

_ADDRESS = "https://news.example/ferry"
_KEEP_ALL = CleanSettings(filters=Filters(*(False,) * 17))
# What is clicked: all but links to pages, which may lead there.
_CLICK = """() => { for (const each of document.querySelectorAll('*')) {
  const to = each.getAttribute('href') ?? '';
  if (!/^(https?:|\\/|#|mailto:)/.test(to) && !each.closest('a')) { each.click?.(); each.focus?.(); }
  if (each.localName === 'a' && /^[\\s\\x00-\\x20]*(java|vb|data)/i.test(to)) each.click();
} }"""


@dataclass
class _Watched:
    """A page of a browser, and what happened in it that should not."""

    page: Page
    happened: list[str] = field(default_factory=list)
    allowed: str = "about:"

    def on_dialog(self, dialog: Dialog) -> None:
        self.happened.append(f"dialog {dialog.message!r}")
        dialog.dismiss()

    def on_request(self, route: Route) -> None:
        if route.request.url.startswith((self.allowed, "data:image/")):
            route.continue_()
        else:
            self.happened.append(f"request {route.request.url[:80]}")
            route.abort()

    def told(self) -> list[str]:
        """Return what happened since this was asked, and forget it."""
        if any(self.ran()):
            self.happened.append("a script ran")
        found, self.happened = self.happened, []
        return found

    def ran(self) -> list[bool]:
        """Return for each frame, the page itself first, whether a script ran in it."""
        return [frame.evaluate("() => Boolean(window.__hit)") for frame in self.page.frames]


@pytest.fixture
def watched(browser: Browser) -> Iterator[_Watched]:
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    made = _Watched(context.new_page())
    made.page.set_default_timeout(300_000)
    made.page.on("dialog", made.on_dialog)
    context.route("**/*", made.on_request)
    yield made
    context.close()


@pytest.fixture(scope="module")
def loaded() -> tasks.LoadedExtractors:
    return tasks.load_extractors(tasks.model_names(()), 5_000_000)


def _shown_together(watched: _Watched, documents: list[str]) -> None:
    """Show documents in frames that may do anything."""
    watched.page.goto("about:blank")
    frames = "".join(f'<iframe srcdoc="{escape(document)}"></iframe>' for document in documents)
    watched.page.set_content(f"<!DOCTYPE html>{frames}", wait_until="load")


def test_the_vectors_fire_where_nothing_is_done_about_them(watched: _Watched) -> None:
    """Otherwise the tests below would prove nothing."""
    _shown_together(watched, [page_with(body).replace("alert(1)", "0") for body in VECTORS.values()])
    assert sum(watched.ran()) >= 20
    assert len(watched.happened) >= 5


def test_the_safe_documents_do_nothing_even_where_scripts_may_run(
    watched: _Watched, loaded: tasks.LoadedExtractors
) -> None:
    pages = [*map(page_with, VECTORS.values()), *(page_with(head=head) for head in METADATA_VECTORS.values())]
    documents = []
    for html in pages:
        source, choices, links = tasks.PageSource(html, _ADDRESS), tasks.ExtractionChoices(), tasks.LinksOn(_ADDRESS)
        documents.append(tasks.colour(loaded, source=source, choices=choices))
        documents.append(tasks.cleaned_page(loaded, source=source, settings=_KEEP_ALL, links=links))
        documents.append(tasks.read_article(loaded, source=source, choices=choices, links=links)["body"])
    # They are well-formed, so that one ends where the next begins.
    together = ["".join(documents[first : first + 8]) for first in range(0, len(documents), 8)]
    _shown_together(watched, together)
    assert len(watched.page.frames) == len(together) + 1
    for frame in watched.page.frames[1:]:
        frame.evaluate(_CLICK)
    assert watched.told() == []


def _at_the_reader(watched: _Watched, reader: Served) -> Page:
    watched.allowed = reader.url
    open_reader(watched.page, reader.url)
    return watched.page


@pytest.mark.parametrize("part", range(2))
def test_every_view_of_the_reader_does_nothing(watched: _Watched, reader: Served, part: int) -> None:
    bodies = [*VECTORS.values()][part::2]
    # What swallows the rest of a page comes last.
    bodies.sort(key=lambda body: "plaintext" in body or body.count("</") < body.count("<") / 3)
    page = _at_the_reader(watched, reader)
    html = page_with("<p>Between two of them.</p>".join(bodies), [*METADATA_VECTORS.values()][part])
    paste(page, html, 'https://news.example/"><script>top.__hit=1</script>')
    for name in ("original", "blocks", "output", "cleaned", "compare"):
        page.click(f"#tab-{name}")
        if name in ("original", "cleaned", "compare"):
            body = "body" if name == "cleaned" else "body[tabindex]"  # as it is once clicks are taken
            for frame in page.locator(f"#panel-{name} iframe").all():
                frame.content_frame.locator(f"{body} *").first.wait_for(state="attached")
        if name == "original":
            page.get_by_role("button", name="Next block").click()
            page.wait_for_selector("#panel-original .details")
        if name == "blocks":
            page.locator(".blocks .plain").first.click()
            page.wait_for_selector("#panel-blocks .details")
    assert watched.told() == []


def test_a_file_name_is_text(watched: _Watched, reader: Served) -> None:
    page = _at_the_reader(watched, reader)
    name = "<img src=x onerror=alert(1)>.html"
    read_file(page, name, page_with().encode())
    assert name in page.inner_text("#facts")
    assert watched.told() == []
