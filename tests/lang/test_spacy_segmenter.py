"""spaCy's words and sentences: against the fast ones, and on what is special to spaCy."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from blockfeat.errors import MissingExtraError, ModelError
from blockfeat.lang.measures import FastTokenizer
from blockfeat.lang.spacy_segmenter import SpacyTokenizer, segmenter_for
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


PIECES = [[("Read ", 0), ("the report", 1), (" or ", 0), ("leave", 3)], [("Bold words", 2), (" stay.", 0)]]


@cache
def segmenter(lang: str) -> SpacyTokenizer:
    """One object for each language: the first French pipeline takes seconds."""
    return SpacyTokenizer(lang)


@pytest.mark.parametrize(("lang", "text", "sentences", "fast", "spacy"), TEXTS, ids=[t[0] for t in TEXTS])
def test_plain_sentences_count_alike(lang: str, text: str, sentences: int, fast: int, spacy: int) -> None:
    page = page_text_of([text, text])
    by_spacy, by_rule = segmenter(lang).measure(page), FastTokenizer().measure(page)
    assert (by_spacy.words.tolist(), by_rule.words.tolist()) == ([spacy, spacy], [fast, fast])
    assert by_spacy.sentences.tolist() == by_rule.sentences.tolist() == [sentences, sentences]
    for name in ("characters", "alphanumerics"):
        assert getattr(by_spacy, name).tolist() == getattr(by_rule, name).tolist()


@pytest.mark.parametrize(
    ("lang", "blocks", "expected"),
    [
        # Words are lower-case tokens with a letter or digit.
        ("en", ["“Don't” — PAY $3.50 / day!", "*** §"], {"words": [5, 0], "sentences": [1, 0], "token_block": [0] * 5}),
        ("de", ["Wir sahen z.B. Dr. Meier."], {"sentences": [1]}),
        ("en", PIECES, {"words": [5, 3], "anchor_words": [3, 0], "format_words": [1, 2]}),
        # Sentences do not cross blocks.
        ("en", ["Home", "News and more", "A sentence. Another"], {"sentences": [1, 1, 2]}),
        ("zh", ["今天 rain", "plain"], {"unspaced_words": [2, 0]}),
        ("ko", ["기차가 도착했다. 아무도 없었다."], {"words": [4], "sentences": [2]}),
        ("vi", ["Tàu đã đến. Không có ai."], {"words": [6], "sentences": [2]}),
        *((lang, ["En setning. Og en til."], {"words": [5], "sentences": [2]}) for lang in ("no", "tlh", "xx", "cy")),
        ("en", [], {"words": []}),
        ("en", ["", " "], {"words": [0, 0]}),
    ],
)
def test_counts_by_block(lang: str, blocks: list[Any], expected: dict[str, list[int]]) -> None:
    measures = segmenter(lang).measure(page_text_of(blocks))
    assert {name: getattr(measures, name).tolist() for name in expected} == expected


@pytest.mark.parametrize(
    ("lang", "text", "tokens"),
    [
        ("en", "“Don't” — PAY $3.50 / day!", ["do", "n't", "pay", "3.50", "day"]),
        ("tr", "İstanbul güzel", ["istanbul", "güzel"]),  # a capital that changes its length
    ],
)
def test_tokens(lang: str, text: str, tokens: list[str]) -> None:
    assert segmenter(lang).measure(page_text_of([text])).tokens == tokens


@pytest.mark.parametrize(
    ("lang", "package", "text"),
    [("ja", "sudachipy", "今日は雨です。公園に行きません。"), ("th", "pythainlp", "วันนี้ฝนตก เราไม่ไปสวน")],
)
def test_words_of_several_characters_need_an_extra(lang: str, package: str, text: str) -> None:
    if not find_spec(package):
        with pytest.raises(MissingExtraError, match=rf"pip install blockfeat\[{lang}\]"):
            SpacyTokenizer(lang).measure(page_text_of(["x"]))
        return
    measures = segmenter(lang).measure(page_text_of([text]))
    assert 1 < measures.words[0] < len(text)
    assert max(map(len, measures.tokens)) > 1


def test_long_texts_are_cut_without_losing_a_word() -> None:
    blocks = ["word " * 7_000, "short one", "x" * 30_000, "end."]
    measures = segmenter("en").measure(page_text_of(blocks))
    assert measures.words[[0, 1, 3]].tolist() == [7_000, 2, 1]
    assert measures.words[2] <= 4


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
    with pytest.raises(ModelError, match="unknown segmenter 'nltk'; known are fast, spacy"):
        segmenter_for("nltk", "en")
