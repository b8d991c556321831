from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from blockfeat.errors import TableError
from blockfeat.features.cues import AROUND_KINDS, bundled_cues
from blockfeat.features.nesting import Nesting
from blockfeat.features.phrases import ContainerNames
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


AROUND = "around_"
CONTAINER_CUES = (
    *(AROUND + kind for kind in AROUND_KINDS),
    "negatives", "depth", "negative_steps", "positive_below_negative", "h1_before", "page_articles", "page_paragraphs",
)  # fmt: skip


@examples(60)
@given(PAGES)
def test_cues_of_the_elements_around_each_block(html: str):
    page = context_of(html)
    n = len(page.blocks)
    columns = dict(zip(CONTAINER_CUES, page.columns(CONTAINER_CUES).T, strict=True))
    if not n:
        return
    masks, words = page.cues.masks, page.words.tolist()
    spans = list(zip(page.containers.first.tolist(), page.containers.end.tolist(), strict=True))
    bits = []
    elements = page.cues.of_elements(page.blocks.tags, page.containers.element)
    for place, (low, high) in enumerate(spans):
        found = int(elements.bits[place])
        is_wide = sum(words[low:high]) / max(sum(words), 1) > 0.6
        bits.append(0 if place < 2 else found & ~masks["against"] if is_wide else found)
    articles = sum(bool(cues & masks["article"]) for cues in bits)
    assert np.allclose(columns["page_articles"], np.log1p(articles))
    inside = []
    for index in range(n):
        around = [cues for cues, (low, high) in zip(bits, spans, strict=True) if low <= index < high]
        inside.append(any(cues & masks["p"] for cues in around))
        for name in CONTAINER_CUES:
            if name.startswith(AROUND):
                count = sum(bool(cues & masks[name.removeprefix(AROUND)]) for cues in around)
                assert columns[name][index] == min(count, 3)
        against = [depth for depth, cues in enumerate(around, start=1) if cues & masks["against"]]
        positive = [depth for depth, cues in enumerate(around, start=1) if cues & masks["positive"]]
        nearest, nearest_positive = max(against, default=0), max(positive, default=0)
        assert columns["negatives"][index] == min(sum((cues & masks["against"]).bit_count() for cues in around), 8)
        assert columns["depth"][index] == min(len(around), 60)
        assert columns["negative_steps"][index] == (min(len(around) - nearest, 20) if against else 20)
        assert columns["positive_below_negative"][index] == min(max(nearest_positive - nearest, -8), 8)
        headings = sum(bool(cues & masks["h1"]) and low <= index for cues, (low, _) in zip(bits, spans, strict=True))
        assert columns["h1_before"][index] == min(headings, 4)
    assert columns["page_paragraphs"][0] == pytest.approx(sum(inside) / n)


def test_more_elements_around_than_a_byte_holds():
    deep = context_of("<div class=text>" * 600 + "<p class=menu>word</p>" + "</div>" * 600)
    assert deep.columns(("around_positive", "around_negative", "depth"))[0].tolist() == [3, 0, 60]


PAGE = """<html><body><div class="page"><main><p>The first text of the page, which is here.</p></main>
<div class="box relatedPosts wide"><ul><li>One</li></ul></div><aside><p>Two</p></aside>
<div id="comments"><div><p>Three</p></div></div></div></body></html>"""


def names(feature: str) -> list[str | None]:
    blocks = blocks_of(PAGE)
    found = ContainerNames(blocks)
    return [found.around(block, feature) for block in range(len(blocks))]


def test_a_class_or_id_is_named() -> None:
    assert names("around_related") == [None, "'relatedPosts'", None, None]
    assert names("around_comment") == [None, None, None, "'comments'"]


def test_an_element_is_named_by_its_tag() -> None:
    assert names("around_aside") == [None, None, "<aside>", None]


def test_what_a_page_writes_is_cut_and_cleaned() -> None:
    page = (
        f"<body><div><div class='related-{'x' * 99}&quot;&lt;b&gt;'><p>One</p></div><p>{'two ' * 20}</p></div></body>"
    )
    found = ContainerNames(blocks_of(page)).around(0, "around_related")
    assert found is not None
    assert len(found) <= 32
    assert not set(found) & set('<>"')
