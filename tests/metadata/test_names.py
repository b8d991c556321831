from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.metadata.names import clean_names, is_agency, is_declared, is_headline_of, without_site
from cases import CASES


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        *CASES["names"],
        ("as it is", f"{'A' * 29} {'B' * 30} | Marketing and Event Coordinator"),
        ((), f"https://www.facebook.com/annlee | B | {'A' * 30} {'B' * 30} | admin, senior editor | Center for A/B/C"),
    ],
)
def test_names(names: Sequence[str], texts: str):
    for text in texts.split(" | "):
        assert (text, clean_names([text])) == (text, (text,) if names == "as it is" else tuple(names))


@pytest.mark.parametrize("values", [["Ann Lee", "ann lee"], ["Ann", "Ann Lee"]])
def test_a_name_is_given_once(values: list[str]):
    assert clean_names(values) == ("Ann Lee",)


def test_people_are_no_agencies():
    agencies = ["Reuters", "dpa", "(AFP)", "The Associated Press", "ТАСС", "新华社", "共同通信"]
    assert [name for name in [*agencies, "Ann Lee"] if is_agency(name)] == agencies


@given(st.lists(st.text(max_size=200), max_size=4))
def test_any_values_give_clean_names(values: list[str]):
    for name in clean_names(values):
        assert name == name.strip()
        assert 2 <= len(name) <= 60


def test_the_first_twenty_names_are_taken():
    many = [f"Ann {chr(ord('A') + number)}lee" for number in range(25)]
    assert clean_names(["; ".join(many)]) == tuple(many[:20])


def test_what_is_longer_than_a_byline_is_cut():
    full = [f"Ann {letter * 24}" for letter in "abcdefghijklmnopqrs"]
    text = "; ".join([*full, f"Zoe {'z' * 99}"])
    assert clean_names([text])[19:] == (f"Zoe {'z' * (600 - len('; '.join(full)) - len('; Zoe '))}",)


@pytest.mark.parametrize(
    ("site", "host", "known", "title", "expected"),
    [
        *CASES["a_title_without_the_name_of_its_site"],
        ("Lake", "", "", f"Ships sail | Lake {'a' * 17}", "Ships sail"),
        ("Lake", "", "", f"Ships sail | Lake {'a' * 18}", ""),
    ],
)
def test_a_title_without_the_name_of_its_site(site: str, host: str, known: str, title: str, expected: str):
    assert without_site(title, site=site or None, host=host, known=known or None) == (expected or title)


@pytest.mark.parametrize(
    ("visible", "given", "expected"), CASES["a_headline_is_declared_with_or_without_the_name_of_the_site"]
)
def test_a_headline_is_declared_with_or_without_the_name_of_the_site(visible: str, given: list[str], expected: bool):
    assert is_declared(visible, given, site="Lake", host="lake.example") is expected


@pytest.mark.parametrize(
    ("visible", "declared", "title", "headings", "expected"),
    CASES["a_headline_is_preferred_to_the_title_that_is_made_of_it"],
)
def test_a_headline_is_preferred_to_the_title_that_is_made_of_it(
    visible: str, declared: str, title: str, headings: list[str], expected: bool
):
    assert is_headline_of(visible, declared, title, headings) is expected
