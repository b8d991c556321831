"""Brands: names, aliases, other spellings; which sense an ambiguous name has."""

import time
import tomllib
from pathlib import Path

import pytest

from blockfeat import Extractor
from blockfeat.monitor.mentions.brand import Brand, SenseModel, sense_features, variants_of
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


def test_given_words_decide_where_they_stand_near() -> None:
    model = SenseModel.of_words(["mobile", "network operator"], ["juice", "fruit"])
    assert model.is_brand(_features(_PHONE))
    assert not model.is_brand(_features(_FRUIT))
    assert model.because(_features(_FRUIT)) == "juice"
    assert SenseModel().is_brand(_features(_FRUIT))


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
