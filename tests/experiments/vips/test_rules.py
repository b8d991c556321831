"""Each rule of block extraction on a layout that can be checked by hand."""

from __future__ import annotations

import pytest

from experiments.vips import rules
from experiments.vips.rules import CUT, DIVIDE, RULES, Round, Verdict, degree_of, judge, tag_class
from laid_out import Box, nodes_of, paragraph, text

GREY = "rgb(200, 200, 200)"


def round_of(root: Box, *roots: int) -> Round:
    return Round(nodes_of(root), roots or (0,))


def test_rule_1_cuts_a_node_without_valid_children() -> None:
    here = round_of(Box("div", (0, 0, 100, 100), [Box("p", (0, 0, 100, 0), visible=False)]))
    assert rules.rule_1_no_valid_child(0, here) == CUT
    there = round_of(Box("div", (0, 0, 100, 100), [paragraph((0, 0, 100, 20))]))
    assert rules.rule_1_no_valid_child(0, there) is None


def test_rule_2_divides_a_node_with_one_child_that_is_no_text() -> None:
    assert rules.rule_2_only_child(0, round_of(Box("div", (0, 0, 100, 20), [paragraph((0, 0, 100, 20))]))) == DIVIDE
    assert rules.rule_2_only_child(0, round_of(paragraph((0, 0, 100, 20)))) is None
    two = [paragraph((0, 0, 100, 20)), paragraph((0, 20, 100, 20))]
    assert rules.rule_2_only_child(0, round_of(Box("div", (0, 0, 100, 40), two))) is None


def test_rule_3_divides_the_only_root_of_the_block() -> None:
    root = Box("div", (0, 0, 100, 40), [paragraph((0, 0, 100, 20)), paragraph((0, 20, 100, 20))])
    assert rules.rule_3_only_root(0, round_of(root, 0)) == DIVIDE
    assert rules.rule_3_only_root(1, round_of(root, 0)) is None
    assert rules.rule_3_only_root(1, round_of(root, 1, 3)) is None


def test_rule_4_keeps_texts_and_tells_one_font_from_several() -> None:
    same = Box("p", (0, 0, 100, 20), [text((0, 0, 50, 20)), Box("a", (50, 0, 50, 20), [text((50, 0, 50, 20))])])
    assert rules.rule_4_texts_only(0, round_of(same)) == Verdict(degree=10)
    bold = Box("b", (50, 0, 50, 20), [text((50, 0, 50, 20), weight=700)], weight=700)
    assert rules.rule_4_texts_only(0, round_of(Box("p", (0, 0, 100, 20), [text((0, 0, 50, 20)), bold]))) == Verdict(
        degree=9
    )
    holds_block = Box("div", (0, 0, 100, 20), [text((0, 0, 50, 10)), paragraph((0, 10, 50, 10))])
    assert rules.rule_4_texts_only(0, round_of(holds_block)) is None


def test_rule_5_divides_around_a_line_break_node() -> None:
    holds_block = Box("p", (0, 0, 100, 40), [text((0, 0, 100, 20)), Box("div", (0, 20, 100, 20))])
    assert rules.rule_5_line_break_child(0, round_of(holds_block)) == DIVIDE
    assert rules.rule_5_line_break_child(0, round_of(paragraph((0, 0, 100, 20)))) is None


def test_rule_6_divides_around_a_horizontal_rule() -> None:
    with_rule = Box("div", (0, 0, 100, 42), [paragraph((0, 0, 100, 20)), Box("hr", (0, 20, 100, 2))])
    assert rules.rule_6_hr_child(0, round_of(with_rule)) == DIVIDE
    assert rules.rule_6_hr_child(0, round_of(Box("div", (0, 0, 100, 20), [paragraph((0, 0, 100, 20))]))) is None


def test_rule_7_divides_a_node_smaller_than_its_children() -> None:
    overflowing = Box("div", (0, 0, 100, 10), [paragraph((0, 0, 100, 20)), paragraph((0, 20, 100, 20))])
    assert rules.rule_7_larger_children(0, round_of(overflowing)) == DIVIDE
    roomy = Box("div", (0, 0, 100, 50), [paragraph((0, 0, 100, 20)), paragraph((0, 20, 100, 20))])
    assert rules.rule_7_larger_children(0, round_of(roomy)) is None


