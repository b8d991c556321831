"""Write blockfeat/lang/ngrams.npz from the model of py3langid: fewer n-grams, weights of four bits.

Command: python tools/make_ngram_table.py

The model tells 139 languages by the longest of 100,000 n-grams of bytes that ends at each byte. Here n-grams go one
after the other, always the one whose absence costs least of what n-grams tell of the language (mutual information);
where one has gone, the next shorter one counts in its place, and gets its counts. Languages that their script tells
(Greek, Thai) need not be told from each other, and are one for this.
"""

from __future__ import annotations

import heapq
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from blockfeat.lang.characters import SCRIPTS, languages_of, written_in  # noqa: E402
from blockfeat.lang.identify import normalise_code  # noqa: E402
from blockfeat.lang.ngrams import STEP  # noqa: E402

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

TABLE = ROOT / "blockfeat" / "lang" / "ngrams.npz"
KEPT = 28_500
"""N-grams of the table: as many as 1 MB holds."""

_FEWEST = 1.0  # logarithm; what a class has seen once is as good as never seen, and the table smaller without
_BYTES = 256
_HALF = 0.5  # added to counts, so that no logarithm is infinite
_BACKGROUND = 1e-3  # share of places where no n-gram ends, of each class
Floats = NDArray[np.float64]


def ngrams_of(model: LanguageIdentifier) -> list[bytes]:
    """Return the bytes of each n-gram: of the shortest way to a state that puts it out."""
    moves = np.asarray(model.tk_nextmove).reshape(-1, 256)
    spelt: dict[int, bytes] = {0: b""}
    found: dict[int, bytes] = {}
    for state in (waiting := [0]):
        for byte, following in enumerate(moves[model.tk_row[state]].tolist()):
            if following not in spelt:
                spelt[following] = spelt[state] + bytes([byte])
                waiting.append(following)
        if model.tk_output[state] >= 0:
            found.setdefault(model.tk_output[state], spelt[state])
    return [found[number] for number in range(len(model.nb_ptc))]


def grouped(values: Floats, codes: list[str]) -> Floats:
    """Return values by class with those of languages that their script tells as one."""
    shared = [script for script in SCRIPTS if script not in ("han", "kana") and len(languages_of(script)) not in (1, 2)]
    apart = np.array([any(written_in(normalise_code(code) or code, script) for script in shared) for code in codes])
    return np.concatenate([values[:, apart], values[:, ~apart].sum(axis=1, keepdims=True)], axis=1)


def information(values: Floats) -> Floats:
    """Return what shares of n-grams in classes, the last axis, tell of the class, but for a part that merging keeps."""
    return np.asarray((values * np.log(values)).sum(axis=-1) - values.sum(axis=-1) * np.log(values.sum(axis=-1)))


class Merging:
    """N-grams that go one after the other.

    Attributes
    ----------
    counts : float array, n-grams × classes
        How often each n-gram was seen, those that went into it included.
    shorter : list of int
        The next shorter n-gram that is left, -1 for none.
    """

    def __init__(self, ngrams: list[bytes], counts: Floats, shares: Floats) -> None:
        numbers = {ngram: number for number, ngram in enumerate(ngrams)}
        endings = ((numbers.get(ngram[start:]) for start in range(1, len(ngram))) for ngram in ngrams)
        self.counts = counts
        self.shorter = [next((one for one in ends if one is not None), -1) for ends in endings]
        self._longer: list[list[int]] = [[] for _ in ngrams]
        for number, shorter in enumerate(self.shorter):
            if shorter >= 0:
                self._longer[shorter].append(number)
        self._shares, self._told = shares, information(shares)
        self._sea = np.full(shares.shape[1], _BACKGROUND / shares.shape[1])

    def keep(self, most: int) -> set[int]:
        """Let n-grams go until so many are left; return these."""
        left = set(range(len(self.shorter)))
        versions = [0] * len(self.shorter)
        waiting = [(self._loss(number), number, 0) for number in left]
        heapq.heapify(waiting)
        while len(left) > most:
            _, number, version = heapq.heappop(waiting)
            if number in left and version == versions[number]:
                left.remove(number)
                for changed in self._drop(number):
                    if changed in left:
                        versions[changed] += 1
                        heapq.heappush(waiting, (self._loss(changed), changed, versions[changed]))
        return left

    def _loss(self, number: int) -> float:
        shorter = self.shorter[number]
        other = self._shares[shorter] if shorter >= 0 else self._sea
        told = self._told[shorter] if shorter >= 0 else information(other)
        return float(self._told[number] + told - information(self._shares[number] + other))

    def _drop(self, number: int) -> Iterator[int]:
        """Let the next shorter n-gram count for one; yield those whose loss is another then."""
        shorter = self.shorter[number]
        for longer in self._longer[number]:
            self.shorter[longer] = shorter
        yield from self._longer[number]
        if shorter >= 0:
            self._longer[shorter] += self._longer[number]
            self.counts[shorter] += self.counts[number]
            self._shares[shorter] += self._shares[number]
            self._told[shorter] = information(self._shares[shorter])
            yield shorter


