"""The pages that are next: hosts take turns, none has more than its share."""

from __future__ import annotations

import pytest

from blockfeat.monitor.schedule import Frontier
from blockfeat.monitor.store.records import DuePage


def _pages(*names: str) -> list[DuePage]:
    """Pages named by host and number, such as a1."""
    return [
        DuePage(
            id=number,
            url=f"https://{name[0]}.example/{name[1:]}",
            host=f"{name[0]}.example",
            lang=None,
            etag=None,
            last_modified=None,
            attempts=0,
            version=0,
            first_seen="2026-01-05T12:00:00Z",
        )
        for number, name in enumerate(names, start=1)
    ]


def _name(page: DuePage) -> str:
    return page.host[0] + page.url.rpartition("/")[2]


def _taken(frontier: Frontier) -> list[str]:
    names = []
    while (page := frontier.take()) is not None:
        names.append(_name(page))
    return names


def test_hosts_take_turns() -> None:
    frontier = Frontier(per_host=9)
    frontier.add(_pages("a1", "a2", "a3", "b1", "c1", "c2"))
    assert _taken(frontier) == ["a1", "b1", "c1", "a2", "c2", "a3"]


@pytest.mark.parametrize("per_host", [1, 2])
def test_no_host_has_more_than_its_share_in_hand(per_host: int) -> None:
    frontier = Frontier(per_host=per_host)
    pages = _pages("a1", "a2", "a3", "b1")
    frontier.add(pages)
    assert sorted(_taken(frontier)) == sorted([*["a1", "a2", "a3"][:per_host], "b1"])
    assert (len(frontier), frontier.in_hand) == (3 - per_host, per_host + 1)
    frontier.finish(pages[0])
    assert _taken(frontier) == [["a2", "a3"][per_host - 1]]
    assert frontier.in_hand == per_host + 1


def test_a_place_that_is_given_back_is_one_place() -> None:
    frontier = Frontier(per_host=2)
    pages = _pages("a1", "a2", "a3", "a4", "a5")
    frontier.add(pages)
    assert _taken(frontier) == ["a1", "a2"]
    frontier.finish(pages[0])
    assert _taken(frontier) == ["a3"]
    frontier.finish(pages[1])
    frontier.finish(pages[2])
    assert _taken(frontier) == ["a4", "a5"]


def test_pages_that_wait_or_are_in_hand_are_known() -> None:
    frontier = Frontier(per_host=1)
    pages = _pages("a1", "a2", "b1")
    frontier.add(pages)
    frontier.take()
    assert sorted(frontier.known) == [1, 2, 3]
    frontier.finish(pages[0])
    assert sorted(frontier.known) == [2, 3]
    frontier.add(_pages("a1")[:0])
    assert len(frontier) == 2


def test_a_host_that_is_to_be_left_alone_is_forgotten_but_keeps_what_is_in_hand() -> None:
    frontier = Frontier(per_host=1)
    frontier.add(_pages("a1", "a2", "b1"))
    first = frontier.take()
    assert first is not None
    frontier.drop_host("a.example")
    frontier.drop_host("unknown.example")
    assert (len(frontier), frontier.in_hand) == (1, 1)
    assert _taken(frontier) == ["b1"]
    frontier.finish(first)
    assert _taken(frontier) == []
