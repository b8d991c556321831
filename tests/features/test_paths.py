from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from blockfeat.features.containers import PATH_LENGTHS, PATH_SUMS, numbered
from random_pages import PAGES, context_of


def test_equal_codes_have_equal_numbers():
    assert numbered(np.array([7, 2**63, 7, 0], dtype=np.uint64)).tolist() == [1, 2, 1, 0]
    assert numbered(np.zeros(0, dtype=np.uint64)).size == 0


@settings(max_examples=60, deadline=None)
@given(PAGES)
def test_blocks_on_the_same_path_have_the_same_tags_and_classes_around(html: str):
    page = context_of(html)
    n = len(page.blocks)
    columns = dict(zip((*PATH_LENGTHS, *PATH_SUMS), page.columns((*PATH_LENGTHS, *PATH_SUMS)).T, strict=True))
    tags, ancestors = page.blocks.tags, [page.blocks.ancestors(index)[:5] for index in range(n)]
    paths = [[(tags.name(each), tags.attributes(each).get("class")) for each in around] for around in ancestors]
    for index, path in enumerate(paths):
        same = [other for other in range(n) if paths[other] == path]
        assert columns["path_blocks"][index] == pytest.approx(np.log1p(len(same)))
        assert columns["previous_path"][index] == (index > 0 and paths[index - 1] == path)
        assert columns["next_path"][index] == (index < n - 1 and paths[index + 1] == path)
        share = page.good.words[same].sum() / page.good.page
        assert columns["path_share"][index] == pytest.approx(share)
        assert columns["path_density"][index] == pytest.approx(share * page.good.page / (page.words[same].sum() + 1))
