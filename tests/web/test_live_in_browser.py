"""The live page in a real browser: each of its links, fields, buttons and keys, with what it does to the store."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from shutil import copy
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from blockfeat.monitor.reports import Filters, mention_rows
from blockfeat.monitor.store.store import Store
from controls import Controls
from live_page import EVIDENCE, serving_live
from reader_page import SMALL, skip_to_the_content
from stored_pages import NOW, execute, mention, record, save_on_day, story

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Route

_VERDICTS = ("right", "wrong sense", "not in the article")
Opening = Callable[..., AbstractContextManager["Page"]]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A story with many mentions and its copy, one in French, a brand in a menu, and many other stories."""
    file = tmp_path_factory.mktemp("store") / "m.db"
    with Store.open(str(file)) as opened:
        mentions = (mention(f"Corvane {number}") for number in range(7))
        article = record(story(0, 60), *mentions, title="Ships", kind="article", evidence=EVIDENCE)
        menu = (mention(f"Le Rex {number}", brand="Le Rex", counted=False) for number in range(3))
        save_on_day(opened, 0, article)
        save_on_day(opened, 1, article)
        save_on_day(opened, 2, record("Un texte.", mention("Le Rex", brand="Le Rex"), lang="fr", title="Rex"))
        save_on_day(opened, 3, record("x", *menu, lang="fr", title="Menu"))
        for number in range(10, 40):
            text = " ".join(f"word{number}of{place}" for place in range(12))
            other = mention(f"Orlam {number}", brand="Orlam")
            save_on_day(opened, number, record(text, other, kind="list", title=None))
    return file


@pytest.fixture
def store(filled: Path, tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(copy(filled, tmp_path / "m.db"))) as opened:
        yield opened


@pytest.fixture
def opening(store: Store, browser: Browser, controls: Controls) -> Iterator[Opening]:
    """Return what opens a page at the live page, with scripts or without; what its scripts say fails the test."""
    errors: list[str] = []

    @contextmanager
    def opened(path: str = "/", *, scripts: bool = True, **options: Any) -> Iterator[Page]:
        options = {"viewport": {"width": 1000, "height": 700}, "java_script_enabled": scripts} | options
        context = browser.new_context(base_url=url, **options)
        context.set_default_timeout(120_000)
        original = {"body": "the original", "content_type": "text/html"}
        context.route("https://*.example/**", lambda route: route.fulfill(**original))
        if scripts:
            controls.watch(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path)
        yield page
        context.close()

    with serving_live(store, feedback=True) as url:
        yield opened
    assert errors == []


@pytest.fixture
def page(opening: Opening) -> Iterator[Page]:
    with opening() as opened:
        yield opened


def _brands(page: Page) -> set[str]:
    return set(page.locator(".stream blockquote .about strong").all_inner_texts())


def _wait_for_all(page: Page) -> None:
    page.wait_for_url(lambda url: url.endswith("/"))
    assert _brands(page) == {"Orlam"}


def _verdict(store: Store, key: str) -> str | None:
    rows = store.query("SELECT verdict FROM feedback WHERE mention_key = :key", {"key": key})
    return rows[0]["verdict"] if rows else None


def _judge_all(store: Store) -> None:
    """Judge what makes two proposals, each for a place of a host."""
    for row in store.query("SELECT key, brand, counted FROM mention WHERE copied IS NOT TRUE"):
        verdict = "missed" if not row["counted"] else "right" if row["brand"] == "Orlam" else "not in the article"
        store.judge(row["key"], verdict, now=NOW)


_FILTERS = "brand=Corvane,Le Rex;lang=fr,en;place=body;kind=article;since=2026-01-07;until=2026-01-06;counted=no;q=rex"


@pytest.mark.parametrize("chosen", [*_FILTERS.split(";"), "words=keeper AND ships"])
def test_a_filter_shows_what_it_names(page: Page, store: Store, chosen: str) -> None:
    field, value = chosen.split("=")
    control = page.locator(f"[name={field}]")
    values = value.split(",") if field in ("brand", "lang", "place", "kind") else value
    if values is not value:
        page.locator(".choose", has=control).locator("summary").click()
        for each in values:
            page.locator(f".filters [name={field}][value='{each}']").check()
    elif field == "counted":
        control.select_option(value)
    else:
        control.fill(value)
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url("**/?*")
    filters = Filters.model_validate({field: values})
    if values is not value:
        assert page.locator(".choose span", has_text=", ".join(sorted(values))).count() == 1
    by_words = {"Corvane"} if field == "words" else None
    assert _brands(page) == (by_words or {row["brand"] for row in mention_rows(store, filters, newest=30)})
    page.get_by_role("link", name="All", exact=True).click()
    _wait_for_all(page)


