from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from blockfeat._numeric import longest_increasing


def _is_increasing(values: list[int]) -> bool:
    return all(first < second for first, second in pairwise(values))


def test_the_one_longest_chain_is_found() -> None:
    assert longest_increasing([7, 0, 1, 9, 2]) == [1, 2, 4]
    assert longest_increasing([]) == []


def test_equal_values_are_no_chain() -> None:
    assert len(longest_increasing([3, 3, 3])) == 1


@given(st.lists(st.integers(0, 12), max_size=9))
def test_no_chain_is_longer(values: list[int]) -> None:
    found = longest_increasing(values)
    assert _is_increasing(found)
    assert _is_increasing([values[index] for index in found])
    assert not any(_is_increasing(list(chain)) for chain in combinations(values, len(found) + 1))
