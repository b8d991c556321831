"""Common parts of trainers by particle swarm: gold by block, scores of pages for many particles at once, the search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import TrainingError
from blockfeat.features.measuring import PageFeatures
from blockfeat.models.model import PageMeasurer
from blockfeat.page.page import Page
from blockfeat.pso import fitness as scoring
from blockfeat.pso.search import Array, CoordinateAscent, SearchResult
from blockfeat.pso.swarm import Generation, SwarmOptions
from blockfeat.training.config import OnProgress, Progress, TrainingReport
from blockfeat.training.evaluation.strategies import GroupedScores, StrategyScores

_BLOCKS_IN_CHUNK = 8_000
Gold = scoring.PageTerms | scoring.PageSnippets
Candidates = TypeVar("Candidates", contravariant=True)
"""One or more candidates for a model's parameters, scored at once."""


class SwarmConfig:
    """Base of the configurations of kinds trained by a swarm; subclasses are dataclasses that have these fields."""

    fitness: str
    swarm: SwarmOptions
    polish: CoordinateAscent

    def check_fitness(self) -> None:
        """Raise TrainingError for an unknown fitness."""
        if self.fitness not in scoring.FITNESSES:
            raise TrainingError(f"unknown fitness {self.fitness!r}; known are {', '.join(scoring.FITNESSES)}")

    @property
    def metric(self) -> str:
        """Metric for pages with gold text."""
        return "cosine" if self.fitness == "snippets" else self.fitness

    @property
    def generations(self) -> int:
        """Maximum number of generations of all swarms."""
        return self.swarm.iterations * (self.polish.restarts + 1)


