import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.metadata import Metadata, Moment
from blockfeat.metadata.metadata import SOURCES
from cases import CASES
from metadata.described import TEXT, article, described, extractor, json_ld
from property_examples import examples


@pytest.mark.parametrize(("heading", "node", "shared", "title", "expected", "source"), CASES["the_title_that_counts"])
def test_the_title_that_counts(heading: str, node: str, shared: str, title: str, expected: str, source: str):
    head = f'<title>{title}</title><meta property="og:site_name" content="Lake Post">'
    head += (json_ld(article(headline=node)) if node else "") + f'<meta property="og:title" content="{shared}">'
    found = described(head, top=f"<h1>{heading}</h1>" if heading else "<div>x</div>")
    assert (found.title, found.sources["title"], found.headline) == (expected, source, heading or expected)


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


def test_contents_of_meta_elements_may_begin_like_names():
    assert described('<meta property="og:title" content="viewport">', "<div>x</div>").title == "viewport"