def test_sources_are_filtered_by_and_what_is_not_there_is_told(page: Page) -> None:
    for number, host in enumerate(("h0.example", "h10.example")):
        page.locator("[name=source]").nth(number).fill(host)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**source={host}*")
    assert _brands(page) == {"Corvane", "Orlam"}
    page.locator("[name=q]").fill("nothing of the kind")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Show all").click()
    _wait_for_all(page)


def test_charts_lead_to_what_they_show(page: Page) -> None:
    page.locator(".columns a", has=page.locator("rect.series-1")).last.click()
    page.wait_for_url("**since=*")
    assert "until=" in page.url
    page.get_by_role("link", name="30 days").click()
    page.wait_for_url(lambda url: "since=" in url and "until=" not in url)
    for heading, found in (("Share of voice", "brand="), ("Sources", "source="), ("Languages", "lang=")):
        page.goto("/")
        page.locator(".numbers section", has_text=heading).get_by_role("link").last.click()
        page.wait_for_url(f"**{found}*")
        assert page.locator(".stream .article").count() > 0


def test_feeds_and_file_have_what_is_shown(page: Page) -> None:
    page.goto("/?brand=Le+Rex&counted=all")
    with page.expect_download() as csv_file:
        page.get_by_role("link", name="CSV").click()
    with Path(csv_file.value.path()).open(encoding="utf-8", newline="") as lines:
        assert [row["brand"] for row in csv.DictReader(lines)] == ["Le Rex"] * 4
    with page.expect_response("**/feed.atom?*") as atom:
        page.get_by_role("link", name="Atom").click()
    assert atom.value.text().count("<entry>") == 4


def test_an_article_leads_to_its_evidence_its_original_and_its_copies(page: Page) -> None:
    page.goto("/?brand=Corvane&counted=all")
    page.locator(".stream h3 a").click()
    page.wait_for_url("**/article/*")
    assert page.locator(".blocks li.kept").inner_text().startswith("Text of it")
    page.locator("a.jump").first.click()
    page.wait_for_url("**#b1")
    page.locator("main").get_by_role("link", name="original").click()
    page.wait_for_url("https://h0.example/")
    page.go_back()
    page.get_by_role("banner").get_by_role("link").click()
    _wait_for_all(page)
    targets = {"where": "**/article/*#b1", "original": "https://h0.example/", "the article": "**/article/*"}
    for name, target in targets.items():
        page.goto("/?brand=Corvane&counted=all")
        page.locator(".stream").get_by_role("link", name=name, exact=True).first.click()
        page.wait_for_url(target)
    page.goto("/?counted=no")
    page.locator(".not").get_by_role("link", name="where").first.click()
    page.wait_for_url("**/article/*#b1")
    page.goto("/?brand=Corvane&counted=all")
    page.get_by_text("1 more article of this story").click()
    page.locator(".stream details a").click()
    page.wait_for_url("**/article/*")
    page.get_by_role("link", name="https://h0.example/", exact=True).click()
    page.get_by_role("heading", name="Ships").wait_for()
    assert page.get_by_text("A copy of").count() == 0


def test_keys_go_through_the_articles(page: Page) -> None:
    focused = "[...document.querySelectorAll('.article')].indexOf(document.activeElement)"
    for key, place in (("j", 0), ("j", 1), ("k", 0)):
        page.keyboard.press(key)
        assert page.evaluate(focused) == place
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("jo")
    assert page.locator("#q").input_value() == "jo"
    page.locator(".article").nth(1).focus()
    title = page.locator(".article h3").nth(1).inner_text()
    page.keyboard.press("o")
    page.wait_for_url("**/article/*")
    assert page.locator("h1").inner_text() == title


def test_one_key_decides_what_is_unsure(opening: Opening, store: Store) -> None:
    execute(
        store, "UPDATE mention SET counted = FALSE, rule = 'unsure: x', because = 'unsure: x' WHERE brand = 'Orlam'"
    )
    with opening("/?counted=unsure") as page:
        for key, verdict in (("y", "right"), ("n", "wrong sense")):
            page.keyboard.press(key)
            page.locator(f".article [value='{verdict}'][aria-pressed=true]").wait_for()
    judged = store.query("SELECT verdict, counted FROM feedback JOIN mention ON key = mention_key ORDER BY id DESC")
    assert [(row["verdict"], row["counted"]) for row in judged] == [("right", 1), ("wrong sense", 0)]


