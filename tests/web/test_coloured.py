"""Foreign pages with their blocks marked: nothing in them is active, whatever they were."""

from typing import Any

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from active_markup import active_in, running_in
from blockfeat.data import demo_pages
from blockfeat.extraction import Extraction
from blockfeat.extraction.extractor import extractor_of
from blockfeat.page.page import Page
from blockfeat.papers.crunch.settings import CleanSettings, Filters
from blockfeat.web.coloured import LOOKS, coloured_extraction, coloured_page, head_styles, safe_page
from blockfeat.web.reader import tasks
from property_examples import examples
from script_vectors import INERT, METADATA_VECTORS, VECTORS, page_with

_ADDRESS = "https://news.example/ferry"
_KEEP_ALL = CleanSettings(filters=Filters(*(False,) * 17))
_PIECES = [
    *VECTORS.values(),
    *("<p>", "</p>", "<table>", "<td>", "</table>", "<svg>", "</svg>", "<math>", "<style>", "</style>", "<!--", "-->"),
    *("<b ", "href='", '"', "'", ">", "=", "<![CDATA[", "]]>", "<noscript>", "</noscript>", "word ", "\x00", "&lt;"),
    *("<title>", "</title>", "<select>", "<option>", "<a href=", "javascript:", "<template>", "</template>", "<br/>"),
]


@pytest.fixture(scope="module")
def loaded() -> tasks.LoadedExtractors:
    return tasks.load_extractors(tasks.model_names(()), 5_000_000)


def _safe(html: str, look: str) -> str:
    return safe_page(Page.parse(html, url=_ADDRESS), head=head_styles(html, url=_ADDRESS, look=look), look=look)


def test_the_vectors_are_active_as_they_stand() -> None:
    assert len(VECTORS) >= 27
    assert {name for name, body in VECTORS.items() if not active_in(page_with(body))} == INERT


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", VECTORS)
def test_vectors_in_the_coloured_page(name: str, look: str, loaded: tasks.LoadedExtractors) -> None:
    source = tasks.PageSource(page_with(VECTORS[name]), _ADDRESS)
    coloured = tasks.colour(loaded, source=source, choices=tasks.ExtractionChoices(), look=look)
    assert (running_in if look == "web" else active_in)(coloured) == []
    assert "@import" not in coloured
    assert "The council of the harbour town" in coloured


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("cleaning", [CleanSettings(), _KEEP_ALL], ids=["default", "no filter"])
def test_vectors_in_the_cleaned_page(name: str, cleaning: CleanSettings, loaded: tasks.LoadedExtractors) -> None:
    source = tasks.PageSource(page_with(VECTORS[name]), _ADDRESS)
    cleaned = tasks.cleaned_page(loaded, source=source, settings=cleaning, links=tasks.LinksOn(_ADDRESS))
    assert active_in(cleaned) == []


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_in_the_article(name: str, loaded: tasks.LoadedExtractors) -> None:
    shown = {"source": tasks.PageSource(page_with(VECTORS[name]), _ADDRESS), "choices": tasks.ExtractionChoices()}
    article = tasks.read_article(loaded, **shown, links=tasks.LinksOn(_ADDRESS), images=True)
    assert active_in(article["body"]) == []


@pytest.mark.parametrize("name", METADATA_VECTORS)
def test_vectors_in_the_head(name: str, loaded: tasks.LoadedExtractors) -> None:
    source = tasks.PageSource(page_with(head=METADATA_VECTORS[name]), _ADDRESS)
    assert active_in(tasks.colour(loaded, source=source, choices=tasks.ExtractionChoices())) == []
    assert active_in(tasks.cleaned_page(loaded, source=source, settings=_KEEP_ALL)) == []


@examples(60)
@given(st.lists(st.sampled_from(_PIECES), max_size=12), st.sampled_from(["plain", "page"]))
def test_nothing_is_active_whatever_the_page(pieces: list[str], look: str) -> None:
    assert active_in(_safe("<p>" + "".join(pieces), look)) == []


@examples(30)
@given(st.lists(st.sampled_from(_PIECES), max_size=10))
def test_a_safe_page_stays_as_it_is(pieces: list[str]) -> None:
    """A parser finds in it what was written: markup does not mutate into something else."""
    once = _safe("<p>" + "".join(pieces), "page")
    again = html5lib.serialize(html5lib.parse(once), omit_optional_tags=False, quote_attr_values="always")
    assert active_in(again) == []


def test_relative_addresses_become_absolute_and_lead_nowhere() -> None:
    written = _safe("<base href='/a/'><p><a href='b?c=1&amp;d'>Text</a></p>", "page")
    assert 'href="https://news.example/a/b?c=1&amp;d"' in written
    assert ('target="_blank"' in written, "<base" in written) == (True, False)


