"""Stop lists: complete, cleaned, and cut as the tokenizer cuts."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import LanguageError
from blockfeat.lang.measures import code_points, keys_of_words, tokenize
from blockfeat.lang.stopwords import (
    UNSPACED_LANGUAGES,
    StopWordIndex,
    available_languages,
    density,
    stop_word_lists,
    stop_word_ratios,
    stop_words,
)
from blocks_of import blocks_of
from cases import CASES

ALL = stop_word_lists()


def test_all_58_languages_have_words() -> None:
    assert (len(available_languages()), set(ALL)) == (58, set(available_languages()))
    assert all(len(words) >= 25 for words in ALL.values())


def test_every_word_is_one_token() -> None:
    for lang in set(ALL) - UNSPACED_LANGUAGES:
        assert [word for word in ALL[lang] if tokenize(word) != [word]] == [], lang


def test_unspaced_entries_have_one_to_three_characters() -> None:
    for lang in UNSPACED_LANGUAGES:
        assert {len(word) for word in ALL[lang]} <= {1, 2, 3}


def test_english_web_words_and_country_codes_are_gone_and_real_words_stay() -> None:
    web = {"microsoft", "homepage", "click", "home", "page", "www", "site", "web", "com", "free"}
    assert not (web | {"uk", "de", "fr", "co", "tv", "jp", "b", "x"}) & ALL["en"]
    assert {"a", "i", "in", "is", "it", "us", "the", "of", "and", "don", "t", "ll"} <= ALL["en"]


@pytest.mark.parametrize(("lang", "words"), CASES["function_words_are_there"])
def test_function_words_are_there(lang: str, words: str) -> None:
    assert set(words.split()) <= ALL[lang]


@pytest.mark.parametrize(("lang", "letters"), [("lt", "þðø"), ("tr", "þýţ"), ("el", "∆")])
def test_wrongly_encoded_letters_are_repaired(lang: str, letters: str) -> None:
    assert not set(letters) & set("".join(ALL[lang]))


def test_unknown_language_names_code_and_choice() -> None:
    with pytest.raises(LanguageError, match=r"'tlh'.*available: af, ar"):
        stop_words("tlh")


def test_import_reads_nothing_and_loads_no_library() -> None:
    code = "import sys, blockfeat.lang.stopwords, blockfeat.lang.identify, blockfeat.lang.spacy_segmenter; "
    code += "print([m for m in ('stopwordsiso', 'spacy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


LANGUAGES = ("en", "de", "zh", "ja", "th")
INDEX = StopWordIndex.build(LANGUAGES)
LISTS = stop_word_lists(LANGUAGES)


@given(st.lists(st.one_of(st.sampled_from(["the", "und", "in", "die", "was", "the"]), st.text(max_size=6))))
def test_masks_and_counts_agree_with_the_lists(tokens: list[str]) -> None:
    masks = INDEX.masks_of(keys_of_words(tokens))
    for column, lang in enumerate(LANGUAGES[:2]):
        is_stop_word = [int(token in LISTS[lang]) for token in tokens]
        assert [mask >> column & 1 for mask in masks.tolist()] == is_stop_word
        assert INDEX.counts(masks)[column] == sum(is_stop_word)


@given(st.text(alphabet="我们的在因为所以。 aのは、ของ是", max_size=25), st.sampled_from([2, 3, 4]))
def test_cover_agrees_with_plain_search(text: str, column: int) -> None:
    expected = np.zeros(len(text), dtype=bool)
    for entry in LISTS[LANGUAGES[column]]:
        for start in range(len(text)):
            if text.startswith(entry, start):
                expected[start : start + len(entry)] = True
    assert INDEX.cover(code_points(text), column).tolist() == expected.tolist()


def test_cover_is_false_for_spaced_scripts() -> None:
    assert not INDEX.cover(code_points("the library"), 0).any()


def test_doubled_languages_count_once_and_unknown_ones_fail() -> None:
    assert StopWordIndex.build(["en", "de", "en"]).languages == ("en", "de")
    with pytest.raises(LanguageError, match="tlh"):
        StopWordIndex.build(["tlh"])


def test_the_masks_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        INDEX.masks[0] = 1


def test_the_bundled_table_is_what_the_lists_give() -> None:
    bundled, built = StopWordIndex.build(), StopWordIndex.build(available_languages())
    message = "the lists or their rules have changed: run tools/make_stop_word_index.py"
    assert bundled.languages == built.languages, message
    for name in ("keys", "masks", "buckets"):
        assert np.array_equal(getattr(bundled, name), getattr(built, name)), message
    for lang, left, right in zip(built.languages, bundled.sequences, built.sequences, strict=True):
        assert [keys.tolist() for keys in left] == [keys.tolist() for keys in right], lang


WORDS = st.sampled_from(["the", "and", "house", "und", "der", "Haus", "war", "was", "river", ",", "|", "i"])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), max_size=5)


@given(TEXTS)
def test_one_and_two_languages_equal_a_loop(texts: list[str]) -> None:
    blocks = blocks_of("".join(f"<p>{text}</p>" for text in texts))
    words = [tokenize(text) for text in blocks.texts()]
    shares = {}
    for lang in ("en", "de"):
        shares[lang] = [sum(word in LISTS[lang] for word in own) / max(1, len(own)) for own in words]
        alone = stop_word_ratios(blocks.measures, INDEX, (lang,))
        assert (alone.ratio.tolist(), alone.language.tolist()) == (pytest.approx(shares[lang]), [0] * len(words))
    both = stop_word_ratios(blocks.measures, INDEX, ("de", "en"))
    assert both.ratio.tolist() == pytest.approx(np.maximum(shares["en"], shares["de"]).tolist())
    chosen = [("de", "en")[place] for place in both.language.tolist()]
    expected = [share / density(lang) for share, lang in zip(both.ratio.tolist(), chosen, strict=True)]
    assert both.normalised.tolist() == pytest.approx(expected)


def test_chinese_counts_covered_characters() -> None:
    text = "我们的书在桌子上。"
    blocks = blocks_of(f"<p>{text}</p><p>苹果</p><p>library</p>")
    covered = INDEX.cover(code_points(text), 2).sum()
    assert covered
    ratios = stop_word_ratios(blocks.measures, INDEX, ("zh",))
    assert ratios.ratio.tolist() == pytest.approx([covered / 8, 0.0, 0.0])
    mixed = stop_word_ratios(blocks.measures, INDEX, LANGUAGES[:3])
    assert LANGUAGES[mixed.language[0]] == "zh"


def test_ratios_lie_between_0_and_1_in_every_language() -> None:
    index = StopWordIndex.build()
    blocks = blocks_of("<p>The cat and the dog of 我们 ก็ この</p><p>de la que y en</p><p>...</p>")
    ratios = stop_word_ratios(blocks.measures, index)
    assert ratios.languages == index.languages
    assert ((ratios.ratio >= 0) & (ratios.ratio <= 1)).all()
    assert ratios.ratio[2] == 0
