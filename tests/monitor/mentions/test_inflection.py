"""Forms of names by language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import LanguageError
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.folding import Folder
from blockfeat.monitor.mentions.inflection import Endings, Inflections
from blockfeat.monitor.mentions.matcher import BrandMatcher
from cases import CASES

LANGUAGES = ["bg", "cs", "el", "et", "fi", "hu", "lt", "lv", "pl", "ro", "ru", "sk", "sr", "tr", "uk"]


@pytest.mark.parametrize(("lang", "name", "wanted"), CASES["inflected_forms"])
def test_forms(lang: str, name: str, wanted: str) -> None:
    assert {form.replace("|", " ") for form in wanted.split()} <= set(Endings.of(lang).forms(name))


def test_vowel_harmony() -> None:
    for lang, name, unwanted in (("fi", "Nokia", "ssä"), ("hu", "Samsung", "nek"), ("tr", "Vestel", "'a")):
        assert name + unwanted not in Endings.of(lang).forms(name)


def test_another_script_has_no_forms() -> None:
    assert Endings.of("ru").forms("Apple") == ()
    assert Inflections(Folder()).forms("Apple", "ru") == {"apple"}


def test_languages_without_rules_are_named() -> None:
    with pytest.raises(LanguageError, match="there are bg, cs"):
        Endings.of("ja")


def test_aliases_make_a_brand_that_is_found_in_its_forms() -> None:
    brand = Brand("Orlen", {"pl": Endings.of("pl").forms("Orlen")})
    matcher = BrandMatcher.of([brand])
    assert [hit.text for hit in matcher.find("w Orlenie i ORLENU", lang="pl")] == ["Orlenie", "ORLENU"]
    assert matcher.find("Orlenu", lang="de") == ()


@given(st.sampled_from(LANGUAGES), st.text(st.sampled_from("abceikosuyAKжкаиοςΑ é-1"), min_size=1, max_size=12))
def test_forms_are_other_names(lang: str, name: str) -> None:
    forms = Endings.of(lang).forms(name)
    assert name not in forms
    assert len(set(forms)) == len(forms)
    assert all(form.strip() for form in forms)


def test_a_form_that_reads_like_a_common_word_is_none() -> None:
    matcher = BrandMatcher.of([Brand("Visa")])
    for lang, text, expected in (
        ("hr", "Više ljudi nego jučer", []),
        ("lt", "Visas miestas", []),
        ("hr", "s Visom", ["Visom"]),
    ):
        assert [hit.text for hit in matcher.find(text, lang=lang)] == expected
