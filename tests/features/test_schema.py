"""The paper's eight features on small pages, worked out by hand."""

import pytest

from blockfeat.blocks.table import Blocks
from blockfeat.features.measuring import feature_matrix
from blockfeat.features.schema import CANONICAL, CANONICAL_NAMES, PAPER_STOP_WORD_RATIO, Measured
from blockfeat.lang.stopwords import StopWordIndex, density, stop_word_ratios
from blocks_of import blocks_of

INDEX = StopWordIndex.build(["en", "de"])
NAMES = (
    "average_sentence_length", "sentence_count", "character_distribution", "stop_word_ratio", "anchor_ratio",
    "format_tag_ratio", "list_element_ratio", "text_structuring_ratio",
)  # fmt: skip


def measure(body: str, table: str, languages: tuple[str, ...] = ("en",)) -> tuple[Blocks, dict[str, list[float]]]:
    """Return the blocks of a page, and the feature values of each by name."""
    blocks = blocks_of(f"<html><body>{body}</body></html>", table)
    measured = Measured(blocks, stop_word_ratios(blocks.measures, INDEX, languages))
    columns = feature_matrix(CANONICAL, measured).T
    return blocks, {name: pytest.approx(column.tolist()) for name, column in zip(NAMES, columns, strict=True)}


# 10 words, 2 sentences; 42 of 44 characters; stop words it, was, the, is, on; 3 of 10 words linked.
PARAGRAPH = "<p>It <b>was</b> cold <a href=x>near the harbour</a>.<br>The <i>ice</i> is thick.</p>"
# 4 words, 4 linked, no stop word, 1 list and 2 items; its stop-less texts are sentences.
MENU = "<ul><li><a href=1>Sports cars</a></li><li><a href=2>Cheap tickets</a></li></ul>"


def test_names_and_bounds() -> None:
    assert CANONICAL_NAMES == NAMES
    bounds = {feature.name: feature.bound for feature in CANONICAL}
    assert [name for name, bound in bounds.items() if bound == "maximum"] == ["anchor_ratio", "list_element_ratio"]
    assert set(bounds.values()) == {"minimum", "maximum"}
    assert all(feature.low < feature.high and feature.title and feature.unit for feature in CANONICAL)


def test_html5_by_hand() -> None:
    blocks, values = measure(PARAGRAPH + MENU, "html5")
    text = "It was cold near the harbour. The ice is thick."
    assert blocks.texts() == [text, "Sports cars", "Cheap tickets"]
    letters = sum(character.isalnum() for character in text)
    assert letters == len(text.replace(" ", "")) - 2
    assert values == {
        "average_sentence_length": [5.0, 2.0, 2.0],
        "sentence_count": [2.0, 1.0, 1.0],
        "character_distribution": [letters / (letters + 2), 1.0, 1.0],
        "stop_word_ratio": [0.5 / density("en"), 0.0, 0.0],
        "anchor_ratio": [0.3, 1.0, 1.0],
        "format_tag_ratio": [0.2, 0.0, 0.0],
        "list_element_ratio": [0.0, 2 / 2, 1 / 2],
        "text_structuring_ratio": [0.2, 0.0, 0.0],
    }


def test_ziegler2007_by_hand() -> None:
    blocks, values = measure(PARAGRAPH + MENU, "ziegler2007")
    text = "It was cold near the harbour. The ice is thick. Sports cars Cheap tickets"
    assert blocks.texts() == [text]
    letters = sum(character.isalnum() for character in text)
    ratios = [letters / (letters + 2), 5 / 14 / density("en"), 7 / 14, 2 / 14, 3 / 14, 2 / 14]
    assert values == {name: [value] for name, value in zip(NAMES, [14 / 3, 3.0, *ratios], strict=True)}


def test_table_cells_of_2007_are_blocks_of_their_own() -> None:
    _, values = measure(f"<table><tr><td>{MENU}</td><td><h2>Ice</h2>{PARAGRAPH}</td></tr></table>", "ziegler2007")
    assert (
        values
        | {
            "sentence_count": [1.0, 2.0],
            "average_sentence_length": [4.0, 5.5],
            "anchor_ratio": [1.0, 3 / 11],
            "list_element_ratio": [3 / 4, 0.0],
            "text_structuring_ratio": [0.0, 3 / 11],
        }
        == values
    )


@pytest.mark.parametrize("table", ["html5", "ziegler2007"])
def test_text_without_words_gives_zeros(table: str) -> None:
    _, values = measure("<p>*** | !!!</p>", table)
    zeros = ("average_sentence_length", "character_distribution", "stop_word_ratio", "anchor_ratio")
    assert values | {name: [0.0] for name in zeros} == values
    assert values["text_structuring_ratio"] == [1.0]


def test_the_stop_word_ratio_of_the_paper_is_by_the_other_words() -> None:
    blocks = blocks_of("<p>The cat and the dog</p><p>Der Hund</p><p>the and</p><p>Kiosk 24</p>")
    measured = Measured(blocks, stop_word_ratios(blocks.measures, INDEX))
    column = feature_matrix([PAPER_STOP_WORD_RATIO], measured)[:, 0]
    assert column.tolist() == pytest.approx([3 / 2, 1.0, 2.0, 0.0])
