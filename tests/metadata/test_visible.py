from collections.abc import Iterator
from datetime import UTC, date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.metadata.dates import Dated, Moment, choose_publication, most_precise, parse_moment
from cases import CASES
from metadata.described import article, described, json_ld


@pytest.mark.parametrize(("names", "lines"), CASES["lines_near_the_headline"])
def test_lines_near_the_headline(names: list[str], lines: str):
    for line in lines.split(" / "):
        found = described(top=f"<h1>Quiet days at the harbour</h1><p>{line}</p>")
        assert (line, found.authors, found.sources["authors"]) == (line, tuple(names), "byline")


@pytest.mark.parametrize("element", CASES["pictures_quotes_and_menus_name_others"])
def test_pictures_quotes_and_menus_name_others(element: str):
    found = described(top=f"<h1>Quiet days at the harbour</h1>{element}")
    assert (found.authors, found.published) == ((), None)


def test_the_date_of_an_embedded_post_does_not_displace_the_declared_one():
    head = '<meta property="article:published_time" content="2024-05-02T08:15:00Z">'
    head += '<meta property="article:modified_time" content="2024-05-02T08:15:00Z">'
    top = '<h1>Quiet days</h1><blockquote class="tweet">So quiet<time datetime="2011-01-02">then</time></blockquote>'
    assert str(described(head, top=top).published) == "2024-05-02T08:15:00+00:00"


@pytest.mark.parametrize("element", CASES["elements_near_the_headline"])
def test_elements_near_the_headline(element: str):
    assert described(top=f"<h1>Quiet days at the harbour</h1>{element}").authors == ("Ann Lee",)


@pytest.mark.parametrize("labels", CASES["labels_are_no_names"])
def test_labels_places_and_vendors_beside_a_date_are_no_authors(labels: str):
    for label in labels.split(" / "):
        found = described(top=f"<h1>Quiet days at the harbour</h1><p>{label}</p><p>2 May 2024</p>")
        assert (label, found.authors) == (label, ())


def test_a_person_in_the_byline_goes_before_the_site_as_author():
    head = '<meta property="og:site_name" content="Lake Post"><meta name="author" content="Lake Post">'
    assert described(head, top="<h1>Quiet days</h1><p>By Ann Lee</p>").authors == ("Ann Lee",)
    assert described(head).authors == ("Lake Post",)


def test_the_authors_of_comments_and_sentences_are_none():
    bottom = '<div class="comments"><span class="comment-author">Troll</span></div>'
    assert described(top="<h1>Quiet days</h1><p>by the lake it is quiet</p>", bottom=bottom).authors == ()


@pytest.mark.parametrize(("element", "published"), CASES["dates_near_the_headline"])
def test_dates_near_the_headline(element: str, published: str):
    found = described(top=f"<h1>Quiet days at the harbour</h1>{element}")
    assert (str(found.published), found.sources["published"]) == (published, "time")


def test_the_date_of_an_update_is_not_that_of_publication():
    found = described(top="<h1>Quiet days</h1><p>Published: 2 May 2024</p><p>Updated: 3 May 2024</p>")
    assert (str(found.published), str(found.modified)) == ("2024-05-02", "2024-05-03")


def test_the_address_may_hold_the_day_and_no_date_is_invented():
    found = described(url="https://lake.example/2024/05/02/harbour")
    assert (str(found.published), found.sources["published"]) == ("2024-05-02", "url")
    assert described(top="<h1>Quiet days</h1>").published is None


def dated(*texts: str, source: str = "json-ld") -> list[Dated]:
    return [(moment, source) for text in texts if (moment := parse_moment(text))]


MADE, CONTRADICTED = dated("2025-06-24"), [*dated("2024-05-02"), *dated("2024-05-09", source="meta")]


@pytest.mark.parametrize(
    ("declared", "modified", "seen", "expected"),
    [
        # The first that is declared, where nothing contradicts it.
        ([], "", "", None),
        (dated("2024-05-02"), "2024-05-03", "2024-05-03", "2024-05-02 json-ld"),
        (dated("2024-05-02", "2024-05-04"), "", "", "2024-05-02 json-ld"),
        # Readers decide between sources that contradict each other.
        (CONTRADICTED, "", "2024-05-09", "2024-05-09 meta"),
        (CONTRADICTED, "", "2024-05-09 2024-05-02", "2024-05-02 json-ld"),
        (CONTRADICTED, "", "2024-06-01", "2024-05-02 json-ld"),
        # A stamp of the system gives way to an earlier visible date.
        (MADE, "2025-06-24", "2024-08-25", "2024-08-25 time"),
        (MADE, "2025-06-24", "2024-08-25 2025-06-24", "2025-06-24 json-ld"),
        (MADE, "2025-06-24", "2025-08-25", "2025-06-24 json-ld"),
        (MADE, "2025-07-01", "2024-08-25", "2025-06-24 json-ld"),
        # The nearest of the visible dates counts.
        (MADE, "2025-06-24", "2024-08-25 2024-09-01", "2024-08-25 time"),
        (dated("2023-11-09T05:30:59Z", "2023-12-01"), "", "2023-11-08 2023-11-20", "2023-11-08 json-ld"),
    ],
)
def test_the_date_that_is_chosen(declared: list[Dated], modified: str, seen: str, expected: str | None):
    found = choose_publication(declared, dated(modified), None, lambda: dated(*seen.split(), source="time"))
    assert (found and f"{found[0].day} {found[1]}") == expected


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


def test_visible_dates_are_read_only_where_and_as_far_as_they_are_needed():
    def seen(*texts: str) -> Iterator[Dated]:
        yield from dated(*texts)
        raise AssertionError

    (first,) = dated("2024-05-02")
    assert choose_publication([first, first], [], None, seen) == first
    assert choose_publication([first], [first], None, lambda: seen("2024-05-02")) == first


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
    assert (found.published.day, found.to_dict()["published"]) == (date(2023, 11, 8), "2023-11-09T05:30:59+00:00")


def test_a_page_that_is_built_anew_shows_its_day():
    head = json_ld(article(headline="Quiet days", datePublished="2025-06-24", dateModified="2025-06-24"))
    found = described(head, "<h1>Quiet days</h1><time datetime='2024-08-25'>25 August 2024</time>")
    assert (str(found.published), found.sources["published"]) == ("2024-08-25", "time")


WORDS = "The ferry left in the rain, and nobody stood at the pier to see it off. " * 4
PARTS = {
    "words": WORDS,
    "paragraph": f"<p>{WORDS}</p>",
    "many": "".join(f"<p>{WORDS}</p><h2>Part {number}</h2>" for number in range(9)),
    "boats": "".join(f"<li><a href='/{number}'>Boat {number}</a></li>" for number in range(9)),
}


@pytest.mark.parametrize(("top", "bottom", "expected"), CASES["the_date_of_an_article_wherever_it_stands"])
def test_the_date_of_an_article_wherever_it_stands(top: str, bottom: str, expected: str):
    found = described(top=top.format(**PARTS), bottom=bottom.format(**PARTS))
    assert (str(found.published), found.sources.get("published", "time")) == (expected, "time")
