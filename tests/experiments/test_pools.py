"""The comparison of pools."""

from __future__ import annotations

from experiments.pools import lost_beside_the_killed, overhead, promises, with_blockfeat


def test_the_pool_of_this_package_holds_its_promises() -> None:
    assert all(promises(with_blockfeat).values())
    assert lost_beside_the_killed(with_blockfeat, 200) == 0


def test_what_a_pool_takes_for_an_item_is_measured() -> None:
    assert overhead(with_blockfeat, 10, count=50) < 0.1
