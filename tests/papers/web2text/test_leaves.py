import numpy as np
import pytest

from blockfeat.papers.web2text.leaves import Leaf, count_leaves, leaf_table
from leaves_of import leaves_of

AT = Leaf()


def counts(html, lang="en"):
    measured = leaves_of(html, lang)
    return count_leaves(measured.blocks, measured.stop_words)


def test_leaves_are_text_nodes():
    html = "<head><title>No</title></head><p>A <b>bold</b> word<br>and a line</p><select><option>No</option></select>"
    assert leaves_of(html).blocks.texts() == ["A", "bold", "word", "and a line"]


def test_a_select_that_was_never_closed_does_not_swallow_the_page():
    html = "<select><option>One</option><p>A paragraph that follows.</p><p>Another one.</p>"
    assert "A paragraph that follows." in leaves_of(html).blocks.texts()


def test_text_only_in_noscript_is_used():
    words = " ".join(["word"] * 120)
    assert leaves_of(f"<noscript><p>{words}</p></noscript>").blocks.texts() == [words]


@pytest.mark.parametrize(
    ("text", "column", "wanted"),
    [
        ("Four words are here", AT.words, 4),
        ("Four  words\n are   here", AT.characters, 19),
        ("abc de", AT.word_characters, 5),
        ("Wait, what? No!", AT.punctuation, 3),
        ("等等，什么？", AT.punctuation, 2),
        ("room 101, floor 2", AT.digits, 4),
        ("۱۹۹۹ و ۲", AT.digits, 5),
        ("Anna met bob and Ċelia", AT.capitalised, 2),
        ("© Zephyrona", AT.copyright, 1),
        ("write to bob@mail.example now", AT.email, 1),
        ("at @ home @you", AT.email, 0),
        ("see https://a.example or http://b.example", AT.address, 2),
        ("a ratio 1://2 and c://", AT.address, 0),
        ("in 1999 and 2004, not 20041 or x200", AT.year, 2),
        ("One here. Two there. Three.", AT.sentences, 3),
    ],
)
def test_counts(text, column, wanted):
    assert counts(f"<p>{text}</p>").counts[0, column] == wanted


def test_counts_stay_in_their_leaf():
    found = counts("<p>a@b.c<b>© 2001</b>x.<i>http://x.example</i>?</p>").counts
    assert found[:, AT.email].tolist() == [1, 0, 0, 0, 0]
    assert found[:, AT.copyright].tolist() == [0, 1, 0, 0, 0]
    assert found[:, AT.year].tolist() == [0, 1, 0, 0, 0]
    assert found[:, AT.address].tolist() == [0, 0, 0, 1, 0]
    assert found[:, AT.punctuation].tolist() == [1, 0, 1, 2, 1]


def test_characters_in_anchors():
    found = counts("<p>out <a>inner <b>both</b></a> out</p>").counts
    assert found[:, AT.anchor_characters].tolist() == [0, 5, 4, 0]


def test_last_characters_skip_white_space():
    found = counts("<p>Really? </p><p>Yes. \n</p><p>no</p>")
    assert found.ends_in_question.tolist() == [True, False, False]
    assert found.ends_in_punctuation.tolist() == [True, True, False]


def test_stop_words_are_in_units_of_prose():
    sentence = "It was built by the fishermen of the town when there was no other light on that part of the coast."
    english = counts(f"<p>{sentence}</p>").counts[0]
    assert 0.7 < english[AT.stop_words] / english[AT.words] < 1.8
    assert counts("<p>Zephyrona Lighthouse Zephyrona</p>").counts[0, AT.stop_words] == 0


def test_sums_over_ranges():
    found = counts("<p>a b</p><p>c</p><p>d e f</p>")
    sums = found.sums(np.array([0, 1]), np.array([3, 2]))
    assert sums[:, AT.words].tolist() == [6, 1]


def test_the_table_makes_every_element_a_boundary():
    table = leaf_table()
    assert table.other == "boundary"
    assert set(table.operations.values()) == {"prune"}
