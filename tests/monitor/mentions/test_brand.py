"""Brands: names, aliases, other spellings; which sense an ambiguous name has."""

import math
import pickle
import re
import time
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from blockfeat import Extractor
from blockfeat.errors import BrandError, ConfigError
from blockfeat.monitor.config import parse_config
from blockfeat.monitor.mentions.brand import Alias, Brand, SenseModel, sense_features, senses_of, variants_of
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
    names = ("Red Sea*", "Abc De", "Abc Def", "Abc Def Ghi", "Brand 24", "24 Kids", "Blue - Sky")
    made = [*variants_of(Brand("Öl", aliases={"de": names}))]
    spaced = ["Abc-De", "Abc-Def", "AbcDef", "Abc-Def-Ghi"]
    assert made == [("Oel", "*", "umlauts"), *((spelling, "de", "spacing") for spelling in spaced)]
    # Japanese names have characters of their own.
    assert list(variants_of(Brand("トヨタ自動車"))) == []


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        *NAMES["wrong"],
        ({"aliases": {7: ["x"]}}, "7 is no language code"),
        ({"about": [Alias("x")]}, "Alias(name='x', languages=(), case=None, forms=None) in about has no letter"),
        ({"name": "x" * 1001}, "a name needs a letter or a digit, and has at most 1,000 characters"),
    ],
)
def test_what_is_wrong_with_a_brand_is_said(wrong: dict[str, Any], reason: str) -> None:
    # Of a name too long to be shown, the beginning.
    name = "x" * 40 if "1,000" in reason else ".*"
    with pytest.raises(BrandError, match=f"^brand '?{name}'?: {re.escape(reason)}"):
        Brand(**{"name": "Orange"} | wrong)


def test_what_a_brand_may_have_and_has_by_default() -> None:
    assert len(Brand("x" * 1000, window=1).name) == 1000
    brand = Brand("Orange")
    assert (brand.window, brand.context, brand.case, brand.forms, brand.overlaps) == (
        200,
        "window",
        "fold",
        True,
        False,
    )


def test_spellings_have_their_languages() -> None:
    brand = Brand("A", aliases={"DE": ["B", "C"], "*": ["D"]})
    assert brand.aliases == {"de": ("B", "C"), "*": ("D",)}
    named = [(*alias.languages, alias.name) for alias in brand.spellings()]
    assert named == [("*", "A"), ("de", "B"), ("de", "C"), ("*", "D")]


_WHO = """[[brands]]
name = "World Health Organization"
aliases = [{ name = "ΠΟΥ", case = "exact", languages = "EL" }, { name = "Weltgesundheitsorganisation", forms = false }]
[[brands]]
name = "SAP"
case = "exact"
[brands.aliases]
pl = [{ name = "Orlen", case = "fold" }]
"""


@pytest.mark.parametrize(
    ("text", "lang", "found"),
    [
        ("Ο ΠΟΥ είπε που θα πάει", "el", ["ΠΟΥ"]),
        ("ΠΟΥ", "en", []),
        ("world health organization", "en", ["world health organization"]),
        ("der Weltgesundheitsorganisationen", "de", []),
        ("SAP, sap, Orlenu", "pl", ["SAP", "Orlenu"]),
    ],
)
def test_an_alias_has_case_forms_and_languages_of_its_own(text: str, lang: str, found: list[str]) -> None:
    config = parse_config(f'[[sources]]\nurl = "https://a.example/feed"\n{_WHO}')
    matcher = pickle.loads(pickle.dumps(BrandMatcher.of(config.brands)))
    assert [hit.text for hit in matcher.find(text, lang=lang)] == found


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("{ name = 'x', cse = 'fold' }", "has a table that is no alias with a name and none but these: name, lang"),
        ("{ case = 'fold' }", "has a table that is no alias"),
        ("{ name = 'x', languages = 7 }", "has a table that is no alias"),
        ("{ name = 'x', case = 'lower' }", "brand 'x': case 'lower' is none of fold, exact"),
        ("{ name = 'x', forms = 'no' }", "brand 'x': forms 'no' is none of True, False"),
        ("{ name = 'x', languages = ['de', 'xx9'] }", "brand 'x': 'xx9' is no language code"),
        ("{ name = '-' }", "brand '-': a name needs a letter"),
        ("{ name = 7 }", "brand 7: a name needs a letter"),
        ("7", "must be "),
    ],
)
def test_what_is_wrong_with_an_alias_is_said_with_its_line(wrong: str, reason: str) -> None:
    text = f"[[sources]]\nurl = 'https://a.example/feed'\n[[brands]]\nname = 'A'\naliases = ['B', {wrong}]"
    with pytest.raises(ConfigError) as told:
        parse_config(text)
    assert str(told.value).startswith("configuration:5: ")
    assert reason in str(told.value)


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
    given = frozenset({"motor", "car", "tv"})
    forms = sense_features("Companies, mobili, Orange", 19, 25, given=frozenset({"company", "mobile"}))
    assert forms == {"company", "mobile", "~company", "~mobile", "<mobili"}
    for before, is_named in (("Tom", True), ("The", False), ("Motors", False), ("Cars", False), ("Tvs", True)):
        found = sense_features(f"{before} Ford", len(before) + 1, len(before) + 5, lang="en", given=given)
        assert ("<^" in found) == is_named, before


