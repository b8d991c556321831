"""Fitness of masks: equal to the metrics on the text that a mask keeps; term counts: equal to counting with Counter."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks.table import Blocks
from blockfeat.lang.measures import is_term, tokenize
from blockfeat.lang.spacy_segmenter import segmenter_for
from blockfeat.pso.fitness import PageSnippets, PageTerms, SnippetChunk, TextChunk, count_terms, find_snippets
from blockfeat.training.evaluation.metrics import cosine_length_ratio, snippet_scores, word_scores
from blocks_of import blocks_of
from property_examples import examples

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "no", "dog", "我", "们", "24", "7"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
PAGES = st.lists(st.tuples(st.lists(TEXTS, max_size=5), st.one_of(st.just(""), TEXTS)), min_size=1, max_size=4)


def page_of(texts: list[str]) -> Blocks:
    return blocks_of("".join(f"<p>{text}</p>" for text in texts))


def random_masks(sizes: list[int], seed: int, count: int = 7) -> np.ndarray:
    """Random masks beside those that keep nothing and everything."""
    masks = np.random.default_rng(seed).random((sum(sizes), count)) < 0.5
    masks[:, 0], masks[:, 1] = False, True
    return masks.astype(np.float32)


def kept_texts(pages: list[Blocks], mask: np.ndarray) -> list[str]:
    """The kept text of each page under one mask over all their blocks."""
    kept, start = [], 0
    for blocks in pages:
        own = mask[start : start + len(blocks)]
        kept.append("\n\n".join(blocks.texts(np.flatnonzero(own).tolist())))
        start += len(blocks)
    return kept


def assert_fitness_is_the_metric(pages: list[Blocks], golds: list[str], seed: int, metric: str) -> None:
    terms = [count_terms(*page, single_characters=metric == "f1") for page in zip(pages, golds, strict=True)]
    sizes = [len(blocks) for blocks in pages]
    masks = random_masks(sizes, seed)
    found = TextChunk.build(terms, sizes, metric).fitness(masks)
    assert found.shape == (len(pages), masks.shape[1])
    for column in range(masks.shape[1]):
        texts = kept_texts(pages, masks[:, column])
        for row, (text, gold) in enumerate(zip(texts, golds, strict=True)):
            expected = cosine_length_ratio(text, gold) if metric == "cosine" else word_scores(text, gold).f1
            assert found[row, column] == pytest.approx(expected, abs=1e-5)


@examples(60)
@given(PAGES, st.integers(0, 1000), st.sampled_from(["cosine", "f1"]))
def test_text_fitness_equals_the_metric(pages: list[tuple[list[str], str]], seed: int, metric: str) -> None:
    cut = [page_of(texts) for texts, _ in pages]
    golds = [gold for _, gold in pages]
    assert_fitness_is_the_metric(cut, golds, seed, metric)


@pytest.mark.parametrize("metric", ["cosine", "f1"])
def test_long_pages_keep_their_precision(metric: str) -> None:
    texts = ["the cat and the mat " * 400, "dog " * 3_000, "the cat saw a dog"] * 3
    assert_fitness_is_the_metric([page_of(texts)], [" ".join(texts[:1] + texts[2:3])], 4, metric)


SNIPPET = st.sampled_from(["cat", "the cat", "cat  sat", "on a\nmat", "dog", "missing words", " "])
SNIPPETS = st.lists(SNIPPET, max_size=5)
SNIPPET_PAGES = st.lists(st.tuples(st.lists(TEXTS, max_size=5), SNIPPETS, SNIPPETS), min_size=1, max_size=4)


@examples(60)
@given(SNIPPET_PAGES, st.integers(0, 1000))
def test_snippets_equal_a_naive_count(pages: list[tuple[list[str], list[str], list[str]]], seed: int) -> None:
    cut = [page_of(texts) for texts, _, _ in pages]
    sizes = [len(blocks) for blocks in cut]
    found_snippets = [find_snippets(blocks, *page[1:]) for blocks, page in zip(cut, pages, strict=True)]
    masks = random_masks(sizes, seed)
    found = SnippetChunk.build(found_snippets, sizes).fitness(masks)
    assert found.shape == (len(pages), masks.shape[1])
    starts = np.concatenate(([0], np.cumsum(sizes)))
    for row, (blocks, (_, present, absent)) in enumerate(zip(cut, pages, strict=True)):
        for column in range(masks.shape[1]):
            mask = masks[starts[row] : starts[row + 1], column]
            assert found[row, column] == pytest.approx(naive_snippet_f1(blocks, mask, present, absent))


def naive_snippet_f1(blocks: Blocks, mask: np.ndarray, present: list[str], absent: list[str]) -> float:
    """Snippets that some block holds, each looked up in the kept blocks."""

    def judged(snippets: list[str]) -> list[bool]:
        folded = [" ".join(snippet.split()) for snippet in snippets]
        findable = [snippet for snippet in folded if snippet and any(snippet in t for t in blocks.texts())]
        kept = blocks.texts(np.flatnonzero(mask).tolist())
        return [any(snippet in text for text in kept) for snippet in findable]

    wanted, unwanted = judged(present), judged(absent)
    if not wanted:
        return 1 - sum(unwanted) / max(1, len(unwanted))
    hits = sum(wanted)
    return 2 * hits / (hits + len(wanted) + sum(unwanted))


def test_snippet_fitness_equals_the_metric_where_all_snippets_can_be_found() -> None:
    blocks = page_of(["the cat sat", "a dog", "no mat"])
    snippets = find_snippets(blocks, ["cat", "mat"], ["a  dog"])
    assert snippets == PageSnippets(present=((0,), (2,)), absent=((1,),))
    masks = random_masks([3], 1)
    found = SnippetChunk.build([snippets], [3]).fitness(masks)
    for column in range(masks.shape[1]):
        text = kept_texts([blocks], masks[:, column])[0]
        assert found[0, column] == pytest.approx(snippet_scores(text, ["cat", "mat"], ["a dog"]).f1)


TERM_WORDS = st.sampled_from(["a", "be", "be", "see", "我", "们", "ก", "7", "24"])
TERMS_TEXTS = st.lists(TERM_WORDS, min_size=1, max_size=8).map(" ".join)


def counts_of(terms: PageTerms, block: int) -> Counter[tuple[int, int]]:
    """Count of each term of one block beside its gold count."""
    own = terms.block == block
    pairs = zip(terms.count[own].tolist(), terms.gold[terms.row[own]].tolist(), strict=True)
    return Counter((int(count), int(gold)) for count, gold in pairs)


def test_terms_are_longer_than_a_character_or_of_a_script_without_spaces() -> None:
    assert [word for word in ("be", "a", "7", "我", "ก", "é") if is_term(word)] == ["be", "我", "ก"]


@given(st.lists(TERMS_TEXTS, max_size=4), TERMS_TEXTS, st.booleans())
def test_counts_equal_a_counter(texts: list[str], gold: str, single: bool) -> None:
    blocks = blocks_of("".join(f"<p>{text}</p>" for text in texts))
    terms = count_terms(blocks, gold, single_characters=single)

    def bag(text: str) -> Counter[str]:
        return Counter(word for word in tokenize(text) if single or is_term(word))

    golden = bag(gold)
    for number, text in enumerate(texts):
        expected = Counter((count, golden[word]) for word, count in bag(text).items())
        assert counts_of(terms, number) == expected
    assert (terms.row.size, terms.gold_length) == (sum(len(bag(text)) for text in texts), golden.total())
    assert terms.gold_norm == pytest.approx(float(np.sqrt(sum(count**2 for count in golden.values()))))


def test_terms_are_cut_alike_whatever_measures_the_features() -> None:
    pytest.importorskip("spacy", reason="the extra 'spacy' is not installed")
    page = "<p>We don't know 我们 it's 3/4.</p>"
    fast, by_spacy = (blocks_of(page, segmenter=segmenter_for(name, "en")) for name in ("fast", "spacy"))
    assert fast.measures.tokens != by_spacy.measures.tokens
    known, found = (count_terms(blocks, "We don't know it's", single_characters=True) for blocks in (fast, by_spacy))
    assert (found.gold.tolist(), found.count.tolist()) == (known.gold.tolist(), known.count.tolist())


@pytest.mark.parametrize(("html", "gold"), [("", ""), ("", "some gold"), ("<p>text</p>", "")])
def test_empty_pages_and_empty_gold(html: str, gold: str) -> None:
    terms = count_terms(blocks_of(html), gold)
    assert terms.row.size == terms.block.size == terms.count.size == len(tokenize(html)) // 3
    assert terms.gold_length == len(gold.split())
