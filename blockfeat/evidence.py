"""Evidence: each block of an extraction with its place, kind, links, measures and the reason of its verdict."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.block import Block, Link
from blockfeat.blocks.preformatted import preformatted_text
from blockfeat.blocks.table import Blocks
from blockfeat.features.measuring import MeasuredPage
from blockfeat.models.threshold import ThresholdModel
from blockfeat.tags import Tags

__all__ = ["Evidence"]

_WORD = re.compile(r"\S+")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_ITEMS = frozenset({"li", "dd", "dt"})
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_KIND_OF_TAG = {
    **dict.fromkeys(("pre", "listing", "xmp"), "preformatted"),
    "blockquote": "quote",
    **dict.fromkeys(("figcaption", "caption"), "caption"),
    **dict.fromkeys(("td", "th"), "table_cell"),
}


class _Kind(NamedTuple):
    """What a block is, its level (of headings and list items), and whether its list is numbered."""

    name: str
    level: int
    ordered: bool


_PARAGRAPH = _Kind("paragraph", 0, False)


@dataclass(frozen=True)
class Evidence:
    """Makes the blocks of one extraction when they are asked for."""

    measured: MeasuredPage
    model: ThresholdModel
    scores: NDArray[np.float64]
    kept: NDArray[np.bool_]

    def __call__(self) -> tuple[Block, ...]:
        """Return every block of the page."""
        blocks = self.measured.blocks
        paths = xpaths(blocks)
        links = _links_by_block(blocks)
        kinds = _kinds(blocks)
        margins = self.model.feature_margins(self.measured.matrix, self.measured.lang)
        thresholds = self.model.thresholds_for(self.measured.lang)
        names = [feature.name for feature in self.model.features]
        made = []
        for index in range(len(blocks)):
            kind, level, ordered = kinds[int(blocks.container[index])]
            failed = tuple(name for name, margin in zip(names, margins[index], strict=True) if margin < 0)
            values = dict(zip(names, self.measured.matrix[index].tolist(), strict=True))
            text = preformatted_text(blocks, index) if kind == "preformatted" else blocks.text(index)
            made.append(
                Block(
                    index=index,
                    text=text,
                    words=int(blocks.measures.words[index]),
                    xpath=paths[int(blocks.container[index])],
                    kind=kind,
                    level=level,
                    ordered=ordered,
                    links=() if kind == "preformatted" else _links_in(blocks, index, links.get(index, [])),
                    kept=bool(self.kept[index]),
                    score=float(self.scores[index]),
                    features=values,
                    failed=failed,
                    reason=self._reason(bool(self.kept[index]), failed, values, thresholds.tolist()),
                )
            )
        return tuple(made)

    def _reason(self, kept: bool, failed: tuple[str, ...], values: dict[str, float], thresholds: list[float]) -> str:
        """Say in one sentence why a block was kept or dropped."""
        told = "; ".join(
            f"{feature.title} {values[feature.name]:.2f} is {'below' if feature.sign > 0 else 'above'} {limit:.2f}"
            for feature, limit in zip(self.model.features, thresholds, strict=True)
            if feature.name in failed
        )
        if kept:
            return "kept: all thresholds hold" if not failed else f"kept: inside the best run, though {told}"
        return f"dropped: {told}" if failed else "dropped: all thresholds hold, but outside the best run"


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


def _kinds(blocks: Blocks) -> list[_Kind]:
    """Return the kind of every container, by the innermost ancestor that says something, and last that of none."""
    kinds: list[_Kind] = []
    # Number of lists around each container and whether the innermost is numbered.
    lists: list[tuple[int, bool]] = []
    for element, around in zip(blocks.containers.element.tolist(), blocks.containers.parent.tolist(), strict=True):
        tag = blocks.tags.name(element)
        depth, ordered = lists[around] if around >= 0 else (0, False)
        if tag in _LISTS:
            depth, ordered = depth + 1, tag == "ol"
        lists.append((depth, ordered))
        if tag in _HEADINGS:
            kinds.append(_Kind("heading", _HEADINGS[tag], False))
        elif tag in _ITEMS:
            kinds.append(_Kind("list_item", max(1, depth), ordered))
        elif tag in _KIND_OF_TAG:
            kinds.append(_Kind(_KIND_OF_TAG[tag], 0, False))
        else:
            kinds.append(kinds[around] if around >= 0 else _PARAGRAPH)
    return [*kinds, _PARAGRAPH]


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
