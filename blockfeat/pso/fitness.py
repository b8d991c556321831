"""Fitness of many label masks at once: cosine × length ratio, word F1, snippet F1 (Ziegler & Skubacz 2007, 3.5.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blockfeat.blocks.table import Blocks
from blockfeat.lang.measures import FastTokenizer, is_term, tokenize
from blockfeat.pso.shared_terms import overlaps, squares

FITNESSES = ("cosine", "f1", "snippets")
Masks = NDArray[np.float32]
_TINY = 1e-12


@dataclass(frozen=True)
class PageTerms:
    """Term counts of one page, by block and in the gold text.

    Attributes
    ----------
    row, block, count : arrays of equal length
        Sparse matrix by coordinates: term ``row`` occurs ``count`` times in block ``block``; sorted by row.
    gold : float32 array, one for each row
        Occurrences of each term in the gold text.
    gold_length, gold_norm : float
        Sum and Euclidean norm of the gold text's term counts.
    """

    row: NDArray[np.int64]
    block: NDArray[np.int64]
    count: NDArray[np.float32]
    gold: NDArray[np.float32]
    gold_length: float
    gold_norm: float


def count_terms(blocks: Blocks, gold: str, *, single_characters: bool = False) -> PageTerms:
    """Count the terms of each block and of the gold text.

    Parameters
    ----------
    blocks : Blocks
        The page's blocks.
    gold : str
        The page's main text.
    single_characters : bool
        Whether all words of one character count. If not, as in the paper, only terms longer than one character
        and single characters of scripts without spaces do.
    """
    gold_counts = Counter(word for word in tokenize(gold) if single_characters or is_term(word))
    measures = FastTokenizer().measure(blocks.page_text)  # cut as the gold is, whatever the features are measured by
    rows: dict[str, int] = {}
    numbers = np.fromiter(
        (rows.setdefault(word, len(rows)) if single_characters or is_term(word) else -1 for word in measures.tokens),
        dtype=np.int64,
        count=len(measures.tokens),
    )
    used = numbers >= 0
    n = max(1, len(blocks))
    pairs, counts = np.unique(numbers[used] * n + measures.token_block[used], return_counts=True)
    frequencies = np.array(list(gold_counts.values()), dtype=np.float64)
    return PageTerms(
        row=pairs // n,
        block=pairs % n,
        count=counts.astype(np.float32),
        gold=np.array([gold_counts.get(word, 0) for word in rows], dtype=np.float32),
        gold_length=float(frequencies.sum()),
        gold_norm=float(np.sqrt((frequencies**2).sum())),
    )


@dataclass(frozen=True)
class TextChunk:
    """Group of pages with gold text.

    Sums that are linear in the blocks are precomputed for each block (``linear``); only those over terms shared by
    several blocks are computed for each mask (``shared``).

    Attributes
    ----------
    linear : sparse matrix, 3·pages × blocks
        Three rows for each page: what each block contributes to length, overlap and squared norm.
    shared : sparse matrix, terms × blocks
        Counts of the terms shared by several blocks of a page.
    shared_start : int array, pages
        First row of each page in ``shared``; every page has at least one.
    shared_gold : float32 array, terms
        Gold counts of those terms.
    gold_length, gold_norm : float64 arrays, pages × 1
        Sum and norm of the gold counts.
    metric : str
        ``"cosine"`` or ``"f1"``.
    """

    linear: sparse.csr_array
    shared: sparse.csr_array
    shared_start: NDArray[np.int64]
    shared_gold: NDArray[np.float32]
    gold_length: NDArray[np.float64]
    gold_norm: NDArray[np.float64]
    metric: str

    @classmethod
    def build(cls, pages: Sequence[PageTerms], sizes: Sequence[int], metric: str) -> TextChunk:
        """Combine the terms of several pages; ``sizes`` are their numbers of blocks."""
        parts = [_rows(page, size, metric) for page, size in zip(pages, sizes, strict=True)]
        linear, shared, golds = zip(*parts, strict=True)
        heights = np.array([gold.size for gold in golds])
        return cls(
            linear=sparse.csr_array(sparse.block_diag(linear, format="csr", dtype=np.float32)),
            shared=sparse.csr_array(sparse.block_diag(shared, format="csr", dtype=np.float32)),
            shared_start=np.concatenate(([0], np.cumsum(heights)[:-1])).astype(np.int64),
            shared_gold=np.concatenate(golds),
            gold_length=np.array([[page.gold_length] for page in pages]),
            gold_norm=np.array([[page.gold_norm] for page in pages]),
            metric=metric,
        )

    def fitness(self, masks: Masks) -> NDArray[np.float64]:
        """Return the fitness of each page (pages × masks) for each label mask (blocks × masks)."""
        sums = (self.linear @ masks).reshape(-1, 3, masks.shape[1]).astype(np.float64)
        length, overlap, square = sums[:, 0], sums[:, 1], sums[:, 2]
        both_empty = (length == 0) & (self.gold_length == 0)
        if self.metric == "f1":
            overlap = overlap + overlaps(self.shared, self.shared_start, self.shared_gold, masks)
            f1 = 2 * overlap / np.maximum(length + self.gold_length, _TINY)
            return np.asarray(np.where(both_empty, 1.0, f1))
        square = square + squares(self.shared, self.shared_start, masks)
        cosine = overlap / np.maximum(np.sqrt(square) * self.gold_norm, _TINY)
        shorter = np.minimum(length, self.gold_length)
        longer = np.maximum(length, self.gold_length)
        return np.asarray(np.where(both_empty, 1.0, cosine * shorter / np.maximum(longer, _TINY)))


def _rows(page: PageTerms, size: int, metric: str) -> tuple[sparse.csr_array, sparse.csr_array, NDArray[np.float32]]:
    """Return the rows of one page in a chunk of them.

    What each block contributes to length, overlap and squared norm (3 × blocks); the counts of the terms shared by
    several blocks (terms × blocks, with at least one row), and those in the gold.
    """
    in_one = np.bincount(page.row, minlength=page.gold.size)[page.row] == 1
    gold = page.gold[page.row]
    overlap = np.minimum(page.count, gold) * in_one if metric == "f1" else page.count * gold
    rows = [
        np.bincount(page.block, weights=weights, minlength=size)
        for weights in (page.count, overlap, page.count**2 * in_one)
    ]
    kept, row = np.unique(page.row[~in_one], return_inverse=True)
    shape = (max(1, kept.size), size)
    shared = sparse.csr_array((page.count[~in_one], (row, page.block[~in_one])), shape=shape)
    shared_gold = page.gold[kept] if kept.size else np.zeros(1, dtype=np.float32)
    return sparse.csr_array(np.array(rows, dtype=np.float32)), shared, shared_gold


@dataclass(frozen=True)
class PageSnippets:
    """Indices of the blocks that contain each snippet, for the snippets that must and those that must not occur."""

    present: tuple[tuple[int, ...], ...]
    absent: tuple[tuple[int, ...], ...]


def find_snippets(blocks: Blocks, present: Sequence[str], absent: Sequence[str]) -> PageSnippets:
    """Find the blocks that contain each snippet; a snippet in no block cannot be scored and is left out."""
    texts = blocks.texts()
    return PageSnippets(_holders(texts, present), _holders(texts, absent))


def _holders(texts: Sequence[str], snippets: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    folded = filter(None, (" ".join(snippet.split()) for snippet in snippets))
    found = (tuple(index for index, text in enumerate(texts) if snippet in text) for snippet in folded)
    return tuple(holders for holders in found if holders)


@dataclass(frozen=True)
class SnippetChunk:
    """Group of pages with snippets, scored by F1 over the snippets that must and must not occur.

    Attributes
    ----------
    present, absent : sparse matrices, snippets × blocks
        1 where a block contains a snippet.
    pages_present, pages_absent : sparse matrices, pages × snippets
        1 where a snippet belongs to a page.
    """

    present: sparse.csr_array
    absent: sparse.csr_array
    pages_present: sparse.csr_array
    pages_absent: sparse.csr_array

    @classmethod
    def build(cls, pages: Sequence[PageSnippets], sizes: Sequence[int]) -> SnippetChunk:
        """Combine the snippets of several pages; ``sizes`` are their numbers of blocks."""
        starts = np.concatenate(([0], np.cumsum(sizes)))
        present = _snippet_matrices([page.present for page in pages], starts)
        absent = _snippet_matrices([page.absent for page in pages], starts)
        return cls(present[0], absent[0], present[1], absent[1])

    def fitness(self, masks: Masks) -> NDArray[np.float64]:
        """Return snippet F1, pages × masks; where none must occur, the share of unwanted snippets that do not occur."""
        found = self.pages_present @ ((self.present @ masks) > 0).astype(np.float64)
        wrong = self.pages_absent @ ((self.absent @ masks) > 0).astype(np.float64)
        wanted = self.pages_present.sum(axis=1)[:, None]
        unwanted = self.pages_absent.sum(axis=1)[:, None]
        f1 = 2 * found / np.maximum(found + wanted + wrong, _TINY)
        return np.asarray(np.where(wanted > 0, f1, 1 - wrong / np.maximum(unwanted, 1)))


Chunk = TextChunk | SnippetChunk
"""Group of training pages with their blocks concatenated, which computes the fitness of label masks."""


def _snippet_matrices(
    pages: Sequence[tuple[tuple[int, ...], ...]], starts: NDArray[np.int64]
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return which blocks contain each snippet, snippets × blocks, and which page it is of, pages × snippets."""
    owner = [number for number, snippets in enumerate(pages) for _ in snippets]
    rows = [holders for snippets in pages for holders in snippets]
    columns = [int(starts[page]) + holder for page, holders in zip(owner, rows, strict=True) for holder in holders]
    ends = np.cumsum([0, *map(len, rows)])
    held = sparse.csr_array((np.ones(len(columns), np.float32), columns, ends), shape=(len(rows), int(starts[-1])))
    owned = sparse.csr_array((np.ones(len(rows)), (owner, range(len(rows)))), shape=(len(pages), len(rows)))
    return held, owned
