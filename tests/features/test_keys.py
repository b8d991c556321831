from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.features.keys import KeyTable

KEYS = st.one_of(st.integers(0, 40), st.integers(0, 2**64 - 1), st.integers(2**64 - 40, 2**64 - 1))


@given(st.sets(KEYS, max_size=60), st.lists(KEYS, max_size=60))
def test_each_key_is_found_at_its_place_and_no_other(known: set[int], wanted: list[int]):
    keys = sorted(known)
    wanted = [*wanted, *keys]
    places = KeyTable.of(np.array(keys, dtype=np.uint64)).places(np.array(wanted, dtype=np.uint64))
    assert places.tolist() == [keys.index(key) if key in known else -1 for key in wanted]


def test_many_keys_with_the_same_highest_bits():
    keys = np.arange(100_000, dtype=np.uint64)
    assert (KeyTable.of(keys).places(keys) == np.arange(100_000)).all()


@given(st.lists(st.tuples(KEYS, st.integers(0, 2**32 - 1)), max_size=40))
def test_flags_of_equal_keys_are_joined(flagged: list[tuple[int, int]]):
    expected: dict[int, int] = {}
    for key, flags in flagged:
        expected[key] = expected.get(key, 0) | flags
    keys, flags = [key for key, _ in flagged], [flag for _, flag in flagged]
    table, joined = KeyTable.of_flagged(np.array(keys, dtype=np.uint64), np.array(flags, dtype=np.uint32))
    assert dict(zip(table.keys.tolist(), joined.tolist(), strict=True)) == expected
    assert table.places(table.keys).tolist() == list(range(len(expected)))
