"""From a page to its features and its language."""

import pickle

import numpy as np
import pytest

from blockfeat.blocks import Blockifier, load_table
from blockfeat.errors import ModelError
from blockfeat.features.measuring import PAPER_LANGUAGES, FeatureExtractor, features_named
from blockfeat.features.schema import CANONICAL, CANONICAL_NAMES, NamedRow
from blockfeat.lang import FastTokenizer, Identifier, StopWordIndex, available_languages, density
from blockfeat.page.page import Page

INDEX = StopWordIndex.build(["en", "de", "fr"])
GERMAN = (
    "Der alte Leuchtturm steht seit vielen Jahren auf der Insel, und die Fischer sagen, dass er ihnen in "
    "jeder Nacht den Weg nach Hause gezeigt hat."
)
ENGLISH = (
    "The old lighthouse has stood on the island for many years, and the fishermen say that it has shown "
    "them the way home on every night of the winter."
)
BANNER = "<div>The and of it is was on to by from with at</div>"


def measurer(**options: object) -> FeatureExtractor:
    values = {
        "cutter": Blockifier.of(load_table("html5")),
        "features": CANONICAL,
        "identifier": Identifier.build(INDEX),
    }
    return FeatureExtractor(**(values | options))  # type: ignore[arg-type]


def test_matrix_has_a_row_for_each_block_and_a_column_for_each_feature() -> None:
    chosen = features_named(["anchor_ratio", "sentence_count"])
    measured = measurer(features=chosen).measure(Page.parse(f"<p>{GERMAN}</p><p><a href=x>Mehr</a></p>"))
    assert (measured.matrix.tolist(), len(measured.blocks)) == ([[0.0, 1.0], [1.0, 1.0]], 2)


MENU = "".join(f"<li><a href=x>The {word} and of it</a></li>" for word in "abcdefgh")


@pytest.mark.parametrize(
    ("html", "options", "lang"),
    [
        (f"<p>{GERMAN}</p>", {}, "de"),
        (f"<p>{ENGLISH}</p>", {}, "en"),
        (f"<ul>{MENU}</ul><p>{GERMAN}</p>", {}, "de"),  # by the prose, not by menus
        ("<html lang=fr-CA><body></body></html>", {}, "fr"),
        ("", {}, None),
        # A page in none of the languages asked for keeps its own.
        (f"<p>{GERMAN}</p>", {"languages": ("en", "fr")}, "de"),
        (f"<p>{GERMAN}</p>", {"languages": ("en", "de")}, "de"),
    ],
)
def test_the_language_of_a_page(html: str, options: dict[str, object], lang: str | None) -> None:
    measured = measurer(**options).measure(Page.parse(html))
    assert (measured.lang, measured.matrix.shape) == (lang, (len(measured.blocks), 8))


def test_language_that_the_caller_knows_wins() -> None:
    measured = measurer().measure(Page.parse(f"<p>{GERMAN}</p>"), lang="en-US")
    assert (measured.lang, measured.stop_words.languages) == ("en", ("en",))


def test_scope_page_counts_stop_words_of_the_pages_language() -> None:
    page = Page.parse(f"<p>{GERMAN}</p>{BANNER}")
    by_page = measurer().measure(page)
    assert by_page.stop_words.languages == ("de",)
    by_block = measurer(stop_word_scope="block", languages=("de", "en")).measure(page)
    assert (by_block.stop_words.languages, by_block.stop_words.language.tolist()) == (("de", "en"), [0, 1])
    assert by_block.stop_words.ratio[1] > by_page.stop_words.ratio[1]
    column = CANONICAL_NAMES.index("stop_word_ratio")
    expected = by_block.stop_words.ratio / [density("de"), density("en")]
    assert np.allclose(by_block.matrix[:, column], expected)


def test_a_language_without_a_stop_list_falls_back_on_those_asked_for() -> None:
    page = Page.parse(f"<p>{GERMAN}</p>")
    assert measurer().measure(page, lang="cy").stop_words.languages == INDEX.languages
    asked = measurer(languages=("de", "tr")).measure(page, lang="cy")
    assert asked.stop_words.languages == ("de",)


def test_unknown_scope_and_unknown_feature_are_errors() -> None:
    with pytest.raises(ModelError, match="unknown scope of stop words 'word'; known are page, block, ziegler2007"):
        measurer(stop_word_scope="word")
    with pytest.raises(ModelError, match="unknown feature 'colour'; the closest names are"):
        features_named(["colour"])


def test_features_by_name_keep_the_order_asked_for() -> None:
    assert [feature.name for feature in features_named(CANONICAL_NAMES[::-1])] == list(CANONICAL_NAMES[::-1])
    assert [feature.sign for feature in features_named(["anchor_ratio", "sentence_count"])] == [-1.0, 1.0]


def test_segmenter_is_recorded_with_the_blocks() -> None:
    assert measurer(segmenter=FastTokenizer("other")).measure(Page.parse("<p>x")).blocks.segmenter == "other"


def test_the_scope_of_the_paper_is_the_argmax_over_its_fourteen_languages() -> None:
    page = Page.parse("<p>Der Hund und die Katze waren im Haus</p><p>The dog and the cat were in the house</p>")
    index = StopWordIndex.build((*PAPER_LANGUAGES, "ro"))
    found = measurer(identifier=Identifier.build(index), stop_word_scope="ziegler2007", languages=("ro",)).measure(page)
    assert found.stop_words.languages == PAPER_LANGUAGES
    assert [PAPER_LANGUAGES[place] for place in found.stop_words.language.tolist()] == ["de", "en"]


MATRIX = np.array([[1.0, 2.0], [0.5, -3.0]], dtype=np.float32)
ROW = NamedRow(MATRIX, {"words": 0, "links": 1}, 1)


def test_it_is_a_mapping_of_plain_numbers() -> None:
    assert ROW == {"words": 0.5, "links": -3.0} == dict(ROW)
    assert (list(ROW), len(ROW)) == (["words", "links"], 2)
    assert type(ROW["links"]) is float
    assert repr(ROW) == "{'words': 0.5, 'links': -3.0}"


def test_an_unknown_name_is_a_key_error() -> None:
    assert "tags" not in ROW
    with pytest.raises(KeyError):
        ROW["tags"]


def test_rows_share_their_matrix_when_they_are_sent_to_another_process() -> None:
    matrix = np.zeros((1_000, 50), dtype=np.float32)
    rows = NamedRow.rows(matrix, [str(place) for place in range(50)])
    assert len(pickle.dumps(rows)) < matrix.nbytes + 100_000
    assert pickle.loads(pickle.dumps(rows))[3] == rows[3]


def test_paper_languages_are_fourteen_and_available() -> None:
    assert len(set(PAPER_LANGUAGES)) == 14
    assert {"en", "de", "es", "fr", "it"} <= set(PAPER_LANGUAGES) <= set(available_languages())
