"""Kinds of pages."""

import tracemalloc

import numpy as np
import pytest

from blockfeat import Extraction, Extractor
from blockfeat._files import bundled_json
from blockfeat.data import demo_pages
from blockfeat.extraction.page_kind import kind_measures, own_address
from blockfeat.extraction.walls import KINDS
from blocks_of import blocks_of
from cases import CASES

EXTRACTOR = Extractor.load("default")
MEASURES = bundled_json("blockfeat.extraction", "page_kind.json")["measures"]
PROSE = "".join(
    f"<p>In the year {year} the ferry to the island was late for the {year - 1900}th time, and the people on the pier, "
    "who had waited since the early morning, began to sing, as they do when it rains and nothing else can be done.</p>"
    for year in range(1990, 1998)
)
CONSENT = (
    "<p>We and our partners use cookies to store and read personal data on your device.</p>"
    "<p>You can accept all purposes or withdraw your consent at any time in our privacy policy.</p><p>Accept all</p>"
)

_SAID = ("og ", "type ", "class ", "made by ")


def page(body: str, title: str = "The ferry is late again") -> Extraction:
    return EXTRACTOR.extract(f'<html lang="en"><head><title>{title}</title></head><body>{body}</body></html>')


def test_an_article() -> None:
    assert page(f"<article><h1>The ferry is late again</h1>{PROSE}</article>").kind == "article"


def test_a_consent_banner_does_not_make_an_article_a_wall() -> None:
    found = page(f"<div class=cookie-banner>{CONSENT}</div><article><h1>The ferry is late again</h1>{PROSE}</article>")
    assert (found.status, found.kind) == ("ok", "article")


def test_a_short_notice_beside_a_banner_is_no_wall() -> None:
    notice = "<p>The ferry is late again today. It will leave the old pier at noon, the company said this morning.</p>"
    found = page(f"<div class=cookie-banner>{CONSENT}</div><article><h1>The ferry is late again</h1>{notice}</article>")
    assert found.kind != "consent wall"


_WARNINGS = CASES["warnings_of_notices"]


@pytest.mark.parametrize(("kind", "title", "text"), CASES["a_page_that_is_none_has_no_content"])
def test_a_page_that_is_none_has_no_content(kind: str, title: str, text: str) -> None:
    found = page(text, title)
    assert (found.status, found.kind) == ("no content", kind)
    assert _WARNINGS[kind] in found.warnings


@pytest.mark.parametrize(("kind", "title", "text"), CASES["a_page_that_only_looks_like_a_wall_is_none"])
def test_a_page_that_only_looks_like_a_wall_is_none(kind: str, title: str, text: str) -> None:
    links = "".join(f"<li><a href=/{number}>Elsewhere on the coast</a></li>" for number in range(20))
    first = PROSE[: PROSE.index("</p>") + 4]
    assert page(text.replace("PROSE", first).replace("LINKS", f"<ul>{links}</ul>"), title).kind != kind


def test_an_article_beside_a_login_form_or_about_robots_is_one() -> None:
    form = "<div class=modal><h2>Sign in</h2><form><input type=password></form><div class=g-recaptcha></div></div>"
    found = page(f"{form}<article><h1>The ferry is late again</h1>{PROSE}</article>")
    assert (found.status, found.kind) == ("ok", "article")
    robots = f"<article><h1>Are you a robot? How captchas came to the ferry</h1>{PROSE}{PROSE}</article>"
    assert page(robots, "Are you a robot? How captchas came to the ferry").status == "ok"


def test_a_consent_wall_has_no_content() -> None:
    found = page(f"<div id=choice><h1>Before you go on</h1>{CONSENT}</div>", "Before you go on")
    assert (found.status, found.kind) == ("no content", "consent wall")


def test_a_stub_whose_opening_is_too_short_to_be_kept() -> None:
    links = "".join(f"<li><a href=/{number}>Elsewhere on the coast</a></li>" for number in range(20))
    note = "<section><h3>To continue reading, subscribe now</h3><p>Already a subscriber? Log in</p></section>"
    assert page(f"<ul>{links}</ul><p>The ferry is late.</p>{note}<ul>{links}</ul>").kind == "paywall stub"


def test_an_article_about_a_loss_is_none() -> None:
    found = page(
        f"<article><h1>Painting not found after forty years</h1>{PROSE}</article>", "Painting not found | News"
    )
    assert (found.status, found.kind) == ("ok", "article")
    short = page(
        "<h1>Boy could not be found</h1><p>" + "The search goes on in the hills. " * 9 + "</p>", "Boy not found"
    )
    assert short.status == "ok"


