"""How sure a value is, by its source and by what the others of the page say."""

from __future__ import annotations

import operator

import pytest

from blockfeat.metadata.claims import Claims
from blockfeat.metadata.metadata import SOURCES, SUPPORTS, SourceRecords, source_records, support_of
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


def test_confidence_is_how_often_such_a_value_was_right() -> None:
    agreed, alone = (RECORDS.confidence("title", "json-ld", support) for support in ("agreed", "alone"))
    assert agreed is not None
    assert alone is not None
    assert agreed == pytest.approx(0.95, abs=0.01)
    assert alone < 0.35


def test_a_source_that_was_not_seen_has_the_average_of_its_support() -> None:
    assert RECORDS.confidence("title", "meta", "agreed") == pytest.approx(96 / 102, abs=0.001)
    assert RECORDS.confidence("title", "microdata", "contradicted") == 0.5


def test_fields_without_records_have_no_confidence() -> None:
    assert RECORDS.confidence("licence", "meta", "alone") is None


def test_sources_are_asked_in_the_order_of_their_records() -> None:
    claims = [Claims("json-ld"), Claims("open-graph"), Claims("meta")]
    assert [each.source for each in RECORDS.ordered("description", claims)] == ["meta", "json-ld", "open-graph"]
    assert RECORDS.ordered("title", claims) == claims


def test_records_are_plain_values() -> None:
    document = RECORDS.to_document()
    assert SourceRecords.from_document(document).to_document() == document


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
    assert same.support["authors"] == "alone"
    assert set(same.confidences) == set(same.support)