def test_a_key_passes_over_what_it_cannot_decide(opening: Opening, store: Store) -> None:
    first = "(SELECT min(id) FROM mention WHERE brand = 'Corvane')"
    execute(store, f"UPDATE mention SET counted = FALSE, because = 'dropped: a menu' WHERE id = {first}")
    with opening("/?brand=Corvane&counted=all") as page:
        page.keyboard.press("y")
        page.locator(".article [value=right][aria-pressed=true]").wait_for()
    assert store.query(f"SELECT m.id - {first} AS n FROM feedback JOIN mention m ON m.key = mention_key") == [{"n": 1}]


def test_keys_that_come_before_the_answer_decide_the_next_mentions(opening: Opening, store: Store) -> None:
    with opening("/?brand=Corvane") as page:
        pressed = "document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))"
        page.evaluate(f"for (const key of 'yny') {pressed}")
        page.locator("form.verdicts:has([aria-pressed])").nth(2).wait_for()
    judged = store.query("SELECT verdict FROM feedback JOIN mention m ON m.key = mention_key ORDER BY m.id")
    assert [row["verdict"] for row in judged] == ["right", "wrong sense", "right"]


@pytest.mark.parametrize("path", ["/", "/lessons", "/status", "/article/1"])
def test_a_phone_shows_the_page_without_scrolling_sideways(opening: Opening, path: str) -> None:
    with opening(path, viewport={"width": 390, "height": 800}, is_mobile=True, has_touch=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate(SMALL) == []


def test_the_page_goes_on_and_starts_anew(page: Page) -> None:
    page.get_by_role("link", name="Earlier mentions").click()
    page.wait_for_url("**before=*")
    assert {"Corvane", "Le Rex"} <= _brands(page)
    page.locator(".brand").click()
    _wait_for_all(page)


@pytest.mark.parametrize("path", ["/", "/lessons", "/status", "/article/1"])
def test_the_content_is_one_key_away_and_the_page_of_all_one_click(page: Page, path: str) -> None:
    page.goto(path)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    skip_to_the_content(page)
    page.locator(".brand").click()
    _wait_for_all(page)


def test_mentions_that_came_since_are_told_and_shown(opening: Opening, store: Store) -> None:
    with opening("/?brand=Orlam") as page:
        page.clock.install()
        page.reload()
        save_on_day(store, 50, record("At last.", mention("Orlam at last", brand="Orlam"), title=None))
        page.clock.run_for(31_000)
        page.get_by_role("link", name="1 new mention").click()
        page.locator(".stream blockquote").first.get_by_text("Orlam at last").wait_for()


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("address", ["/?brand=Corvane", "/?brand=Le+Rex&counted=no", "/article/1", "/article/4"])
def test_verdicts_are_stored_and_the_page_stays(opening: Opening, store: Store, address: str, scripts: bool) -> None:
    with opening(address, scripts=scripts) as page:
        form = page.locator("form.verdicts").last
        key = form.locator("[name=mention]").input_value()
        for verdict in ("missed",) if address in ("/?brand=Le+Rex&counted=no", "/article/4") else _VERDICTS:
            button = page.locator(f'form.verdicts:has([value="{key}"]) button[value="{verdict}"]')
            button.scroll_into_view_if_needed()
            before = button.bounding_box(), page.evaluate("scrollY")
            button.click()
            page.locator(f'form.verdicts:has([value="{key}"]) button[value="{verdict}"][aria-pressed=true]').wait_for()
            assert _verdict(store, key) == verdict
            if scripts:
                assert (button.bounding_box(), page.evaluate("scrollY")) == before
                assert button.evaluate("each => each === document.activeElement")
                assert page.url.endswith(address)
            else:
                assert page.url.endswith(f"{address}#{form.get_attribute('id')}")
                _wait_until_in_sight(page, button)
        assert page.locator("[aria-pressed=true]").count() == 1


def _wait_until_in_sight(page: Page, element: Locator) -> None:
    """Wait until a page that was loaded anew has come back to an element."""
    height = (page.viewport_size or {"height": 0})["height"]
    end = time.monotonic() + 60
    while True:
        box = element.bounding_box()
        if box is not None and 0 <= box["y"] <= height - box["height"]:
            return
        assert time.monotonic() < end, f"{element} is out of sight at {box}"
        time.sleep(0.05)


def test_what_is_open_stays_open_at_a_verdict(page: Page) -> None:
    page.goto("/?brand=Corvane&counted=all")
    page.locator(".stream summary").click()
    page.locator("button[value=right]").last.click()
    page.locator("button[value=right][aria-pressed=true]").wait_for()
    assert page.locator(".stream details li").is_visible()


def test_a_verdict_that_is_not_taken_says_why(page: Page, store: Store) -> None:
    page.goto("/?brand=Corvane")
    form = page.locator("form.verdicts").first
    faults: list[tuple[Callable[[Route], None], str]] = [
        (lambda route: route.abort(), "cannot be reached"),
        (lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"), "the service answered 502"),
        (lambda route: route.continue_(post_data="mention=gone&verdict=right"), "the store has no mention 'gone'"),
    ]
    for fault, said in faults:
        page.route("**/feedback", fault)
        form.get_by_role("button").first.click()
        form.get_by_text(said).wait_for()
        page.unroute("**/feedback")
    assert (form.get_by_role("alert").count(), store.count_judged()) == (1, 0)


@pytest.mark.parametrize("scripts", [True, False])
def test_lessons_are_accepted_and_forgotten_in_place(opening: Opening, store: Store, scripts: bool) -> None:
    _judge_all(store)
    with opening(scripts=scripts) as page:
        page.get_by_role("link", name="Lessons").click()
        page.get_by_text("41 mentions judged").wait_for()
        assert page.locator("section.article").count() == 2
        page.set_viewport_size({"width": 600, "height": 300})
        for number in range(2):
            accept = page.locator("section.article").nth(number).get_by_role("button")
            accept.scroll_into_view_if_needed()
            before = page.evaluate("scrollY")
            accept.click()
            page.locator("section.article").nth(number).get_by_role("button", name="Accept anew").wait_for()
            assert len(store.lessons()) == number + 1
            if scripts:
                assert page.evaluate("scrollY") == before
                assert accept.evaluate("each => each === document.activeElement")
            else:
                _wait_until_in_sight(page, accept)
        page.evaluate("document.querySelector('main').dataset.old = ''")
        page.get_by_role("button", name="Accept anew").first.click()
        page.locator("main:not([data-old])").wait_for()
        for left in (1, 0):
            page.get_by_role("button", name="Forget").last.click()
            page.locator("form:has([name=forget])").nth(left).wait_for(state="detached")
            assert len(store.lessons()) == left
        page.get_by_text("None yet").wait_for()


@pytest.mark.parametrize("scripts", [True, False])
def test_one_logs_in_once_and_out(opening: Opening, store: Store, scripts: bool) -> None:
    store.set_password("пароль Ω 合言葉")
    with opening("/?brand=Corvane", scripts=scripts) as page:
        page.wait_for_url("**/login?*again=True")
        for password in ("not the password", "пароль Ω 合言葉"):
            page.locator("[name=password]:focus").wait_for()
            page.keyboard.type(password)
            page.get_by_role("button", name="Log in").click()
            said = page.get_by_text("This is not the password")
            (said if password.startswith("not") else page.locator(".stream")).wait_for()
        page.wait_for_url("**/?brand=Corvane")
        # A cookie of this site only: where another site's page leads here, it comes with the second request.
        other = {"body": f'<a href="{page.url}">there</a>', "content_type": "text/html"}
        page.context.route("https://mail.example/", lambda route: route.fulfill(**other))
        page.goto("https://mail.example/")
        page.get_by_role("link", name="there").click()
        page.wait_for_url("**/?brand=Corvane")
        page.get_by_role("link", name="Status").first.click()
        page.get_by_role("heading", name="Feeds that fail").wait_for()
        assert page.evaluate("document.cookie") == ""
        page.get_by_role("link").last.click()
        page.wait_for_url("**/")
        page.get_by_role("link", name="Status").last.click()  # of the sentence that no round has been run
        page.wait_for_url("**/status")
        page.go_back()
        page.get_by_role("button", name="Log out").click()
        page.wait_for_url("**/login?*again=*")
        page.goto("/status")
        page.wait_for_url("**/login?*status*again=True")
        skip_to_the_content(page)


def test_every_control_was_used(request: pytest.FixtureRequest, controls: Controls) -> None:
    controls.check_all_used(request, least=40)
