from __future__ import annotations

import time
from random import getrandbits

import numpy as np
import pytest
from hypothesis import given

from blockfeat.features.keys import numbered
from blocks_of import ancestors_of
from property_examples import examples
from random_pages import PAGES, context_of

PATH_COLUMNS = ("path_blocks", "previous_path", "next_path", "path_share", "path_density")


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