def swarm_progress(on_progress: OnProgress, total: int, found: str, *, lang: str = "") -> Callable[[Generation], None]:
    """Return a callback that reports each generation of ``total`` as progress.

    ``found`` is what is searched for, in words, and ``lang`` the language for which.
    """
    whose = f"generations for {lang}" if lang else "generations"

    def on_generation(generation: Generation) -> None:
        note, kept = f"{whose}, best {generation.best_so_far:.4f}", f"the best {found} so far"
        on_progress(Progress("swarm", generation.number, total, note, kept, None if lang else generation))

    return on_generation


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What training needs of any page: the number of words of each block, and its gold; subclasses add to it.

    Attributes
    ----------
    words : int array, n
        Number of words of its blocks.
    gold : Gold
        Terms if it has a gold text, else snippets.
    """

    words: NDArray[np.integer[Any]]
    gold: Gold


Page_co = TypeVar("Page_co", bound=Prepared, covariant=True)


@dataclass(frozen=True)
class Preparer(Generic[Page_co]):
    """Measures one labelled page for training.

    Attributes
    ----------
    measurer : PageMeasurer
        The model's measurer.
    fitness : str
        As for `gold_of`.
    keep_drawings : bool
        Whether the model's tag table reads drawings.
    prepare : callable
        Returns the training data of a measured page with its gold; it has to be picklable.
    """

    measurer: PageMeasurer
    fitness: str
    keep_drawings: bool
    prepare: Callable[[PageFeatures, Gold], Page_co]

    def __call__(self, page: LabelledPage) -> Page_co:
        """Measure a page and find its gold."""
        parsed = Page.parse(page.html, keep_drawings=self.keep_drawings)
        measured = self.measurer.measure(parsed, lang=page.lang)
        return self.prepare(measured, gold_of(page, measured.blocks, self.fitness))


def gold_of(page: LabelledPage, blocks: Blocks, fitness: str) -> Gold:
    """Return the gold of a page by block: terms, or snippets.

    Parameters
    ----------
    page : LabelledPage
        The page.
    blocks : Blocks
        Its blocks.
    fitness : str
        ``"cosine"`` or ``"f1"``: terms if the page has a gold text, else snippets. ``"snippets"``: terms only if it
        has a gold text and no snippet that must occur.

    Raises
    ------
    TrainingError
        The blocks cannot be scored; the message gives the reason.
    """
    if len(blocks) == 0:
        raise TrainingError("the page has no text")
    if page.text and not (fitness == "snippets" and page.present):
        gold = scoring.count_terms(blocks, page.text, single_characters=fitness == "f1")
        if not gold.gold_length:
            raise TrainingError("the gold text has no words")
        return gold
    snippets = scoring.find_snippets(blocks, page.present, page.absent)
    if not snippets.present and not snippets.absent:
        raise TrainingError("no snippet of the gold occurs in the page")
    return snippets


def pages_in_groups(pages: Sequence[Page_co]) -> list[list[Page_co]]:
    """Split pages into groups of about 8000 blocks, pages with gold text separately from those with snippets."""
    groups: list[list[Page_co]] = []
    for kind in (scoring.PageTerms, scoring.PageSnippets):
        size = _BLOCKS_IN_CHUNK
        for page in (page for page in pages if isinstance(page.gold, kind)):
            if size >= _BLOCKS_IN_CHUNK:
                groups.append([])
                size = 0
            groups[-1].append(page)
            size += page.words.size
    return groups


def chunk_of(pages: Sequence[Prepared], metric: str) -> scoring.Chunk:
    """Return the `Chunk` that computes the fitness of label masks for a group of `pages_in_groups`."""
    sizes = [page.words.size for page in pages]
    terms = [page.gold for page in pages if isinstance(page.gold, scoring.PageTerms)]
    if terms:
        return scoring.TextChunk.build(terms, sizes, metric)
    snippets = [page.gold for page in pages if isinstance(page.gold, scoring.PageSnippets)]
    return scoring.SnippetChunk.build(snippets, sizes)


@dataclass(frozen=True)
class Part(ABC, Generic[Candidates]):
    """Some pages with their blocks concatenated.

    Attributes
    ----------
    chunk : Chunk
        Computes the fitness of label masks of the blocks.
    pages, blocks : int
        Number of pages, and of their blocks.
    """

    chunk: scoring.Chunk
    pages: int
    blocks: int

    @abstractmethod
    def masks(self, candidates: Candidates) -> scoring.Masks:
        """Return the label of each block for each candidate: blocks × candidates."""


@dataclass(frozen=True)
class TrainingSet(Generic[Candidates]):
    """Prepared pages in parts; evaluates the candidates of a swarm by array operations, in threads.

    Parts do not depend on the number of threads, so neither do the results.
    """

    parts: tuple[Part[Candidates], ...]

    def values(self, candidates: Candidates, *, jobs: int = 1) -> Array:
        """Return the fitness of each page for each candidate: pages × candidates."""

        def one(part: Part[Candidates]) -> Array:
            return part.chunk.fitness(part.masks(candidates))

        if jobs <= 1:
            return np.concatenate([one(part) for part in self.parts])
        with ThreadPoolExecutor(jobs) as threads:
            return np.concatenate(list(threads.map(one, self.parts)))

    def keep_all(self) -> Array:
        """Return the fitness of each page where every block is kept (the paper's strategy PR)."""
        whole = [part.chunk.fitness(np.ones((part.blocks, 1), dtype=np.float32)) for part in self.parts]
        return np.concatenate(whole)[:, 0]

    def report(
        self, kind: str, metric: str, found: SearchResult, best: Candidates, skipped: tuple[str, ...], **details: Any
    ) -> TrainingReport:
        """Return the report of a search over these pages.

        Parameters
        ----------
        kind, metric : str
            Kind of the model, and the metric for pages with gold text.
        found : SearchResult
            Result of the search.
        best : Candidates
            The best position, as one candidate.
        skipped : tuple of str
            Pages that could not be used.
        **details
            Further figures, specific to the kind of model.
        """
        everything = self.keep_all()
        return TrainingReport(
            kind,
            training_pages=everything.size,
            fitness=found.fitness,
            keep_all=float(everything.mean()),
            training=self._grouped(metric, self.values(best)[:, 0], everything),
            history=found.history,
            skipped=skipped,
            details=details,
            interrupted=found.interrupted,
        )

    def _grouped(self, metric: str, found: Array, everything: Array) -> GroupedScores:
        """Return mean fitness of the model and of keeping all blocks, for pages with gold text and with snippets."""
        has_text = np.concatenate(
            [np.full(part.pages, isinstance(part.chunk, scoring.TextChunk)) for part in self.parts]
        )
        groups = [
            StrategyScores(name, int(own.sum()), float(found[own].mean()), float(everything[own].mean()))
            if own.any()
            else None
            for name, own in ((metric, has_text), ("snippets", ~has_text))
        ]
        return GroupedScores(*groups)
