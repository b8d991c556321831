from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from property_examples import examples
from random_pages import PAGES, context_of

GOOD_TEXT = (
    "good",
    "page_good",
    "top_share",
    "good_before",
    "good_after",
    "share_1",
    "share_2",
    "share_3",
    "gap_after",
)
WINDOWS = ("window_share", "window_density_1", "window_density_5")
MAIN_CONTAINER = (
    "main_steps", "main_distance", "wide_steps", "main_size", "main_position", "main_density", "main_words",
)  # fmt: skip

SENTENCE = "The lantern makers of the valley meet every autumn at the old mill by the river, and many guests come. "


@examples(60)
@given(PAGES)
def test_good_text_and_windows_are_sums_over_the_blocks_around(html: str):
    page = context_of(html)
    n = len(page.blocks)
    words = page.words.tolist()
    good = [page.good_words(index) for index in range(n)]
    total = sum(good) + 1e-9
    names = (*GOOD_TEXT, *WINDOWS)
    columns = dict(zip(names, page.columns(names).T, strict=True))
    for index in range(n):
        assert columns["good"][index] == pytest.approx(math.log1p(good[index]))
        assert columns["page_good"][index] == pytest.approx(math.log1p(total))
        assert columns["top_share"][index] == pytest.approx(good[index] / (max(good) + 1e-9))
        assert columns["good_before"][index] == pytest.approx(sum(good[:index]) / total, abs=1e-6)
        assert columns["good_after"][index] == pytest.approx(1 - sum(good[: index + 1]) / total, abs=1e-6)
        gap = next((other - index for other in range(index + 1, n) if good[other] >= 8), 60)
        assert columns["gap_after"][index] == min(gap, 60)
        for reach in (1, 5):
            window = range(max(index - reach, 0), min(index + reach + 1, n))
            near = sum(good[other] for other in window)
            density = near / (sum(words[other] for other in window) + 1)
            assert columns[f"window_density_{reach}"][index] == pytest.approx(density, abs=1e-6)
        assert columns["window_share"][index] == pytest.approx(near / total, abs=1e-6)
        for level in range(3):
            container = page.levels(index)[level]
            inside = sum(good[page.containers.first[container] : page.containers.end[container]]) / total
            assert columns[f"share_{level + 1}"][index] == pytest.approx(inside, abs=1e-6)


@examples(60)
@given(PAGES)
def test_the_main_container_is_the_deepest_that_holds_most_good_text(html: str):
    page = context_of(html)
    n = len(page.blocks)
    columns = dict(zip(MAIN_CONTAINER, page.columns(MAIN_CONTAINER).T, strict=True))
    if not n:
        return
    good = [page.good_words(index) for index in range(n)]
    total = sum(good) + 1e-9
    ranges = list(dict.fromkeys(zip(page.containers.first.tolist(), page.containers.end.tolist(), strict=True)))
    shares = {span: sum(good[span[0] : span[1]]) / total for span in ranges}
    chain = [span for span in ranges if shares[span] >= 0.6 - 1e-9] or ranges[:1]
    wide = [span for span in chain if shares[span] >= 0.85 - 1e-9] or chain[:1]
    first, end = chain[-1]
    words = page.words[first:end].sum()
    assert np.allclose(columns["main_size"], (end - first) / n)
    assert np.allclose(columns["main_words"], words / max(page.words.sum(), 1))
    assert np.allclose(columns["main_density"], shares[chain[-1]] * total / (words + 1))
    for index in range(n):
        assert columns["main_steps"][index] == sum(not low <= index < high for low, high in chain)
        assert columns["wide_steps"][index] == sum(not low <= index < high for low, high in wide)
        assert columns["main_distance"][index] == min(index - first, 0) + max(index - end + 1, 0)
        assert columns["main_position"][index] == pytest.approx(min(max((index - first) / (end - first), -5), 5))


def test_steps_are_linear_in_the_depth_of_the_chain():
    depth = 400
    html = "<div><p>x</p>" * depth + f"<p>{SENTENCE * 9}" + "</div>" * depth
    columns = context_of(html).columns(("main_steps", "main_distance"))
    assert columns[0].tolist() == [30, -depth]
    assert columns[-1].tolist() == [0, 0]
