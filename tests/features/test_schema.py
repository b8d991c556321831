"""The paper's eight features on small pages, worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from blockfeat.blocks.table import Blocks
from blockfeat.features.measuring import feature_matrix
from blockfeat.features.schema import CANONICAL, CANONICAL_NAMES, PAPER_STOP_WORD_RATIO, Measured
from blockfeat.lang.stopwords import StopWordIndex, density, stop_word_ratios
from blocks_of import blocks_of

INDEX = StopWordIndex.build(["en", "de"])
NAMES = (
    "average_sentence_length",
    "sentence_count",
    "character_distribution",
    "stop_word_ratio",
    "anchor_ratio",
    "format_tag_ratio",
    "list_element_ratio",
    "text_structuring_ratio",
)


@dataclass(frozen=True)
class Measures:
    """Feature values of a page by name."""

    blocks: Blocks
    matrix: np.ndarray

    def of(self, name: str) -> list[float]:
        values: list[float] = self.matrix[:, NAMES.index(name)].tolist()
        return values


def measure(body: str, table: str, languages: tuple[str, ...] = ("en",)) -> Measures:
    blocks = blocks_of(f"<html><body>{body}</body></html>", table)
    measured = Measured(blocks, stop_word_ratios(blocks.measures, INDEX, languages))
    return Measures(blocks, feature_matrix(CANONICAL, measured))


# 10 words, 2 sentences; 42 of 44 characters; stop words it, was, the, is, on; 3 of 10 words linked.
PARAGRAPH = "<p>It <b>was</b> cold <a href=x>near the harbour</a>.<br>The <i>ice</i> is thick.</p>"
# 4 words, 4 linked, no stop word, 1 list and 2 items; its stop-less texts are sentences.
MENU = "<ul><li><a href=1>Sports cars</a></li><li><a href=2>Cheap tickets</a></li></ul>"


def test_names_and_bounds() -> None:
    assert CANONICAL_NAMES == NAMES
    bounds = {feature.name: feature.bound for feature in CANONICAL}
    assert {name for name, bound in bounds.items() if bound == "maximum"} == {
        "anchor_ratio",
        "list_element_ratio",
    }
    assert set(bounds.values()) == {"minimum", "maximum"}
    assert all(feature.low < feature.high and feature.title and feature.unit for feature in CANONICAL)


def test_html5_by_hand() -> None:
    page = measure(PARAGRAPH + MENU, "html5")
    text = "It was cold near the harbour. The ice is thick."
    assert page.blocks.texts() == [text, "Sports cars", "Cheap tickets"]
    letters = sum(character.isalnum() for character in text)
    assert letters == len(text.replace(" ", "")) - 2
    assert page.of("average_sentence_length") == [5.0, 2.0, 2.0]
    assert page.of("sentence_count") == [2.0, 1.0, 1.0]
    assert page.of("character_distribution") == [letters / (letters + 2), 1.0, 1.0]
    assert page.of("stop_word_ratio") == pytest.approx([0.5 / density("en"), 0.0, 0.0])
    assert page.of("anchor_ratio") == [0.3, 1.0, 1.0]
    assert page.of("format_tag_ratio") == [0.2, 0.0, 0.0]
    assert page.of("list_element_ratio") == [0.0, 2 / 2, 1 / 2]
    assert page.of("text_structuring_ratio") == [0.2, 0.0, 0.0]


def test_ziegler2007_by_hand() -> None:
    page = measure(PARAGRAPH + MENU, "ziegler2007")
    text = "It was cold near the harbour. The ice is thick. Sports cars Cheap tickets"
    assert page.blocks.texts() == [text]
    letters = sum(character.isalnum() for character in text)
    assert page.of("average_sentence_length") == pytest.approx([14 / 3])
    assert page.of("sentence_count") == [3.0]
    assert page.of("character_distribution") == pytest.approx([letters / (letters + 2)])
    assert page.of("stop_word_ratio") == pytest.approx([5 / 14 / density("en")])
    assert page.of("anchor_ratio") == pytest.approx([7 / 14])
    assert page.of("format_tag_ratio") == pytest.approx([2 / 14])
    assert page.of("list_element_ratio") == pytest.approx([3 / 14])
    assert page.of("text_structuring_ratio") == pytest.approx([2 / 14])


def test_table_cells_of_2007_are_blocks_of_their_own() -> None:
    body = f"<table><tr><td>{MENU}</td><td><h2>Ice</h2>{PARAGRAPH}</td></tr></table>"
    page = measure(body, "ziegler2007")
    assert page.of("sentence_count") == [1.0, 2.0]
    assert page.of("average_sentence_length") == [4.0, 5.5]
    assert page.of("anchor_ratio") == pytest.approx([1.0, 3 / 11])
    assert page.of("list_element_ratio") == pytest.approx([3 / 4, 0.0])
    assert page.of("text_structuring_ratio") == pytest.approx([0.0, 3 / 11])


@pytest.mark.parametrize("table", ["html5", "ziegler2007"])
def test_text_without_words_gives_zeros(table: str) -> None:
    page = measure("<p>*** | !!!</p>", table)
    structure = page.of("text_structuring_ratio")
    assert page.of("average_sentence_length") == [0.0]
    assert page.of("character_distribution") == [0.0]
    assert page.of("stop_word_ratio") == page.of("anchor_ratio") == [0.0]
    assert np.isfinite(structure).all()


def test_stop_word_ratio_takes_the_best_language() -> None:
    page = measure("<p>Der Hund und die Katze</p><p>The dog and the cat</p>", "html5", ("en", "de"))
    assert page.of("stop_word_ratio") == pytest.approx([0.6 / density("de"), 0.6 / density("en")])


def test_a_page_without_blocks_has_no_rows() -> None:
    assert measure("", "html5").matrix.shape == (0, 8)


def test_the_stop_word_ratio_of_the_paper_is_by_the_other_words() -> None:
    blocks = blocks_of("<p>The cat and the dog</p><p>Der Hund</p><p>the and</p><p>Kiosk 24</p>")
    measured = Measured(blocks, stop_word_ratios(blocks.measures, INDEX))
    column = feature_matrix([PAPER_STOP_WORD_RATIO], measured)[:, 0]
    assert column.tolist() == pytest.approx([3 / 2, 1.0, 2.0, 0.0])
