"""Each rule of block extraction on a layout that can be checked by hand."""

import pytest

from experiments.vips import rules
from experiments.vips.rules import CUT, DIVIDE, RULES, Round, Verdict, degree_of, judge, tag_class
from laid_out import Box, nodes_of, paragraph, text


def round_of(root: Box, *roots: int) -> Round:
    return Round(nodes_of(root), roots or (0,))


def div(width: int, height: int, *inside: Box, tag: str = "div") -> Box:
    return Box(tag, (0, 0, width, height), inside)


UPPER, LOWER = paragraph((0, 0, 100, 20)), paragraph((0, 20, 100, 20))
WORDS, BEHIND = text((0, 0, 50, 20)), Box("a", (50, 0, 50, 20), [text((50, 0, 50, 20))])
BOLD = Box("b", (50, 0, 50, 20), [text((50, 0, 50, 20), weight=700)], weight=700)
# A block of 1000 × 1000 with a small element and a large one, both with text of their own, or with blocks alone.
OWN = [text((0, 0, 50, 10)), paragraph((0, 10, 50, 10))]
SMALL_AND_LARGE = div(1000, 1000, Box("div", (0, 0, 100, 100), OWN), Box("div", (0, 100, 1000, 900), OWN))
LARGE = [paragraph((0, 400, 1000, 300)), paragraph((0, 700, 1000, 20))]
CHILDREN = div(1000, 1000, Box("ul", (0, 0, 1000, 400), [UPPER, LOWER]), Box("ul", (0, 400, 1000, 600), LARGE))


@pytest.mark.parametrize(
    ("rule", "root", "node", "verdict"),
    [
        ("1_no_valid_child", div(100, 100, Box("p", (0, 0, 100, 0), visible=False)), 0, CUT),
        ("1_no_valid_child", div(100, 100, UPPER), 0, None),
        ("2_only_child", div(100, 20, UPPER), 0, DIVIDE),
        ("2_only_child", UPPER, 0, None),
        ("2_only_child", div(100, 40, UPPER, LOWER), 0, None),
        ("3_only_root", div(100, 40, UPPER, LOWER), 0, DIVIDE),
        ("3_only_root", div(100, 40, UPPER, LOWER), 1, None),
        ("4_texts_only", div(100, 20, WORDS, BEHIND, tag="p"), 0, Verdict(degree=10)),
        ("4_texts_only", div(100, 20, WORDS, BOLD, tag="p"), 0, Verdict(degree=9)),
        ("4_texts_only", div(100, 20, *OWN), 0, None),
        ("5_line_break_child", div(100, 40, WORDS, Box("div", (0, 20, 100, 20)), tag="p"), 0, DIVIDE),
        ("5_line_break_child", UPPER, 0, None),
        ("6_hr_child", div(100, 42, UPPER, Box("hr", (0, 20, 100, 2))), 0, DIVIDE),
        ("6_hr_child", div(100, 20, UPPER), 0, None),
        ("7_larger_children", div(100, 10, UPPER, LOWER), 0, DIVIDE),
        ("7_larger_children", div(100, 50, UPPER, LOWER), 0, None),
        ("8_other_background", div(100, 100, UPPER, LOWER, tag="tr"), 0, None),
        ("9_small_with_text", SMALL_AND_LARGE, 1, Verdict(degree=7)),
        ("9_small_with_text", SMALL_AND_LARGE, 5, None),
        ("9_small_with_text", div(1000, 1000, div(10, 10, UPPER, UPPER)), 1, None),
        ("10_small_children", CHILDREN, 1, Verdict(degree=6)),
        ("10_small_children", CHILDREN, 6, None),
        ("12_divide", UPPER, 0, DIVIDE),
        ("13_keep", UPPER, 0, Verdict(degree=6)),
    ],
)
def test_a_rule_decides(rule: str, root: Box, node: int, verdict: Verdict | None) -> None:
    assert getattr(rules, f"rule_{rule}")(node, round_of(root)) == verdict


def test_rule_8_divides_by_background_and_keeps_the_other_child() -> None:
    box = Box("td", (0, 0, 100, 10), [paragraph((0, 0, 100, 10))], background="rgb(200, 200, 200)")
    here = round_of(div(1000, 100, LOWER, box, tag="tr"))
    assert (rules.rule_8_other_background(0, here), here.fixed) == (DIVIDE, {3: 8})
    assert judge(3, here) == Verdict(degree=8)


def test_rule_11_keeps_a_node_whose_sibling_was_kept() -> None:
    cells = [Box("td", (at, 0, 100, 20), [paragraph((at, 0, 100, 20))]) for at in (0, 100)]
    here = round_of(div(200, 20, *cells, tag="tr"))
    assert rules.rule_11_undivided_sibling(4, here) is None
    here.undivided.add(1)
    assert rules.rule_11_undivided_sibling(4, here) == Verdict(degree=7)
    assert rules.rule_11_undivided_sibling(1, here) is None


def test_rule_3_lets_several_roots_pass_and_a_text_is_a_block_of_the_highest_degree() -> None:
    assert rules.rule_3_only_root(1, round_of(div(100, 40, UPPER, LOWER), 1, 3)) is None
    assert judge(1, round_of(UPPER)) == Verdict(degree=10)


@pytest.mark.parametrize(
    ("tags", "numbers"),
    [
        (("span", "p"), [1, 2, 3, 4, 5, 6, 7, 9, 10, 12]),
        (("table",), [1, 2, 3, 8, 10, 13]),
        (("tr",), [1, 2, 3, 7, 8, 10, 13]),
        (("td", "th"), [1, 2, 3, 4, 9, 10, 11, 13]),
        (("div",), [1, 2, 3, 4, 6, 7, 9, 10, 12]),
    ],
)
def test_the_rules_of_each_class(tags: tuple[str, ...], numbers: list[int]) -> None:
    for tag in tags:
        used = RULES[tag_class(0, nodes_of(Box(tag, (0, 0, 10, 10))))]
        assert [int(rule.__name__.split("_")[1]) for rule in used] == numbers


def test_degrees_rise_with_text_like_tags_and_fall_with_size() -> None:
    found = [("body", 1.0, 5), ("div", 0.5, 5), ("td", 0.5, 5), ("td", 0.01, 5), ("td", 0.01, 6)]
    assert [degree_of(tag, share, low, 8) for tag, share, low in found] == [5, 6, 7, 8, 8]
