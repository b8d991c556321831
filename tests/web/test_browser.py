"""What the reader shows in a real browser: by keys alone, on a phone, in the dark, without scripts."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blockfeat.extraction.extractor import extract
from reader_page import DEMO, SMALL, open_reader, original_in, paste, read_address, read_example, show
from script_vectors import page_with
from served import Served
from small_site import Site

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

NewContext = Callable[..., "BrowserContext"]
_HTML = {"Content-Type": "text/html; charset=utf-8"}
_TABS = ("article", "original", "blocks", "output", "cleaned", "compare")

_NAMELESS = """() => [...document.querySelectorAll('input, select, textarea, button, iframe')]
  .filter((each) => !(each.labels?.length || each.getAttribute('aria-label') || each.title || each.textContent.trim()))
  .map((each) => each.outerHTML)"""
_CONTRASTS = Path(__file__).with_name("contrasts.js").read_text(encoding="utf-8")


def _verdicts(page: Page, name: str = "original") -> list[str]:
    """Return the verdict of each block as the coloured page has it."""
    from playwright.sync_api import Error

    frame = page.frame_locator(f"#panel-{name} iframe >> nth=0")
    while True:
        frame.locator("bf-block").first.wait_for()
        try:
            all_of = "all => all.map(e => [e.dataset.block, e.dataset.verdict])"
            found: dict[str, str] = dict(frame.locator("bf-block").evaluate_all(all_of))
        except Error:
            continue  # the frame was about to show another page
        return [found[key] for key in sorted(found, key=int)]


def _wait_for_verdicts(page: Page, expected: list[str]) -> None:
    """Wait until the coloured page has these verdicts: a frame shows the page before for a while."""
    end = time.monotonic() + 240
    while _verdicts(page) != expected and time.monotonic() < end:
        time.sleep(0.1)
    assert _verdicts(page) == expected


def test_a_pasted_page_becomes_an_article(read: Page) -> None:
    expected = extract(DEMO.html, url=DEMO.url)
    assert read.inner_text("#panel-article h1") == expected.metadata.headline
    for author in expected.metadata.authors:
        assert author in read.inner_text("#panel-article .byline")
    paragraphs = read.locator("#panel-article .article-body p").all_inner_texts()
    assert expected.text.split("\n\n")[-1].split()[:5] == paragraphs[-1].split()[:5]
    kept = sum(block.kept for block in expected.blocks)
    words = sum(block.words for block in expected.blocks if block.kept)
    assert f"{words} of {sum(block.words for block in expected.blocks)}" in read.inner_text("#facts")
    assert f"{kept} blocks of {len(expected.blocks)}" in read.inner_text("[role=status]#status")


def test_the_headline_has_a_colour_of_its_own(page: Page) -> None:
    open_reader(page)
    read_example(page, "en")
    original_in(page).locator("h1 bf-block[data-verdict=beside]").first.wait_for()


def test_a_block_tells_its_features_and_its_reason(read: Page) -> None:
    read.locator("#a-model").select_option("thresholds")
    expected = extract(DEMO.html, model="thresholds", url=DEMO.url)
    show(read, "Original")
    read.wait_for_function("() => document.querySelector('#status').textContent.includes('thresholds')")
    _wait_for_verdicts(read, ["kept" if block.kept else "dropped" for block in expected.blocks])
    block = next(block for block in expected.blocks if block.failed)
    frame = original_in(read)
    frame.locator(f'bf-block[data-block="{block.index}"]').first.click()
    details = read.locator("#panel-original .details")
    details.get_by_role("heading", name=f"Block {block.index} ").wait_for()
    assert details.locator("tr.failed").count() == len(block.failed)
    assert "at least" in details.inner_text()
    assert f"{abs(block.score):.2f}" in details.inner_text()
    assert frame.locator("[data-current]").first.get_attribute("data-block") == str(block.index)


def test_a_block_is_chosen_before_the_images_of_its_page_have_come(page: Page, site: Site) -> None:
    site.answers["/slow.png"] = 200, {"X-Wait": "600"}, b""
    open_reader(page)
    paste(page, page_with(f"<p>Before the image.</p><img src='{site.url}/slow.png' alt='The boat'>"))
    frame = original_in(page)
    with page.expect_request("**/slow.png"):
        page.locator("#look").select_option("web")
    frame.locator("body[tabindex] bf-block").first.click()
    page.locator("#panel-original .details h3").wait_for()


def test_two_models_side_by_side(read: Page) -> None:
    show(read, "Compare")
    read.locator("#b-model").select_option("ziegler2007")
    read.locator("#panel-compare h2", has_text="ziegler2007").wait_for()
    read.wait_for_function("() => /agree/.test(document.querySelector('#panel-compare .summary').textContent)")
    first = read.frame_locator("#panel-compare iframe >> nth=0")
    first.locator("[data-differs]").first.wait_for()
    read.locator("#panel-compare .details").first.wait_for()
    read.locator("#b-model").select_option("default")
    read.wait_for_function("() => /decide alike/.test(document.querySelector('#panel-compare .summary').textContent)")


def test_the_page_stays_where_it_is_while_what_is_compared_comes(read: Page) -> None:
    read.set_viewport_size({"width": 390, "height": 400})
    show(read, "Compare")
    place = read.evaluate("scrollY")
    read.frame_locator("#panel-compare iframe >> nth=0").locator("[data-current]").first.wait_for(state="attached")
    assert read.evaluate("scrollY") == place


def test_a_page_that_cannot_be_read_is_told(page: Page, site: Site) -> None:
    open_reader(page)
    read_address(page, f"{site.url}/none")
    page.get_by_role("alert").wait_for()
    assert f"{site.url}/none: the server answered 404" in page.get_by_role("alert").inner_text()


def test_a_page_that_is_kept_no_longer_is_sent_again(read: Page, reader: Served) -> None:
    reader.service.kept._pages.clear()
    reader.service.kept._bytes = 0
    read.locator("#a-model").select_option("margin")
    read.wait_for_function("() => document.querySelector('#status').textContent.includes('margin')")
    assert read.get_by_role("alert").is_hidden()


def test_blocks_are_gone_through_by_keys(read: Page) -> None:
    frame = original_in(read)
    read.get_by_role("button", name="Next block").focus()
    for _ in range(2):
        read.keyboard.press("Enter")
    # It begins with the text, not with the menu.
    first = next(block.index for block in extract(DEMO.html, url=DEMO.url).blocks if block.kept)
    heading = read.locator("#panel-original .details h3")
    heading.filter(has_text=f"Block {first + 1} ").wait_for()
    frame.locator("body").focus()
    for key, number in (("j", first + 2), ("k", first + 1)):
        read.keyboard.press(key)
        heading.filter(has_text=f"Block {number} ").wait_for()


def test_everything_is_reached_by_keys_alone(page: Page) -> None:
    open_reader(page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "html"
    page.keyboard.insert_text(page_with())
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel-article h1")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "tab":
            break
    for name in (*_TABS[1:], _TABS[0]):
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.id") == f"tab-{name}"
        assert page.locator(f"#panel-{name}").is_visible()


def test_every_control_has_a_name_and_landmarks_are_there(read: Page) -> None:
    for name in ("Original", "Blocks", "Output", "Cleaned", "Compare"):
        show(read, name)
    assert read.evaluate(_NAMELESS) == []
    for role in ("banner", "main", "contentinfo", "navigation", "complementary"):
        assert read.get_by_role(role).count() >= 1, role
    assert read.locator("[role=tabpanel][aria-labelledby]").count() == len(_TABS)
    assert read.locator("[aria-live], [role=status], [role=alert]").count() >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_in_both_schemes(new_context: NewContext, reader: Served, scheme: str) -> None:
    # Colours that change slowly would be measured between the two.
    page = new_context(base_url=reader.url, color_scheme=scheme, reduced_motion="reduce").new_page()
    open_reader(page)
    paste(page, DEMO.html, DEMO.url or "")
    background = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (sum(int(part) for part in background[4:-1].split(",")) < 384) == (scheme == "dark")
    assert page.evaluate(_CONTRASTS) == []
    for name in ("Blocks", "Original"):
        show(page, name)
        if name == "Blocks":
            page.locator(".blocks .plain").first.click()
            page.wait_for_selector("#panel-blocks .details")
        assert page.evaluate(_CONTRASTS) == []


def test_a_phone_shows_everything_without_scrolling_sideways(new_context: NewContext, reader: Served) -> None:
    phone = {"width": 360, "height": 740}
    page = new_context(base_url=reader.url, viewport=phone, is_mobile=True, has_touch=True).new_page()
    open_reader(page)
    paste(page, DEMO.html, DEMO.url or "")
    assert page.locator("#options").is_hidden()
    for name in _TABS:
        page.locator(f"#tab-{name}").tap()
        page.locator(f"#panel-{name} > *").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= phone["width"], name
        assert page.evaluate(SMALL) == [], name
    page.locator("summary", has_text="Model and options").tap()
    page.locator("#options").wait_for()


def test_reading_works_without_scripts(new_context: NewContext, reader: Served, site: Site) -> None:
    site.answers["/a"] = 200, _HTML, page_with().encode()
    page = new_context(base_url=reader.url, java_script_enabled=False).new_page()
    page.goto("/")
    page.get_by_label("Address of the page").fill(f"{site.url}/a")
    page.get_by_role("button", name="Read").first.click()
    page.wait_for_selector("body.reading article")
    assert page.inner_text("h1") == "The ferry stays"


def test_an_article_from_right_to_left_and_the_day_that_its_page_names(new_context: NewContext, reader: Served) -> None:
    arabic = "قالت الصحيفة إن السفينة. "
    paragraphs = f"<p>BBC: {arabic * 12}</p><p>{arabic * 12}</p>" * 3
    paragraphs += f"<p>{'All of this in English, for once. ' * 8}</p><p>{arabic * 12}</p>"
    html = (
        "<html lang=ar><head><meta property='og:site_name' content='BBC News'>"
        "<meta property='article:published_time' content='2025-11-22T00:00:00+03:00'></head>"
        f"<body><article><h1>{arabic}</h1>{paragraphs}</article></body></html>"
    )
    page = new_context(base_url=reader.url, timezone_id="America/New_York", locale="en-US").new_page()
    open_reader(page)
    paste(page, html)
    article = page.locator("#panel-article article")
    assert article.get_attribute("dir") == "rtl"
    assert "November 22, 2025" in page.inner_text("#panel-article .byline")
    of_each = "all => all.map(each => [each.innerText.slice(0, 3), getComputedStyle(each).direction])"
    directions = page.locator("#panel-article .article-body p").evaluate_all(of_each)
    assert ["BBC", "rtl"] in directions
    assert dict(map(tuple, directions)).get("All", "ltr") == "ltr"
