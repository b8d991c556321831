"""A labeller at work in a real browser: each button, field and key of the page, with what it does to the session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from blockfeat.data.corpus import read_corpus
from blockfeat.data.labels import ROLES
from blockfeat.data.validate import validate
from blockfeat.extraction.extractor import Extractor
from blockfeat.web.labelling.background import model_file
from controls import Controls
from labelled_site_pages import site
from labelling_page import LabellingPage, serving_labels
from reader_page import skip_to_the_content

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page


@pytest.fixture
def labelling(tmp_path) -> Iterator[LabellingPage]:
    with serving_labels(site(10), tmp_path / "labels.jsonl", model="margin") as served:
        yield served


@pytest.fixture
def label_page(browser: Browser, labelling: LabellingPage, controls: Controls) -> Iterator[Page]:
    context = browser.new_context(base_url=labelling.url, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(300_000)
    controls.watch(context)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda message: errors.append(message.text) if _is_fault(message) else None)
    opened.goto("/")
    opened.wait_for_selector("#blocks li[data-current]")
    yield opened
    context.close()
    assert errors == []


def _is_fault(message: ConsoleMessage) -> bool:
    # What Playwright itself would run in the frame is refused: that is meant.
    return message.type == "error" and "frame is sandboxed" not in message.text


def roles(page: Page) -> list[str]:
    return page.eval_on_selector_all("#blocks li", "items => items.map(item => item.dataset.role)")


def frame_roles(page: Page) -> dict[int, str]:
    pairs = "parts => parts.map(part => [Number(part.dataset.block), part.dataset.verdict])"
    return dict(page.frame_locator("iframe.page").locator("bf-block").evaluate_all(pairs))


def title(page: Page) -> str:
    return page.inner_text("#title")


def wait_for_other_page(page: Page, before: str) -> None:
    page.wait_for_function("title => document.getElementById('title').textContent !== title", arg=before)
    page.wait_for_selector("#blocks li[data-current]")


def place_of(page: Page, text: str) -> int:
    found = "(items, text) => items.findIndex(item => item.innerText.includes(text))"
    return page.eval_on_selector_all("#blocks li", found, text)


def close_dialog(page: Page) -> None:
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")


def wait_for_role(page: Page, block: int, role: str) -> None:
    wanted = "([block, role]) => document.getElementById('blocks').children[block].dataset.role === role"
    page.wait_for_function(wanted, arg=[block, role])


def test_the_page_says_what_training_lacks(label_page: Page, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("blockfeat._extras.find_spec", lambda name: None if name == "scipy" else name)
    label_page.reload()
    label_page.wait_for_selector("#blocks li[data-current]")
    label_page.click("#train")
    label_page.wait_for_selector("#train-dialog[open]")
    assert "training needs scipy: pip install 'blockfeat[train]'" in label_page.inner_text("#train-dialog")
    assert label_page.is_disabled("#start-training")


def test_a_page_is_opened_at_its_top(label_page: Page) -> None:
    label_page.set_viewport_size({"width": 390, "height": 800})
    before = title(label_page)
    label_page.get_by_role("button", name="Next page", exact=True).click()
    wait_for_other_page(label_page, before)
    assert label_page.evaluate("scrollY") == 0


def test_ten_pages_are_labelled_by_clicks_and_keys_and_trained_on(label_page: Page, labelling: LabellingPage):
    page, keys = label_page, label_page.keyboard
    footer = place_of(page, "rights reserved")

    # A click in the frame makes a block content, another takes it out, undo brings it back.
    block = page.frame_locator("iframe.page").locator(f'bf-block[data-block="{footer}"]').first
    block.click()
    wait_for_role(page, footer, "content")
    assert frame_roles(page)[footer] == "content"
    block.click()
    assert roles(page)[footer] == "clutter"
    keys.press("z")
    wait_for_role(page, footer, "content")
    keys.press("y")
    wait_for_role(page, footer, "clutter")

    # A range by keys: from the first block down, as captions, then the suggestions again.
    keys.press("Home")
    keys.press("Shift+J")
    keys.press("Shift+ArrowDown")
    suggested = roles(page)
    keys.press("p")
    assert roles(page)[:3] == ["caption"] * 3
    keys.press("Home")
    keys.press("Shift+J")
    keys.press("Shift+J")
    keys.press("u")
    assert roles(page) == suggested

    # Every page: a byline where it is not seen, then on with Enter.
    seen = []
    for number in range(10):
        before = title(page)
        seen.append(before)
        byline = place_of(page, "By ")
        page.locator("#blocks li").nth(byline).click()
        page.locator("#blocks li").nth(byline).click()
        keys.press("b")
        keys.press("Enter")
        if number < 9:
            wait_for_other_page(page, before)
    page.wait_for_function("() => document.getElementById('counts').textContent.startsWith('10 of 10 pages')")
    assert len(set(seen)) == 10

    # Training shows the curve and writes a model that extracts.
    keys.press("t")
    page.select_option("#kind", "thresholds")
    page.click("#start-training")
    page.wait_for_selector("#train-dialog .scores")
    assert page.locator("#train-dialog svg.curve circle").count() == 3
    assert "thresholds" in page.inner_text("#train-dialog .scores")
    output = labelling.session.output
    assert validate(output).ok
    pages = list(read_corpus(output))
    assert len(pages) == 10
    assert all("byline" in found.roles.blocks for found in pages if found.roles)
    model = Extractor.load(output.with_name("labels.model.json"))
    first = pages[0]
    assert model.extract(first.html, lang="en").text == first.text
    close_dialog(page)


def test_the_page_works_by_keyboard_and_for_screen_readers(label_page: Page, labelling: LabellingPage):
    page, keys = label_page, label_page.keyboard
    keys.press("?")
    words = ("headline", "byline", "caption", "clutter", "undo", "accept")
    assert [word for word in words if word not in page.inner_text("#help-dialog")] == []
    keys.press("x")
    close_dialog(page)
    assert not labelling.session.can_undo
    listbox = page.locator("#blocks")
    assert listbox.get_attribute("role") == "listbox"
    keys.press("Home")
    keys.press("j")
    current = listbox.get_attribute("aria-activedescendant")
    assert current == "block-1"
    keys.press("h")
    label = page.locator("#block-1").get_attribute("aria-label") or ""
    assert label.startswith("headline: ")
    assert listbox.get_attribute("aria-activedescendant") == "block-2"
    keys.press("v")
    assert page.locator("#frame-box").is_hidden()
    keys.press("v")
    assert page.locator("#blocks").is_hidden()
    keys.press("v")
    # Keys in a field are the field's.
    page.focus("#look")
    keys.press("x")
    page.select_option("#look", "plain")
    before = title(page)
    page.focus("#next")
    keys.press("Enter")
    wait_for_other_page(page, before)
    assert (labelling.session.progress.done, labelling.session.progress.left) == (0, 10)


def _counts_start(page: Page, text: str) -> None:
    page.wait_for_function("text => document.getElementById('counts').textContent.startsWith(text)", arg=text)


def test_what_is_not_saved_is_shown_so_and_sent_again(browser: Browser, tmp_path):
    """The service ends, a click, the service comes back, another click, Enter: both clicks are in the file."""
    output = tmp_path / "labels.jsonl"
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(300_000)
    page = context.new_page()
    with serving_labels(site(2), output, model="margin") as first:
        page.goto(first.url)
        page.wait_for_selector("#blocks li[data-current]")
        blocks = [place_of(page, "rights reserved"), place_of(page, "By ")]
        before = title(page)
    page.check("input[name=role][value=caption]", force=True)
    page.locator("#blocks li").nth(blocks[0]).click()
    page.wait_for_selector("#blocks li[data-unsaved]")
    page.wait_for_function("() => document.getElementById('problem').textContent.startsWith('Not saved: 1 mark')")
    page.keyboard.press("Enter")
    with serving_labels(site(2), output, model="margin", port=int(first.url.rpartition(":")[2].strip("/"))):
        page.wait_for_selector("#blocks li[data-unsaved]", state="detached")
        assert page.locator("#problem").is_hidden()
        page.locator("#blocks li").nth(blocks[1]).click()
        page.keyboard.press("Enter")
        wait_for_other_page(page, before)
        _counts_start(page, "1 of 2 pages")
    context.close()
    (labelled,) = read_corpus(output)
    assert [labelled.roles.blocks[block] for block in blocks] == ["caption", "caption"]


def _shown(page: Page) -> str:
    """Return the id of the page that is labelled."""
    return page.locator("#title").get_attribute("data-page") or ""


def _wait_for_page(page: Page, name: str) -> None:
    page.wait_for_selector(f'#title[data-page="{name}"]')
    page.wait_for_selector("#blocks li[data-current]")


def test_each_button_of_a_page_does_what_it_says(label_page: Page, labelling: LabellingPage) -> None:
    page, session = label_page, labelling.session
    first = _shown(page)
    page.get_by_role("button", name="Next page", exact=True).click()
    wait_for_other_page(page, f"Story {first.split('-')[1]} of the harbour")
    second = _shown(page)
    page.get_by_role("button", name="Previous page").click()
    _wait_for_page(page, first)
    assert {session.state(name) for name in (first, second)} == {"open"}
    named = []
    for button, state in (("Skip", "skipped"), ("Bad page", "bad"), ("No content", "done"), ("Accept", "done")):
        before, shown = title(page), _shown(page)
        page.get_by_role("button", name=button).click()
        wait_for_other_page(page, before)
        assert session.state(shown) == state
        named.append(shown)
    page.get_by_role("button", name="Undo").click()
    _wait_for_page(page, named[-1])
    assert session.state(named[-1]) == "open"
    assert [found.id for found in read_corpus(session.output)] == [named[2]]
    page.get_by_role("button", name="Redo").click()
    page.wait_for_selector("#redo:disabled")
    assert session.state(named[-1]) == "done"
    without, accepted = sorted(read_corpus(session.output), key=lambda found: found.id != named[2])
    assert (without.text, accepted.id) == ("", named[-1])
    journal = session.output.with_name(f"{session.output.name}.journal").read_text(encoding="utf-8").splitlines()[1:]
    changes = [json.loads(line) for line in journal]
    pairs = [*zip(named, ("skipped", "bad", "done", "done"), strict=True)]
    assert [(change["page"], change["state"]) for change in changes[:4]] == pairs
    assert changes[4:] == [{"undo": True}, {"redo": True}]


def test_each_role_is_given_by_a_click(label_page: Page, labelling: LabellingPage) -> None:
    page, name = label_page, _shown(label_page)
    for number, role in enumerate(ROLES):
        block = number + place_of(page, "By ")
        page.locator("label.role", has=page.locator(f"[value={role}]")).click()
        page.locator("#blocks li").nth(block).click()
        page.wait_for_selector(f"#blocks li:nth-child({block + 1})[data-marked]")
    given = labelling.session.view(name)
    marked = {role for block, role in enumerate(given.roles) if block in given.marked}
    assert marked >= {"headline", "byline", "caption"}
    page.keyboard.press("Tab")
    skip_to_the_content(page)


def _current(page: Page) -> int:
    return int(page.locator("#blocks li[data-current]").get_attribute("data-block") or "-1")


def test_each_key_does_what_the_help_says(label_page: Page, labelling: LabellingPage) -> None:
    page, keys, session = label_page, label_page.keyboard, labelling.session
    page.get_by_role("button", name="Help").click()
    page.get_by_role("button", name="Close").click()
    first, last = _shown(page), len(roles(page)) - 1
    for key, block in (("End", last), ("Home", 0), ("j", 1), ("ArrowDown", 2), ("k", 1), ("ArrowUp", 0)):
        keys.press(key)
        assert _current(page) == block
    suggested = roles(page)
    keys.press("]")
    assert suggested[_current(page)] != suggested[_current(page) - 1]
    keys.press("[")
    assert _current(page) == 0
    for key, role in (("c", "content"), ("h", "headline"), ("b", "byline"), ("p", "caption"), ("x", "clutter")):
        keys.press("Home")
        keys.press(key)
        assert roles(page)[0] == role
    keys.press("Home")
    keys.press("u")
    assert roles(page) == suggested
    for key in ("n", "ArrowRight", "N", "ArrowLeft"):
        before = title(page)
        keys.press(key)
        wait_for_other_page(page, before)
    assert _shown(page) == first
    for key, state in (("a", "done"), ("Enter", "done"), ("s", "skipped"), ("0", "done"), ("!", "bad")):
        before, shown = title(page), _shown(page)
        keys.press(key)
        wait_for_other_page(page, before)
        assert session.state(shown) == state
    keys.press("z")
    _wait_for_page(page, shown)
    assert session.state(shown) == "open"
    keys.press("y")
    page.wait_for_selector("#redo:disabled")
    assert session.state(shown) == "bad"
    keys.press("t")
    page.locator("#train-dialog").get_by_role("button", name="Close").click()


def test_a_training_is_stopped_and_started_anew(label_page: Page, labelling: LabellingPage) -> None:
    page, session = label_page, labelling.session
    for number in range(6):
        session.accept(f"page-{number}")
    session.accept("page-6", has_content=False)
    page.get_by_role("button", name="Train").click()
    dialog = page.locator("#train-dialog")
    dialog.get_by_label("Kind of model").select_option("margin")
    dialog.get_by_role("button", name="Train").click()
    dialog.get_by_role("button", name="Stop").click()
    dialog.locator(".problem").wait_for()
    assert not model_file(session.output).exists()
    dialog.get_by_label("Kind of model").select_option("thresholds")
    dialog.get_by_role("button", name="Train").click()
    dialog.locator(".scores").wait_for()
    assert model_file(session.output).exists()
    dialog.get_by_text("1 page not trained on").click()
    assert dialog.locator("details li").is_visible()


def test_every_control_was_used(request: pytest.FixtureRequest, controls: Controls) -> None:
    controls.check_all_used(request, least=40)
