"""Language probabilities of a text from its byte n-grams: naive Bayes with the bundled table.

Compiled by Cython where it can be; runs as it stands otherwise, with the same results.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cython
import numpy as np
from cython.cimports.libc.math import log1p
from numpy.typing import NDArray

STEP = 0.9
"""What one level adds to the logarithm of a probability."""

_LOG_UNIT = cython.declare(cython.int, 256)  # logarithms of counts are integers: sums are the same on every machine


@dataclass(frozen=True, eq=False)
class NgramTable:
    """N-grams of bytes and what each says of each class; made by ``tools/make_ngram_table.py`` from py3langid's model.

    Attributes
    ----------
    languages : array of str
        The language of each class, "" where the package knows none; a language may have several classes.
    bases, labels : uint16 and uint8 array, nodes
        A tree that spells n-grams from their last byte to its first: node ``bases[node] + byte`` follows a node if it
        has the label ``byte``.
    rows : uint16 array, nodes
        The row in ``levels`` of the n-gram that a node ends; 0 where it ends none.
    levels : uint8 array, rows × half the classes
        How far the logarithm of an n-gram's probability in a class is above the least, in four bits: those of the first
        half of the classes are the lower ones.
    least, priors : float64 array, classes
        Logarithms of the least probability of an n-gram in each class, and of that of the class.
    """

    languages: NDArray[np.str_]
    bases: NDArray[np.uint16]
    labels: NDArray[np.uint8]
    rows: NDArray[np.uint16]
    levels: NDArray[np.uint8]
    least: NDArray[np.float64]
    priors: NDArray[np.float64]

    @classmethod
    @cache
    def bundled(cls) -> NgramTable:
        """Return the bundled table, a constant that is read at its first use, about 2 ms."""
        with np.load(Path(__file__).with_name("ngrams.npz"), allow_pickle=False) as arrays:
            return cls(**arrays)

    def probabilities(self, text: str) -> NDArray[np.float64]:
        """Return the probability of each class, in time linear in the text; all are equal where it has no n-gram."""
        cased = text.lower() if text.isupper() else text
        encoded = unicodedata.normalize("NFC", cased).encode("utf-8", "surrogatepass")
        counts, sums = np.zeros(len(self.levels), dtype=np.int32), np.zeros((2, self.levels.shape[1]), dtype=np.int32)
        bases, labels, rows, levels = self.bases.data, self.labels.data, self.rows.data, self.levels.data
        logs = _add_up(memoryview(encoded), bases, labels, rows, levels, counts.data, sums.data)
        scores = bool(logs) * self.priors + (logs * self.least + STEP * sums.ravel()) / _LOG_UNIT
        # Divided by the root of the length, probabilities mean the same for short and for long texts.
        odds = np.exp((scores - scores.max()) / np.sqrt(max(1, len(encoded))))
        return np.asarray(odds / odds.sum())


def _add_up(
    text: cython.const[cython.uchar][::1],
    bases: cython.const[cython.ushort][::1],
    labels: cython.const[cython.uchar][::1],
    rows: cython.const[cython.ushort][::1],
    levels: cython.const[cython.uchar][:, ::1],
    counts: cython.int[::1],
    sums: cython.int[:, ::1],
) -> cython.int:
    """Count the longest n-gram that ends at each byte, and add its levels times the logarithm of 1 + its count to sums.

    Returns the sum of the logarithms.
    """
    total: cython.int = 0
    node: cython.int
    log: cython.int
    with cython.nogil:
        for end in range(text.shape[0]):
            node = 0
            row = 0
            for place in range(end, -1, -1):
                node = bases[node] + text[place]
                if labels[node] != text[place]:
                    break
                if rows[node]:
                    row = rows[node]
            counts[row] += 1
        for row in range(1, counts.shape[0]):
            if counts[row]:
                log = cython.cast(cython.int, log1p(counts[row]) * _LOG_UNIT + 0.5)
                total += log
                for pair in range(levels.shape[1]):
                    sums[0, pair] += log * (levels[row, pair] & 15)
                    sums[1, pair] += log * (levels[row, pair] >> 4)
    return total
