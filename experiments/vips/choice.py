"""Which block of the content structure is the main text: the oracle of Pasternack & Roth (2009), and rules of thumb."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from blockfeat.content.plain import normalised
from blockfeat.lang import tokenize
from blockfeat.training.evaluation.metrics import Scores, word_scores
from experiments.vips.layout import RenderedPage
from experiments.vips.structure import VisualBlock

__all__ = ["HEURISTICS", "Candidates", "Oracle", "oracle"]

_TAG_POINTS = 2
_LEAST_SHARE = 0.5


@dataclass(frozen=True)
class Candidates:
    """All blocks of the content structure of a page, each before its parts, with their words.

    Attributes
    ----------
    page : RenderedPage
        The page.
    blocks : sequence of VisualBlock
        Empty for a page with nothing to see.
    """

    page: RenderedPage
    blocks: Sequence[VisualBlock]

    @classmethod
    def of(cls, page: RenderedPage, root: VisualBlock | None) -> Candidates:
        """Take the blocks of a content structure."""
        return cls(page, root.all() if root is not None else [])

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of each block, as the metrics cut them."""
        of_node: dict[int, list[str]] = {}
        for block in self.blocks:
            for node in block.nodes:
                if node not in of_node:
                    of_node[node] = list(tokenize(normalised(self.page.text(node))))
        return [[word for node in block.nodes for word in of_node[node]] for block in self.blocks]

    @cached_property
    def tags(self) -> list[int]:
        """The number of visible elements of each block, those that it consists of included."""
        ends, nodes = self.page.ends, self.page.nodes
        before = [0]
        for node in nodes:
            before.append(before[-1] + (node.visible and not node.is_text))
        return [sum(before[ends[node]] - before[node] for node in block.nodes) for block in self.blocks]


@dataclass(frozen=True)
class Oracle:
    """The best block of a page.

    Attributes
    ----------
    scores : Scores
        Its word scores against the gold; 0 for a page without blocks.
    place : int or None
        Its place among the candidates.
    """

    scores: Scores
    place: int | None


def oracle(candidates: Candidates, gold: str | Sequence[str]) -> Oracle:
    """Return the block with the highest word F1 against a gold text, of equals the first.

    Parameters
    ----------
    candidates : Candidates
        The blocks of a page.
    gold : str or sequence of str
        The gold text, or its words.
    """
    words = list(tokenize(normalised(gold))) if isinstance(gold, str) else gold
    best = Oracle(Scores(0.0, 0.0, 0.0), None)
    for place, found in enumerate(candidates.words):
        scores = word_scores(found, words)
        if best.place is None or scores.f1 > best.scores.f1:
            best = Oracle(scores, place)
    return best


def words_and_tags(candidates: Candidates) -> int | None:
    """Return the block with most words minus twice its tags: the simple heuristic of Pasternack & Roth (7.6)."""
    points = [len(words) - _TAG_POINTS * tags for words, tags in zip(candidates.words, candidates.tags, strict=True)]
    return _best(points)


def largest_leaf(candidates: Candidates) -> int | None:
    """Return the leaf with the most words."""
    points = [
        -1 if block.parts else len(words) for block, words in zip(candidates.blocks, candidates.words, strict=True)
    ]
    return _best(points)


def narrowest_with_most(candidates: Candidates) -> int | None:
    """Go from the whole page to the part that has more than half of the words, as long as there is one."""
    if not candidates.blocks:
        return None
    place = {id(block): number for number, block in enumerate(candidates.blocks)}
    here = 0
    while True:
        least = _LEAST_SHARE * len(candidates.words[here])
        parts = (place[id(part)] for part in candidates.blocks[here].parts)
        inner = next((part for part in parts if len(candidates.words[part]) > least), None)
        if inner is None:
            return here
        here = inner


def _best(points: Sequence[int]) -> int | None:
    return max(range(len(points)), key=points.__getitem__, default=None)


HEURISTICS: Mapping[str, Callable[[Candidates], int | None]] = {
    "words less twice the tags": words_and_tags,
    "largest leaf": largest_leaf,
    "narrowest block with most words": narrowest_with_most,
}
"""Rules of thumb that choose a block without a gold text; None for a page without blocks."""
