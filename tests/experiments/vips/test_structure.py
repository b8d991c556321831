"""The content structure: what is parted, what stays together, and what holds for every page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.vips.choice import HEURISTICS, Candidates, oracle
from experiments.vips.layout import Rectangle, RenderedPage
from experiments.vips.structure import VisualBlock, degree_between, segment
from laid_out import Box, page, paragraph, text
from property_examples import examples


def news_page() -> RenderedPage:
    """A banner across the page, below it a column of links and an article, and a footer."""
    lines = [(0, 140 + 20 * n, 90, 20) for n in range(4)]
    links = [Box("li", line, [Box("a", line, [text(line, f"link{n}")])]) for n, line in enumerate(lines)]
    article = [paragraph((300, 140 + 100 * n, 700, 90), f"article{n} has a text") for n in range(4)]
    columns = [Box("ul", (0, 140, 200, 80), links), Box("div", (300, 140, 700, 400), article)]
    banner, footer = paragraph((0, 20, 1000, 40), "banner", size=32), paragraph((0, 640, 1000, 40), "footer")
    parts = [
        Box("div", (0, 0, 1000, 80), [banner], background="rgb(0, 0, 99)"),
        Box("div", (0, 140, 1000, 400), columns),
    ]
    return page(Box("body", (0, 0, 1000, 700), [*parts, Box("div", (0, 640, 1000, 40), [footer])]))


def texts_of(rendered: RenderedPage, block: VisualBlock) -> str:
    return " ".join(rendered.text(node).replace("\n", " ") for node in block.nodes)


def test_the_article_is_a_block_of_its_own_beside_the_links() -> None:
    rendered = news_page()
    root = segment(rendered)
    found = [texts_of(rendered, block) for block in root.all()]
    article, links = " ".join(f"article{n} has a text" for n in range(4)), " ".join(f"link{n}" for n in range(4))
    assert found[0] == f"banner {links} {article} footer"
    assert {article, links, "banner"} <= set(found)
    merged = {texts_of(rendered, block) for block in segment(rendered, anew=False).all()}
    assert (article in merged, "banner" in merged) == (False, True)


def test_a_break_parts_lines() -> None:
    lines = [text((0, 0, 9, 9), "one"), Box("br", (9, 0, 0, 9)), text((0, 9, 9, 9), "two")]
    assert page(Box("p", (0, 0, 9, 18), lines)).text(0) == "one\ntwo"


def test_a_finer_granularity_parts_more() -> None:
    rendered = news_page()
    sizes = [len(root.all()) for granularity in (1, 5, 8, 10) if (root := segment(rendered, granularity=granularity))]
    assert (sizes, sizes[0]) == (sorted(sizes), 1)
    finest = segment(rendered, granularity=10)
    assert len([block for block in finest.all() if not block.parts]) == 4  # banner, links, article, footer


@pytest.mark.parametrize(("weight", "degree"), [(0, 10), (1, 9), (2, 9), (3, 8), (18, 1), (99, 1)])
def test_heavier_separators_make_less_coherent_blocks(weight: int, degree: int) -> None:
    assert degree_between(weight) == degree


def test_a_page_with_nothing_to_see_or_without_text_has_no_structure() -> None:
    empty = RenderedPage("test", "empty", "digest")
    assert segment(empty) is None
    assert Rectangle.around([]).area == 0
    nothing = Candidates.of(empty, None)
    assert oracle(nothing, "words").scores.f1 == 0
    assert {choose(nothing) for choose in HEURISTICS.values()} == {None}
    assert segment(page(Box("body", (0, 0, 100, 0), visible=False))) is None
    assert segment(page(Box("body", (0, 0, 100, 100), [Box("img", (0, 0, 100, 100))]))) is None


def test_deep_nesting_neither_recurses_nor_loses_text() -> None:
    inner = paragraph((0, 0, 100, 20), "deep")
    for depth in range(400):
        inside = [inner] if depth % 2 else [inner, paragraph((0, 30, 100, 5), f"beside{depth}")]
        inner = Box("div", (0, 0, 100, 40), inside)
    rendered = page(inner)
    root = segment(rendered, granularity=10)
    assert "deep" in texts_of(rendered, root)
    assert len({node for block in root.all() if not block.parts for node in block.nodes}) == 201


def boxes(depth: int) -> st.SearchStrategy[Box]:
    rect = st.tuples(st.integers(0, 200), st.integers(0, 200), st.integers(1, 200), st.integers(1, 200))
    leaf = st.builds(paragraph, rect)
    if not depth:
        return leaf
    tags = st.sampled_from(["div", "p", "table", "tr", "td", "span", "ul"])
    colours = st.sampled_from(["rgb(255, 255, 255)", "rgb(0, 0, 0)"])
    return leaf | st.builds(
        lambda tag, where, inside, colour: Box(tag, where, inside, background=colour),
        tags, rect, st.lists(boxes(depth - 1), max_size=4), colours,
    )  # fmt: skip


@examples(40)
@given(boxes(3), st.integers(1, 10), st.booleans())
def test_every_visible_text_is_in_one_leaf_and_parts_are_no_less_coherent(
    root: Box, granularity: int, anew: bool
) -> None:
    rendered = page(Box("body", (0, 0, 400, 400), [root]))
    found = segment(rendered, granularity=granularity, anew=anew)
    if found is None:
        assert not any(node.is_text for node in rendered.nodes)
        return
    leaves = [block for block in found.all() if not block.parts]
    spans = [range(node, rendered.ends[node]) for block in leaves for node in block.nodes]
    covered = [place for span in spans for place in span if rendered.nodes[place].is_text]
    assert sorted(covered) == [place for place, node in enumerate(rendered.nodes) if node.is_text]
    for block in found.all():
        assert 1 <= block.degree <= 10
        assert all(part.degree >= block.degree for part in block.parts)
        inside = sorted(node for part in block.parts for node in part.nodes)
        # A block that was one node is divided into nodes inside of it.
        first, end = block.nodes[0], rendered.ends[block.nodes[-1]]
        assert inside == list(block.nodes if block.parts else ()) or all(first <= node < end for node in inside)
