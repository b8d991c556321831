import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.metadata import Metadata, Moment
from blockfeat.metadata.metadata import SOURCES
from metadata.described import TEXT, article, described, extractor, json_ld
from property_examples import examples


def test_the_visible_headline_is_the_title_where_the_titles_are_like_it():
    found = described("<title>Quiet days at the harbour: what to know | Lake Post</title>")
    assert found.title == found.headline == "Quiet days at the harbour"
    assert found.sources["title"] == "heading"


@pytest.mark.parametrize(
    ("shared", "title", "source"),
    [
        ("Boats come back to the lake | Lake Post", "Boats come back to the lake", "open-graph"),
        ("At the harbour", "At the harbour", "open-graph"),
        ("Lake Post", "Quiet days at the harbour", "heading"),
        ("All news: Quiet days at the harbour in May", "Quiet days at the harbour", "heading"),
    ],
)
def test_a_title_that_open_graph_alone_has_was_written_for_links(shared: str, title: str, source: str):
    head = json_ld(article(headline="Quiet days at the harbour")) + (
        f'<meta property="og:title" content="{shared}"><meta property="og:site_name" content="Lake Post">'
        "<title>Quiet days at the harbour | Lake Post</title>"
    )
    found = described(head)
    assert (found.title, found.sources["title"], found.headline) == (title, source, "Quiet days at the harbour")


@pytest.mark.parametrize(
    ("title", "site", "expected"), [("Boats | Lake Post", "Lake Post", "Boats"), ("Lake: Boats", "Lake", "Lake: Boats")]
)
def test_the_name_of_the_site_is_no_part_of_the_title_but_before_a_colon(title: str, site: str, expected: str):
    head = f'<title>{title}</title><meta property="og:site_name" content="{site}">'
    assert described(head, top="<div>x</div>").title == expected


def test_address_picture_and_description_are_those_of_the_head():
    item = article(url="https://lake.example/b", image="https://lake.example/b.jpg", description="Of the item.")
    head = (
        '<link rel="canonical" href="https://lake.example/a"><meta name="description" content="Of the head.">'
        '<meta property="og:image" content="https://lake.example/a.jpg">'
    )
    found = described(json_ld(item) + head)
    assert found.canonical_url == "https://lake.example/a"
    assert (found.image, found.description) == ("https://lake.example/a.jpg", "Of the head.")


@pytest.mark.parametrize(
    ("declared", "language"),
    [("de_CH", "de-CH"), ("EN-us", "en-US"), ("en_US.UTF-8", "en-US"), ("iw", "he"), ("ger", "de")]
    + [(tag, None) for tag in ("english", "lang=", "xx", "und", "x-default", "de-de-de", "")],
)
def test_the_language_is_a_tag_of_bcp_47(declared: str, language: str | None):
    assert described(f'<meta property="og:locale" content="{declared}">').language == language


def test_agencies_are_apart():
    found = described(json_ld(article(headline="Quiet days", author=["Ann Lee", "Reuters"])))
    assert (found.authors, found.agencies) == (("Ann Lee",), ("Reuters",))


def test_every_value_names_its_source_and_is_plain_in_a_dict():
    node = article(headline="Quiet days", author="Ann Lee", datePublished="2024-05-02T08:15:00Z")
    found = described(json_ld(node), url="https://lake.example/a")
    plain = json.loads(json.dumps(found.to_dict()))
    assert (plain["published"], plain["published_day"]) == ("2024-05-02T08:15:00+00:00", "2024-05-02")
    about = ("sources", "support", "confidences", "published_day")
    given = {name for name, value in plain.items() if name not in about and value not in (None, [])}
    assert given == set(found.sources)
    assert set(found.sources.values()) <= set(SOURCES)


def test_a_page_without_anything_has_no_metadata():
    assert (extractor().extract("").metadata, described(top="").authors) == (Metadata(), ())


def test_metadata_can_be_left_out():
    extraction = extractor().with_options(metadata=False).extract(f"<h1>Quiet days</h1>{TEXT}")
    assert extraction.metadata == Metadata()
    assert extraction.to_dict()["metadata"] is None


def test_metadata_travels_between_processes():
    node = article(headline="Quiet", author="Ann Lee", datePublished="2024-05-02")
    page = f"<html><head>{json_ld(node)}</head>{TEXT}"
    extraction = extractor().extract(page)
    assert pickle.loads(pickle.dumps(extraction)).metadata == extraction.metadata
    many = list(extractor().extract_many([page, page], jobs=2))
    assert [found.metadata.authors for found in many] == [("Ann Lee",)] * 2
    assert many[0].to_dict()["metadata"]["published"] == "2024-05-02"


def test_moments_compare_by_value():
    found = described(json_ld(article(headline="Quiet", datePublished="2024-05-02")))
    assert found.published is not None
    assert found.published == Moment(found.published.day)


MEMBERS = "@type @id @graph author name headline datePublished image publisher keywords isAccessibleForFree hasPart url"
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=20)


def nested(inner):
    return st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS.split()), inner, max_size=5)


@examples(60)
@given(st.recursive(SCALARS, nested, max_leaves=15))
def test_any_json_is_read(value: object):
    described(json_ld({"@type": "Article", "x": value}, value))


@pytest.mark.parametrize("mark", ['<meta name="author" content="', '<span itemprop="author" itemscope>', "By " * 3])
def test_long_repetitions_are_read(mark: str):
    described(top=mark * 20_000)


def test_the_visible_headline_counts_where_one_of_the_declared_titles_is_the_same():
    head = json_ld(article(headline="Boat machine review with photos")) + (
        '<meta property="og:title" content="Quiet days at the harbour | Lake Post">'
        '<meta property="og:site_name" content="Lake Post"><title>Boat machine review with photos</title>'
    )
    found = described(head)
    assert (found.title, found.sources["title"]) == ("Quiet days at the harbour", "heading")


def test_contents_of_meta_elements_may_begin_like_names():
    assert described('<meta property="og:title" content="viewport">', "<div>x</div>").title == "viewport"
