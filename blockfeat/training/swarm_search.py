"""What trainers by particle swarm share: gold by block, pages scored at once under many particles, the search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from blockfeat._pool import in_order
from blockfeat.blocks.table import Blocks
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import TrainingError
from blockfeat.pso.fitness import (
    FITNESSES,
    Chunk,
    PageSnippets,
    PageTerms,
    SnippetChunk,
    TextChunk,
    count_terms,
    find_snippets,
)
from blockfeat.pso.search import Polish, SearchResult, search
from blockfeat.pso.swarm import Generation, Objective, SwarmOptions
from blockfeat.training.evaluation.strategies import GroupedScores, StrategyScores
from blockfeat.training.trainer import OnProgress, Progress

_BLOCKS_IN_CHUNK = 8_000
Gold = PageTerms | PageSnippets
Prepared = TypeVar("Prepared")
Preparer = Callable[[LabelledPage], Prepared | str]
"""Measures one labelled page for training, in this process or in another, or says why it cannot be used."""


class SwarmConfig:
    """Base of the hyperparameters of a model that a swarm fits to pages; its dataclass says where they stand."""

    fitness: str
    swarm: SwarmOptions
    polish: Polish

    def check_fitness(self) -> None:
        """Raise TrainingError for an unknown fitness."""
        if self.fitness not in FITNESSES:
            raise TrainingError(f"unknown fitness {self.fitness!r}; known are {', '.join(FITNESSES)}")

    @property
    def metric(self) -> str:
        """Measure of pages with gold text."""
        return "cosine" if self.fitness == "snippets" else self.fitness

    @property
    def generations(self) -> int:
        """Generations of all swarms at most."""
        return self.swarm.iterations * (self.polish.restarts + 1)


def search_with_progress(
    objective: Objective,
    dimensions: int,
    config: SwarmConfig,
    on_progress: OnProgress,
    *,
    seed: int,
    known: NDArray[np.float64] | None,
    found: str,
    lang: str = "",
) -> SearchResult:
    """Look for the position with the best fitness; each generation is a step of the progress.

    Parameters
    ----------
    objective, dimensions
        As for `blockfeat.pso.search.search`.
    config : SwarmConfig
        The swarm and what comes behind it.
    on_progress : callable
        Is called with each step.
    seed : int
        Seed of the swarm.
    known : float array, d, optional
        Where one particle starts; all others at random.
    found : str
        What is looked for, in the plural, as the progress names it.
    lang : str
        Language of the pages, where they are of one; the history of a report has the steps without one only.
    """
    whose = f"generations for {lang}" if lang else "generations"

    def on_generation(generation: Generation) -> None:
        note, kept = f"{whose}, best {generation.best_so_far:.4f}", f"the best {found} so far"
        history = None if lang else generation
        on_progress(Progress("swarm", generation.number, config.generations, note, kept, history))

    return search(
        objective,
        dimensions,
        replace(config.swarm, seed=seed),
        config.polish,
        known=known,
        on_generation=on_generation,
    )


class _WithGold(Protocol):
    """A page as training reads it: words of its blocks, and its gold."""

    @property
    def words(self) -> NDArray[np.integer[Any]]:
        """Words of its blocks."""
        ...

    @property
    def gold(self) -> Gold:
        """Terms where it has gold text, else snippets."""
        ...


PreparedGold = TypeVar("PreparedGold", bound=_WithGold)


def prepared_pages(
    work: Preparer[Prepared], pages: Sequence[LabelledPage], *, jobs: int, on_progress: OnProgress
) -> tuple[list[Prepared], tuple[str, ...]]:
    """Measure pages; those that cannot be used are listed with the reason.

    Raises
    ------
    TrainingError
        None can be used.
    """
    prepared: list[Prepared] = []
    skipped: list[str] = []
    done = in_order(work, pages, jobs=jobs, failure=lambda page, reason: f"{page.id}: {reason}")
    for number, (_, result) in enumerate(done, start=1):
        if isinstance(result, str):
            skipped.append(result)
        else:
            prepared.append(result)
        on_progress(Progress("measuring", number, len(pages), "pages measured"))
    if not prepared:
        why = f" (the first: {skipped[0]})" if skipped else ""
        raise TrainingError(f"none of {len(pages)} pages can be trained on{why}")
    return prepared, tuple(skipped)


def gold_of(page: LabelledPage, blocks: Blocks, fitness: str) -> Gold | str:
    """Return what the blocks of a page are scored against, or the reason why they cannot be.

    Parameters
    ----------
    page : LabelledPage
        The page.
    blocks : Blocks
        Its blocks.
    fitness : str
        ``"cosine"``, ``"f1"`` or ``"snippets"``: terms where the page has gold text, else snippets; with
        ``"snippets"`` those wherever there are any.
    """
    where = f"{page.corpus} {page.id}"
    if len(blocks) == 0:
        return f"{where}: the page has no text"
    if page.text and not (fitness == "snippets" and page.present):
        gold = count_terms(blocks, page.text, single_characters=fitness == "f1")
        return gold if gold.gold_length else f"{where}: the gold text has no words"
    snippets = find_snippets(blocks, page.present, page.absent)
    if not snippets.present and not snippets.absent:
        return f"{where}: no snippet of the gold occurs in the page"
    return snippets


def pages_in_groups(pages: Sequence[PreparedGold]) -> list[list[PreparedGold]]:
    """Cut a list of pages into groups of about 8000 blocks; pages with gold text apart from those with snippets."""
    kinds = (PageTerms, PageSnippets)
    return [group for kind in kinds for group in _grouped([page for page in pages if isinstance(page.gold, kind)])]


def _grouped(pages: Sequence[PreparedGold]) -> list[list[PreparedGold]]:
    groups: list[list[PreparedGold]] = []
    size = _BLOCKS_IN_CHUNK
    for page in pages:
        if size >= _BLOCKS_IN_CHUNK:
            groups.append([])
            size = 0
        groups[-1].append(page)
        size += page.words.size
    return groups


def chunk_of(pages: Sequence[_WithGold], metric: str) -> Chunk:
    """Return what scores the label masks of a group of `pages_in_groups`."""
    sizes = [page.words.size for page in pages]
    terms = [page.gold for page in pages if isinstance(page.gold, PageTerms)]
    if terms:
        return TextChunk.build(terms, sizes, metric)
    return SnippetChunk.build([page.gold for page in pages if isinstance(page.gold, PageSnippets)], sizes)


def grouped_scores(
    metric: str,
    chunks: Iterable[tuple[Chunk, int]],
    found: NDArray[np.float64],
    everything: NDArray[np.float64],
) -> GroupedScores:
    """Return the mean of two strategies, pages with gold text and pages with snippets apart.

    Parameters
    ----------
    metric : str
        Measure of pages with gold text.
    chunks : iterable of (Chunk, int)
        The chunks with the number of their pages.
    found, everything : float array, pages
        The fitness of each page, as extracted and where every block is kept.
    """
    has_text = np.concatenate([np.full(pages, isinstance(chunk, TextChunk)) for chunk, pages in chunks])
    groups = [
        StrategyScores(name, int(own.sum()), float(found[own].mean()), float(everything[own].mean()))
        if own.any()
        else None
        for name, own in ((metric, has_text), ("snippets", ~has_text))
    ]
    return GroupedScores(*groups)
