"""What cleaning keeps for every page and all settings: it is done at once, loses no text, and writes sound HTML."""

import re
from collections import Counter

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.page import Page
from blockfeat.papers.crunch import settings as crunch
from blockfeat.papers.crunch.clean import clean
from cases import CASES
from property_examples import examples

NOTHING = crunch.CleanSettings(
    crunch.Filters(**dict.fromkeys(crunch.Filters.__dataclass_fields__, False)),
    crunch.Advertisements(remove=False),
    crunch.LinkLists(remove=False),
    crunch.EmptyTables(remove=False),
)

_LEAVES = st.sampled_from(
    (
        "word", " two words ", "<a href=/x>link</a>", "<a href='/y'><img src=i alt='a drawing'></a>",
        "<a href=/z><img src=i alt=> and text</a>", "<img src=i alt=photo>",
        "<a href='https://ad.doubleclick.net/c'>buy</a>", "<a href='javascript:go()'>go</a>",
        "<script>if (a < b) document.write('<p>')</script>", "<style>p { color: red }</style>",
        "<noscript>shown <b>without</b></noscript>", "<input name=q>", "<br>",
        "<svg><title>t</title><path d='M0'/></svg>", "<select><option>one<option>two</select>",
        "<textarea>a &lt;b&gt; c</textarea>", "<iframe src=//ads.example></iframe>",
        "<picture><source srcset=a><img src=b alt=c></picture>",
        "The lantern makers of the valley meet every autumn at the old mill, and many guests come.",
        "&amp; &lt;p&gt; &nbsp;",
    )
)  # fmt: skip
_TAGS = st.sampled_from(
    (
        *("div", "p", "ul", "li", "b", "span onclick=x()", "section id=crunch-removed-links", "td style='a:b'"),
        *("table", "table><tr><td", "tr", "form", "button", "noscript", "a href=/n", "blockquote", "nav", "pre", "h1"),
        *("td width=3", "th", "dl", "object", "select", "label", "center", "font"),
    )
)
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.tuples(_TAGS, st.lists(inner, max_size=4), st.booleans()).map(
        lambda node: f"<{node[0]}>{''.join(node[1])}" + (f"</{node[0].split('>')[0].split()[0]}>" if node[2] else "")
    ),
    max_leaves=25,
)
_PAGES = st.lists(_TREES, min_size=1, max_size=4).map(lambda trees: f"<title>Lanterns</title>{''.join(trees)}")
_FLAGS = st.booleans()
_RATIOS = (st.floats(0, 3), st.floats(0, 3), st.floats(1, 9))
_CONTAINERS = st.sampled_from(((), ("div", "ul", "nav"), crunch.LinkLists().containers))
_SETTINGS = st.builds(
    crunch.CleanSettings,
    st.builds(crunch.Filters, **dict.fromkeys(crunch.Filters.__dataclass_fields__, _FLAGS)),
    st.builds(crunch.Advertisements, _FLAGS),
    st.builds(crunch.LinkLists, _FLAGS, *_RATIOS, st.integers(1, 3), _FLAGS, _CONTAINERS, _FLAGS),
    st.builds(
        crunch.EmptyTables, _FLAGS, st.sampled_from(((), ("img",), crunch.EmptyTables().substance)), st.integers(0, 40)
    ),
    st.builds(crunch.RemovedLinks, _FLAGS),
)


@examples(60)
@given(_PAGES, _SETTINGS)
def test_cleaning_twice_changes_nothing_more(page: str, chosen: crunch.CleanSettings) -> None:
    once = clean(page, chosen).html
    assert clean(once, chosen).html == once


@examples(60)
@given(_PAGES, _SETTINGS)
def test_an_html5_parser_finds_no_fault(page: str, chosen: crunch.CleanSettings) -> None:
    parser = html5lib.HTMLParser()
    # A form may stand between the rows of a table; parsers take it, empty, and tell of it.
    parser.parse(re.sub("<form></form>", "", clean(page, chosen).html))
    assert parser.errors == []


@examples(60)
@given(_PAGES)
def test_settings_that_remove_nothing_lose_no_letter(page: str) -> None:
    assert not _letters(page) - _letters(clean(page, NOTHING).html)


def _letters(html: str) -> Counter[str]:
    root = html5lib.parse(html, treebuilder="lxml", namespaceHTMLElements=False).getroot()
    return Counter(character for character in "".join(root.itertext()) if character.isalnum())


