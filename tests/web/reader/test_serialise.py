"""Where two extractions of a page differ."""

import pytest

from blockfeat.data import demo_pages
from blockfeat.extraction.extractor import extractor_of
from blockfeat.web.reader.serialise import differing_blocks


def test_models_that_cut_alike_differ_where_their_labels_do() -> None:
    for page in demo_pages()[::9]:
        first, second = (extractor_of(name).extract(page.html) for name in ("default", "thresholds"))
        found = differing_blocks(first, second)
        expected = [one.index for one, other in zip(first.blocks, second.blocks, strict=True) if one.kept != other.kept]
        assert found["first"]["differing"] == found["second"]["differing"] == expected
        assert found["first"]["kept"] == sum(block.kept for block in first.blocks)


def test_models_that_cut_differently_are_compared_by_markup() -> None:
    for page in demo_pages()[::9]:
        first, second = (extractor_of(name).extract(page.html) for name in ("default", "ziegler2007"))
        found = differing_blocks(first, second)
        kept = {block.index for block in first.blocks if block.kept}
        agreeing = kept - set(found["first"]["differing"])
        for index in agreeing:
            words = first.blocks[index].text.split()
            assert sum(word in second.text for word in words) >= len(words) / 2


@pytest.mark.parametrize("html", ["", "<p>Text"])
def test_small_pages(html: str) -> None:
    extraction = extractor_of("default").extract(html)
    found = differing_blocks(extraction, extraction)
    assert found["first"]["differing"] == []
    assert found["agreement"] == (1.0 if extraction.text else None)
