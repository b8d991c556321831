from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.papers.web2text.leaves import CollapsedDom, Leaf, class_paths, count_leaves
from leaves_of import leaves_of

AT = Leaf


def counts(html, lang="en"):
    measured = leaves_of(html, lang)
    return count_leaves(measured.blocks, measured.stop_words)


WORDS = "word " * 119 + "word"


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<head><title>No</title></head><p>A <b>bold</b> word<br>and a line</p>", ["A", "bold", "word", "and a line"]),
        ("<p>One</p><select><option>No</option></select>", ["One"]),
        (f"<noscript><p>{WORDS}</p></noscript>", [WORDS]),  # where there is no other text
    ],
)
def test_leaves_are_text_nodes(html, texts):
    assert leaves_of(html).blocks.texts() == texts


def test_a_select_that_was_never_closed_does_not_swallow_the_page():
    html = "<select><option>One</option><p>A paragraph that follows.</p><p>Another one.</p>"
    assert "A paragraph that follows." in leaves_of(html).blocks.texts()


@pytest.mark.parametrize(
    ("text", "column", "wanted"),
    [
        *(("Four words are here", AT.words, 4), ("Four  words\n are   here", AT.characters, 19)),
        *(("abc de", AT.word_characters, 5), ("Wait, what? No!", AT.punctuation, 3)),
        *(("等等，什么？", AT.punctuation, 2), ("room 101, floor 2", AT.digits, 4), ("۱۹۹۹ و ۲", AT.digits, 5)),
        *(("Anna met bob and Ċelia", AT.capitalised, 2), ("© Zephyrona", AT.copyright, 1)),
        *(("write to bob@mail.example now", AT.email, 1), ("at @ home @you", AT.email, 0)),
        *(("see https://a.example or http://b.example", AT.address, 2), ("a ratio 1://2 and c://", AT.address, 0)),
        *(("in 1999 and 2004, not 20041 or x200", AT.year, 2), ("One here. Two there. Three.", AT.sentences, 3)),
    ],
)
def test_counts(text, column, wanted):
    assert counts(f"<p>{text}</p>").counts[0, column] == wanted


def test_counts_stay_in_their_leaf():
    found = counts("<p>a@b.c<b>© 2001</b>x.<i>http://x.example</i>?</p>").counts
    assert (found[:, AT.email].tolist(), found[:, AT.copyright].tolist()) == ([1, 0, 0, 0, 0], [0, 1, 0, 0, 0])
    assert (found[:, AT.year].tolist(), found[:, AT.address].tolist()) == ([0, 1, 0, 0, 0], [0, 0, 0, 1, 0])
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


def paths(html):
    return class_paths(leaves_of(html).blocks).tolist()


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        *(("<p>a</p>", "<p>b</p>", True), ('<p class="one two">a</p>', '<p class="one two">b</p>', True)),
        ('<p id="x" class="k">a</p>', '<p class="k" title="y">b</p>', True),
        ('<div class="k"><p>a</p></div>', '<div class="k"><p>b</p></div>', True),
        (f'<p class="{"long" * 50}">a</p>', f'<p class="{"long" * 50}">b</p>', True),
        *(("<p>a</p>", "<div>b</div>", False), ('<p class="k">a</p>', "<p>b</p>", False)),
        ('<p class="k">a</p>', '<p class="l">b</p>', False),
        ('<p class="abcdefgh1">a</p>', '<p class="abcdefgh2">b</p>', False),
        ('<p class="1abcdefghijklmnopq">a</p>', '<p class="2abcdefghijklmnopq">b</p>', False),
        ("<div><p>a</p></div>", "<p>b</p>", False),
        ('<div class="k"><p class="l">a</p></div>', '<div class="l"><p class="k">b</p></div>', False),
        ('<p class="k">a</p>', "<p title=' class=\"k\"'>b</p>", False),
    ],
)
def test_paths_are_tags_and_classes(one, two, same):
    first, second = paths(one + two)
    assert (first == second) == same


def test_the_place_on_the_page_does_not_matter():
    found = paths('<p>x class="k" y</p><div class="k">a<b>b</b>c</div><hr><div class="k">d</div>')
    assert found[1] == found[3] == found[4]
    assert found[2] not in (found[0], found[1])


TREES = st.recursive(st.just("word"), lambda children: st.lists(children, max_size=4), max_leaves=20)


def markup(tree):
    if isinstance(tree, str):
        return tree
    return "<div>" + "<br>".join(markup(child) for child in tree) + "</div>"


def collapse(tree):
    """Drop empty nodes and merge nodes with one child, by the definition of the paper."""
    if isinstance(tree, str):
        return tree
    children = [found for found in map(collapse, tree) if found is not None]
    if not children:
        return None
    return children[0] if len(children) == 1 else children


def ancestors_of_leaves(tree, above=()):
    if isinstance(tree, str):
        return [above]
    return [found for child in tree for found in ancestors_of_leaves(child, (*above, id(tree)))]


@given(st.lists(TREES, max_size=5))
def test_the_tree_is_that_of_the_definition(tree):
    root = collapse(tree)
    dom = CollapsedDom.of(leaves_of(markup(tree)).blocks)
    above = [] if root is None else ancestors_of_leaves(root)
    assert dom.leaf_parent.size == len(above)
    if len(above) < 2:
        assert dom.leaf_parent.tolist() == [-1] * len(above)
        return
    assert (dom.depth[dom.leaf_parent] + 1).tolist() == [len(found) for found in above]
    nodes = [found[-1] for found in above]
    same = [[one == two for two in nodes] for one in nodes]
    assert (dom.leaf_parent[:, None] == dom.leaf_parent[None, :]).tolist() == same
    pairs = list(pairwise(above))
    shared = [sum(a == b for a, b in zip(one, two, strict=False)) for one, two in pairs]
    assert (dom.depth[dom.common] + 1).tolist() == shared
    apart = [len(one) + len(two) - 2 * (common - 1) for (one, two), common in zip(pairs, shared, strict=True)]
    assert dom.distances().tolist() == apart


def test_the_example_of_the_paper():
    html = "<ul><li><a>One</a></li><li><b><a>Two</a></b></li></ul><p>Three <i>four</i></p>"
    dom = CollapsedDom.of(leaves_of(html).blocks)
    # Root, list and paragraph are nodes; list elements belong to their leaves.
    assert list(zip(dom.first.tolist(), dom.end.tolist(), strict=True)) == [(0, 4), (0, 2), (2, 4)]
    assert (dom.parent.tolist(), dom.distances().tolist()) == ([-1, 0, 0], [2, 4, 2])


def test_deep_nesting_is_one_node():
    dom = CollapsedDom.of(leaves_of("<div>" * 300 + "a<br>b" + "</div>" * 300).blocks)
    assert dom.first.size == 1
    assert np.all(dom.leaf_parent == 0)
