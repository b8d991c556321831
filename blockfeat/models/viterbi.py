"""The most likely labels of a chain, given probabilities of its blocks and of its neighbours (Viterbi)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import ModelError

Floats = NDArray[np.float64]


def best_labels(unary: Floats, pairwise: Floats, *, interpolation: float = 1.0) -> NDArray[np.bool_]:
    """Return the labels of two kinds with the highest sum of logarithms; linear in the chain.

    The sum is Σ unary[i, y(i)] + λ · Σ pairwise[i, y(i), y(i + 1)] (Vogels et al. 2018, 3.5). Of equal sums a label of
    0 wins, first at the end of the chain.

    Parameters
    ----------
    unary : float array, n × 2
        Logarithms for each block to have label 0 and 1; finite.
    pairwise : float array, n - 1 × 4
        Logarithms for each block and the next to have the labels 00, 01, 10 and 11; finite.
    interpolation : float
        λ, the weight of the pairs; 0 leaves each block to itself.

    Returns
    -------
    bool array, n
        True for label 1.

    Raises
    ------
    ModelError
        The shapes do not fit each other.
    """
    n = unary.shape[0]
    if unary.shape != (n, 2) or pairwise.shape != (max(n - 1, 0), 4):
        raise ModelError(f"potentials of {unary.shape} blocks and {pairwise.shape} pairs do not make a chain")
    if n == 0:
        return np.zeros(0, dtype=np.bool_)
    pairs = (interpolation * pairwise).T.tolist()
    gains = (unary[:, 1] - unary[:, 0]).tolist()
    # By how much the best chain that ends in 1 leads the best that ends in 0: no more than that has to be known.
    lead = gains[0]
    from_one: list[tuple[bool, bool]] = []
    for own, zero_zero, zero_one, one_zero, one_one in zip(gains[1:], *pairs, strict=True):
        zero, one = lead + one_zero, lead + one_one
        comes = (zero > zero_zero, one > zero_one)
        from_one.append(comes)
        lead = own + ((one if comes[1] else zero_one) - (zero if comes[0] else zero_zero))
    label = lead > 0
    labels = [label]
    for to_zero_from_one, to_one_from_one in reversed(from_one):
        label = to_one_from_one if label else to_zero_from_one
        labels.append(label)
    return np.array(labels[::-1], dtype=np.bool_)