def tree_of(ngrams: list[bytes]) -> tuple[dict[str, NDArray[np.generic]], NDArray[np.intp]]:
    """Return the nodes that spell n-grams from their last byte, as `NgramTable` has them, and the order of the rows.

    Every node with children has a base of its own, so that the label alone tells whose child a node is. Node 0 is the
    root; it and those up to 255 follow nodes without children, and bear labels by which they never do.
    """
    following: dict[bytes, set[int]] = defaultdict(set)
    for ngram in ngrams:
        for length in range(len(ngram)):
            following[ngram[::-1][:length]].add(ngram[-1 - length])
    bases, labels, rows = (np.zeros(1 << 16, dtype=kind) for kind in (np.uint16, np.uint8, np.uint16))
    labels[0] = 1
    is_free, is_new = np.ones(1 << 16, dtype=bool), np.ones(1 << 16, dtype=bool)
    base_of = {}
    for node in sorted(following, key=lambda node: (-len(following[node]), node)):
        children = np.array(sorted(following[node]))
        starts = np.flatnonzero(is_free[2 * _BYTES : -_BYTES]) + 2 * _BYTES - children[0]
        fits = is_new[starts] & np.logical_and.reduce([is_free[starts + child] for child in children.tolist()])
        base = base_of[node] = int(starts[fits.argmax()])
        is_free[children + base], is_new[base], labels[children + base] = False, False, children
    places = {b"": 0}
    for node in sorted(following, key=len):
        bases[places[node]] = base_of[node]
        places |= {node + bytes([byte]): base_of[node] + byte for byte in following[node]}
    ends = [places[ngram[::-1]] for ngram in ngrams]
    rows[np.sort(ends)] = np.arange(1, len(ends) + 1)
    size = max(base_of.values()) + _BYTES
    return {"bases": bases[:size], "labels": labels[:size], "rows": rows[:size]}, np.argsort(ends)


def table() -> dict[str, NDArray[np.generic]]:
    """Return the arrays of the table."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    weights = np.asarray(model.nb_ptc, dtype=np.float64)
    least = weights.min(axis=0)
    ngrams, counts = ngrams_of(model), np.expm1(weights - least)
    shares = grouped((counts + _HALF) * np.exp(least) / least.size, model.nb_classes)
    merging = Merging(ngrams, counts, shares)
    kept = np.array(sorted(merging.keep(KEPT)))
    tree, order = tree_of([ngrams[number] for number in kept.tolist()])
    above = np.pad(np.log1p(merging.counts[kept[order]]), ((1, 0), (0, 0)))
    levels = np.where(above < _FEWEST, 0, np.minimum(np.rint(above / STEP), 15)).astype(np.uint8)
    half = least.size // 2
    return {
        "languages": np.array([normalise_code(code) or "" for code in model.nb_classes]),
        **tree,
        "levels": levels[:, :half] | levels[:, half:] << 4,
        "least": least,
        "priors": np.asarray(model.nb_pc, dtype=np.float64),
    }


def main() -> None:
    """Write the table."""
    np.savez(TABLE, **table())


if __name__ == "__main__":
    main()
