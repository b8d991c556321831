from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from blockfeat.features.cues import AROUND_KINDS
from property_examples import examples
from random_pages import PAGES, context_of

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
