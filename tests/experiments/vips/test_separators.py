"""Separators and their weights."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from experiments.vips.extraction import ExtractedBlock
from experiments.vips.layout import Rectangle
from experiments.vips.separators import MOST_WEIGHT, Separator, clusters, separators
from experiments.vips.visual_nodes import VisualNodes
from laid_out import Box, nodes_of, paragraph

RECTANGLES = st.builds(Rectangle, st.integers(0, 300), st.integers(0, 300), st.integers(1, 80), st.integers(1, 80))


def blocks_at(*spans: tuple[float, float]) -> list[ExtractedBlock]:
    """Blocks from top to bottom by upper and lower edge."""
    return [ExtractedBlock(0, Rectangle(0, start, 100, end - start), 10) for start, end in spans]


def extents(spans: list[ExtractedBlock]) -> list[tuple[float, float]]:
    return [(block.box.y, block.box.bottom) for block in spans]


def test_a_block_splits_the_separator_that_it_stands_in() -> None:
    assert [extents(group) for group in clusters(blocks_at((0, 10), (20, 30), (50, 60)), horizontal=True)] == [
        [(0, 10)],
        [(20, 30)],
        [(50, 60)],
    ]


def test_a_block_that_crosses_a_separator_shrinks_it_and_one_that_covers_it_removes_it() -> None:
    nodes = nodes_of(paragraph((0, 0, 100, 10)))
    for spans, expected in [
        ([(0, 10), (5, 15), (20, 30)], [(15.0, 20.0)]),
        ([(0, 10), (20, 30), (0, 30)], []),
    ]:
        groups = clusters(blocks_at(*spans), horizontal=True)
        assert [(one.start, one.end) for one in separators(groups, nodes, [], horizontal=True)] == expected


def test_touching_blocks_have_a_separator_without_extent() -> None:
    assert len(clusters(blocks_at((0, 10), (10, 20)), horizontal=True)) == 2
    assert len(clusters(blocks_at((0, 10), (5, 20)), horizontal=True)) == 1


def test_columns_have_a_vertical_separator() -> None:
    left, right = (ExtractedBlock(0, Rectangle(x, 0, 40, 100), 10) for x in (0, 60))
    assert len(clusters([left, right], horizontal=True)) == 1
    assert len(clusters([left, right], horizontal=False)) == 2


def weight_between(above: Box, below: Box, rules: tuple[Rectangle, ...] = (), *, horizontal: bool = True) -> Separator:
    nodes = nodes_of(Box("body", (0, 0, 500, 500), [above, below]))
    first, second = nodes.children(0)
    pool = [ExtractedBlock(index, nodes.boxes[index], 10) for index in (first, second)]
    (found,) = separators(clusters(pool, horizontal=horizontal), nodes, rules, horizontal=horizontal)
    return found


def picture_of(rect: tuple[float, float, float, float]) -> Box:
    """A block that is not text only."""
    return Box("div", rect, [paragraph(rect), Box("img", (rect[0], rect[1], 1, 1))])


def test_the_distance_counts() -> None:
    near = weight_between(picture_of((0, 0, 100, 20)), picture_of((0, 25, 100, 20)))
    far = weight_between(picture_of((0, 0, 100, 20)), picture_of((0, 60, 100, 20)))
    assert (near.weight, far.weight) == (1, 5)
    assert (near.start, near.end) == (20, 25)


def test_a_horizontal_rule_counts() -> None:
    rule = Rectangle(0, 22, 100, 1)
    assert weight_between(picture_of((0, 0, 100, 20)), picture_of((0, 25, 100, 20)), (rule,)).weight == 4
    elsewhere = Rectangle(0, 400, 100, 1)
    assert weight_between(picture_of((0, 0, 100, 20)), picture_of((0, 25, 100, 20)), (elsewhere,)).weight == 1


def test_other_backgrounds_count() -> None:
    grey = Box("div", (0, 25, 100, 20), [paragraph((0, 25, 100, 20))], background="rgb(9, 9, 9)")
    assert weight_between(picture_of((0, 0, 100, 20)), grey).weight == 3


def test_fonts_count_and_more_where_they_grow_downwards() -> None:
    small, large = (0, 0, 100, 20), (0, 25, 100, 20)
    grows = weight_between(picture_of(small), Box("div", large, [paragraph(large, size=24), Box("img", large)]))
    shrinks = weight_between(Box("div", small, [paragraph(small, size=24), Box("img", small)]), picture_of(large))
    assert (grows.weight, shrinks.weight) == (5, 3)


def test_texts_alone_on_both_sides_count_less() -> None:
    assert weight_between(paragraph((0, 0, 100, 20)), paragraph((0, 55, 100, 20))).weight == 2
    assert weight_between(picture_of((0, 0, 100, 20)), paragraph((0, 55, 100, 20))).weight == 4
    assert weight_between(paragraph((0, 0, 100, 20)), paragraph((0, 22, 100, 20))).weight == 0


def test_fonts_do_not_count_beside_each_other() -> None:
    left, right = paragraph((0, 0, 40, 20)), paragraph((45, 0, 40, 20), size=30)
    assert weight_between(left, right, horizontal=False).weight == 1


@given(st.lists(RECTANGLES, min_size=1, max_size=12), st.booleans())
def test_no_separator_crosses_a_block(rectangles: list[Rectangle], horizontal: bool) -> None:
    page = Box("body", (0, 0, 400, 400), [paragraph((one.x, one.y, one.width, one.height)) for one in rectangles])
    nodes: VisualNodes = nodes_of(page)
    pool = [ExtractedBlock(index, nodes.boxes[index], 10) for index in nodes.children(0)]
    groups = clusters(pool, horizontal=horizontal)
    assert sorted(block.node for group in groups for block in group) == [block.node for block in pool]
    for one in separators(groups, nodes, [], horizontal=horizontal):
        assert 0 <= one.weight <= MOST_WEIGHT
        for block in pool:
            start, end = (block.box.y, block.box.bottom) if horizontal else (block.box.x, block.box.right)
            assert end <= one.start + 1 or start >= one.end - 1
