"""The reader in a real browser: each of its links, fields, buttons and keys, with what it does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

from blockfeat.extraction.extractor import extract
from cases import CASES
from controls import Controls
from reader_page import (
    DEMO,
    LETTER,
    follow,
    open_reader,
    original_in,
    read_address,
    read_example,
    read_file,
    show,
    skip_to_the_content,
)
from script_vectors import page_with
from small_site import Site

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Request

_HTML = {"Content-Type": "text/html; charset=utf-8"}
# What leaves the page, or cannot be heard, is noted.
_NOTED = """
  window.printed = 0;
  window.print = () => { window.printed += 1; };
  window.said = [];
  SpeechSynthesis.prototype.speak = (said) => { window.said.push(said.text); };
"""


@pytest.fixture(scope="module", autouse=True)
def _watched(context: BrowserContext, controls: Controls) -> None:
    controls.watch(context)
    context.add_init_script(_NOTED)
    context.grant_permissions(["clipboard-read", "clipboard-write"])


def test_a_page_read_by_address_and_its_links(page: Page, site: Site) -> None:
    more = "<p>The letter has <a href='/more'>more</a> to say of the ferry.</p>"
    for path, body in (("/a", LETTER), ("/letter", more)):
        site.answers[path] = 200, _HTML, page_with(body).encode()
    open_reader(page)
    read_address(page, f"{site.url}/a")
    page.wait_for_url(lambda url: url.endswith(f"/?url={quote(site.url, safe='')}%2Fa"))
    page.get_by_role("link", name="letter of the people").click()
    page.wait_for_selector("body.reading h1")
    assert "/read?url=" in page.url
    assert site.seen[-1] == "/letter"
    page.get_by_role("link", name="Cleaned").click()
    page.frame_locator("iframe.whole").locator("text=The letter has").wait_for()
    page.frame_locator("iframe.whole").get_by_role("link", name="more").click()
    page.wait_for_url("**/read?url=*more*")
    assert site.seen[-1] == "/more"


def test_a_file_is_read(page: Page) -> None:
    open_reader(page)
    read_file(page, "a.html", page_with().encode("utf-16"))
    assert page.inner_text("#panel-article h1") == "The ferry stays"
    assert "a.html" in page.inner_text("#facts")


def test_an_example_is_read_with_the_readers_settings(page: Page) -> None:
    open_reader(page)
    read_example(page, "de")
    assert "quality" in page.inner_text("#facts").lower()
    page.locator(".reading summary").click()
    page.select_option("#reading-size", "largest")
    page.select_option("#reading-theme", "sepia")
    size = "getComputedStyle(document.querySelector('.article-body')).fontSize"
    assert float(page.evaluate(size).removesuffix("px")) > 22
    page.reload()
    page.wait_for_selector("body[data-ready]")
    read_example(page, "en")
    assert page.locator(".article").get_attribute("data-size") == "largest"
    assert page.locator("#panel-article").get_attribute("data-theme") == "sepia"


def test_the_table_sorts_filters_and_explains(read: Page) -> None:
    show(read, "Blocks")
    rows = read.locator(".blocks tbody tr")
    expected = extract(DEMO.html, url=DEMO.url).blocks
    assert rows.count() == len(expected)
    read.get_by_role("button", name="Score").click()
    assert read.locator("th[aria-sort=descending]").inner_text().startswith("Score")
    best = max(expected, key=lambda block: block.score)
    assert rows.first.locator("td").first.inner_text() == str(best.index)
    read.get_by_label("Verdict").select_option("kept")
    assert rows.count() == sum(block.kept for block in expected)
    read.get_by_label("Find").fill(best.text.split()[3])
    assert 0 < rows.count() < len(expected)
    toggle = rows.first.get_by_role("button")
    toggle.focus()
    read.keyboard.press("Enter")
    read.locator(".more .details table").wait_for()
    assert toggle.get_attribute("aria-expanded") == "true"
    read.get_by_role("button", name="Show it in the page").click()
    read.frame_locator("#panel-original iframe").locator("[data-current]").first.wait_for()
    assert read.get_by_role("tab", name="Original").get_attribute("aria-selected") == "true"


def test_every_format_is_shown_and_downloaded(read: Page) -> None:
    expected = extract(DEMO.html, url=DEMO.url)
    show(read, "Output")
    text = read.get_by_label("The output")
    assert text.input_value() == expected.to_text()
    shown = {"markdown": expected.to_markdown(), "html": expected.to_html(), "xml": expected.to_xml()}
    for name, output in shown.items():
        read.get_by_label("Format").select_option(name)
        assert text.input_value() == output.replace("\r\n", "\n")
    read.get_by_label("Format").select_option("json")
    assert '"schema": 2' in text.input_value()
    with read.expect_download() as started:
        read.get_by_role("link", name="Download").click()
    assert started.value.suggested_filename.endswith(".json")


def test_filters_are_switched_live(read: Page) -> None:
    show(read, "Cleaned")
    frame = read.frame_locator("#panel-cleaned iframe")
    frame.locator("a").first.wait_for()
    read.get_by_text("Filters: what is removed").click()
    read.get_by_label("Text links").check()
    frame.locator("body:not(:has(a))").wait_for()
    read.get_by_label("List removed links at the end").check()
    frame.locator("a").first.wait_for()
    read.get_by_label("Shown as").select_option("text")
    read.wait_for_function("() => document.querySelector('#panel-cleaned pre').textContent.length > 100")


def _sent(page: Page, path: str, **expected: Any) -> Any:
    """Return what waits for a request of the page to a part of the API by which something is chosen."""

    def is_it(request: Request) -> bool:
        if not request.url.endswith(f"/api/v1/{path}"):
            return False
        body = request.post_data_json
        return bool(expected.items() <= (body.get("second") or body).items())

    return page.expect_request(is_it)


def _status(page: Page, text: str) -> None:
    page.wait_for_function("text => document.querySelector('#status').textContent.includes(text)", arg=text)


@pytest.mark.parametrize(("control", "value", "expected"), CASES["an_option_is_sent_and_taken_back"])
def test_an_option_is_sent_and_taken_back(read: Page, control: str, value: str | bool, expected: dict) -> None:
    read.get_by_text("More options").click()
    field = read.locator(f"#{control}")
    with _sent(read, "extract", **expected) as sent:
        if isinstance(value, bool):
            field.set_checked(value)
        elif field.evaluate("each => each.localName") == "select":
            field.select_option(value)
        else:
            field.fill(value)
            field.press("Tab")
    assert sent.value.response().status == 200
    with _sent(read, "extract") as again:
        read.get_by_role("button", name="Back to the defaults").click()
    usual = again.value.post_data_json
    assert {name: usual[name] for name in expected} != expected
    assert usual["model"] == "default"


def test_stretches_of_a_decoder_are_chosen(read: Page) -> None:
    for prefix, name in (("a", "extract"), ("b", "compare")):
        if prefix == "b":
            show(read, "Compare")
        chosen: dict[str, Any] = {}
        for field, value in (("model", "ziegler2007"), ("decoder", "mss"), ("favour", "precision")):
            chosen |= {field: value, "runs": 1} if field == "decoder" else {field: value}
            with _sent(read, name, **chosen):
                read.locator(f"#{prefix}-{field}").select_option(value)
        with _sent(read, name, **chosen | {"runs": 2}):
            read.locator(f"#{prefix}-runs").fill("2")
            read.locator(f"#{prefix}-runs").press("Tab")
    _status(read, "ziegler2007")


def test_options_and_reading_settings_are_folded(read: Page) -> None:
    read.get_by_text("Model and options").click()
    assert read.locator("#options").is_hidden()
    read.get_by_text("Model and options").click()
    assert read.locator("#options").is_visible()
    read.get_by_text("Reading settings").first.click()
    for field, value in (("size", "small"), ("width", "wide"), ("font", "sans"), ("theme", "dark")):
        read.locator(f"#reading-{field}").select_option(value)
        shown = read.locator("#panel-article" if field == "theme" else ".article")
        assert shown.get_attribute(f"data-{field}") == value
    kept = json.loads(read.evaluate("localStorage.getItem('blockfeat-reading')"))
    assert kept == {"size": "small", "width": "wide", "font": "sans", "theme": "dark"}
    read.evaluate("localStorage.clear()")


def test_the_article_is_printed_and_read_aloud(read: Page) -> None:
    read.get_by_text("Reading settings").first.click()
    read.get_by_role("button", name="Print").click()
    assert read.evaluate("printed") == 1
    read.get_by_role("button", name="Read aloud").click()
    assert read.evaluate("said[0]") == read.inner_text("#panel-article h1")
    read.get_by_role("button", name="Stop").click()
    read.get_by_role("button", name="Read aloud").wait_for()


def test_the_article_leads_on(page: Page, site: Site) -> None:
    for path in ("/a", "/letter"):
        site.answers[path] = 200, _HTML, page_with(LETTER).encode()
    page.route(f"{site.url}/**", lambda route: route.fulfill(body="the original"))
    own = {"On a page of its own": "**/read?url=*%2Fa", "At its own address": f"{site.url}/a"}
    for name, target in {"letter of the people": "**/read?url=*letter*", **own}.items():
        page.goto(f"/?url={site.url}/a")
        page.get_by_role("link", name=name).click()
        page.wait_for_url(target)


def test_a_file_is_dropped(page: Page) -> None:
    open_reader(page)
    page.evaluate(
        """html => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([html], "dropped.html", { type: "text/html" }));
          const [place, how] = [document.querySelector("main"), { dataTransfer, bubbles: true, cancelable: true }];
          for (const name of ["dragover", "drop"]) place.dispatchEvent(new DragEvent(name, how));
        }""",
        page_with(),
    )
    page.wait_for_selector("#panel-article h1")
    assert "dropped.html" in page.inner_text("#facts")
    assert page.locator(".intake.over").count() == 0


@pytest.mark.parametrize(("lang", "name"), [("en", "English"), ("de", "Deutsch"), ("ja", "日本語")])
def test_an_example_is_read(page: Page, lang: str, name: str) -> None:
    open_reader(page)
    page.get_by_role("button", name=name).click()
    page.wait_for_selector("#panel-article h1")
    assert page.locator(".article").get_attribute("lang") == lang


def test_the_look_of_the_original_is_chosen(read: Page) -> None:
    original_in(read)
    read.get_by_role("button", name="Next block").click()
    read.locator("#panel-original .details h3").wait_for()
    first = read.locator("#panel-original .details h3").inner_text()
    read.get_by_role("button", name="Next block").click()
    read.wait_for_function("() => !document.querySelector('#panel-original .details h3').textContent.includes(' 0 ')")
    read.get_by_role("button", name="Previous block").click()
    read.locator("#panel-original .details h3", has_text=first.split("✓")[0].strip()).wait_for()
    with read.expect_request("**/coloured?*look=plain*"):
        read.locator("#look").select_option("plain")


def test_each_column_sorts(read: Page) -> None:
    show(read, "Blocks")
    heads = read.locator(".blocks th button")
    for number in range(heads.count()):
        for _ in range(2):
            heads.nth(number).click()
            cells = read.locator(f".blocks tbody td:nth-child({number + 1})").all_inner_texts()
            order = read.locator(".blocks th").nth(number).get_attribute("aria-sort")
            if number in (0, 3):
                numbers = [int(cell.replace(",", "")) for cell in cells]
                assert numbers == sorted(numbers, reverse=order == "descending")
            else:
                assert order in ("ascending", "descending")


def test_the_output_is_copied(read: Page) -> None:
    show(read, "Output")
    read.get_by_label("The output").click()
    read.get_by_role("button", name="Copy").click()
    _status(read, "Copied.")
    assert read.evaluate("navigator.clipboard.readText()") == read.get_by_label("The output").input_value()


def test_each_filter_is_sent_alone_and_taken_back(read: Page) -> None:
    with read.expect_response("**/clean?*"):
        show(read, "Cleaned")
    read.get_by_text("Filters: what is removed").click()
    fields = read.locator(".filters input:not(:disabled)")
    names = fields.evaluate_all("each => each.map(field => field.id)")
    assert len(names) > 30
    usual = read.request.get("/api/v1/options").json()["clean"]
    for name in names:
        _, section, key = name.split("-")
        before = usual[section][key]
        if isinstance(before, bool):
            after: Any = not before
        elif isinstance(before, int | float):
            after = before + 1 if key.startswith("least") else before / 2
        else:
            after = ["hr", "br"] if isinstance(before, list) else "x"
        assert (_cleaned(read, name, after), _cleaned(read, name, before)) == ({section: {key: after}}, {})
    for name in ("clean-link_lists-most_linked", "clean-link_lists-ratio"):
        assert (_cleaned(read, name, -1), read.locator(f"#{name}:invalid").count()) == ({}, 1)


def _cleaned(page: Page, name: str, value: Any) -> Any:
    """Change a filter; return the settings by which the frame is cleaned then."""
    field = page.locator(f"#{name}")
    with page.expect_response(lambda response: "/clean?" in response.url) as cleaned:
        if isinstance(value, bool):
            field.set_checked(value)
        else:
            field.fill(" ".join(value) if isinstance(value, list) else str(value))
            field.press("Tab")
    assert cleaned.value.status == 200
    return json.loads(dict(parse_qsl(urlsplit(cleaned.value.url).query)).get("settings", "{}"))


def test_a_cleaned_page_is_read_on(page: Page, site: Site) -> None:
    site.answers["/a"] = 200, _HTML, page_with(LETTER).encode()
    page.goto(f"/?url={site.url}/a&view=cleaned")
    page.locator("#clean-look").select_option("plain")
    page.get_by_role("link", name="Read on").click()
    page.wait_for_url("**/read?*view=clean*look=plain*")


def test_tabs_lead_to_their_views_and_the_head_to_other_pages(read: Page) -> None:
    for name in ("Original", "Blocks", "Output", "Cleaned", "Compare", "Article"):
        show(read, name)
        read.get_by_role("tabpanel", name=name).wait_for()
        assert read.get_by_role("tabpanel").count() == 1
    for name, path in (("blockfeat", "/"), ("Reader", "/"), ("API", "/api")):
        open_reader(read)
        follow(read, read.get_by_role("banner").get_by_role("link", name=name, exact=True), f"**{path}")


def test_where_a_page_comes_from_is_chosen(page: Page) -> None:
    open_reader(page)
    skip_to_the_content(page)
    for name, field in (("HTML", "html"), ("File", "file"), ("Address", "address")):
        page.get_by_role("radio", name=name).check()
        assert page.locator("#html, #file, #address").locator("visible=true").get_attribute("id") == field


def test_differences_are_gone_through(read: Page) -> None:
    show(read, "Compare")
    frame = read.frame_locator("#panel-compare iframe >> nth=0")
    frame.locator("[data-current][data-differs]").first.wait_for()
    first = frame.locator("[data-current]").first.get_attribute("data-block")
    read.get_by_role("button", name="Next difference").click()
    frame.locator(f"[data-current]:not([data-block='{first}'])").first.wait_for()
    read.get_by_role("button", name="Previous difference").click()
    frame.locator(f"[data-current][data-block='{first}']").first.wait_for()


def test_every_control_was_used(request: pytest.FixtureRequest, controls: Controls) -> None:
    controls.check_all_used(request, "/", least=80)
