"""Sums over shared terms: compiled, uncompiled, and by hand."""

import numpy as np
from scipy import sparse

from blockfeat.pso.shared_terms import overlaps, squares
from uncompiled import load_uncompiled


def test_by_hand() -> None:
    # Two pages: terms 0 and 1 in blocks 0 and 1, term 2 in blocks 2 and 3.
    counts = sparse.csr_array(np.array([[1, 2, 0, 0], [3, 1, 0, 0], [0, 0, 2, 2]], dtype=np.float32))
    starts, gold = np.array([0, 2]), np.array([2, 9, 3], dtype=np.float32)
    masks = np.array([[1, 0], [1, 1], [1, 0], [1, 0]], dtype=np.float32)
    assert overlaps(counts, starts, gold, masks).tolist() == [[2 + 4, 2 + 1], [3, 0]]
    assert squares(counts, starts, masks).tolist() == [[9 + 16, 4 + 1], [16, 0]]


def test_uncompiled_finds_the_same() -> None:
    uncompiled = load_uncompiled("blockfeat.pso.shared_terms")
    random = np.random.default_rng(1)
    shape = (300, 90)
    counts = sparse.csr_array(np.where(random.random(shape) < 0.04, random.random(shape), 0).astype(np.float32))
    counts.data = np.ceil(counts.data * 9).astype(np.float32)
    starts, gold = np.array([0, 1, 40, 220]), random.integers(0, 9, 300).astype(np.float32)
    for number in (1, 64, 100):
        masks = (random.random((90, number)) > 0.5).astype(np.float32)
        assert np.array_equal(overlaps(counts, starts, gold, masks), uncompiled.overlaps(counts, starts, gold, masks))
        assert np.array_equal(squares(counts, starts, masks), uncompiled.squares(counts, starts, masks))
