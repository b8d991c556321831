import time
from random import getrandbits

import numpy as np
import pytest
from hypothesis import given

from blockfeat.errors import TableError
from blockfeat.features.cues import AROUND_KINDS, bundled_cues
from blockfeat.features.keys import number_codes, slots_for
from blockfeat.features.nesting import Nesting
from blockfeat.features.phrases import ContainerNames
from blocks_of import ancestors_of, blocks_of
from property_examples import examples
from random_pages import PAGES, context_of

LEVELS = 3
CONTAINER_SUMS = ("link_density_1", "link_density_2", "link_density_3", "width_1", "block_length_1")


@pytest.mark.parametrize(
    ("html", "sizes"),
    [
        ("<body><div><div><div><p>a</p></div><p>b</p></div><p>c</p></div><p>d</p></body>", [2, 3, 4]),
        # Wrappers of the same blocks are one level.
        ("<div><div><div><p>a</p><p>b</p></div></div></div><p>c</p>", [2, 3, 3]),
    ],
)
def test_levels_grow(html: str, sizes: list[int]):
    page = context_of(html)
    assert [int(page.containers.end[level] - page.containers.first[level]) for level in page.levels(0)] == sizes


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
    columns = page.columns_by_name(CONTAINER_SUMS)
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
    columns = page.columns_by_name(CONTAINER_CUES)
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


@pytest.mark.parametrize(
    ("feature", "names"),
    [
        ("around_related", [None, "'relatedPosts'", None, None]),  # by its class
        ("around_comment", [None, None, None, "'comments'"]),  # by its id
        ("around_aside", [None, None, "<aside>", None]),  # by its tag
    ],
)
def test_a_container_is_named(feature: str, names: list[str | None]) -> None:
    found = ContainerNames(blocks_of(PAGE))
    assert [found.around(block, feature) for block in range(4)] == names


def test_what_a_page_writes_is_cut_and_cleaned() -> None:
    related = f"<div class='related-{'x' * 99}&quot;&lt;b&gt;'><p>One</p></div>"
    found = ContainerNames(blocks_of(f"<div>{related}<p>{'two ' * 20}</p></div>")).around(0, "around_related")
    assert found is not None
    assert len(found) <= 32
    assert not set(found) & set('<>"')


PATH_COLUMNS = ("path_blocks", "previous_path", "next_path", "path_share", "path_density")


def numbered(codes, spread):
    numbers, slots = (np.empty(size, dtype=np.int32) for size in (codes.size, slots_for(codes.size)))
    number_codes(codes, numbers, slots, spread)
    return numbers


def test_equal_codes_have_equal_numbers():
    codes = np.array([7, 2**63, 7, 0, 2**64 - 1, 0], dtype=np.uint64)
    for spread in (1, 2**63 + 1, 0x9E3779B97F4A7C15):
        assert numbered(codes, spread).tolist() == [0, 1, 0, 2, 3, 2]
    assert numbered(np.zeros(0, dtype=np.uint64), 1).size == 0


def test_codes_that_collide_under_one_multiplier_do_not_under_another():
    codes = np.arange(20_000, dtype=np.uint64)  # all in one place where the multiplier is 1
    start = time.process_time()
    assert numbered(codes, getrandbits(64) | 1).tolist() == list(range(20_000))
    assert time.process_time() - start < 1


@examples(60)
@given(PAGES)
def test_blocks_on_the_same_path_have_the_same_tags_and_classes_around(html: str):
    page = context_of(html)
    n = len(page.blocks)
    columns = page.columns_by_name(PATH_COLUMNS)
    good = [page.good_words(index) for index in range(n)]
    tags, ancestors = page.blocks.tags, [ancestors_of(page.blocks, index)[:5] for index in range(n)]
    paths = [[(tags.name(each), tags.attributes(each).get("class")) for each in around] for around in ancestors]
    for index, path in enumerate(paths):
        same = [other for other in range(n) if paths[other] == path]
        assert columns["path_blocks"][index] == pytest.approx(np.log1p(len(same)))
        assert columns["previous_path"][index] == (index > 0 and paths[index - 1] == path)
        assert columns["next_path"][index] == (index < n - 1 and paths[index + 1] == path)
        on_path = sum(good[other] for other in same)
        assert columns["path_share"][index] == pytest.approx(on_path / (sum(good) + 1e-9))
        assert columns["path_density"][index] == pytest.approx(on_path / (page.words[same].sum() + 1))
