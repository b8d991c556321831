"""Pages that are kept for a while."""

import pytest

from blockfeat.errors import LimitExceeded
from blockfeat.web.reader.cache import PageCache, PageSource


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_pages_are_kept_by_names_that_differ() -> None:
    kept = PageCache(10_000, 10)
    names = [kept.keep(PageSource("abc")), kept.keep(PageSource("abc"))]
    assert len(set(names)) == 2
    assert all(len(name) >= 22 for name in names)
    assert kept.get(names[0]) == PageSource("abc")
    assert kept.get("other") is None


def test_the_page_that_was_not_used_for_longest_goes_first() -> None:
    kept = PageCache(1_500, 10)  # Each takes some hundred bytes beside its letters.
    first, second = kept.keep(PageSource(b"x" * 10)), kept.keep(PageSource(b"y" * 10))
    assert kept.get(first) is not None
    third = kept.keep(PageSource(b"z" * 10))
    assert kept.get(second) is None
    assert kept.get(first) is not None
    assert kept.get(third) is not None
    assert len(kept) == 2


def test_pages_go_when_they_were_not_used_for_a_while() -> None:
    clock = _Clock()
    kept = PageCache(1000, 10, clock=clock)
    name = kept.keep(PageSource("abc"))
    clock.now = 9.0
    assert kept.get(name) is not None
    clock.now = 18.0
    assert kept.get(name) is not None
    clock.now = 29.0
    assert kept.get(name) is None
    assert len(kept) == 0


def test_a_page_larger_than_the_room_is_refused() -> None:
    with pytest.raises(LimitExceeded, match="bytes, more than the 10"):
        PageCache(10, 10).keep(PageSource("x" * 11))


def test_addresses_and_entries_take_room_too() -> None:
    kept = PageCache(100_000, 10)
    for _ in range(500):
        kept.keep(PageSource("", "http://e.invalid/" + "a" * 8000))
    assert len(kept) <= 12
    for _ in range(5000):
        kept.keep(PageSource(""))
    assert len(kept) <= 200
