"""Evidence: each block of an extraction with its place, kind, links, measures and the reason of its prediction."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from blockfeat.blocks.block import Block, Link
from blockfeat.blocks.kinds import kinds_of_containers
from blockfeat.blocks.table import Blocks
from blockfeat.features.measuring import MeasuredPage
from blockfeat.models.model import Model, Prediction
from blockfeat.page.tags import Tags

_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Evidence:
    """Makes the blocks of one extraction when they are asked for.

    Attributes
    ----------
    measured : MeasuredPage
        The page.
    model : Model
        What labelled its blocks.
    prediction : Prediction
        Scores, and what is kept.
    overruled : mapping
        The reasons of blocks that are kept or dropped against the model's label.
    """

    measured: MeasuredPage
    model: Model
    prediction: Prediction
    overruled: Mapping[int, str] = field(default_factory=dict)

    def __call__(self) -> tuple[Block, ...]:
        """Return every block of the page."""
        blocks = self.measured.blocks
        paths = xpaths(blocks)
        links = _links_by_block(blocks)
        kinds = kinds_of_containers(blocks)
        reasons = self.model.explain(self.measured, self.prediction)
        made = []
        for index, reason in enumerate(reasons):
            container = int(blocks.container[index])
            kind, level, ordered = kinds[container]
            is_preformatted = kind == "preformatted"
            made.append(
                Block(
                    index=index,
                    text=blocks.preformatted_text(index) if is_preformatted else blocks.text(index),
                    words=int(blocks.measures.words[index]),
                    xpath=paths[container] if container >= 0 else "/",
                    kind=kind,
                    level=level,
                    ordered=ordered,
                    links=() if is_preformatted else _links_in(blocks, index, links.get(index, [])),
                    kept=bool(self.prediction.kept[index]),
                    score=float(self.prediction.scores[index]),
                    features=reason.features,
                    contributions=reason.contributions,
                    failed=reason.failed,
                    reason=self.overruled.get(index, reason.reason),
                )
            )
        return tuple(made)


def xpaths(blocks: Blocks) -> list[str]:
    """Return the path of every container; linear in the size of the page."""
    tags, containers = blocks.tags, blocks.containers
    steps = _steps(tags)
    parents = tags.parents().tolist()
    elements = containers.element.tolist()
    found: list[str] = []
    for element, around in zip(elements, containers.parent.tolist(), strict=True):
        outer = elements[around] if around >= 0 else -1
        path = [steps[element]]
        between = parents[element]
        while between != outer:
            path.append(steps[between])
            between = parents[between]
        path.append(found[around] if around >= 0 else "")
        found.append("/".join(reversed(path)))
    return found


def _steps(tags: Tags) -> list[str]:
    """Return the last step of every element's path: its name and its number among siblings of that name."""
    numbers: Counter[tuple[int, int]] = Counter()
    steps: list[str] = []
    for element, (parent, key) in enumerate(zip(tags.parents().tolist(), tags.key.tolist(), strict=True)):
        numbers[parent, key] += 1
        name = tags.name(element)
        steps.append(name if parent < 0 else f"{name}[{numbers[parent, key]}]")
    return steps


def _links_by_block(blocks: Blocks) -> dict[int, list[int]]:
    """Anchors by the block that they start in."""
    anchors = blocks.anchors
    owners = np.searchsorted(blocks.page_text.block_ends, anchors.start, side="right")
    links: dict[int, list[int]] = {}
    for anchor, owner in enumerate(owners.tolist()):
        if owner < len(blocks):
            links.setdefault(owner, []).append(anchor)
    return links


def _links_in(blocks: Blocks, index: int, anchors: list[int]) -> tuple[Link, ...]:
    """Places of the anchors of one block in its folded text; those without a target are passed over."""
    if not anchors:
        return ()
    first, raw = int(blocks.block_starts[index]), blocks.raw_text(index)
    words = [found.span() for found in _WORD.finditer(raw)]
    starts, ends = [start for start, _ in words], [end for _, end in words]
    # Where each word stands once every gap is one space.
    folded = list(accumulate((end - start + 1 for start, end in words), initial=0))
    made = []
    for anchor in anchors:
        start = max(int(blocks.anchors.start[anchor]) - first, 0)
        end = min(int(blocks.anchors.end[anchor]) - first, len(raw))
        low, high = bisect_right(ends, start), bisect_left(starts, end) - 1
        href = blocks.tags.attributes(int(blocks.anchors.element[anchor])).get("href")
        if href and low <= high:
            begin = folded[low] + max(start - starts[low], 0)
            made.append(Link(begin, folded[high] + min(end, ends[high]) - starts[high], href))
    return tuple(sorted(made, key=lambda link: (link.start, link.end)))