_TELECOM = SenseModel.of_words(["mobile", "company", "network"], ["juice", "county", "house of"])


@pytest.mark.parametrize(("text", "rule"), NAMES["senses"])
def test_given_words_decide_in_every_form_and_leave_to_a_person_what_neither_speaks_for(text: str, rule: str) -> None:
    text, lang = text.replace("{far}", "It was fine. " * 20), "de" if "Die " in text else "en"
    at = text.index("Orange")
    found = sense_features(text, at, at + 6, lang=lang, given=_TELECOM.given)
    assert _TELECOM.rule(found) == rule


def test_the_weights_of_words_and_the_bounds_of_what_is_unsure() -> None:
    rules = [SenseModel(bias=bias).rule(())[:6] for bias in (-0.75, -0.8, -2.75, -2.8)]
    assert rules == ["", "unsure", "unsure", "sense:"]
    assert senses_of([Brand("A"), Brand("B", about=("x",)), Brand("C", others=("y",))]) == {
        "B": SenseModel({"x": 2.0, "~x": 1.0, "<^": -1.0}, -1.8),
        "C": SenseModel({"y": -1.75, "~y": -0.75}),
    }
    # A letter alone decides only where nothing else is given.
    assert SenseModel.of_words((), ["T tv", "T shirt", "é"]).given == {"tv", "shirt", "é"}
    weights = {"<the": -1.0, ">county": -2.0, "a": 0.5, "b": -3.0, "c": 0.0, "d": -0.5, "~b": -4.0, "e": -9.0}
    model = SenseModel(weights, -1.0)
    assert model.rule(["<the", ">county", "a", "b", "~b", "c", "d"]) == "sense: b, … county, the …"
    assert model.rule(["c"]) == "unsure: little speaks for the brand"


def test_what_is_learnt_is_what_the_examples_make_most_likely() -> None:
    told = [("pay bill", True), ("pay shop", True), ("white", False), ("white", False)]
    examples = [(frozenset(words.split()), is_brand) for words, is_brand in told]
    prior = SenseModel({"mobile": 1.5, "white": 0.25, "faint": 0.05}, 0.125)
    model = prior.learn(examples)
    # The once seen are not learnt, and what weighs next to nothing is left out.
    assert (set(model.weights), model.weights["mobile"]) == ({"mobile", "pay", "white"}, 1.5)

    def slope(name: str, weight: float, before: float) -> float:
        odds = [(1 / (1 + math.exp(-model.score(words))) - right, words) for words, right in examples]
        return sum(off for off, words in odds if not name or name in words) + weight - before

    slopes = [slope(name, weight, prior.weights.get(name, 0.0)) for name, weight in model.weights.items()]
    assert max(map(abs, (*slopes, slope("", model.bias, prior.bias)))) < 0.03
    digits = [f"{value:.9f}".rstrip("0").partition(".")[2] for value in (*model.weights.values(), model.bias)]
    assert max(map(len, digits)) == 3
    assert SenseModel({"a": 0.125}, 0.125).learn([]) == SenseModel({"a": 0.125}, 0.125)


def test_clicks_move_the_given_weights() -> None:
    wrong = [_features(f"He painted it Orange and {word} at noon.") for word in ("white", "green", "black", "brown")]
    right = [_features(f"Customers of Orange complain about the {word}.") for word in ("bill", "price", "shop", "app")]
    examples = [(each, False) for each in wrong] + [(each, True) for each in right]
    model = SenseModel({"mobile": 2.0}).learn(examples * 2)
    assert model.rule(_features("They painted it Orange and grey at dusk."))
    assert not model.rule(_features("Most customers of Orange pay the bill."))
    assert not model.rule(_features(_PHONE))
    assert SenseModel.from_dict(asdict(model)) == model


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
