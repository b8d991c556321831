from __future__ import annotations

import numpy as np

from blockfeat.data.labels import Marks, label_blocks, role_labels, snippet_labels


def marks(n: int, **given: list[int]) -> Marks:
    made = {name: np.zeros(n, dtype=bool) for name in ("headline", "byline", "caption", "echo")}
    for name, places in given.items():
        made[name][places] = True
    return Marks(**made)


def test_content_by_share_and_low_weight_where_ambiguous():
    found = label_blocks(np.array([1.0, 0.6, 0.4, 0.1]), np.array([30, 30, 30, 30]), marks(4))
    assert found.labels.tolist() == [1, 1, 0, 0]
    assert found.weights.tolist() == [1.0, 0.3, 0.3, 1.0]


def test_headline_and_byline_are_no_content_whatever_the_gold_says():
    share, words = np.array([1.0, 1.0, 1.0]), np.array([6, 4, 40])
    found = label_blocks(share, words, marks(3, headline=[0], byline=[1]))
    assert found.labels.tolist() == [0, 0, 1]
    assert found.weights.tolist() == [1.0, 0.5, 1.0]


def test_short_content_before_the_first_long_block_says_nothing():
    found = label_blocks(np.array([1.0, 1.0, 1.0]), np.array([5, 40, 5]), marks(3))
    assert found.weights.tolist() == [0.0, 1.0, 1.0]


def test_captions_in_the_gold_say_nothing_and_others_are_no_content():
    share, words = np.array([1.0, 1.0, 0.0]), np.array([40, 10, 10])
    found = label_blocks(share, words, marks(3, caption=[1, 2]))
    assert found.weights.tolist() == [1.0, 0.0, 1.0]
    assert found.labels[2] == 0


def test_the_second_of_two_equal_texts_says_nothing():
    found = label_blocks(np.array([1.0, 0.0, 0.0]), np.array([40, 40, 40]), marks(3, echo=[0, 1]))
    assert found.labels.tolist() == [1, 0, 0]
    assert found.weights.tolist() == [1.0, 0.0, 1.0]


def test_a_long_block_marked_as_headline_stays_content():
    assert label_blocks(np.array([1.0]), np.array([200]), marks(1, headline=[0])).labels.tolist() == [1]


def test_snippets_label_the_block_that_alone_has_them():
    texts = ["the lantern festival", "share this page", "share", "the mill and the mill"]
    found = snippet_labels(texts, ("lantern  festival", "the", ""), ("share",))
    assert found.labels.tolist() == [1, 0, 0, 0]
    assert found.weights.tolist() == [1, 1, 1, 0]


def test_no_blocks():
    assert label_blocks(np.zeros(0), np.zeros(0, dtype=np.int64), marks(0)).labels.size == 0
    assert snippet_labels([], ("a",), ()).labels.size == 0


def test_roles_say_what_is_content_and_leave_open_blocks_out():
    found = role_labels(["clutter", "headline", "byline", "content", "caption", None])
    assert found.labels.tolist() == [0, 0, 0, 1, 0, 0]
    assert found.weights.tolist() == [1, 1, 0.5, 1, 1, 0]
