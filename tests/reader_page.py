"""The reader as a page in a browser, with the demo page that tests read in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blockfeat.data import demo_pages

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator, Locator, Page

DEMO = next(page for page in demo_pages() if page.id == "en-commonsquare-2")
LETTER = "<p>Of this the <a href='/letter'>letter of the people</a> says more than was known before today.</p>"

# What a finger could miss.
SMALL = """() => [...document.querySelectorAll('button, select, summary')]
  .filter((each) => each.checkVisibility() && !each.classList.contains('plain'))
  .filter((each) => each.getBoundingClientRect().height < 40).map((each) => each.outerHTML.slice(0, 80))"""


def open_reader(page: Page, url: str = "") -> None:
    page.goto(f"{url}/")
    page.wait_for_selector("body[data-ready]")


def paste(page: Page, html: str, url: str = "") -> None:
    page.get_by_role("radio", name="HTML").check()
    page.get_by_label("HTML of the page").fill(html)
    page.get_by_label("Its address").fill(url)
    page.locator("#intake-html").get_by_role("button", name="Read").click()
    page.wait_for_selector("#panel-article h1")


def read_address(page: Page, url: str) -> None:
    page.get_by_label("Address of the page").fill(url)
    page.keyboard.press("Enter")


def read_file(page: Page, name: str, data: bytes) -> None:
    page.get_by_role("radio", name="File").check()
    page.set_input_files("#file", {"name": name, "mimeType": "text/html", "buffer": data})
    page.locator("#intake-file button").click()
    page.wait_for_selector("#panel-article h1")


def read_example(page: Page, lang: str) -> None:
    page.locator(f"[data-example={lang}]").click()
    page.wait_for_selector("#panel-article h1")


def show(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def original_in(page: Page) -> FrameLocator:
    """Show the original, and return its frame once that takes clicks and keys."""
    show(page, "Original")
    frame = page.frame_locator("#panel-original iframe")
    frame.locator("body[tabindex] bf-block").first.wait_for()
    return frame


def follow(page: Page, link: Locator, target: str) -> None:
    """Click on what leads to a page, and wait until that has loaded: also where the address is the same as before."""
    with page.expect_navigation(url=target):
        link.click()


def skip_to_the_content(page: Page) -> None:
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id == 'main'")
