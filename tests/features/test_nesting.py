from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from blockfeat.errors import TableError
from blockfeat.features.cues import bundled_cues
from blockfeat.features.nesting import Nesting
from blocks_of import ancestors_of, blocks_of
from property_examples import examples
from random_pages import PAGES, context_of

LEVELS = 3
CONTAINER_SUMS = ("link_density_1", "link_density_2", "link_density_3", "width_1", "block_length_1")


def sizes_of_levels(html: str) -> list[int]:
    page = context_of(html)
    return [int(page.containers.end[level] - page.containers.first[level]) for level in page.levels(0)]


def test_levels_grow():
    assert sizes_of_levels("<body><div><div><div><p>a</p></div><p>b</p></div><p>c</p></div><p>d</p></body>") == [
        2,
        3,
        4,
    ]


def test_wrappers_of_the_same_blocks_are_one_level():
    assert sizes_of_levels("<div><div><div><p>a</p><p>b</p></div></div></div><p>c</p>") == [2, 3, 3]


def test_text_outside_of_all_containers_is_a_fault_of_the_tag_table():
    blocks = blocks_of("<p>a")
    blocks.container[:] = -1
    with pytest.raises(TableError, match="html5"):
        Nesting.of(blocks, bundled_cues())


@examples(60)
@given(PAGES)
def test_containers_and_their_sums_are_those_of_the_tree(html: str):
    page = context_of(html)
    blocks, containers = page.blocks, page.containers
    ancestors = [ancestors_of(blocks, index) for index in range(len(blocks))]
    words = blocks.measures.words.tolist()
    linked = blocks.measures.anchor_words.tolist()
    columns = dict(zip(CONTAINER_SUMS, page.columns(CONTAINER_SUMS).T, strict=True))
    for index, around in enumerate(ancestors):
        inside = [[other for other, elements in enumerate(ancestors) if element in elements] for element in around]
        assert containers.element[containers.inner[index]] == around[0]
        assert containers.depth[containers.inner[index]] == len(around)
        rising = [blocks_inside for blocks_inside in inside if len(blocks_inside) > 1] or [inside[-1]]
        levels = [rising[0]]
        while len(levels) < LEVELS:
            levels.append(next((larger for larger in rising if len(larger) > len(levels[-1])), levels[-1]))
        for rank, level in enumerate(levels):
            total = sum(words[other] for other in level)
            density = sum(linked[other] for other in level) / max(total, 1)
            assert columns[f"link_density_{rank + 1}"][index] == pytest.approx(density)
        total = sum(words[other] for other in levels[0])
        assert columns["width_1"][index] == pytest.approx(total / max(sum(words), 1))
        assert columns["block_length_1"][index] == pytest.approx(np.log1p(total / len(levels[0])))
