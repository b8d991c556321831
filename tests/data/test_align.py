import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.data import align as module
from blockfeat.data.align import align, align_words
from blocks_of import blocks_of
from property_examples import examples

PAGE = """<body><p>Home News Sport</p><h1>Lantern makers meet</h1>
<p>Every autumn the lantern makers of the valley meet at the old mill by the river.</p>
<p>They bring paper, wire and glue.</p><p>Read also: ten lamps for the garden</p></body>"""
GOLD = """Every autumn the lantern makers of the valley meet at the old mill by the river.
They bring paper, wire and glue."""


def test_blocks_in_the_gold_match_and_others_do_not():
    alignment = align(blocks_of(PAGE), GOLD)
    assert (alignment.share.tolist(), alignment.found) == ([0.0, 0.0, 1.0, 1.0, 0.0], 1.0)


def test_a_partly_quoted_block_has_a_part_of_its_words_matched():
    alignment = align(blocks_of("<p>one two three four five six seven eight</p>"), "one two three four")
    assert alignment.share.tolist() == [0.5]


def test_a_text_that_stands_twice_on_the_page_is_matched_once_and_echoes():
    alignment = align(blocks_of("<p>one two three four</p><p>one two three four</p><p>six</p>"), "one two three four")
    assert (sorted(alignment.share.tolist()), alignment.echo.tolist()) == ([0.0, 0.0, 1.0], [1.0, 1.0, 0.0])


def test_short_chance_matches_do_not_count():
    assert (align_words(["the", "mill", "is", "old"], ["the", "river", "and", "the", "old", "town"]) == -1).all()


def test_runs_may_cross_the_borders_of_blocks():
    alignment = align(blocks_of("<p>Paper.</p><p>Wire.</p><p>Glue.</p>"), "Paper. Wire. Glue.")
    assert alignment.share.tolist() == [1.0, 1.0, 1.0]


def test_a_moved_paragraph_is_rescued():
    first, second = ["a", "b", "c", "d", "e", "f", "g", "h"], ["p", "q", "r", "s", "t", "u"]
    place = align_words(first + second, second + first)
    assert place.tolist() == [*range(6, 14), *range(6)]


def test_a_gold_word_is_used_once():
    place = align_words(["a", "b", "c", "d", "x", "a", "b", "c", "d"], ["a", "b", "c", "d"])
    assert sorted(place[place >= 0].tolist()) == [0, 1, 2, 3]


def test_empty_sides():
    assert (align_words([], ["a"]).size, align_words(["a"], []).tolist()) == (0, [-1])
    assert align(blocks_of("<p>a b</p>"), "").found == 1.0
    assert len(align(blocks_of(""), "some gold").share) == 0


def test_characters_are_words_in_scripts_without_spaces():
    alignment = align(blocks_of("<p>今日の天気は晴れです。</p><p>関連記事</p>"), "今日の天気は晴れです。")
    assert alignment.share.tolist() == [1.0, 0.0]


def test_long_texts_are_cut_at_single_runs_with_the_same_result(monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(1)
    gold = [str(word) for word in rng.integers(0, 5_000, 3_000)]
    page = ["nav"] * 50 + gold[:1_000] + ["ad"] * 20 + gold[1_200:] + ["foot"] * 30
    whole = align_words(page, gold)
    monkeypatch.setattr(module, "_CELLS", 10_000)
    cut = align_words(page, gold)
    assert (cut >= 0).sum() == (whole >= 0).sum() == 2_800


@pytest.mark.slow
def test_texts_of_a_hundred_kilobytes_take_seconds():
    rng = np.random.default_rng(2)
    gold = [str(word) for word in rng.zipf(1.3, 20_000) % 4_000]
    start = time.process_time()
    place = align_words(gold[10_000:] + gold[:10_000], gold)
    assert (place >= 0).mean() > 0.95
    assert time.process_time() - start < 20


@examples(60)
@given(st.lists(st.sampled_from("abcde"), max_size=30), st.lists(st.sampled_from("abcde"), max_size=30))
def test_matched_words_are_equal_and_used_once(words: list[str], gold: list[str]):
    place = align_words(words, gold)
    matched = np.flatnonzero(place >= 0)
    assert all(words[here] == gold[place[here]] for here in matched)
    assert np.unique(place[matched]).size == matched.size