def test_a_stub_before_a_paywall() -> None:
    note = "<section><h3>To continue reading, subscribe now</h3><p>Already a subscriber? Log in</p></section>"
    first = PROSE[: PROSE.index("</p>") + 4]
    assert page(f"<article><h1>The ferry is late again</h1>{first}{note}</article>").kind == "paywall stub"
    assert page(f"<article><h1>The ferry is late again</h1>{PROSE}{PROSE}{note}</article>").kind == "article"


def test_a_short_text_that_is_declared_not_to_be_free_is_a_stub() -> None:
    first = PROSE[: PROSE.index("</p>") + 4]
    for is_free, kind in (("false", True), ("true", False)):
        declared = f'<script type="application/ld+json">{{"isAccessibleForFree": {is_free}}}</script>'
        found = page(f"{declared}<article><h1>The ferry is late again</h1>{first}</article>").kind
        assert (found == "paywall stub") is kind


def test_pages_without_text_and_pages_that_fail() -> None:
    assert (page("", "").kind, EXTRACTOR.extract("").kind) == ("empty", "empty")
    assert next(EXTRACTOR.extract_many([b"%PDF-1.4"])).kind == "error"


def test_demo_articles_are_articles_or_at_least_content() -> None:
    kinds = [
        EXTRACTOR.extract(one.html, url=one.url).kind for one in list(demo_pages())[::4] if one.page_type == "article"
    ]
    assert set(kinds) <= set(KINDS[:2])
    assert kinds.count("article") >= 0.9 * len(kinds)


def measures(html: str, url: str | None = None) -> dict[str, float]:
    blocks = blocks_of(html)
    kept = np.ones(len(blocks), dtype=bool)
    return dict(zip(MEASURES, kind_measures(blocks, kept, kept.astype(float), url), strict=True))


@pytest.mark.parametrize(("name", "html"), CASES["what_a_page_says_of_its_kind"])
def test_what_a_page_says_of_its_kind_is_measured(name: str, html: str) -> None:
    said = {one for one, value in measures(f"{html}<p>The ferry</p>").items() if value and one.startswith(_SAID)}
    assert said == {name}


def test_a_thread_is_none_without_what_its_software_says() -> None:
    posts = "".join(f"<div class=post><b>bob</b><p>{line}</p></div>" for line in PROSE.split("</p>") if line)
    head = "<meta name=generator content='phpBB'><script type='application/ld+json'>{\"@type\": \"QAPage\"}</script>"
    assert EXTRACTOR.extract(f"<html id=XF><head>{head}</head><body class=topic>{posts}</body></html>").kind == "other"


@pytest.mark.parametrize(
    ("text", "prices"),
    [("$5 and 6 €, ٣ zł or 𝟗\u00a0kr", 4), ("7EUR 8 USD, 9 USDT", 2), ("5  € 3", 1), ("10 krater in EUR kr", 0)],
)
def test_prices_stand_behind_signs_or_before_them(text: str, prices: int) -> None:
    assert measures(f"<p>{text}</p>")["prices"] == pytest.approx(np.log1p(prices))


def test_the_address_that_a_page_names_is_read_where_none_is_given() -> None:
    link = '<html><link rel="canonical" href="https://forum.example/t/ferry/12345">'
    assert own_address(link.encode()) == "https://forum.example/t/ferry/12345"
    assert [own_address(html) for html in (b"<link rel=canonical>", b"<p>canonical", b"<link " * 9)] == [None] * 3


@pytest.mark.parametrize(
    "url", [None, "", "https://a.example/", "https://a.example/2024/05/the-ferry?x=1", "http://[bad"]
)
def test_measures_have_names_with_and_without_an_address(url: str | None) -> None:
    assert measures(f"<body>{PROSE}</body>", url)["address"] == bool(url and "[" not in url)


def test_a_tag_with_many_marks_is_read_once() -> None:
    html = f'<body data-x="{"og:type " * 3_000}"><p>{"The ferry leaves at nine and returns before dark. " * 20}</p>'
    found = EXTRACTOR.extract(html)
    tracemalloc.start()
    try:
        assert found.kind in KINDS
        assert tracemalloc.get_traced_memory()[1] < 16e6
    finally:
        tracemalloc.stop()
