"""Words and sentences: the same compiled and uncompiled, and as their definitions say."""

from bisect import bisect_left
from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.data import demo_pages
from blockfeat.lang import PageText, StopWordIndex, tokenize
from blockfeat.lang.characters import ALPHANUMERIC, CLOSER, LOWERCASE, SPACE, STOP, character_classes
from blockfeat.lang.counting import COUNTED, CountedText, count_text, sentence_ends, word_spans, words_in
from blockfeat.lang.measures import code_points, keys_of_words
from blockfeat.lang.stopwords import stop_word_lists
from blockfeat.lang.word_keys import (
    best_score,
    keys_of_spans,
    mark_sequences,
    masks_of_keys,
    prose_sample,
    shares_by_block,
)
from blocks_of import blocks_of
from page_text_of import page_text_of
from uncompiled import load_uncompiled

SENTENCES = st.text("aB1. .!?)”。é\u0301我…\n", max_size=25)


def test_compiled_and_uncompiled_count_the_same() -> None:
    plain = load_uncompiled("blockfeat.lang.counting")
    for page in demo_pages():
        text = blocks_of(page.html).page_text
        starts, ends = word_spans(text.classes)
        assert [places.tolist() for places in plain.word_spans(text.classes)] == [starts.tolist(), ends.tolist()]
        words = [found.tolist() for found in words_in(text.text.lower(), character_classes())]
        assert [found.tolist() for found in plain.words_in(text.text.lower(), character_classes())] == words
        sentences = sentence_ends(text.codes, text.classes, text.block_ends)
        assert plain.sentence_ends(text.codes, text.classes, text.block_ends).tolist() == sentences.tolist()
        found, expected = counted(text), counted(text, plain.count_text)
        assert (all_counts(expected), expected.keys.tolist()) == (all_counts(found), found.keys.tolist())
        assert expected.has_controls == found.has_controls


def counted(text: PageText, count: Callable[..., CountedText] = count_text) -> CountedText:
    """Return what one pass over a page's text finds; small letters stand for the capitals of ASCII alone."""
    lower_case = code_points(bytes(range(128)).decode().lower())
    return count(text.codes, text.classes, text.block_ends, text.pieces, lower_case)


def all_counts(found: CountedText) -> dict[str, list[int]]:
    """Return every count of a page's text."""
    return {name: column.tolist() for name, column in zip(COUNTED, found.counts, strict=True)}


def test_compiled_and_uncompiled_give_the_same_keys_and_masks() -> None:
    plain = load_uncompiled("blockfeat.lang.word_keys")
    index = StopWordIndex.build(["en", "de", "ru"])
    for page in demo_pages():
        text = blocks_of(page.html).page_text
        spans = word_spans(text.classes)
        keys = keys_of_spans(text.codes, *spans)
        assert plain.keys_of_spans(text.codes, *spans).tolist() == keys.tolist()
        masks = masks_of_keys(keys, index.keys, index.masks, index.buckets)
        assert plain.masks_of_keys(keys, index.keys, index.masks, index.buckets).tolist() == masks.tolist()


def test_compiled_and_uncompiled_mark_the_same_sequences() -> None:
    plain = load_uncompiled("blockfeat.lang.word_keys")
    entries = sorted((ord("a") << 42, ord("b") << 42 | ord("c") << 21, ord("b") << 42 | ord("c") << 21 | ord("d")))
    sequences, codes = np.array(entries, dtype=np.uint64), code_points("abxbcbcdczb")
    firsts = np.array([bisect_left(entries, code << 42) for code in range(ord("b") + 2)], dtype=np.int32)
    found = mark_sequences(codes, sequences, firsts)
    assert found.tolist() == [mark == "1" for mark in "10011111000"]
    assert plain.mark_sequences(codes, sequences, firsts).tolist() == found.tolist()


