"""The pages that are next: hosts take turns, none has more than its share."""

from __future__ import annotations

import pytest

from blockfeat.monitor.rounds.frontier import Frontier
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


def _frontier(*, per_host: int) -> Frontier[DuePage]:
    return Frontier(per_host=per_host, host_of=lambda page: page.host)


def _name(page: DuePage) -> str:
    return page.host[0] + page.url.rpartition("/")[2]


def _taken(frontier: Frontier[DuePage]) -> list[str]:
    names = []
    while (page := frontier.take()) is not None:
        names.append(_name(page))
    return names


def test_hosts_take_turns() -> None:
    frontier = _frontier(per_host=9)
    frontier.add(_pages("a1", "a2", "a3", "b1", "c1", "c2"))
    assert _taken(frontier) == ["a1", "b1", "c1", "a2", "c2", "a3"]


@pytest.mark.parametrize("per_host", [1, 2])
def test_no_host_has_more_than_its_share_in_hand(per_host: int) -> None:
    frontier = _frontier(per_host=per_host)
    pages = _pages("a1", "a2", "a3", "b1")
    frontier.add(pages)
    assert sorted(_taken(frontier)) == sorted([*["a1", "a2", "a3"][:per_host], "b1"])
    assert (len(frontier), frontier.in_hand) == (3 - per_host, per_host + 1)
    frontier.finish(pages[0])
    assert _taken(frontier) == [["a2", "a3"][per_host - 1]]
    assert frontier.in_hand == per_host + 1


def test_a_place_that_is_given_back_is_one_place() -> None:
    frontier = _frontier(per_host=2)
    pages = _pages("a1", "a2", "a3", "a4", "a5")
    frontier.add(pages)
    assert _taken(frontier) == ["a1", "a2"]
    frontier.finish(pages[0])
    assert _taken(frontier) == ["a3"]
    frontier.finish(pages[1])
    frontier.finish(pages[2])
    assert _taken(frontier) == ["a4", "a5"]


def test_the_store_is_asked_for_hosts_with_free_places_in_turn() -> None:
    frontier = _frontier(per_host=1)
    frontier.add_hosts(["a.example", "b.example", "c.example"])
    assert frontier.hosts_to_load(2) == ["a.example", "b.example"]
    assert frontier.hosts_to_load(2) == ["c.example", "a.example"]
    frontier.add(_pages("a1", "a2", "b1"))
    assert frontier.hosts_to_load(9) == ["c.example"]
    assert _taken(frontier) == ["a1", "b1"]
    assert frontier.numbers_in_hand == [1, 3]
    assert frontier.numbers == [1, 3, 2]
    assert frontier.hosts_to_load(9) == ["c.example"]
    frontier.finish(_pages("a1", "a2", "b1")[2])
    frontier.exhausted("c.example")
    assert frontier.hosts_to_load(9) == ["b.example"]


def test_a_host_that_is_to_be_left_alone_waits_and_keeps_what_is_in_hand() -> None:
    frontier = _frontier(per_host=1)
    frontier.add(_pages("a1", "a2", "b1"))
    first = frontier.take()
    assert first is not None
    assert frontier.hold("a.example", 50.0)
    assert not frontier.hold("a.example", 40.0)
    frontier.look_again("c.example", 60.0)
    assert (len(frontier), frontier.in_hand, frontier.next_moment) == (1, 1, 50.0)
    assert _taken(frontier) == ["b1"]
    frontier.finish(first)
    frontier.wake(49.9)
    frontier.add_hosts(["a.example"])
    assert (_taken(frontier), frontier.hosts_to_load(9)) == ([], [])
    frontier.wake(50.0)
    assert (frontier.hosts_to_load(9), frontier.next_moment) == (["a.example"], 60.0)
    frontier.wake(60.0)
    assert (sorted(frontier.hosts_to_load(9)), frontier.next_moment) == (["a.example", "c.example"], None)


def test_a_host_that_was_dropped_stays_so() -> None:
    frontier = _frontier(per_host=1)
    frontier.add(_pages("a1"))
    frontier.hold("a.example", 50.0)
    frontier.drop("a.example")
    frontier.wake(50.0)
    frontier.add_hosts(["a.example"])
    assert (_taken(frontier), frontier.hosts_to_load(9), frontier.next_moment) == ([], [], None)


def test_what_waits_of_a_host_is_dropped_with_it() -> None:
    frontier = _frontier(per_host=9)
    frontier.add(_pages("a1", "a2", "b1"))
    frontier.add_hosts(["a.example"])
    frontier.look_again("a.example", 50.0)
    frontier.drop("a.example")
    frontier.drop("unknown.example")
    assert (len(frontier), _taken(frontier)) == (1, ["b1"])
    assert (frontier.hosts_to_load(9), frontier.next_moment) == ([], None)


def test_the_later_moment_of_a_host_that_is_left_alone_counts_and_the_earlier_of_what_failed() -> None:
    frontier = _frontier(per_host=1)
    frontier.hold("a.example", 40.0)
    frontier.hold("a.example", 50.0)
    assert frontier.next_moment == 50.0
    frontier.look_again("b.example", 30.0)
    frontier.look_again("b.example", 35.0)
    assert frontier.next_moment == 30.0
    frontier.look_again("b.example", 20.0)
    assert frontier.next_moment == 20.0
