"""spaCy's words and sentences: against the fast ones, and on what is special to spaCy."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest

from blockfeat.errors import MissingExtraError, ModelError
from blockfeat.lang.measures import FastTokenizer
from blockfeat.lang.spacy_segmenter import SEGMENTERS, SpacyTokenizer, segmenter_for
from page_text_of import page_text_of

# Language, text, sentences, words by the fast rules, words by spaCy.
TEXTS = [
    ("en", "The ferry left at noon. Nobody saw it go! Did you?", 3, 11, 11),
    ("de", "Der Bäcker öffnet um sechs. Wer kommt zuerst? Niemand weiß es.", 3, 11, 11),
    ("fr", "Le marché ouvre demain. Personne ne vend de pommes. Pourquoi ?", 3, 10, 10),
    ("es", "El puente está cerrado. ¿Quién lo sabe? Nadie responde.", 3, 9, 9),
    ("ru", "Поезд пришёл вовремя. Кто его встретил? Никто не знает.", 3, 9, 9),
    ("zh", "今天下雨。我们不去公园。", 2, 10, 10),
    ("el", "Το πλοίο φεύγει αύριο. Κανείς δεν το περίμενε!", 2, 8, 8),
    ("ar", "القطار وصل اليوم. هل رأيت السائق؟", 2, 6, 6),
    ("hi", "नदी बहुत शांत है। हम कल आएँगे।", 2, 7, 7),
]


@cache
def segmenter(lang: str) -> SpacyTokenizer:
    """One object for each language: the first French pipeline takes seconds."""
    return SpacyTokenizer(lang)


@pytest.mark.parametrize(("lang", "text", "sentences", "fast", "spacy"), TEXTS, ids=[t[0] for t in TEXTS])
def test_plain_sentences_count_alike(lang: str, text: str, sentences: int, fast: int, spacy: int) -> None:
    page = page_text_of([text, text])
    by_spacy, by_rule = segmenter(lang).measure(page), FastTokenizer().measure(page)
    assert by_spacy.words.tolist() == [spacy, spacy]
    assert by_rule.words.tolist() == [fast, fast]
    assert by_spacy.sentences.tolist() == by_rule.sentences.tolist() == [sentences, sentences]
    assert by_spacy.characters.tolist() == by_rule.characters.tolist()
    assert by_spacy.alphanumerics.tolist() == by_rule.alphanumerics.tolist()


def test_words_are_lowercase_tokens_with_a_letter_or_digit() -> None:
    measures = segmenter("en").measure(page_text_of(["“Don't” — PAY $3.50 / day!", "*** §"]))
    assert measures.tokens == ["do", "n't", "pay", "3.50", "day"]
    assert measures.token_block.tolist() == [0] * 5
    assert measures.words.tolist() == [5, 0]
    assert measures.sentences.tolist() == [1, 0]


def test_abbreviations_follow_the_language() -> None:
    text = "Wir sahen z.B. Dr. Meier."
    assert segmenter("de").measure(page_text_of([text])).sentences.tolist() == [1]


def test_anchor_and_format_words_by_position() -> None:
    blocks = [
        [("Read ", 0), ("the report", 1), (" or ", 0), ("leave", 3)],
        [("Bold words", 2), (" stay.", 0)],
    ]
    measures = segmenter("en").measure(page_text_of(blocks))
    assert measures.words.tolist() == [5, 3]
    assert measures.anchor_words.tolist() == [3, 0]
    assert measures.format_words.tolist() == [1, 2]


def test_sentences_do_not_cross_blocks() -> None:
    measures = segmenter("en").measure(page_text_of(["Home", "News and more", "A sentence. Another"]))
    assert measures.sentences.tolist() == [1, 1, 2]


def test_chinese_words_are_single_characters() -> None:
    measures = segmenter("zh").measure(page_text_of(["今天 rain", "plain"]))
    assert measures.tokens[:2] == ["今", "天"]
    assert measures.unspaced_words.tolist() == [2, 0]


@pytest.mark.parametrize("lang", ["ko", "vi"])
def test_rule_tokenizer_needs_no_package(lang: str) -> None:
    texts = {"ko": "기차가 도착했다. 아무도 없었다.", "vi": "Tàu đã đến. Không có ai."}
    measures = segmenter(lang).measure(page_text_of([texts[lang]]))
    assert measures.sentences.tolist() == [2]
    assert measures.words[0] == len(texts[lang].split())


@pytest.mark.parametrize(("lang", "package"), [("ja", "sudachipy"), ("th", "pythainlp")])
def test_missing_extra_is_named(lang: str, package: str) -> None:
    if find_spec(package):
        pytest.skip(f"{package} is installed")
    with pytest.raises(MissingExtraError, match=rf"pip install blockfeat\[{lang}\]"):
        SpacyTokenizer(lang).measure(page_text_of(["x"]))


@pytest.mark.parametrize(
    ("lang", "package", "text"),
    [("ja", "sudachipy", "今日は雨です。公園に行きません。"), ("th", "pythainlp", "วันนี้ฝนตก เราไม่ไปสวน")],
)
def test_words_of_several_characters(lang: str, package: str, text: str) -> None:
    if not find_spec(package):
        pytest.skip(f"{package} is not installed; pip install blockfeat[{lang}]")
    measures = segmenter(lang).measure(page_text_of([text]))
    assert 1 < measures.words[0] < len(text)
    assert max(map(len, measures.tokens)) > 1


@pytest.mark.parametrize("lang", ["no", "tlh", "xx", "cy"])
def test_every_language_code_gives_a_pipeline(lang: str) -> None:
    measures = segmenter(lang).measure(page_text_of(["En setning. Og en til."]))
    assert (measures.words.tolist(), measures.sentences.tolist()) == ([5], [2])


def test_no_blocks_and_empty_blocks() -> None:
    assert segmenter("en").measure(page_text_of([])).words.tolist() == []
    assert segmenter("en").measure(page_text_of(["", " "])).words.tolist() == [0, 0]


def test_long_texts_are_cut_without_losing_a_word() -> None:
    blocks = ["word " * 7_000, "short one", "x" * 30_000, "end."]
    measures = segmenter("en").measure(page_text_of(blocks))
    assert measures.words[[0, 1, 3]].tolist() == [7_000, 2, 1]
    assert measures.words[2] <= 4


def test_positions_survive_capitals_that_change_their_length() -> None:
    assert segmenter("tr").measure(page_text_of(["İstanbul güzel"])).tokens == ["istanbul", "güzel"]


def test_vocabulary_does_not_grow() -> None:
    own = SpacyTokenizer("xx")
    own.measure(page_text_of(["warm up"]))
    vocabulary = own._pipeline.vocab
    before = len(vocabulary.strings), sum(1 for _ in vocabulary)
    own.measure(page_text_of([" ".join(f"unseen{number}word" for number in range(2_000))]))
    assert (len(vocabulary.strings), sum(1 for _ in vocabulary)) == before


def test_threads_take_turns_and_copies_are_equal() -> None:
    page = page_text_of(["One sentence. Two sentences."] * 20)
    expected = segmenter("en").measure(page).words.tolist()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: segmenter("en").measure(page).words.tolist(), range(8)))
    assert found == [expected] * 8
    copy = pickle.loads(pickle.dumps(segmenter("en")))
    assert copy == segmenter("en")
    assert np.array_equal(copy.measure(page).words, expected)


def test_segmenter_for() -> None:
    assert segmenter_for("fast", "de") == FastTokenizer()
    assert segmenter_for("spacy", "de") == SpacyTokenizer("de")
    assert segmenter_for("spacy").measure(page_text_of(["One. Two."])).sentences.tolist() == [2]
    assert {segmenter_for(name, "en").name for name in SEGMENTERS} == set(SEGMENTERS)
    with pytest.raises(ModelError, match="unknown segmenter 'nltk'; known are fast, spacy"):
        segmenter_for("nltk", "en")


def test_imports_do_not_load_spacy() -> None:
    code = "import sys, blockfeat.lang, blockfeat.lang.spacy_segmenter; print('spacy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
