"""Make docs/home.png: a bundled demo page with its blocks marked, beside the text that blockfeat finds.

Needs Chromium (``CHROMIUM``, else ``/usr/bin/chromium``) and playwright. Command: python tools/draw_home_picture.py
"""

from __future__ import annotations

import html
import os
import sys
from pathlib import Path
from textwrap import shorten
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
TARGET = ROOT / "docs" / "home.png"
SHOWN = "en-commonsquare-2"
PAGE_WIDTH, TEXT_WIDTH, HEIGHT, SCALE = 980, 720, 1640, 0.58

# Each block is the innermost element whose text it is: found by its path, else among all elements by its text.
MARK = """blocks => {
    const style = document.head.appendChild(document.createElement("style"));
    style.textContent = "body { font-family: sans-serif } a { color: #1c1c1c }";
    const words = text => text.replace(/\\s+/g, " ").trim();
    const all = [...document.body.querySelectorAll("*")];
    for (const [path, text, fill, edge] of blocks) {
        let found = document.evaluate(path, document, null, 9, null).singleNodeValue;
        if (!found || words(found.textContent) !== words(text)) {
            const same = all.filter(one => words(one.textContent) === words(text));
            found = same.length ? same[same.length - 1] : found;
        }
        if (!found) continue;
        found.style.background = fill;
        found.style.boxShadow = `inset 4px 0 0 ${edge}`;
        for (const one of [found, ...found.querySelectorAll("*")]) one.style.color = "#1c1c1c";
    }
}"""
TEXT_PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 34px 40px; font: 22px/1.55 Georgia, serif; background: #fff; color: #14231f; }}
h1 {{ font: 700 32px/1.25 Georgia, serif; margin: 0 0 6px; }} p {{ margin: 0 0 15px; }}
.said {{ font: 17px/1.5 sans-serif; color: #00695c; margin-bottom: 20px;
  border-bottom: 2px solid #80cbc4; padding-bottom: 12px }}
h2 {{ font: 600 21px sans-serif; color: #b3261e; margin: 34px 0 12px;
  border-top: 2px solid #ffd0cc; padding-top: 18px }}
.why {{ font: 17px/1.4 sans-serif; color: #444 }} .why b {{ font-weight: 500; color: #1c1c1c; background: #ffd0cc; }}
</style><h1>{title}</h1><div class="said">{said}</div>{text}"""
PICTURE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 22px; width: {width}px; background: #eef3f2;
  display: flex; gap: 22px; font-family: sans-serif }}
figure {{ margin: 0 }} figcaption {{ font: 600 17px sans-serif; color: #22443d; padding: 0 0 10px 2px }}
img {{ display: block; border-radius: 8px; box-shadow: 0 2px 14px #0003; height: {height}px }}
b {{ padding: 1px 7px; border-radius: 4px; color: #1c1c1c }}
</style>
<figure><figcaption>The page:
<b style="background:#b9efc6">text</b> <b style="background:#cfe0ff">headline, byline</b>
<b style="background:#ffd0cc">dropped</b></figcaption>
<img src="{page}"></figure>
<figure><figcaption>What blockfeat.extract(html) returns</figcaption><img src="{text}"></figure>"""


def main() -> int:
    """Write the picture."""
    from playwright.sync_api import sync_playwright

    import blockfeat
    from blockfeat.data.corpus import demo_pages

    page = next(page for page in demo_pages() if page.id == SHOWN)
    found = blockfeat.extract(page.html, url=page.url)
    blocks = [[block.xpath, block.text, *_colours(block)] for block in found.blocks]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"],
        )
        marked = _shot(browser, page.html, PAGE_WIDTH, lambda tab: tab.evaluate(MARK, blocks))
        text = _shot(browser, _text_page(found), TEXT_WIDTH)
        width = int((PAGE_WIDTH + TEXT_WIDTH) * SCALE) + 22
        picture = PICTURE.format(width=width, height=int(HEIGHT * SCALE), page=marked, text=text)
        tab = browser.new_page(viewport={"width": width + 44, "height": 100})
        tab.set_content(picture)
        tab.wait_for_load_state()
        tab.screenshot(path=str(TARGET), full_page=True)
        browser.close()
    return 0


def _colours(block: Any) -> tuple[str, str]:
    """Return the colours of a block: those of the text, of what the extraction has beside it, or of what is dropped."""
    if block.kept:
        return "#b9efc6", "#1b9e4b"
    return ("#cfe0ff", "#2f6bd8") if block.part in ("headline", "byline", "date") else ("#ffd0cc", "#d93025")


def _text_page(found: Any) -> str:
    """Return what was found as a page: title, some metadata, the text."""
    said = f"{', '.join(found.metadata.authors)} · {found.metadata.published} · {found.lang} · {found.kind}"
    said += f" · confidence {found.confidence:.2f}"
    text = "".join(f"<p>{html.escape(part)}</p>" for part in found.text.split("\n\n"))
    return TEXT_PAGE.format(
        title=html.escape(found.metadata.title), said=html.escape(said), text=text + _reasons(found)
    )


def _reasons(found: Any) -> str:
    """Return the longest dropped blocks, each with another main reason."""
    by_reason: dict[str, Any] = {}
    for block in sorted(found.blocks, key=lambda block: -block.words):
        if not block.kept:
            by_reason.setdefault(block.reason.split(",")[0], block)
    rows = [
        f"<p class=why><b>“{html.escape(shorten(block.text, 62, placeholder=' …'))}”</b><br>{html.escape(block.reason)}"
        for block in list(by_reason.values())[:4]
    ]
    return f"<h2>Why not the rest?</h2>{''.join(rows)}"


def _shot(browser: Any, source: str, width: int, before: Any = None) -> str:
    """Return the top of a page as a picture in a data address; nothing is fetched."""
    from base64 import b64encode

    tab = browser.new_page(viewport={"width": width, "height": HEIGHT})
    tab.route("**/*", lambda route: route.abort())
    tab.set_content(source, wait_until="domcontentloaded")
    if before is not None:
        before(tab)
    return f"data:image/png;base64,{b64encode(tab.screenshot()).decode()}"


if __name__ == "__main__":
    raise SystemExit(main())
