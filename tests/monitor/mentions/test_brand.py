"""Brands: names, aliases, other spellings; which sense an ambiguous name has."""

import math
import re
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from blockfeat import Extractor
from blockfeat.errors import BrandError
from blockfeat.monitor.mentions.brand import Brand, SenseModel, sense_features, senses_of, variants_of
from blockfeat.monitor.mentions.matcher import BrandMatcher
from blockfeat.monitor.mentions.mention import mentions_of

NAMES = tomllib.loads(Path(__file__).with_name("names_in_texts.toml").read_text(encoding="utf-8"))


def _found(name: str, text: str, lang: str | None, **options: bool) -> list[tuple[str, str]]:
    hits = BrandMatcher.of([Brand(name, **options)]).find(text, lang=lang)
    return [(hit.text, hit.variant) for hit in hits]


@pytest.mark.parametrize(("name", "text", "lang", "found", "variant"), NAMES["forms"])
def test_is_found(name: str, text: str, lang: str, found: str, variant: str) -> None:
    assert (found, variant) in _found(name, text, lang or None)


def test_forms_can_be_left_out() -> None:
    assert _found("Orlen", "Orlenu", "pl", forms=False) == []
    assert list(variants_of(Brand("Orange", case="exact"))) == []


def test_which_spellings_are_made() -> None:
    names = ("Abc De", "Abc Def", "Abc Def Ghi", "Brand 24", "Blue - Sky", "Red Sea*")
    made = [(each.spelling, each.lang, each.rule) for each in variants_of(Brand("Öl", aliases={"de": names}))]
    spaced = ["Abc-De", "Abc-Def", "AbcDef", "Abc-Def-Ghi"]
    assert made == [("Oel", "*", "umlauts"), *((spelling, "de", "spacing") for spelling in spaced)]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"name": "?!"}, "a name needs a letter"),
        ({"aliases": ["x"]}, "aliases must be given by language"),
        ({"aliases": {"xx9": ["x"]}}, "'xx9' is no language code"),
        ({"aliases": {7: ["x"]}}, "7 is no language code"),
        ({"aliases": {"de": "x"}}, "aliases must be a list of names"),
        ({"requires": ("x", "-")}, "'-' in requires has no letter"),
        ({"others": ("x", 7)}, "7 in others has no letter"),
        ({"case": "lower"}, "case 'lower' is none of fold, exact"),
        ({"context": "page"}, "context 'page' is none of window, "),
        ({"window": 0}, "window must be a number of characters above 0"),
        ({"window": 1.5}, "window must be a number of characters above 0"),
    ],
)
def test_what_is_wrong_with_a_brand_is_said(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(BrandError, match=f"^brand .*: {re.escape(reason)}"):
        Brand(**{"name": "Orange"} | wrong)
    assert (Brand("1", window=1).window, Brand("Orange").window) == (1, 200)


def test_aliases_are_added_once_each() -> None:
    more = Brand("A", aliases={"DE": ["B"]}).with_aliases({"de": ["B", "C"], "*": ["D"]})
    assert more.aliases == {"de": ("B", "C"), "*": ("D",)}
    assert list(more.spellings()) == [("*", "A"), ("de", "B"), ("de", "C"), ("*", "D")]


def test_a_thousand_brands_are_made_in_time_and_have_bounded_forms() -> None:
    names = [f"Brand{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}a Co{chr(97 + n // 676)}" for n in range(1000)]
    begin = time.process_time()
    matcher = BrandMatcher.of(map(Brand, names))
    assert time.process_time() - begin < 30
    assert matcher.find("Brandaaa Coa", lang="en")


_FRUIT = "She ate an Orange from the garden, with juice and sugar."
_PHONE = "The mobile operator Orange raised the price of its network."


def _features(text: str) -> frozenset[str]:
    at = text.index("Orange")
    return sense_features(text, at, at + len("Orange"))


def test_features_are_the_words_near_and_those_beside() -> None:
    assert {"operator", "<operator", ">raised", "network"} <= _features(_PHONE)
    far = "far " + "x" * 200 + " Orange " + "y" * 200
    assert "far" not in _features(far)
    # Words that are cut at the edge are none.
    near = f"{'x' * 200} sugar Orange juice {'y' * 200}"
    assert {word[:1] for word in _features(near)} == {"s", "j", "<", ">"}
    assert "招商" in sense_features("招商银行Orange在上海", 4, 10)
    for dots, words in ((145, {"one", "<one", "two", ">two"}), (146, set())):
        text = f"one {'.' * dots}Orange{'.' * dots} two"
        assert sense_features(text, dots + 4, dots + 10) == words
    assert sense_features("The man of Orange, an old one", 11, 17, lang="en") == {"man", "<of", ">an", "old"}


def test_given_words_decide_where_they_stand_near() -> None:
    model = SenseModel.of_words(["mobile", "network operator"], ["juice", "fruit"])
    assert model.is_brand(_features(_PHONE))
    assert not model.is_brand(_features(_FRUIT))
    assert model.because(_features(_FRUIT)) == "juice"
    assert SenseModel().is_brand(_features(_FRUIT))
    assert model.weights == {"juice": -1.5, "fruit": -1.5, "mobile": 1.5, "network": 1.5, "operator": 1.5}
    assert (model.score({"mobile", "network", "other"}), model.bias) == (3.0, 0.0)
    assert [SenseModel(bias=bias).is_brand(()) for bias in (-0.75, -0.8, -0.85)] == [True, False, False]
    assert senses_of([Brand("A"), Brand("B", about=("x",)), Brand("C", others=("y",))]) == {
        "B": SenseModel({"x": 1.5}),
        "C": SenseModel({"y": -1.5}),
    }


def test_the_strongest_words_for_a_decision_are_named() -> None:
    model = SenseModel({"<the": 1.0, ">county": 2.0, "a": 0.5, "b": 3.0, "c": 0.0, "d": -1.0, "e": -9.0})
    assert model.because(["<the", ">county", "a", "b", "c", "d"]) == "b, … county, the …"
    assert (model.because(["c", "d", "e", "b"]), model.because(["c"])) == ("e, d", "")


def test_what_is_learnt_is_what_the_examples_make_most_likely() -> None:
    told = [("pay bill", True), ("pay shop", True), ("white", False), ("white", False)]
    examples = [(frozenset(words.split()), is_brand) for words, is_brand in told]
    prior = SenseModel({"mobile": 1.5, "white": 0.25}, 0.125)
    model = prior.learn(examples)
    # The once seen are not learnt.
    assert (set(model.weights), model.weights["mobile"]) == ({"mobile", "pay", "white"}, 1.5)

    def slope(name: str, weight: float, before: float) -> float:
        odds = [(1 / (1 + math.exp(-model.score(words))) - right, words) for words, right in examples]
        return sum(off for off, words in odds if not name or name in words) + weight - before

    slopes = [slope(name, weight, prior.weights.get(name, 0.0)) for name, weight in model.weights.items()]
    assert max(map(abs, (*slopes, slope("", model.bias, prior.bias)))) < 0.03
    digits = [f"{value:.9f}".rstrip("0").partition(".")[2] for value in (*model.weights.values(), model.bias)]
    assert max(map(len, digits)) == 3


def test_clicks_move_the_given_weights() -> None:
    wrong = [_features(f"He painted it Orange and {word} at noon.") for word in ("white", "green", "black", "brown")]
    right = [_features(f"Customers of Orange complain about the {word}.") for word in ("bill", "price", "shop", "app")]
    examples = [(each, False) for each in wrong] + [(each, True) for each in right]
    model = SenseModel.of_words(["mobile"], []).learn(examples * 2)
    assert not model.is_brand(_features("They painted it Orange and grey at dusk."))
    assert model.is_brand(_features("Most customers of Orange pay the bill."))
    assert model.is_brand(_features(_PHONE))
    assert SenseModel.from_dict(model.to_dict()) == model


def test_damaged_values_are_left_out() -> None:
    model = SenseModel.from_dict({"weights": {"a": 1, "b": float("nan"), "c": "x", "d": True}, "bias": None})
    assert (model, SenseModel.from_dict({"weights": 3})) == (SenseModel({"a": 1.0}, 0.0), SenseModel())


def test_a_mention_of_a_namesake_is_stored_with_the_words_that_say_so() -> None:
    brand = Brand("Orange", about=("mobile", "network"), others=("juice", "garden"))
    filler = "The harbour of Ostermole was busy on Monday morning, and the ferries left late because of the fog."
    page = "".join(f"<p>{text} {filler}</p>" for text in (filler, _FRUIT, filler, filler, _PHONE, filler))
    extraction = Extractor.load().extract(f"<title>T</title><article><h1>Fog</h1>{page}</article>")
    found = mentions_of(extraction, BrandMatcher.of([brand]))
    assert [(mention.counted, mention.rule) for mention in found] == [(False, "sense: garden, juice"), (True, "")]
