"""Language identification on sentences written for these tests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang.identify import Identifier, identify, normalise_code
from blockfeat.lang.measures import keys_of_text
from cases import CASES
from property_examples import examples

SENTENCES = dict(CASES["sentences_of_languages"])


@pytest.mark.parametrize(("lang", "text"), SENTENCES.items())
def test_language_of_sentences_whatever_is_declared(lang: str, text: str) -> None:
    assert identify(text).lang == lang
    guess = identify(text, declared=f"{lang}-XX")
    assert (guess.lang, guess.source) == (lang, "declared")
    assert identify(text, declared="fr-FR" if lang == "en" else "en-US").lang == lang


def test_sources() -> None:
    assert (identify(SENTENCES["ja"]).source, identify(SENTENCES["de"] * 2).source) == ("script", "stopwords")
    assert (identify("Das ist kurz gesagt").source, identify("2024 – 17:30").source) == ("library", "none")


def test_short_text_keeps_its_declaration() -> None:
    assert identify("Berlin 2024", declared="de").lang == "de"
    assert (identify("", declared="pt_BR").lang, identify("東京大学", declared="ja").lang) == ("pt", "ja")


def test_japanese_without_kana_is_not_assumed_for_long_text() -> None:
    assert identify("我们的学校在城市北部有很多学生和老师" * 4, declared="ja").lang == "zh"


def test_rubbish_declaration_counts_as_nothing() -> None:
    assert identify(SENTENCES["fr"], declared="{{ lang }}").lang == "fr"


def test_candidates_bound_the_answer() -> None:
    assert identify(SENTENCES["es"], candidates=["pt", "de"]).lang == "pt"
    assert identify(SENTENCES["el"], candidates=["de", "fr"]).lang is None


def test_tokens_of_the_caller_give_the_same_answer() -> None:
    identifier = Identifier.build()
    text = SENTENCES["it"] * 3
    masks = identifier.index.masks_of(keys_of_text(text)[0])
    assert identifier.identify(text, masks=masks) == identifier.identify(text)


@pytest.mark.parametrize(("code", "expected"), [*CASES["codes_are_normalised"], (None, "")])
def test_codes_are_normalised(code: str | None, expected: str) -> None:
    assert normalise_code(code) == (expected or None)


@examples(60)
@given(st.text(max_size=200), st.one_of(st.none(), st.text(max_size=8)))
def test_any_text_gets_an_answer(text: str, declared: str | None) -> None:
    guess = identify(text, declared=declared)
    assert 0.0 <= guess.confidence <= 1.0
    assert (guess.lang is None) == (guess.source == "none")
    assert guess.lang is None or normalise_code(guess.lang) == guess.lang
    assert guess == identify(text, declared=declared)


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(code: str) -> None:
    once = normalise_code(code)
    assert normalise_code(once) == once


def test_lone_surrogates_and_huge_texts_are_let_through() -> None:
    assert (identify("\ud800" + SENTENCES["en"]).lang, identify(SENTENCES["en"] * 5_000).lang) == ("en", "en")
