"""Pages that are written again: nothing in them is active, whatever they were."""

from __future__ import annotations

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from active_markup import active_in
from blockfeat.page.page import Page
from blockfeat.papers.crunch.settings import CleanSettings, Filters
from blockfeat.web.reader.kept import PageSource
from blockfeat.web.reader.loaded import ExtractionChoices, LoadedExtractors, load_extractors, model_names
from blockfeat.web.reader.tasks import LinksOn, cleaned_page, colour, read_article
from blockfeat.web.safe.markup import LOOKS
from blockfeat.web.safe.page import head_styles, safe_page
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
def loaded() -> LoadedExtractors:
    return load_extractors(model_names(()), 5_000_000)


def _safe(html: str, look: str) -> str:
    return safe_page(Page.parse(html, url=_ADDRESS), styles=head_styles(html, url=_ADDRESS, look=look), look=look)


def test_the_vectors_are_active_as_they_stand() -> None:
    assert len(VECTORS) >= 27
    assert {name for name, body in VECTORS.items() if not active_in(page_with(body))} == INERT


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", VECTORS)
def test_vectors_in_the_coloured_page(name: str, look: str, loaded: LoadedExtractors) -> None:
    source = PageSource(page_with(VECTORS[name]), _ADDRESS)
    coloured = colour(loaded, source=source, choices=ExtractionChoices(), look=look)
    assert [found for found in active_in(coloured) if not (look == "web" and _loads_only(found))] == []
    assert "The council of the harbour town" in coloured


def _loads_only(found: str) -> bool:
    """Whether it is what the look "web" loads: linked style sheets and images in styles."""
    return found.startswith("link {") or (found.startswith("style ") and "url(" in found and "import" not in found)


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("cleaning", [CleanSettings(), _KEEP_ALL], ids=["default", "no filter"])
def test_vectors_in_the_cleaned_page(name: str, cleaning: CleanSettings, loaded: LoadedExtractors) -> None:
    source = PageSource(page_with(VECTORS[name]), _ADDRESS)
    cleaned = cleaned_page(loaded, source=source, settings=cleaning, links=LinksOn(_ADDRESS))
    assert active_in(cleaned) == []


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_in_the_article(name: str, loaded: LoadedExtractors) -> None:
    source = PageSource(page_with(VECTORS[name]), _ADDRESS)
    body = read_article(loaded, source=source, choices=ExtractionChoices(), links=LinksOn(_ADDRESS), images=True)[
        "body"
    ]
    assert active_in(body) == []


@pytest.mark.parametrize("name", METADATA_VECTORS)
def test_vectors_in_the_head(name: str, loaded: LoadedExtractors) -> None:
    source = PageSource(page_with(head=METADATA_VECTORS[name]), _ADDRESS)
    assert active_in(colour(loaded, source=source, choices=ExtractionChoices())) == []
    assert active_in(cleaned_page(loaded, source=source, settings=_KEEP_ALL)) == []


@examples(60)
@given(st.lists(st.sampled_from(_PIECES), max_size=12), st.sampled_from(["plain", "page"]))
def test_nothing_is_active_whatever_the_page(pieces: list[str], look: str) -> None:
    assert active_in(_safe("".join(pieces), look)) == []


@examples(30)
@given(st.lists(st.sampled_from(_PIECES), max_size=10))
def test_a_safe_page_stays_as_it_is(pieces: list[str]) -> None:
    """A parser finds in it what was written: markup does not mutate into something else."""
    once = _safe("".join(pieces), "page")
    again = html5lib.serialize(html5lib.parse(once), omit_optional_tags=False, quote_attr_values="always")
    assert active_in(again) == []


def test_relative_addresses_become_absolute_and_lead_nowhere() -> None:
    written = _safe("<base href='/a/'><p><a href='b?c=1&amp;d'>Text</a></p>", "page")
    assert 'href="https://news.example/a/b?c=1&amp;d"' in written
    assert 'target="_blank"' in written
    assert "<base" not in written


def test_looks() -> None:
    html = (
        "<style>p{color:red}</style><link rel=stylesheet href=/s.css><body class=x>"
        "<p style='color:red' class=y>Text<img src=/i.png alt=Boat><img src='data:image/png;base64,AAAA'>"
    )
    plain, own, web = (_safe(html, look) for look in LOOKS)
    assert "color:red" not in plain
    assert "data:" not in plain
    assert 'class="y"' not in plain
    assert own.count("color:red") == 2
    assert "/s.css" not in own
    assert "i.png" not in own
    assert 'alt="Boat"' in own
    assert "data:image/png;base64,AAAA" in own
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