@pytest.mark.parametrize("depth", [400, 3000])
@pytest.mark.parametrize("name", ["div", "b", "span", "table><tr><td", "ul><li", "blockquote"])
def test_nothing_is_lost_in_depth(name: str, depth: int) -> None:
    page = f"<p>Alphaferry</p>{f'<{name}>' * depth}<p>Deltaharbour lies in the deepest place.</p>"
    cleaned = clean(page)
    for found in (cleaned.html, cleaned.text()):
        assert "Deltaharbour" in found
        assert "Alphaferry" in found


def test_many_links_and_tables_take_linear_time() -> None:
    page = "<p>" + "word<a href=/x>link</a>" * 40_000
    chosen = crunch.CleanSettings(crunch.Filters(text_links=True), removed_links=crunch.RemovedLinks(list=True))
    assert clean(page, chosen).html.count("word word") >= 19_999
    page = "<table><tr><td>" * 160 + "<table><tr><td><a href=/x>a</a><a href=/y>b</a></table>" * 5_000
    assert "<a" not in clean(page).html


def test_bytes_are_decoded_and_the_encoding_is_declared_anew() -> None:
    cleaned = clean("<meta charset=windows-1252><p>Straße".encode("cp1252"))
    assert cleaned.encoding == "windows-1252"
    assert '<meta charset="utf-8">' in cleaned.html
    assert "Straße" in cleaned.html


def test_an_empty_page_stays_empty() -> None:
    assert (clean("").html, clean(" ").text()) == ("", "")


def test_sanitised_pages_have_nothing_that_runs() -> None:
    page = "<body onload=a()><p style='x:y' onclick=b()>text <a href='javascript:c()'>d</a><script>e</script>"
    cleaned = clean(page, NOTHING)
    assert "onclick" in cleaned.html
    safe = cleaned.sanitised()
    assert not [word for word in ("onload", "onclick", "javascript", "script", "style") if word in safe]
    assert "<p>text" in safe


_SHOWN = crunch.Filters(images=False, text_links=False, image_links=False)
_SCRIPTS_ALONE = crunch.CleanSettings(_SHOWN, link_lists=crunch.LinkLists(remove=False))


@pytest.mark.parametrize(("markup", "gone"), CASES["without_scripts_nothing_is_left_that_runs"])
def test_without_scripts_nothing_is_left_that_runs(markup: str, gone: str) -> None:
    page = f"<p>A sentence before, long enough to be text.</p>{markup}"
    assert gone.lower() not in clean(page, _SCRIPTS_ALONE).html.lower()


def test_what_is_only_shown_stays() -> None:
    page = (
        "<base href='https://a.example/'><p>A sentence before, and more. <a href='data:text/csv,a'>table</a> "
        "<img alt=x src='data:image/svg+xml,%3Csvg/%3E'> <img alt=y srcset='/b.png 2x'></p>"
    )
    html = clean(page, _SCRIPTS_ALONE).html
    assert all(word in html for word in ("<base", "data:text/csv", "data:image/svg", "srcset"))


def test_tables_nested_without_end_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page too deep to be written as it was read is not cleaned again and again."""
    parsed: list[int] = []
    parse = Page.parse
    monkeypatch.setattr(Page, "parse", lambda *given, **options: parsed.append(1) or parse(*given, **options))
    clean("<p>A sentence.</p>" + "<table><tr><td>x" * 1000)
    assert len(parsed) <= 3


def test_text_has_a_blank_line_between_blocks() -> None:
    text = clean("<h1>Lanterns</h1><p>One  line.<p>Another<br>line.").text()
    assert text == "Lanterns\n\nOne line.\n\nAnother\nline."


_PORTAL = "<ul>" + "".join(f"<li><a href=/{n}>Link number {n}</a></li>" for n in range(20)) + "</ul><p>Some words</p>"


def test_a_portal_keeps_its_lists_on_request() -> None:
    spared = crunch.CleanSettings(link_lists=crunch.LinkLists(most_linked=0.6))
    assert "<a" not in clean(_PORTAL).html
    assert clean(_PORTAL, settings=spared).html.count("<a") == 20
    article = _PORTAL + "<p>" + "A long sentence of prose without any link. " * 30 + "</p>"
    assert clean(article, settings=spared).html == clean(article).html
