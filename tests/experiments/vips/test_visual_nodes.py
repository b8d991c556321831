"""The classes of nodes."""

from __future__ import annotations

from experiments.vips.layout import Rectangle
from laid_out import Box, nodes_of, paragraph, text


def test_inline_and_line_break_nodes() -> None:
    nodes = nodes_of(Box("p", (0, 0, 100, 20), [Box("b", (0, 0, 50, 20), [text((0, 0, 50, 20))]), text((50, 0, 9, 9))]))
    assert [nodes.is_line_break(index) for index in range(4)] == [True, False, False, False]
    assert [nodes.is_inline(index) for index in range(4)] == [False, True, False, False]


def test_virtual_texts_hold_texts_at_any_depth_and_nothing_else() -> None:
    deep = Box("a", (0, 0, 50, 20), [Box("b", (0, 0, 50, 20), [text((0, 0, 50, 20))])])
    with_image = Box("a", (0, 0, 50, 20), [text((0, 0, 9, 9)), Box("img", (9, 0, 9, 9))])
    empty, hidden = Box("a", (0, 0, 50, 20)), Box("div", (0, 0, 0, 0), visible=False)
    beside_hidden = Box("a", (0, 0, 9, 9), [text((0, 0, 9, 9)), hidden])
    nodes = nodes_of(Box("p", (0, 0, 100, 20), [deep, with_image, empty, beside_hidden]))
    assert [index for index in range(11) if nodes.is_virtual_text(index)] == [1, 2, 8]
    assert nodes.children(8) == [9]


def test_an_element_around_floats_has_their_extent() -> None:
    floats = Box("div", (0, 0, 100, 0), [paragraph((0, 0, 40, 30)), paragraph((60, 0, 40, 50))], visible=False)
    nodes = nodes_of(Box("body", (0, 0, 100, 0), [floats], visible=False))
    assert nodes.boxes[1] == Rectangle(0, 0, 100, 50)
    assert (nodes.is_valid(0), nodes.root) == (True, 0)


def test_siblings_that_cannot_be_seen_are_passed_over() -> None:
    inside = [paragraph((0, 0, 9, 9)), Box("div", (0, 0, 0, 0), visible=False), paragraph((0, 9, 9, 9))]
    nodes = nodes_of(Box("div", (0, 0, 9, 18), inside))
    assert (nodes.sibling_before(4), nodes.sibling_before(1)) == (1, None)
