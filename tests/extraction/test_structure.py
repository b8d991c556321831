"""Technical text is kept whole, and headings with their sections."""

from __future__ import annotations

import numpy as np
import pytest

from blockfeat import Extractor
from blockfeat.extraction.rules import section_headings, technical_text
from blocks_of import blocks_of

SENTENCE = "The pump is started by hand, and after that it runs by itself until the tank is full."
CODE = "<p>Run <code>pump</code>, <code>tank</code> or <code>valve</code>.</p>"


def kept_texts(html: str, kept: list[bool], complete=technical_text) -> list[str]:
    blocks = blocks_of(html)
    chosen = complete(blocks, np.array(kept))
    return blocks.texts(chosen.nonzero()[0].tolist())


def test_technical_text_is_kept_whole() -> None:
    page = (
        "<ul><li>Home</ul>"
        f"<main><h1>Pumps</h1><p>{SENTENCE}</p><h2>Use</h2>{CODE}<ul><li>one</ul><pre>pump -a</pre></main>"
        "<p>Imprint</p>"
    )
    found = kept_texts(page, [False, False, True, False, True, False, False, False])
    assert found == [SENTENCE, "Use", "Run pump, tank or valve.", "one", "pump -a"]


@pytest.mark.parametrize(
    "inside",
    [
        "<nav>Back</nav>",
        "<aside>Back</aside>",
        "<form>Back</form>",
        '<div class="comments">Back</div>',
        '<div class="share-buttons">Back</div>',
    ],
)
def test_menus_and_the_like_inside_of_technical_text_stay_out(inside: str) -> None:
    page = f"<main><p>{SENTENCE}</p>{inside}<p>Stop</p>{CODE}</main>"
    assert kept_texts(page, [True, False, False, True]) == [SENTENCE, "Stop", "Run pump, tank or valve."]


def test_other_text_and_discussions_stay_as_they_are() -> None:
    kept = [True, False, True]
    for page in (
        f"<main><p>{SENTENCE}</p><p>Back</p><p>{SENTENCE}</p></main>",
        f"<main class='thread'><p>{SENTENCE}</p><p>Back</p>{CODE}</main>",
    ):
        assert "Back" not in kept_texts(page, kept)
    assert kept_texts(f"<main><p>{SENTENCE}</p><p>Back</p>{CODE}</main>", [False] * 3) == []


def test_a_heading_is_kept_with_its_section() -> None:
    page = (
        f"<div><h1>Pumps</h1><p>{SENTENCE}</p>"
        f"<div><h2>Use</h2></div><h3>At night</h3><p>{SENTENCE}</p>"
        f"<aside><h2>Read on</h2><p>Valves and tanks</p></aside><p>{SENTENCE}</p><h2>Imprint</h2></div>"
    )
    kept = [False, True, False, False, True, False, False, True, False]
    found = kept_texts(page, kept, section_headings)
    assert found == [SENTENCE, "Use", "At night", SENTENCE, SENTENCE]


def test_a_heading_that_is_a_link_is_not() -> None:
    page = f"<p>{SENTENCE}</p><h2><a href=/1>Valves and tanks</a></h2><p>{SENTENCE}</p>"
    assert kept_texts(page, [True, False, True], section_headings) == [SENTENCE, SENTENCE]


def test_the_default_model_keeps_both_and_says_why() -> None:
    body = f"<p>{SENTENCE}</p>" * 4
    page = f"<html lang=en><main><h1>Pumps</h1>{body}<h2>x</h2>{CODE}<ul><li>z9</ul>{body}</main></html>"
    found = Extractor.load("default").extract(page)
    assert "\n\nx\n\n" in found.text
    assert "\n\nz9\n\n" in found.text
    reasons = {block.text: block.reason for block in found.blocks}
    assert reasons["z9"].startswith("kept: ")


def test_the_first_h1_of_the_article_is_in_markdown_html_and_xml() -> None:
    body = f"<p>{SENTENCE}</p>" * 5
    for title in ("Pumps and tanks", "A name of the site"):
        page = (
            f"<html lang=en><title>{title}</title><body><h1>Shop</h1>"
            f"<main><header><h1>Pumps and tanks</h1></header><div>{body}</div></main>"
        )
        for wanted in (None, False):
            found = Extractor.load("default").with_options(headline=wanted).extract(page)
            assert "Pumps and tanks" not in found.text
            assert found.to_markdown().startswith("# Pumps and tanks\n\nThe pump is")
            assert "<h1>Pumps and tanks</h1>" in found.to_html()
            assert "<head>Pumps and tanks</head>" in found.to_xml()
            assert "Shop" not in found.to_markdown()
