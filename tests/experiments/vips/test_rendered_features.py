"""Features of blocks from a rendering."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.vips.layout import RenderedPage
from experiments.vips.rendered_features import LAYOUT, VIPS_BLOCK, VISIBILITY, RenderedBlocks
from experiments.vips.structure import segment
from laid_out import Box, page, paragraph, text

HEADLINE, BODY, HIDDEN = (
    "A headline of words",
    "The text of the article goes on for a while here",
    "Only for some readers",
)
BLOCKS = (HEADLINE, BODY, HIDDEN, "Written by a script, not there")
NAMES = (*VISIBILITY, *LAYOUT, *VIPS_BLOCK)


def rendering() -> RenderedPage:
    hidden = Box("p", (0, 0, 0, 0), [Box("#text", (0, 0, 0, 0), text=HIDDEN, visible=False)], visible=False)
    heading = Box("h1", (0, 0, 640, 40), [text((0, 0, 300, 40), HEADLINE, size=32, weight=700)])
    return page(Box("body", (0, 0, 1280, 2000), [heading, paragraph((320, 1500, 640, 80), BODY), hidden]))


@pytest.fixture(scope="module")
def matrix() -> dict[str, np.ndarray]:
    rendered = rendering()
    found = RenderedBlocks.of(BLOCKS, rendered).matrix(segment(rendered))
    assert found.shape == (4, len(NAMES))
    return dict(zip(NAMES, found.T, strict=True))


def test_words_are_found_and_hidden_ones_known(matrix: dict[str, np.ndarray]) -> None:
    assert matrix["found"].tolist() == [1, 1, 1, 0]
    assert matrix["visible"].tolist() == [1, 1, 0, 0]


def test_place_and_font(matrix: dict[str, np.ndarray]) -> None:
    assert matrix["left"].tolist() == [0, 0.25, 0, 0]
    assert matrix["width"].tolist() == [0.5, 0.5, 0, 0]
    assert matrix["centre_distance"].tolist() == [0.25, 0, 0, 0]
    assert matrix["top"].tolist() == [0, 0.75, 0, 0]
    assert matrix["above_fold"].tolist() == [1, 0, 0, 0]
    assert matrix["font_size"].tolist() == [2, 1, 0, 0]  # the body's is 16 pixels
    assert matrix["bold"].tolist() == [1, 0, 0, 0]
    assert matrix["column_distance"].tolist() == [0.25, 0, 0, 0]
    assert matrix["column_overlap"].tolist() == pytest.approx([320 / 960, 1, 0, 0])
    assert matrix["other_background"].tolist() == [0, 0, 0, 0]


def test_the_leaf_of_the_content_structure(matrix: dict[str, np.ndarray]) -> None:
    assert matrix["leaf_words"].tolist() == pytest.approx([np.log(5), np.log(12), 0, 0])
    assert matrix["leaf_share"].tolist() == pytest.approx([4 / 15, 11 / 15, 0, 0])
    assert (matrix["leaf_degree"][:2] >= 8).all()


def test_a_page_that_shows_nothing() -> None:
    assert not RenderedBlocks.of(BLOCKS, RenderedPage("test", "empty", "digest")).matrix().any()


def test_hidden_blocks_are_told_and_unknown_ones_count_as_seen() -> None:
    assert RenderedBlocks.of(BLOCKS, rendering()).seen().tolist() == [True, True, False, True]
