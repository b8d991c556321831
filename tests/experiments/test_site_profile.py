"""The experiment on site profiles, on pages written for the tests."""

from __future__ import annotations

import pytest

from blockfeat import Extractor
from blockfeat.data import LabelledPage
from blockfeat.extraction.site_profile import SiteRule
from experiments.site_profile import by_host, changes_of, table
from site_pages import PROMOTION, story_page


def _page(number: int, *, promoted: bool = False, url: str | None = "https://www.a.example/") -> LabelledPage:
    html = story_page(number, promoted=promoted, site="b.example")
    text = Extractor.load().extract(html).text.replace(f"{PROMOTION}\n\n", "")
    return LabelledPage(corpus="made", id=str(number), html=html, text=text, url=url and f"{url}{number}", lang="en")


def test_pages_are_grouped_by_host_and_single_ones_left_out() -> None:
    pages = [_page(0), _page(1, url="https://a.example/x/"), _page(2, url="https://c.example/"), _page(3, url=None)]
    pages.append(_page(4, url=None))
    found = by_host(pages)
    assert {host: [page.id for page in own] for host, own in found.items()} == {
        "a.example": ["0", "1"],
        "b.example": ["3", "4"],
    }


def test_a_promotion_that_goes_is_a_gain() -> None:
    pages = [_page(0, promoted=True), *(_page(number) for number in (1, 2, 3))]
    changes = [change for _, change in changes_of("made", pages, Extractor.load(), [SiteRule()])]
    assert [(change.others, change.id) for change in changes] == [(k, str(n)) for k in (1, 3) for n in range(4)]
    touched = [change for change in changes if change.dropped]
    assert {(change.id, change.dropped) for change in touched} == {("0", 1)}
    assert all(change.with_profile == pytest.approx(1.0) and change.without < 0.95 for change in touched)
    row = next(line for line in table(changes).splitlines() if line.startswith("| 3 | made"))
    assert row.split(" | ")[2:4] == ["4", "1"]
    assert "1 and 0" in row
