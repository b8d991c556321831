"""Features of blocks from a rendering."""

import numpy as np
import pytest

from experiments.vips.layout import RenderedPage
from experiments.vips.rendered_features import LAYOUT, VIPS_BLOCK, VISIBILITY, RenderedBlocks
from experiments.vips.structure import segment
from laid_out import Box, page, paragraph, text

HEADLINE, BODY = "A headline of words", "The text of the article goes on for a while here"
HIDDEN = "Only for some readers"
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


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("found", [1, 1, 1, 0]),
        ("visible", [1, 1, 0, 0]),
        ("left", [0, 0.25, 0, 0]),
        ("width", [0.5, 0.5, 0, 0]),
        ("centre_distance", [0.25, 0, 0, 0]),
        ("top", [0, 0.75, 0, 0]),
        ("above_fold", [1, 0, 0, 0]),
        ("font_size", [2, 1, 0, 0]),  # the body's is 16 pixels
        ("bold", [1, 0, 0, 0]),
        ("column_distance", [0.25, 0, 0, 0]),
        ("column_overlap", [320 / 960, 1, 0, 0]),
        ("other_background", [0, 0, 0, 0]),
        ("leaf_words", [np.log(5), np.log(12), 0, 0]),
        ("leaf_share", [4 / 15, 11 / 15, 0, 0]),
    ],
)
def test_a_feature_of_place_font_and_leaf(matrix: dict[str, np.ndarray], name: str, values: list[float]) -> None:
    assert matrix[name].tolist() == pytest.approx(values)


def test_the_degree_of_the_leaf(matrix: dict[str, np.ndarray]) -> None:
    assert (matrix["leaf_degree"][:2] >= 8).all()


def test_a_page_that_shows_nothing() -> None:
    assert not RenderedBlocks.of(BLOCKS, RenderedPage("test", "empty", "digest")).matrix().any()


def test_hidden_blocks_are_told_and_unknown_ones_count_as_seen() -> None:
    assert RenderedBlocks.of(BLOCKS, rendering()).seen().tolist() == [True, True, False, True]
