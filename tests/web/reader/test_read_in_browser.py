"""Pages to read, and the description of the API, in a real browser: each of their links and fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from controls import Controls
from reader_page import LETTER, follow, open_reader, skip_to_the_content
from script_vectors import page_with
from small_site import Site

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

_HTML = {"Content-Type": "text/html; charset=utf-8"}


@pytest.fixture(scope="module", autouse=True)
def _watched(context: BrowserContext, controls: Controls) -> None:
    controls.watch(context)


@pytest.mark.parametrize("view", ["article", "clean"])
def test_a_page_to_read_leads_to_its_other_views(page: Page, site: Site, view: str) -> None:
    for path in ("/a", "/b", "/letter"):
        site.answers[path] = 200, _HTML, page_with(LETTER).encode()
    page.route(f"{site.url}/**", lambda route: route.fulfill(body="the original"))
    start = f"/read?url={site.url}/a&view={view}"
    targets = {"Article": "**/read?url=*", "Cleaned": "**/read?url=*view=clean", "Blocks and options": "**/?url=*"}
    targets |= {"Original": f"{site.url}/a", "blockfeat": "**/"}
    if view == "article":
        targets["letter of the people"] = "**/read?url=*letter"
    for name, target in targets.items():
        page.goto(start)
        follow(page, page.get_by_role("link", name=name, exact=True), target)
    page.goto(start)
    page.get_by_label("Address of the page").fill(f"{site.url}/b")
    page.get_by_role("button", name="Read").click()
    page.wait_for_url("**/read?url=*%2Fb*")
    assert page.locator("[aria-current=page]").inner_text() == {"article": "Article", "clean": "Cleaned"}[view]
    skip_to_the_content(page)


@pytest.mark.parametrize("query", ["images=true", 'view=clean&look=web&settings={"filters":{"images":false}}'])
def test_sites_whose_images_are_shown_are_not_told_by_what(page: Page, site: Site, query: str) -> None:
    image = f"<figure><img src='{site.url}/i.png' alt='The boat in the harbour'></figure>"
    before = "<p>Before the image of the boat, people stood on the pier and waited for the ferry to come.</p>"
    behind = "<p>Behind it the ferry came, and all of them went home over the river before the night.</p>"
    site.answers["/a"] = 200, _HTML, page_with(f"{before}{image}{behind}").encode()
    with page.expect_response(f"{site.url}/i.png"):
        page.goto(f"/read?url={site.url}/a&{query}")
    (headers,) = (sent for path, sent in zip(site.seen, site.headers, strict=True) if path == "/i.png")
    assert "referer" not in headers
    assert headers.get("origin", "null") == "null"  # that of a sandboxed frame


def test_a_page_that_cannot_be_read_leads_back(page: Page, site: Site) -> None:
    page.goto(f"/read?url={site.url}/none")
    skip_to_the_content(page)
    page.get_by_role("link", name="Back to the reader").click()
    page.wait_for_selector("body[data-ready]")


def test_the_description_of_the_api_leads_on(page: Page) -> None:
    open_reader(page)
    skip_to_the_content(page)
    page.get_by_role("link", name="API").click()
    page.get_by_role("heading", name="The API of the reader").wait_for()
    skip_to_the_content(page)
    page.locator("main").get_by_role("link", name="ExtractRequest").first.click()
    page.wait_for_url("**#schema-ExtractRequest")
    assert page.locator("#schema-ExtractRequest").count() == 1
    for link in ("main td a", "main li a"):
        target = page.locator(link).first.get_attribute("href") or ""
        page.locator(link).first.click()
        page.wait_for_url(f"**{target}")
        assert page.locator(target).count() == 1
    page.get_by_role("link", name="/openapi.json").click()
    page.wait_for_url("**/openapi.json")
    page.goto("/api")
    follow(page, page.get_by_role("link", name="API", exact=True), "**/api")
    for name in ("Reader", "blockfeat"):
        page.goto("/api")
        page.get_by_role("banner").get_by_role("link", name=name, exact=True).click()
        page.wait_for_selector("body[data-ready]")


def test_every_control_was_used(request: pytest.FixtureRequest, controls: Controls) -> None:
    controls.check_all_used(request, "/read", "/api", least=15)
