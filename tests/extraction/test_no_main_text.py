"""Pages without a main text: the list in its place, and why there is none."""

from __future__ import annotations

import json

import pytest

from blockfeat import Extraction, Extractor

_NAV = "<nav><a href=/>Home</a> <a href=/about>About us</a> <a href=/jobs>Jobs and careers</a></nav>"
_FOOTER = "<footer><p>All rights reserved, Pine and Larch Limited, 12 Mill Lane, Ashford</p></footer>"
_NAMES = ("Maple", "Birch", "Willow", "Alder", "Rowan", "Hazel", "Aspen", "Cedar", "Poplar", "Linden")


def _page(main: str, *, head: str = "", url: str = "https://shop.example/tables/") -> dict[str, str]:
    body = f"{_NAV}{main}{_FOOTER}"
    html = f"<!DOCTYPE html><html lang=en><head><title>Tables</title>{head}</head><body>{body}</body></html>"
    return {"html": html, "url": url}


def _items(tag: str = "li") -> str:
    return "".join(
        f"<{tag}><a href=/tables/{name.lower()}>{name} table, {size} cm wide</a> oiled, with drawers</{tag}>"
        for size, name in enumerate(_NAMES, 120)
    )


@pytest.fixture(scope="module")
def default() -> Extractor:
    return Extractor.load("default")


@pytest.fixture(scope="module")
def listed(default: Extractor) -> Extraction:
    return default.extract(**_page(f"<main><h1>Tables</h1><ul>{_items()}</ul></main>"))


def test_the_list_of_a_page_with_nothing_else_is_its_text(listed: Extraction) -> None:
    assert listed.status == "ok"
    assert all(f"{name} table" in listed.text for name in _NAMES)
    assert "Jobs" not in listed.text
    assert "rights reserved" not in listed.text


def test_a_page_that_is_a_list_says_so(listed: Extraction) -> None:
    assert listed.kind == "list"
    assert listed.warnings[-1] == "next to no main text was found on the page: the list that it holds is its text"
    reasons = {block.reason for block in listed.blocks if block.kept}
    assert any("part of the list" in reason for reason in reasons)


def test_little_is_expected_of_a_list(listed: Extraction) -> None:
    assert listed.confidence is not None
    assert listed.confidence < 0.75


@pytest.mark.parametrize("format", ["to_markdown", "to_html"])
def test_formats_hold_the_list(listed: Extraction, format: str) -> None:
    assert all(f"{name} table" in getattr(listed, format)() for name in _NAMES)


def test_where_precision_is_favoured_lists_are_left_out(default: Extractor) -> None:
    page = _page(f"<main><h1>Tables</h1><ul>{_items()}</ul></main>")
    found = default.with_options(favour="precision").extract(**page)
    assert found.kind != "list"
    assert "Maple" not in found.text


def test_models_after_the_papers_keep_what_their_rules_keep() -> None:
    found = Extractor.load("thresholds").extract(**_page(f"<main><h1>Tables</h1><ul>{_items()}</ul></main>"))
    assert found.kind != "list"


def test_teasers_beside_a_short_article_are_no_list(default: Extractor) -> None:
    declared = json.dumps({"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Mill to close"})
    head = f'<meta property="og:type" content="article"><script type="application/ld+json">{declared}</script>'
    article = (
        "<article><h1>Mill to close</h1><p>The mill in Ashford will close in May, its owner said on Monday, after it "
        "had worked for a hundred and twenty years.</p><p>Forty people work there, and most of them, the owner said, "
        "will be offered work in the mill at Wye.</p></article>"
    )
    url = "https://news.example/2026/05/02/mill-to-close-in-ashford-8812345.html"
    found = default.extract(**_page(f"{article}<div><h2>Related</h2><ul>{_items()}</ul></div>", head=head, url=url))
    assert found.kind != "list"
    assert "Maple" not in found.text


def test_an_error_page_has_no_list(default: Extractor) -> None:
    head = "<title>404 Not Found</title>"
    html = f"<html><head>{head}</head><body><h1>404 Not Found</h1><ul>{_items()}</ul></body></html>"
    found = default.extract(html, url="https://shop.example/gone")
    assert (found.kind, found.status) == ("error page", "no content")


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<html><body></body></html>", "the page has no text"),
        (
            "<html><body><div id=app></div><script src=app.js></script></body></html>",
            "the page has no text: it may be written by the page's scripts",
        ),
    ],
)
def test_empty_pages_say_why(default: Extractor, html: str, reason: str) -> None:
    found = default.extract(html)
    assert (found.text, found.status, found.warnings[-1]) == ("", "empty", reason)


def test_a_page_of_which_nothing_is_kept_says_how_likely_its_blocks_are(default: Extractor) -> None:
    found = default.extract(_page("<div class=menu><a href=/a>Sign in</a></div>")["html"])
    assert found.text == ""
    assert "the model keeps none of its blocks, the likeliest with a probability of 0." in found.warnings[-1]


def test_what_options_leave_out_is_the_reason(default: Extractor) -> None:
    rows = "".join(
        f"<tr><td>{name}</td><td>A table of oiled wood with drawers, made in Ashford in the year {year}.</td></tr>"
        for year, name in enumerate(_NAMES, 1990)
    )
    whole = default.extract(**_page(f"<main><table>{rows}</table></main>"))
    assert whole.text
    found = default.with_options(tables=False).extract(**_page(f"<main><table>{rows}</table></main>"))
    assert found.text == ""
    assert found.warnings[-1].endswith("what the model keeps is dropped: the options leave it out")
