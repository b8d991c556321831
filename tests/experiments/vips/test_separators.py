"""Separators and their weights."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import CASES
from experiments.vips.extraction import ExtractedBlock
from experiments.vips.layout import Rectangle
from experiments.vips.separators import MOST_WEIGHT, Separator, clusters, separators
from laid_out import Box, nodes_of, paragraph

RECTANGLES = st.builds(Rectangle, st.integers(0, 300), st.integers(0, 300), st.integers(1, 80), st.integers(1, 80))


def blocks_at(*spans: tuple[float, float]) -> list[ExtractedBlock]:
    """Blocks from top to bottom by upper and lower edge."""
    return [ExtractedBlock(0, Rectangle(0, start, 100, end - start), 10) for start, end in spans]


@pytest.mark.parametrize(("spans", "groups", "expected"), CASES["separators_stand_between_blocks"])
def test_separators_stand_between_blocks(spans: list[Any], groups: int, expected: list[Any]) -> None:
    found = clusters(blocks_at(*spans), horizontal=True)
    assert len(found) == groups
    between = separators(found, nodes_of(paragraph((0, 0, 100, 10))), [], horizontal=True)
    assert [[one.start, one.end] for one in between] == expected


def test_columns_have_a_vertical_separator() -> None:
    left, right = (ExtractedBlock(0, Rectangle(x, 0, 40, 100), 10) for x in (0, 60))
    assert (len(clusters([left, right], horizontal=True)), len(clusters([left, right], horizontal=False))) == (1, 2)


def between(above: Box, below: Box, rules: tuple[Rectangle, ...] = (), *, horizontal: bool = True) -> Separator:
    nodes = nodes_of(Box("body", (0, 0, 500, 500), [above, below]))
    pool = [ExtractedBlock(index, nodes.boxes[index], 10) for index in nodes.children(0)]
    (found,) = separators(clusters(pool, horizontal=horizontal), nodes, rules, horizontal=horizontal)
    return found


def words_at(top: float) -> Box:
    return paragraph((0, top, 100, 20))


def picture_at(top: float, *, size: float = 16) -> Box:
    """A block that is not text only."""
    rect = (0, top, 100, 20)
    return Box("div", rect, [paragraph(rect, size=size), Box("img", (0, top, 1, 1))])


GREY = Box("div", (0, 25, 100, 20), [words_at(25)], background="rgb(9, 9, 9)")


@pytest.mark.parametrize(
    ("above", "below", "rules", "weight"),
    [
        (picture_at(0), picture_at(25), (), 1),
        (picture_at(0), picture_at(60), (), 5),  # far away
        (picture_at(0), picture_at(25), (Rectangle(0, 22, 100, 1),), 4),  # a horizontal rule between them
        (picture_at(0), picture_at(25), (Rectangle(0, 400, 100, 1),), 1),  # and one elsewhere
        (picture_at(0), GREY, (), 3),
        (picture_at(0), picture_at(25, size=24), (), 5),  # fonts count more where they grow downwards
        (picture_at(0, size=24), picture_at(25), (), 3),
        (words_at(0), words_at(55), (), 2),  # texts alone on both sides count less
        (picture_at(0), words_at(55), (), 4),
        (words_at(0), words_at(22), (), 0),
    ],
)
def test_the_weight_of_a_separator(above: Box, below: Box, rules: tuple[Rectangle, ...], weight: int) -> None:
    assert between(above, below, rules).weight == weight


def test_fonts_do_not_count_beside_each_other() -> None:
    left, right = paragraph((0, 0, 40, 20)), paragraph((45, 0, 40, 20), size=30)
    assert between(left, right, horizontal=False).weight == 1


@given(st.lists(RECTANGLES, min_size=1, max_size=12), st.booleans())
def test_no_separator_crosses_a_block(rectangles: list[Rectangle], horizontal: bool) -> None:
    page = Box("body", (0, 0, 400, 400), [paragraph((one.x, one.y, one.width, one.height)) for one in rectangles])
    nodes = nodes_of(page)
    pool = [ExtractedBlock(index, nodes.boxes[index], 10) for index in nodes.children(0)]
    groups = clusters(pool, horizontal=horizontal)
    assert sorted(block.node for group in groups for block in group) == [block.node for block in pool]
    for one in separators(groups, nodes, [], horizontal=horizontal):
        assert 0 <= one.weight <= MOST_WEIGHT
        for block in pool:
            start, end = (block.box.y, block.box.bottom) if horizontal else (block.box.x, block.box.right)
            assert end <= one.start + 1 or start >= one.end - 1
