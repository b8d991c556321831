from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.metadata.dates import Dated, choose_publication, most_precise, parse_moment
from blockfeat.metadata.metadata import Moment
from metadata.described import article, described, json_ld


def dated(*texts: str, source: str = "json-ld") -> list[Dated]:
    return [(moment, source) for text in texts if (moment := parse_moment(text))]


def chosen(declared: list[Dated], modified: str = "", *, url: date | None = None, seen: str = "") -> str | None:
    found = choose_publication(declared, dated(modified), url, lambda: dated(*seen.split(), source="time"))
    return found and f"{found[0].day} {found[1]}"


def test_the_first_that_is_declared_counts_where_nothing_contradicts_it():
    assert chosen([]) is None
    assert chosen(dated("2024-05-02"), "2024-05-03", seen="2024-05-03") == "2024-05-02 json-ld"
    assert chosen(dated("2024-05-02", "2024-05-04")) == "2024-05-02 json-ld"


def test_readers_decide_between_sources_that_contradict_each_other():
    declared = [*dated("2024-05-02"), *dated("2024-05-09", source="meta")]
    assert chosen(declared, seen="2024-05-09") == "2024-05-09 meta"
    assert chosen(declared, seen="2024-05-09 2024-05-02") == "2024-05-02 json-ld"
    assert chosen(declared, seen="2024-06-01") == "2024-05-02 json-ld"


def test_a_stamp_of_the_system_gives_way_to_an_earlier_visible_date():
    assert chosen(dated("2025-06-24"), "2025-06-24", seen="2024-08-25") == "2024-08-25 time"
    assert chosen(dated("2025-06-24"), "2025-06-24", seen="2024-08-25 2025-06-24") == "2025-06-24 json-ld"
    assert chosen(dated("2025-06-24"), "2025-06-24", seen="2025-08-25") == "2025-06-24 json-ld"
    assert chosen(dated("2025-06-24"), "2025-07-01", seen="2024-08-25") == "2025-06-24 json-ld"


@pytest.mark.parametrize(
    ("declared", "url", "day"),
    [
        ("2023-11-09T05:30:59Z", date(2023, 11, 8), date(2023, 11, 8)),
        ("2023-11-01T23:01:00Z", date(2023, 11, 2), date(2023, 11, 2)),
        ("2023-11-09T07:59:00Z", date(2023, 11, 8), date(2023, 11, 8)),
        ("2023-11-09T12:00:00Z", date(2023, 11, 10), date(2023, 11, 10)),
        # Nobody lives where it is still yesterday at eight in the morning of UTC, or tomorrow before noon.
        ("2023-11-09T08:00:00Z", date(2023, 11, 8), date(2023, 11, 9)),
        ("2023-11-09T11:59:00Z", date(2023, 11, 10), date(2023, 11, 9)),
        ("2023-11-09T10:00:00Z", date(2023, 11, 8), date(2023, 11, 9)),
        ("2023-11-09T09:00:00Z", date(2023, 11, 10), date(2023, 11, 9)),
        ("2023-11-09T05:30:59", date(2023, 11, 8), date(2023, 11, 9)),
        ("2023-11-09T05:30:59-05:00", date(2023, 11, 8), date(2023, 11, 9)),
        ("2023-11-09", date(2023, 11, 8), date(2023, 11, 9)),
    ],
)
def test_the_day_of_an_instant_in_utc_is_the_one_of_the_page(declared: str, url: date, day: date):
    found = choose_publication(dated(declared), [], url, list)
    assert found is not None
    moment, same = found[0], parse_moment(declared)
    assert same is not None
    assert (moment.day, moment.instant, str(moment), found[1]) == (day, same.instant, str(same), "json-ld")


def test_a_more_precise_moment_of_the_day_is_taken():
    first, better = dated("2024-05-02", "2024-05-02T08:15:00+02:00")
    assert most_precise(first, [first, better]) == better
    (local,) = dated("2024-05-02T08:15:00")
    assert most_precise(first, [first, local]) == local
    assert most_precise(first, [first, *dated("2024-05-09T08:15:00+02:00")]) == first


def test_a_more_precise_moment_of_the_next_day_is_another_without_a_zone():
    (first,) = dated("2024-05-02")
    assert most_precise(first, dated("2024-05-03T08:15:00")) == first
    assert most_precise(first, dated("2024-05-03T00:15:00Z")) == dated("2024-05-03T00:15:00Z")[0]
    assert most_precise(first, dated("2024-05-04T00:15:00Z")) == first


def test_the_nearest_of_the_visible_dates_counts():
    stamp = dated("2025-06-24")
    assert chosen(stamp, "2025-06-24", seen="2024-08-25 2024-09-01") == "2024-08-25 time"
    declared = dated("2023-11-09T05:30:59Z", "2023-12-01")
    assert chosen(declared, seen="2023-11-08 2023-11-20") == "2023-11-08 json-ld"


def test_visible_dates_are_not_read_where_declarations_leave_no_doubt():
    def seen() -> Iterator[Dated]:
        raise AssertionError
        yield

    assert choose_publication(dated("2024-05-02", "2024-05-02"), [], None, seen) == dated("2024-05-02")[0]


def test_visible_dates_are_read_only_up_to_the_one_that_agrees():
    def seen() -> Iterator[Dated]:
        yield from dated("2024-05-02")
        raise AssertionError

    found = choose_publication(dated("2024-05-02"), dated("2024-05-02"), None, seen)
    assert found == dated("2024-05-02")[0]


moments = st.builds(Moment, st.dates(date(1990, 1, 1), date(2050, 1, 1)), st.none() | st.times(timezones=st.just(UTC)))
lists = st.lists(st.tuples(moments, st.just("meta")), max_size=4)


@given(lists, lists, st.none() | st.dates(date(1990, 1, 1), date(2050, 1, 1)), lists)
def test_what_is_chosen_was_given(declared: list[Dated], modified: list[Dated], url: date | None, seen: list[Dated]):
    found = choose_publication(declared, modified, url, lambda: seen)
    assert (found is None) == (not declared)
    if found is not None:
        same = [moment for moment, _ in (*declared, *seen) if str(moment) == str(found[0])]
        assert same
        assert found[0].day in {url, *(moment.day for moment, _ in (*declared, *seen))}


def test_a_page_that_shows_the_day_before_that_of_its_instant_in_utc():
    head = json_ld(article(headline="Quiet days", datePublished="2023-11-09T05:30:59Z"))
    found = described(head, url="https://lake.example/2023/11/08/quiet-days")
    assert found.published is not None
    assert found.published.day == date(2023, 11, 8)
    assert found.to_dict()["published"] == "2023-11-09T05:30:59+00:00"


def test_a_page_that_is_built_anew_shows_its_day():
    head = json_ld(article(headline="Quiet days", datePublished="2025-06-24", dateModified="2025-06-24"))
    found = described(head, "<h1>Quiet days</h1><time datetime='2024-08-25'>25 August 2024</time>")
    assert (str(found.published), found.sources["published"]) == ("2024-08-25", "time")


def test_the_only_date_of_an_article_counts_wherever_it_stands():
    page = f"<p>{'The ferry left in the rain, and nobody stood at the pier to see it off. ' * 3}</p>"
    many = "".join(f"{page}<h2>Part {number}</h2>" for number in range(9))
    found = described(bottom=f"{many}<p>Datum:26. Januar 2022</p>{many}")
    assert (str(found.published), found.sources["published"]) == ("2022-01-26", "time")
