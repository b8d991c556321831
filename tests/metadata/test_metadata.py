"""How sure a value is, by its source and by what the others of the page say."""

import operator

import pytest

from blockfeat.metadata.metadata import SOURCES, SUPPORTS, Candidates, SourceRecords, source_records, support_of
from cases import CASES
from metadata.described import article, described, json_ld

RECORDS = SourceRecords(
    {"title": {"json-ld": {"agreed": (95.0, 100), "alone": (2.0, 10)}, "meta": {"agreed": (0.0, 0)}}},
    {"description": ("meta", "json-ld")},
)


@pytest.mark.parametrize(
    ("others", "support"),
    [((), "alone"), (("b", "a"), "agreed"), (("b",), "contradicted"), (("b", "c"), "contradicted")],
)
def test_support_is_what_the_others_say(others: tuple[str, ...], support: str) -> None:
    assert support_of("a", others, operator.eq) == support


@pytest.mark.parametrize(
    ("field", "source", "support", "confidence"),
    [
        # How often such a value was right.
        ("title", "json-ld", "agreed", pytest.approx(0.95, abs=0.01)),
        ("title", "json-ld", "alone", pytest.approx(0.28, abs=0.06)),
        # A source that was not seen has the average of its support.
        ("title", "meta", "agreed", pytest.approx(96 / 102, abs=0.001)),
        ("title", "microdata", "contradicted", 0.5),
        ("licence", "meta", "alone", None),  # a field without records
    ],
)
def test_confidence(field: str, source: str, support: str, confidence: object) -> None:
    assert RECORDS.confidence(field, source, support) == confidence


def test_sources_are_asked_in_the_order_of_their_records() -> None:
    claims = [Candidates("json-ld"), Candidates("open-graph"), Candidates("meta")]
    assert [each.source for each in RECORDS.ordered("description", claims)] == ["meta", "json-ld", "open-graph"]
    assert RECORDS.ordered("title", claims) == claims


def test_bundled_records_name_known_sources() -> None:
    records = source_records()
    assert set(records.counts) == {"title", "authors", "published", "description", "tags"}
    for by_source in records.counts.values():
        assert set(by_source) <= set(SOURCES)
        assert {support for counts in by_source.values() for support in counts} <= set(SUPPORTS)


def test_a_value_that_two_sources_have_is_surer_than_one_that_another_contradicts() -> None:
    node = json_ld(article(headline="Quiet days", author="Ann Lee", datePublished="2024-05-02T08:15:00+02:00"))
    same = described(f'{node}<meta property="article:published_time" content="2024-05-02T08:15:00+02:00">')
    other = described(f'{node}<meta property="article:published_time" content="2023-01-09T08:15:00+02:00">')
    assert (same.support["published"], other.support["published"]) == ("agreed", "contradicted")
    assert same.confidences["published"] > other.confidences["published"]
    assert (same.support["authors"], set(same.confidences)) == ("alone", set(same.support))


@pytest.mark.parametrize(("head", "name", "value"), CASES["the_head_gives"])
def test_the_head_gives(head: str, name: str, value: object):
    assert getattr(described(head), name) == (tuple(value) if isinstance(value, list) else value)


@pytest.mark.parametrize(
    "name",
    ["article:published_time", "parsely-pub-date", "sailthru.date", "dc.date.issued", "citation_publication_date",
     "cXenseParse:recs:publishtime", "pubdate", "date", "w-published-date"],
)  # fmt: skip
def test_dates_of_many_dialects(name: str):
    assert str(described(f'<meta name="{name}" content="2024-05-02T08:15:00+02:00">').published).startswith(
        "2024-05-02"
    )


@pytest.mark.parametrize(
    ("other", "expected", "source"),
    [
        ("2024-05-02T08:15:00+02:00", "2024-05-02T08:15:00+02:00", "open-graph"),
        ("2021-01-01T08:15:00+02:00", "2024-05-02", "json-ld"),
    ],
)
def test_a_more_precise_date_is_taken_if_it_is_of_the_same_day(other: str, expected: str, source: str):
    head = json_ld(article(headline="Quiet days", datePublished="2024-05-02"))
    found = described(f'{head}<meta property="article:published_time" content="{other}">')
    assert (str(found.published), found.sources["published"]) == (expected, source)


def test_addresses_become_absolute():
    found = described('<meta property="og:image" content="/boat.jpg">', url="https://lake.example/a/b")
    assert found.image == "https://lake.example/boat.jpg"
