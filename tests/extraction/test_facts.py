"""What is known of a page beside its text."""

import numpy as np
import pytest

from blockfeat import Extractor
from blockfeat.content.links import Base, TextLink
from blockfeat.extraction.page_kind import confidence_measures, expected_f1
from blockfeat.page.tags import Tags

EXTRACTOR = Extractor.load("default")
SENTENCE = "The ferry to the island was late, and the people on the pier began to sing, as they do when it rains."
PAGE = (
    '<html lang="en"><head><title>The ferry</title>{head}</head><body><nav><a href="/home">Home</a></nav><article>'
    f"<h1>The ferry</h1><p>{SENTENCE} <a href='/pier'>The  pier</a> is old.</p><p>{SENTENCE} "
    "<a href='javascript:alert(1)'>Run</a> <a href='mailto:a@b.example'>Write</a> "
    "<a href='x/y?a=1&amp;b=2'>More of it</a></p>"
    f"<p>{SENTENCE}</p></article></body></html>"
)


def links(head: str, url: str | None) -> tuple[TextLink, ...]:
    return EXTRACTOR.extract(PAGE.format(head=head), url=url).links


@pytest.mark.parametrize(
    ("head", "url", "place"),
    [
        ("", "https://a.example/b/c", "https://a.example/b/"),
        ('<base href="https://cdn.example/d/">', "https://a.example/b/c", "https://cdn.example/d/"),
        ('<base href="/e/">', "https://a.example/b/c", "https://a.example/e/"),
        ('<link rel="canonical" href="https://a.example/f/g">', None, "https://a.example/f/"),
    ],
)
def test_links_are_absolute(head: str, url: str | None, place: str) -> None:
    host = "/".join(place.split("/")[:3])
    assert links(head, url) == (TextLink("The pier", f"{host}/pier"), TextLink("More of it", f"{place}x/y?a=1&b=2"))


def test_links_without_an_address_to_resolve_them_are_left_out() -> None:
    assert (links("", None), links('<base href="http://[bad">', None)) == ((), ())


def test_links_are_bounded() -> None:
    paths = ["x" * 1_999, "x" * 2_000, *map(str, range(250))]
    many = "".join(f"<p>{SENTENCE} <a href='/{path}'>{path[:9]}</a> <a href='/{path}'></a></p>" for path in paths)
    found = EXTRACTOR.extract(f"<article>{many}</article><a href='/end'></a>", url="https://a.example/").links
    assert [link.url for link in found] == [f"https://a.example/{path}" for path in (paths[0], *paths[2:201])]


def test_a_page_without_tags_has_the_address_that_was_given() -> None:
    assert Base.of(Tags.of_markup(b""), "https://a.example/").address == "https://a.example/"
    assert Base.of(Tags.of_markup(b"<base><p>x"), "https://a.example/").address == "https://a.example/"


def test_the_parts_make_up_the_text() -> None:
    found = EXTRACTOR.with_options(headline=True).extract(PAGE.format(head=""))
    assert found.headline == "The ferry"
    assert found.text == "\n\n".join(part for part in (found.headline, found.lead, found.body) if part)


def test_languages_are_as_sure_as_their_text() -> None:
    assert EXTRACTOR.extract(PAGE.format(head="")).lang_confidence == 1.0
    wrong = EXTRACTOR.extract(PAGE.format(head=""), lang="de")
    assert wrong.lang == "de"
    assert wrong.lang_confidence is not None
    assert wrong.lang_confidence <= 0.5
    assert EXTRACTOR.extract("").lang_confidence is None


def test_an_article_is_surer_than_a_page_of_scraps() -> None:
    article = EXTRACTOR.extract(f"<article><h1>The ferry</h1>{f'<p>{SENTENCE}</p>' * 9}</article>").confidence
    scraps = EXTRACTOR.extract(
        "<div>Ferry tickets</div><div>Piers and ports of the island</div><div>Call us</div>"
    ).confidence
    assert article is not None
    assert article > 0.8
    assert scraps is None or scraps < article
    assert EXTRACTOR.extract("").confidence is None


def test_kinds_that_are_not_calibrated_have_no_confidence() -> None:
    ones = np.ones(3)
    measures = confidence_measures("sequence", ones, ones > 0, np.array([5, 5, 5]), ones / 3)
    assert expected_f1("sequence", measures) is not None
    assert expected_f1("another", measures) is None
    assert expected_f1("sequence", None) is None
    assert confidence_measures("sequence", ones, ones < 0, np.array([5, 5, 5]), ones / 3) is None
