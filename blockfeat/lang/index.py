"""Stop words of many languages in one table, for looking up all words of a page at once, and their ratios by block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blockfeat.lang.characters import code_points
from blockfeat.lang.measures import TextMeasures, keys_of_words, lower
from blockfeat.lang.stopwords import UNSPACED_LANGUAGES, density, stop_word_lists
from blockfeat.lang.word_keys import BUCKET_BITS, count_hits, count_hits_by_block, rows_of_keys

_LONGEST = 3
_BITS = np.uint64(21)
_NO_KEYS: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
_BUNDLED = Path(__file__).with_name("stopwords.npz")


@dataclass(frozen=True, eq=False)
class StopWordIndex:
    """Stop lists of several languages, ready for array arithmetic.

    Attributes
    ----------
    languages
        ISO 639-1 codes, in the order of the columns.
    vocabulary
        Row of each stop word of the languages in spaced scripts.
    keys, key_rows
        The keys of these words (`blockfeat.lang.measures.keys_of_words`) in ascending order, and the row of each.
    buckets
        By the highest bits of a key the first of ``keys`` that may be it; see `blockfeat.lang.word_keys.rows_of_keys`.
    matrix
        uint8, shape (len(vocabulary) + 1, len(languages)): 1 where the word stands in the language's list.
        The last row is zero and stands for all other words (row -1). Columns of unspaced scripts are zero.
    densities
        Stop-word density of running prose in each language; see `blockfeat.lang.stopwords.density`.
    sequences
        For each language the sorted keys of its entries of 1, 2 and 3 characters; empty for spaced scripts.
    """

    languages: tuple[str, ...]
    vocabulary: Mapping[str, int]
    keys: NDArray[np.uint64]
    key_rows: NDArray[np.int32]
    buckets: NDArray[np.int32]
    matrix: NDArray[np.uint8]
    densities: NDArray[np.float64]
    sequences: tuple[tuple[NDArray[np.uint64], ...], ...]

    @classmethod
    def build(cls, languages: Sequence[str] | None = None) -> StopWordIndex:
        """Build the table of some languages, or read that of all, which comes with blockfeat.

        Raises
        ------
        LanguageError
            There is no stop list of one of the languages.
        """
        if languages is None:
            return cls.bundled()
        wanted = tuple(dict.fromkeys(languages))
        lists = stop_word_lists(wanted)
        vocabulary: dict[str, int] = {}
        columns = []
        for lang in wanted:
            words = () if lang in UNSPACED_LANGUAGES else sorted(lists[lang])
            columns.append([vocabulary.setdefault(word, len(vocabulary)) for word in words])
        matrix = np.zeros((len(vocabulary) + 1, len(wanted)), dtype=np.uint8)
        for column, rows in enumerate(columns):
            matrix[rows, column] = 1
        keys = tuple(_keys(lists[lang]) if lang in UNSPACED_LANGUAGES else (_NO_KEYS,) * _LONGEST for lang in wanted)
        return cls._of(wanted, vocabulary, matrix, keys)

    @classmethod
    def bundled(cls) -> StopWordIndex:
        """Read the table of all languages, made by ``tools/make_stop_word_index.py`` with `build` and `to_arrays`."""
        with np.load(_BUNDLED, allow_pickle=False) as arrays:
            languages = tuple(_text(arrays["languages"]).split("\n"))
            vocabulary = {word: row for row, word in enumerate(_text(arrays["words"]).split("\n"))}
            matrix = np.unpackbits(arrays["matrix"], axis=1, count=len(languages))
            groups = np.split(arrays["sequences"], arrays["sequence_ends"])
        keys = tuple(tuple(groups[start : start + _LONGEST]) for start in range(0, len(groups), _LONGEST))
        return cls._of(languages, vocabulary, matrix, keys)

    @classmethod
    def _of(
        cls,
        languages: tuple[str, ...],
        vocabulary: Mapping[str, int],
        matrix: NDArray[np.uint8],
        sequences: tuple[tuple[NDArray[np.uint64], ...], ...],
    ) -> StopWordIndex:
        """Add to the words of some languages what looks them up."""
        matrix.flags.writeable = False
        keys = keys_of_words(list(vocabulary))
        order = np.argsort(keys)
        keys = keys[order]
        bounds = np.arange(1 << BUCKET_BITS, dtype=np.uint64) << np.uint64(64 - BUCKET_BITS)
        buckets = np.append(keys.searchsorted(bounds), keys.size).astype(np.int32)
        densities = np.array([density(lang) for lang in languages])
        return cls(languages, vocabulary, keys, order.astype(np.int32), buckets, matrix, densities, sequences)

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays of a file that `bundled` reads: words as UTF-8 lines, the matrix as bits."""
        groups = [keys for lengths in self.sequences for keys in lengths]
        return {
            "languages": _bytes(self.languages),
            "words": _bytes(self.vocabulary),
            "matrix": np.packbits(self.matrix, axis=1),
            "sequences": np.concatenate(groups),
            "sequence_ends": np.cumsum([keys.size for keys in groups[:-1]]),
        }

    def rows(self, tokens: Sequence[str]) -> NDArray[np.int32]:
        """Return the row of each token, -1 where it is no stop word of any language; shape (n,)."""
        row_of = self.vocabulary.get
        return np.array([row_of(token, -1) for token in tokens], dtype=np.int32)

    def rows_of_keys(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the row of each word, given its key, -1 where it is no stop word of any language; shape (n,)."""
        return rows_of_keys(keys, self.keys, self.key_rows, self.buckets)

    def hits(self, rows: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Return for each row and language whether it is a stop word there: 0 or 1, shape (n, languages)."""
        return self.matrix[rows]

    def counts(self, rows: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return how many of the rows are stop words of each language; shape (languages,)."""
        return count_hits(rows, self.matrix)

    def counts_by_block(
        self, rows: NDArray[np.int32], words: NDArray[np.int32], columns: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many words of each block are stop words of some languages; shape (n, columns).

        Parameters
        ----------
        rows
            The row of each word of a page.
        words
            How many of them are in each of the n blocks.
        columns
            The languages, as places in ``languages``.
        """
        return count_hits_by_block(rows, words, self.matrix, columns)

    def cover(self, codes: NDArray[np.uint32], lang_index: int) -> NDArray[np.bool_]:
        """Mark the characters that an entry of an unspaced language covers.

        Parameters
        ----------
        codes
            Code points of a text, lower-cased and NFC, punctuation and spaces in place; shape (n,).
        lang_index
            Column of the language.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where any matching entry covers the character; all False for languages in spaced scripts.
        """
        covered = np.zeros(codes.size, dtype=np.bool_)
        key = codes.astype(np.uint64)
        for length, keys in enumerate(self.sequences[lang_index], start=1):
            if length > 1:
                key = (key[:-1] << _BITS) | codes[length - 1 :]
            if keys.size == 0 or key.size == 0:
                continue
            places = np.minimum(keys.searchsorted(key), keys.size - 1)
            starts = (keys[places] == key).nonzero()[0]
            for offset in range(length):
                covered[starts + offset] = True
        return covered


@dataclass(frozen=True)
class StopWordRatios:
    """Stop-word ratios of the blocks of a page.

    Attributes
    ----------
    languages : tuple of str
        The languages whose lists were asked for.
    language : int array, n
        For each block the position in ``languages`` of the argmax.
    ratio : float array, n
        Stop words of that language by words, 0 to 1.
    normalised : float array, n
        The ratio over the density of running prose of that language; about 1 for prose.
    """

    languages: tuple[str, ...]
    language: NDArray[np.intp]
    ratio: NDArray[np.float64]
    normalised: NDArray[np.float64]


def stop_word_ratios(
    measures: TextMeasures,
    index: StopWordIndex,
    languages: tuple[str, ...] | None = None,
    *,
    rows: NDArray[np.int32] | None = None,
) -> StopWordRatios:
    """Count the stop words of every block in some languages of an index and take the argmax of the ratios.

    Parameters
    ----------
    measures : TextMeasures
        The words of the page's blocks.
    index : StopWordIndex
        The stop lists.
    languages : tuple of str, optional
        The languages asked for; all of the index by default. With one there is no choice to make: the page's
        language decides for all of its blocks.
    rows : int array, optional
        ``index.rows_of_keys`` of the page's words, where the caller has it.
    """
    asked = index.languages if languages is None else languages
    rows = index.rows_of_keys(measures.token_keys) if rows is None else rows
    words = np.maximum(measures.words, 1)
    columns = np.array([index.languages.index(lang) for lang in asked], dtype=np.int64)
    counts = _counts(measures, index, columns, rows)
    if len(asked) == 1:
        ratio = counts[:, 0] / words
        return StopWordRatios(asked, np.zeros(words.size, dtype=np.intp), ratio, ratio / index.densities[columns[0]])
    ratios = counts / words[:, None]
    best = ratios.argmax(axis=1) if words.size else np.zeros(0, dtype=np.intp)
    ratio = ratios[np.arange(words.size), best]
    return StopWordRatios(asked, best, ratio, ratio / index.densities[columns][best])


def _counts(
    measures: TextMeasures, index: StopWordIndex, columns: NDArray[np.int64], rows: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Stop words by block and language, n × languages."""
    counts = index.counts_by_block(rows, measures.words, columns)
    if measures.unspaced_words.any():
        _count_covered(measures, index, columns, counts)
    return counts


def _count_covered(
    measures: TextMeasures, index: StopWordIndex, columns: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    """Add the characters that entries of unspaced languages cover; a character is a word there."""
    unspaced = [
        (place, column)
        for place, column in enumerate(columns.tolist())
        if any(keys.size for keys in index.sequences[column])
    ]
    if not unspaced:
        return
    codes = code_points(lower(measures.page.text))
    starts = np.concatenate(([0], measures.page.block_ends[:-1]))
    for place, column in unspaced:
        covered = index.cover(codes, column).astype(np.int64)
        counts[:, place] += np.add.reduceat(covered, starts)
    np.minimum(counts, np.maximum(measures.words, 1)[:, None], out=counts)


def _text(array: NDArray[np.uint8]) -> str:
    return array.tobytes().decode()


def _bytes(lines: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)


def _keys(entries: Iterable[str]) -> tuple[NDArray[np.uint64], ...]:
    """Return the sorted keys of the entries of 1, 2 and 3 characters: code points shifted by 21 bits each."""
    keys: tuple[list[int], ...] = tuple([] for _ in range(_LONGEST))
    for entry in entries:
        key = 0
        for character in entry:
            key = (key << int(_BITS)) | ord(character)
        keys[len(entry) - 1].append(key)
    return tuple(np.array(sorted(group), dtype=np.uint64) for group in keys)