def test_rule_8_divides_by_background_and_keeps_the_other_child() -> None:
    box = Box("td", (0, 0, 100, 10), [paragraph((0, 0, 100, 10))], background=GREY)
    here = round_of(Box("tr", (0, 0, 1000, 100), [paragraph((0, 20, 100, 20)), box]))
    assert rules.rule_8_other_background(0, here) == DIVIDE
    assert here.fixed == {3: 8}  # a small cell
    assert judge(3, here) == Verdict(degree=8)
    plain = round_of(Box("tr", (0, 0, 100, 100), [paragraph((0, 0, 100, 20)), paragraph((0, 20, 100, 20))]))
    assert rules.rule_8_other_background(0, plain) is None


def small_and_large() -> Round:
    """A block of 1000 × 1000 with a small element and a large one, both with text of their own."""
    inside = [text((0, 0, 50, 10)), paragraph((0, 10, 50, 10))]
    small, large = Box("div", (0, 0, 100, 100), inside), Box("div", (0, 100, 1000, 900), inside)
    return round_of(Box("div", (0, 0, 1000, 1000), [small, large]))


def test_rule_9_keeps_a_small_node_with_text_of_its_own() -> None:
    here = small_and_large()
    assert rules.rule_9_small_with_text(1, here) == Verdict(degree=7)
    assert rules.rule_9_small_with_text(5, here) is None
    only_blocks = Box("div", (0, 0, 10, 10), [paragraph((0, 0, 10, 10)), paragraph((0, 0, 10, 10))])
    whole = round_of(Box("div", (0, 0, 1000, 1000), [only_blocks]))
    assert rules.rule_9_small_with_text(1, whole) is None


def test_rule_10_keeps_a_node_of_small_children() -> None:
    small = Box("ul", (0, 0, 1000, 400), [paragraph((0, 0, 100, 20)), paragraph((0, 20, 100, 20))])
    large = Box("ul", (0, 400, 1000, 600), [paragraph((0, 400, 1000, 300)), paragraph((0, 700, 1000, 20))])
    here = round_of(Box("div", (0, 0, 1000, 1000), [small, large]))
    assert rules.rule_10_small_children(1, here) == Verdict(degree=6)
    assert rules.rule_10_small_children(6, here) is None


def test_rule_11_keeps_a_node_whose_sibling_was_kept() -> None:
    cells = [Box("td", (at, 0, 100, 20), [paragraph((at, 0, 100, 20))]) for at in (0, 100)]
    here = round_of(Box("tr", (0, 0, 200, 20), cells))
    assert rules.rule_11_undivided_sibling(4, here) is None
    here.undivided.add(1)
    assert rules.rule_11_undivided_sibling(4, here) == Verdict(degree=7)
    assert rules.rule_11_undivided_sibling(1, here) is None


def test_rules_12_and_13_decide_what_is_left() -> None:
    here = round_of(paragraph((0, 0, 100, 20)))
    assert rules.rule_12_divide(0, here) == DIVIDE
    assert rules.rule_13_keep(0, here) == Verdict(degree=6)


def test_a_text_is_a_block_of_the_highest_degree() -> None:
    assert judge(1, round_of(paragraph((0, 0, 100, 20)))) == Verdict(degree=10)


@pytest.mark.parametrize(
    ("tag", "numbers"),
    [
        ("span", (1, 2, 3, 4, 5, 6, 7, 9, 10, 12)),
        ("table", (1, 2, 3, 8, 10, 13)),
        ("tr", (1, 2, 3, 7, 8, 10, 13)),
        ("td", (1, 2, 3, 4, 9, 10, 11, 13)),
        ("th", (1, 2, 3, 4, 9, 10, 11, 13)),
        ("p", (1, 2, 3, 4, 5, 6, 7, 9, 10, 12)),
        ("div", (1, 2, 3, 4, 6, 7, 9, 10, 12)),
    ],
)
def test_the_rules_of_each_class(tag: str, numbers: tuple[int, ...]) -> None:
    nodes = nodes_of(Box(tag, (0, 0, 10, 10)))
    used = [int(rule.__name__.split("_")[1]) for rule in RULES[tag_class(0, nodes)]]
    assert used == list(numbers)


def test_degrees_rise_with_text_like_tags_and_fall_with_size() -> None:
    assert degree_of("body", 1.0, 5, 8) == 5
    assert degree_of("div", 0.5, 5, 8) == 6
    assert degree_of("td", 0.5, 5, 8) == 7
    assert degree_of("td", 0.01, 5, 8) == 8
    assert degree_of("td", 0.01, 6, 8) == 8
