"""What the logits of a page's blocks lead to expect of the page, in one pass over its blocks.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cython
import numpy as np
from cython.cimports.libc.math import exp
from numpy.typing import NDArray


class Expectation(NamedTuple):
    """Expected values of a page.

    Attributes
    ----------
    content : float
        Expected words of content: the words of each block times its probability.
    words : int
        Words of the page.
    highest : float
        Highest logit of a block; -10 where there is none.
    f1 : float
        Expected word F1 if the blocks with a probability of one half or more are kept: twice their expected words over
        their words and all expected words. Blocks without words count as one word.
    """

    content: float
    words: int
    highest: float
    f1: float


def expectation(logits: NDArray[np.float32], words: NDArray[np.integer[Any]]) -> Expectation:
    """Return what is expected of a page with n blocks.

    Parameters
    ----------
    logits : float32 array, n
        The logit of the probability that each block is content.
    words : int array, n
        The words of each block.
    """
    logit: cython.const[cython.float][::1] = logits
    count: cython.const[cython.int][::1] = words.astype(np.int32, copy=False)
    content: cython.double = 0.0
    sized: cython.double = 0.0
    found: cython.double = 0.0
    kept: cython.double = 0.0
    highest: cython.double = -10.0
    chance: cython.double
    size: cython.double
    total: cython.longlong = 0
    block: cython.Py_ssize_t
    with cython.nogil:
        for block in range(logit.shape[0]):
            chance = 1.0 / (1.0 + exp(-cython.cast(cython.double, logit[block])))
            size = max(count[block], 1)
            total += count[block]
            content += count[block] * chance
            sized += size * chance
            if logit[block] >= 0:
                found += size * chance
                kept += size
            if block == 0 or logit[block] > highest:
                highest = logit[block]
    return Expectation(content, total, highest, 2 * found / max(kept + sized, 1e-12))
