"""Documents grouped by site within a run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from blockfeat import Extractor
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.many import WINDOW, PageWork, SiteProfiles, read_pages, site_of
from blockfeat.page.document import Document
from site_pages import PROMOTION, story_page


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load("default")


def documents(*promoted: int, count: int = 6, host: str = "harbour.example") -> list[Document]:
    """Return documents of one site, of which some have the promotion amid their text."""
    return [
        Document(
            id=f"{host} {number}", url=f"https://{host}/{number}", data=story_page(number, promoted=number in promoted)
        )
        for number in range(count)
    ]


def test_others_of_the_site_count_whether_they_come_before_or_behind(extractor: Extractor) -> None:
    given = documents(0, 5)
    found = list(extractor.extract_many(given, by_site=True))
    assert [extraction.id for extraction in found] == [document.id for document in given]
    assert [extraction.site_repeated for extraction in found] == [1, 0, 0, 0, 0, 1]
    assert not any(PROMOTION in extraction.text for extraction in found)
    assert [extraction.site_repeated for extraction in extractor.extract_many(given)] == [None] * 6


def test_sites_are_apart(extractor: Extractor) -> None:
    alone = documents(0, count=1, host="other.example")
    found = list(extractor.extract_many(alone + documents(count=3), by_site=True))
    assert PROMOTION in found[0].text
    assert [extraction.site_repeated for extraction in found] == [0] * 4


@pytest.mark.parametrize(("jobs", "deadline"), [(2, None), (1, 30.0)])
def test_processes_change_nothing(extractor: Extractor, jobs: int, deadline: float | None) -> None:
    given = [*documents(0, 3), Document(id="bad", data=b"%PDF-1.7 \x00"), *documents(1, count=2, host="b.example")]
    alone = list(extractor.extract_many(given, by_site=True))
    found = list(extractor.extract_many(given, by_site=True, jobs=jobs, deadline=deadline))
    assert found == alone
    assert [one.blocks for one in found] == [one.blocks for one in alone]
    assert "dropped: repeated on 5 other pages of the site" in [block.reason for block in found[0].blocks]


def test_documents_are_taken_a_window_at_a_time(extractor: Extractor) -> None:
    taken: list[str] = []

    def listed() -> Iterator[Document]:
        for number in range(2 * WINDOW):
            taken.append(str(number))
            yield Document(id=str(number), data="<p>Short.")

    next(iter(extractor.extract_many(listed(), by_site=True)))
    assert len(taken) == WINDOW


def test_a_later_window_knows_the_earlier_ones(extractor: Extractor) -> None:
    fill = [Document(id="fill", data="") for _ in range(WINDOW - 2)]
    given = [*documents(count=2), *fill, *documents(2, count=3)[2:]]
    assert list(extractor.extract_many(given, by_site=True))[-1].site_repeated == 1


@pytest.mark.parametrize(
    ("url", "page", "site"),
    [
        ("https://www.a.example/x", "", "a.example"),
        ("https://News.A.example:8080/x", "", "news.a.example"),
        ("https://a.example/", story_page(1, site="b.example"), "a.example"),
        ("https://[bad/", "", None),
        (None, story_page(1, site="b.example"), "named b.example"),
        (None, story_page(1), None),
    ],
)
def test_the_site_of_a_document(url: str | None, page: str, site: str | None) -> None:
    for data in (page, page.encode()):
        assert site_of(Document(id="1", url=url, data=data)) == site
    assert site_of(Document(id="1", data=None)) is None


def test_only_the_latest_thousand_sites_are_kept(extractor: Extractor) -> None:
    page = extractor.extract(story_page(1)).site_page
    assert page is not None
    profiles = SiteProfiles()
    for number in range(1010):
        profiles.add(f"{number}.example", page)
        profiles.add("0.example", page)
    assert len(profiles.profiles) == 1000
    assert "0.example" in profiles.profiles
    assert "5.example" not in profiles.profiles


@dataclass(frozen=True)
class _Slow(PageWork[str]):
    """Hangs where a document is extracted the second time."""

    def result(self, document: Document, extraction: Extraction) -> str:
        if self.extractor.site is not None and len(self.extractor.site):
            time.sleep(60)
        return document.id


def test_what_fails_the_second_time_keeps_its_first_result(extractor: Extractor) -> None:
    done = read_pages(_Slow(extractor), documents(0, count=3), profiles=SiteProfiles(), deadline=2.0)
    assert [result for _, result in done] == [f"harbour.example {number}" for number in range(3)]


@dataclass(frozen=True)
class _Broken(PageWork[str]):
    """Cannot make a result of the second document."""

    def result(self, document: Document, extraction: Extraction) -> str:
        if extraction.error is None and document.id.endswith("1"):
            raise ValueError("the scale is broken")
        return extraction.error or "good"


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("profiles", [None, SiteProfiles()])
def test_a_result_that_cannot_be_made_is_an_error_of_its_page(
    extractor: Extractor, jobs: int, profiles: SiteProfiles | None
) -> None:
    done = read_pages(_Broken(extractor), documents(0, count=3), jobs=jobs, profiles=profiles)
    assert [result for _, result in done] == ["good", "unexpected ValueError: the scale is broken", "good"]