def test_looks() -> None:
    html = (
        "<style>p{color:red}</style><link rel=stylesheet href=/s.css><body class=x>"
        "<p style='color:red' class=y>Text<img src=/i.png alt=Boat><img src='data:image/png;base64,AAAA'>"
    )
    plain, own, web = (_safe(html, look) for look in LOOKS)
    assert not [part for part in ("color:red", "data:", "style") if part in plain]
    assert not [part for part in ("/s.css", "i.png") if part in own]
    assert (own.count("color:red"), 'alt="Boat"' in own, "data:image/png;base64,AAAA" in own) == (2, True, True)
    assert '<link rel="stylesheet" href="https://news.example/s.css"' in web
    assert 'src="https://news.example/i.png"' in web


def test_an_unknown_look_is_refused() -> None:
    with pytest.raises(ValueError, match="'fancy' is unknown; known are plain, page, web"):
        safe_page(Page.parse("x"), look="fancy")


def test_a_deep_page_is_written() -> None:
    depth = 20_000
    written = _safe("<div>" * depth + "<p>Text</p>", "plain")
    assert "<p>Text</p>" in written
    assert written.count("<div") == written.count("</div")


def test_empty_pages_are_written() -> None:
    for html in ("", "   ", "<!-- -->"):
        assert "<body>" in _safe(html, "page")


_BLOCK = "{http://www.w3.org/1999/xhtml}bf-block"


def _marked(document: str) -> dict[int, tuple[str, set[str]]]:
    """Return text and verdicts of each block, by its number."""
    found: dict[int, tuple[str, set[str]]] = {}
    for element in html5lib.parse(document, treebuilder="etree").iter(_BLOCK):
        number = int(element.get("data-block"))
        text, verdicts = found.get(number, ("", set()))
        found[number] = text + "".join(element.itertext()), verdicts | {element.get("data-verdict")}
    return found


def _coloured(html: str, model: str = "default") -> tuple[Extraction, str]:
    extraction = extractor_of(model).extract(html)
    return extraction, coloured_extraction(extraction, html)


@pytest.mark.parametrize("model", ["default", "ziegler2007", "web2text", "longest-block"])
@pytest.mark.parametrize("number", [0, 26])
def test_every_block_is_marked_with_its_text_and_verdict(model: str, number: int) -> None:
    extraction, document = _coloured(demo_pages()[number].html, model)
    marked = _marked(document)
    assert len(marked) == len(extraction.blocks) > 0
    for block in extraction.blocks:
        text, verdicts = marked[block.index]
        assert "".join(text.split()) == "".join(block.text.split())
        expected = "kept" if block.kept else "beside" if block.part in ("headline", "byline") else "dropped"
        assert verdicts == {expected}


def test_text_outside_of_blocks_is_not_marked() -> None:
    html = page_with("<button>Menu</button><select><option>One</select><p>Text of the <b>block</b>.</p>")
    extraction, document = _coloured(html)
    marked = _marked(document)
    assert ">Menu<" in document
    assert not any("Menu" in text or "One" in text for text, _ in marked.values())
    assert "Text of the block." in {text for text, _ in marked.values()}
    assert len(marked) == len(extraction.blocks)


def test_text_that_stands_in_noscript_only_is_shown() -> None:
    paragraph = "<p>The ferry leaves at nine in the morning and comes back before dark, as people had asked.</p>"
    html = f"<title>T</title><body><div id=app></div><noscript>{paragraph * 12}</noscript>"
    extraction, document = _coloured(html)
    assert len(_marked(document)) == len(extraction.blocks) == 12


def test_verdicts_and_marks_of_ones_own() -> None:
    html = page_with()
    extraction = extractor_of("default").extract(html)
    blocks = extraction.analysis.measured.blocks
    verdicts = ["content" if block.kept else "clutter" for block in extraction.blocks]
    own: dict[str, Any] = {"attributes": {0: {"data-suggested": "x"}}, "style_sheet": "bf-block{color:red}"}
    document = coloured_page(Page.parse(html), blocks, verdicts, **own)
    assert {verdict for _, some in _marked(document).values() for verdict in some} == {"content", "clutter"}
    assert document.count('data-suggested="x"') == document.count('data-block="0"') > 0
    assert "<style>bf-block{color:red}</style>" in document


def test_a_page_cannot_mark_blocks_itself() -> None:
    forged = "<bf-block data-block=0 data-verdict=forged>Words that stand in an element of this name.</bf-block>"
    extraction, document = _coloured(page_with(forged))
    assert not any("forged" in verdicts for _, verdicts in _marked(document).values())
    assert len(_marked(document)) == len(extraction.blocks)


def test_a_page_without_blocks() -> None:
    extraction, document = _coloured("<html></html>")
    assert (extraction.blocks, _marked(document)) == ((), {})