def plain_sentences(block: str) -> int:
    """Count the sentences of a block by their definition."""
    classes = [int(character_classes()[ord(character)]) for character in block]
    parts, begin = [], 0
    for place, character in enumerate(block):
        if not classes[place] & STOP:
            continue
        behind = place + 1
        while behind < min(place + 5, len(block)) and classes[behind] & (STOP | CLOSER):
            behind += 1
        following = next((bits for bits in classes[behind:] if not bits & SPACE), None)
        before = 0
        while before < place and classes[place - before - 1] & ALPHANUMERIC:
            before += 1
        is_short = before == 1 or (before == 2 and block[place - 1] in "0123456789")
        is_abbreviation = character == "." and following is not None and (is_short or bool(following & LOWERCASE))
        is_spaced = behind == len(block) or bool(classes[behind] & SPACE)
        if character in "。！？｡．" or (is_spaced and not is_abbreviation):
            parts.append(block[begin:behind])
            begin = behind
    return sum(bool(tokenize(part)) for part in [*parts, block[begin:]])


@given(st.lists(SENTENCES, max_size=4))
def test_sentences_are_counted_as_defined(blocks: list[str]) -> None:
    assert all_counts(counted(page_text_of(blocks)))["sentences"] == [plain_sentences(block) for block in blocks]


@given(st.lists(st.text(max_size=10), max_size=6))
def test_counts_of_any_text_are_possible(blocks: list[str]) -> None:
    counts = counted(page_text_of(blocks)).counts
    assert counts.shape == (len(COUNTED), len(blocks))
    columns = dict(zip(COUNTED, counts, strict=True))
    assert (columns["sentences"] <= columns["words"]).all()
    assert (columns["words"] <= columns["alphanumerics"]).all()
    assert (columns["unspaced_words"] <= columns["words"]).all()
    assert ((columns["sentences"] > 0) == (columns["words"] > 0)).all()


BLOCKS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=8)


@given(BLOCKS, st.integers(1, 12), st.integers(1, 60))
def test_the_sample_of_prose_is_that_of_its_definition(
    blocks: list[tuple[int, int]], fewest_words: int, most_words: int
) -> None:
    words = [count for count, _ in blocks]
    linked = [min(count, anchors) for count, anchors in blocks]
    prose = [i for i in range(len(words)) if words[i] >= fewest_words and 2 * linked[i] <= words[i]]
    prose = prose or [i for i in range(len(words)) if words[i]]
    chosen = [i for place, i in enumerate(prose) if sum(words[j] for j in prose[:place]) < most_words]
    starts = [sum(words[:i]) for i in range(len(words))]
    expected = [word for i in chosen for word in range(starts[i], starts[i] + words[i])]
    sizes, linked_sizes = np.array(words, dtype=np.int32), np.array(linked, dtype=np.int32)
    keys = np.arange(sum(words), dtype=np.uint64)
    found, sample = prose_sample(sizes, linked_sizes, keys, fewest_words=fewest_words, most_words=most_words)
    assert (found.tolist(), sample.tolist()) == (chosen, expected)


@given(st.lists(st.lists(st.sampled_from(["the", "und", "of", "zzz", "я"]), max_size=5), max_size=5))
def test_shares_of_stop_words_equal_a_loop(blocks: list[list[str]]) -> None:
    languages = ("en", "de", "zh")
    index, lists = StopWordIndex.build(languages), stop_word_lists(languages)
    keys = keys_of_words([word for block in blocks for word in block])
    words = np.array([len(block) for block in blocks], dtype=np.int32)
    for column, lang in enumerate(languages):
        shares = [sum(word in lists[lang] for word in block) / max(len(block), 1) for block in blocks]
        assert index.shares(keys, words, column).tolist() == shares
    plain = load_uncompiled("blockfeat.lang.word_keys")
    masks = index.masks_of(keys)
    assert plain.shares_by_block(masks, words, 1).tolist() == shares_by_block(masks, words, 1).tolist()


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.25, 0.5, np.inf])), min_size=1), st.integers(0, 9))
def test_the_best_score_is_that_of_its_definition(languages: list[tuple[int, float]], words: int) -> None:
    counts, densities = [count for count, _ in languages], [density for _, density in languages]
    scores = [count / max(words, 1) / density for count, density in languages]
    most = max((count for count, score in zip(counts, scores, strict=True) if score > 0), default=0)
    expected = (scores.index(max(scores)), max(scores), sorted([*scores, 0.0])[-2], most)
    asked = np.array(counts, dtype=np.int64), words, np.array(densities)
    assert best_score(*asked) == load_uncompiled("blockfeat.lang.word_keys").best_score(*asked) == expected
