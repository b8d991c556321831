"""Rendering in Chromium, and VIPS from markup to the chosen block; skipped where there is no browser."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import InputError, MissingExtraError
from blockfeat.monitor.fetching.rendering import find_chromium, import_playwright
from experiments.vips.browser import Browser
from experiments.vips.cache import RenderCache
from experiments.vips.choice import HEURISTICS, Candidates, oracle
from experiments.vips.layout import RenderedPage
from experiments.vips.structure import segment

ARTICLE = [
    f"Paragraph {n} of the article says what happened, to whom, and why it matters to the town." for n in range(5)
]
LINKS = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(8))
HIDDEN = (
    "display: none", "visibility: hidden", "opacity: 0", "position: absolute; left: -9999px",
    "width: 1px; height: 1px; overflow: hidden",
)  # fmt: skip
MACHINES = "".join(f'<p style="{style}">Only for machines</p>' for style in HIDDEN)
FORMS = "<textarea>code</textarea><select><option>code</select><script>code</script>"
# Nothing wraps: where lines break, and so which blocks are cut further, would be up to the fonts of the machine.
MARKUP = f"""<!DOCTYPE html><html><head><title>News</title><style>
nav {{ position: absolute; font-weight: bold; left: 0; top: 100px; width: 200px }}
main {{ margin-left: 260px; width: 700px; white-space: nowrap }} body {{ margin: 0; font: 16px serif }}
.banner {{ background: #003; color: #fff; height: 80px }}
</style><link rel="stylesheet" href="http://127.0.0.1:9/a.css"></head><body>
<div class="banner"><p>The Daily Sample</p></div><nav><ul>{LINKS}</ul></nav>
<main>{"".join(f"<p>{text}</p>" for text in ARTICLE)}</main>
<footer><p>All rights reserved</p>{MACHINES}{FORMS}</footer></body></html>"""


def labelled(html: str, name: str = "page") -> LabelledPage:
    return LabelledPage(corpus="made", id=name, html=html, text="\n\n".join(ARTICLE))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    pytest.importorskip("playwright", reason="the extra 'render' is not installed")
    try:
        find_chromium()
    except InputError as error:
        pytest.skip(str(error))
    with Browser(seconds=120) as found:
        yield found


def rendered(browser: Browser, html: str) -> RenderedPage:
    (page,) = browser.render([labelled(html)])
    return page


def test_from_markup_to_the_chosen_block(browser: Browser) -> None:
    page = rendered(browser, MARKUP)
    assert page.error is None
    assert (page.linked_styles, page.own_styles, page.width) == (1, 1, 1280)
    texts = {node.text.strip(): node for node in page.nodes if node.is_text}
    assert (texts[ARTICLE[0]].box.x, texts["Section 0"].box.x < 100) == (260, True)
    assert texts["The Daily Sample"].background == "rgb(0, 0, 51)"
    assert [node.visible for node in page.nodes if node.text.strip() == "Only for machines"] == [False] * len(HIDDEN)
    assert "code" not in texts
    assert (texts["The Daily Sample"].font_size, texts["Section 0"].font_weight) == (16.0, 700)
    found = Candidates.of(page, segment(page))
    assert oracle(found, " ".join(ARTICLE)).scores.f1 == 1.0
    for choose in HEURISTICS.values():
        place = choose(found)
        assert place is not None
        assert "happened" in found.words[place]


def test_nothing_leaves_the_browser_and_no_script_runs(browser: Browser) -> None:
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    at = f"http://127.0.0.1:{server.server_port}"
    before = browser.requests
    try:
        page = rendered(
            browser,
            f"""<base href="{at}/"><meta http-equiv="refresh" content="0;url={at}/refresh">
            <link rel="stylesheet" href="style.css"><link rel="preconnect" href="{at}"><link rel="prefetch" href="pre">
            <style>@import url({at}/import.css); p {{ background: url({at}/back.png) }}
            @font-face {{ font-family: far; src: url({at}/font.woff) }} p {{ font-family: far }}</style>
            <img src="image.png"><iframe src="frame.html"></iframe><object data="object"></object>
            <video src="video.mp4" autoplay></video><script src="script.js"></script>
            <p id="text">as it was</p><p onclick="1"><svg><image href="{at}/svg.png"/></svg></p>
            <script>document.getElementById("text").textContent = "changed"; fetch("{at}/fetch");
            new WebSocket("{at.replace("http", "ws")}/socket"); navigator.sendBeacon("{at}/beacon")</script>
            <img src="x" onerror="document.body.textContent = 'gone'">""",
        )
    finally:
        server.shutdown()
        server.server_close()
    assert page.error is None
    assert "as it was" in page.text(0)
    assert asked == []
    assert browser.requests > before


def test_files_of_the_machine_are_out_of_reach(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "secret.css").write_text("p { font-size: 77px }", encoding="utf-8")
    page = rendered(browser, f'<link rel="stylesheet" href="file://{tmp_path}/secret.css"><p>text</p>')
    assert {node.font_size for node in page.nodes if node.is_text} == {16.0}


def test_broken_pages_render(browser: Browser) -> None:
    deep = "<div>" * 3_000 + "deep"
    pages = [labelled(html) for html in ("", "\x00\ud800<p>text", "<frameset><frame src='x'></frameset>", deep)]
    found = list(browser.render(pages))
    assert [page.error for page in found] == [None] * 4
    assert "text" in found[1].text(0)
    assert segment(found[0]) is None


def test_a_page_that_takes_too_long_is_one_error_and_the_next_one_renders(browser: Browser) -> None:
    browser.seconds = 0.001
    (slow,) = browser.render([labelled(MARKUP, "slow")])
    browser.seconds = 120
    assert slow.error == "took more than 0.001 s"
    assert rendered(browser, MARKUP).error is None


def test_pages_that_are_kept_need_no_browser(browser: Browser, tmp_path: Path) -> None:
    cache, pages = RenderCache(tmp_path / "kept"), [labelled(MARKUP)]
    assert cache.render(pages, browser=Browser(seconds=120)) == 1
    assert cache.render(pages, browser=Browser("/no/such/browser")) == 0
    (found,) = cache.read(pages).values()
    assert found == rendered(browser, MARKUP)
    assert cache.read([labelled(MARKUP + "<p>changed")]) == {}


def test_without_playwright_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> ModuleType:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr("blockfeat.monitor.fetching.rendering.import_module", fail)
    with pytest.raises(MissingExtraError, match=r"blockfeat\[render\]"):
        import_playwright()
