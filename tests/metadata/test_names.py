import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.metadata.names import clean_names, is_agency, is_declared, is_headline_of, without_site
from cases import CASES


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        (("Ann Lee", "Bo Ek"), "By Ann Lee and Bo Ek, senior editor | Ann Lee; Bo Ek"),
        (("Ann Lee",), "Lee, Ann | Ann Lee, MD, PhD | Ann Lee (ann@lake.example) | Ann Lee @annlee | von Ann Lee"),
        (("Ann Lee",), "Ann Lee President | Ann Lee and Staff Writer | Post author By Ann Lee"),
        (("Chris Long",), "Chris Long Vice President of Sales"),
        (("山田太郎",), "山田太郎記者"),
        (("Lee", "Reuters"), "Lee, Reuters"),
        (("Lee",), "Lee, editor"),
        (("María Pérez", "José Ruiz"), "María Pérez y José Ruiz"),
        (("Jan de Vries", "Piet Bos"), "Jan de Vries en Piet Bos"),
        (("Michiel de Jong",), "Jong, Michiel de"),
        (("Jane Doe",), "Jane Doe, Marketing and Event Coordinator"),
        (("Sofia Kondrat",), "Sofia Kondrat EdTech Content Writer | Sofia Kondrat Nutritionist Expert"),
        (("Sofia Kondrat",), "Sofia Kondrat Content Writer"),
        (("Ann de Lake",), "Ann de Lake Writer"),
        (("Tolkien J.R.", "Bo Ek"), "Tolkien J.R.; Bo Ek"),
        (("Ann Lee Sr", "Bo Ek"), "Ann Lee Sr.; Bo Ek"),
        (("Cazzy Magennis",), "Cazzy Magennis Last Updated"),
        # What is a name as it is.
        (None, "Jürgen von Trotha | von Trotha | Center for Drug Evaluation and Research | Bo | RT en Español"),
        (None, "Ana Bela Clara Dora Elsa Flora Gina | Organization for Good Works | Center for A/B | Justin Writer"),
        (None, f"{'A' * 29} {'B' * 30} | Marketing and Event Coordinator"),
        ((), f"https://www.facebook.com/annlee | B | {'A' * 30} {'B' * 30} | admin, senior editor | Center for A/B/C"),
        ((), "Ana Bela Clara Dora Elsa Flora Gina Hera | admin | None |  | Username | View Comments | Submitted"),
        ((), "Share this article | Ссылки по теме | Commentaires | 공유"),
    ],
)
def test_names(names: tuple[str, ...] | None, texts: str):
    for text in texts.split(" | "):
        assert (text, clean_names([text])) == (text, (text,) if names is None else names)


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
        ("Lake", "lake.example", None, "Ships sail", None),
        ("The Lake", "", None, "Ships sail | The Lake", "Ships sail"),
        ("BBC", "", None, "Ships sail | BBC", "Ships sail"),
        ("Lake", "lakes.example", None, "Ships sail | Boats of June", None),
        # Either name begins or ends with the other.
        ("Lake", "", None, "Ships sail | Lake News", "Ships sail"),
        ("Lake", "", None, "Ships sail | My Lake", "Ships sail"),
        ("BBC", "", None, "Ships sail | BBC Sport", None),
        ("The Lake Herald", "", None, "Ships sail | Lake", "Ships sail"),
        ("The Sunday", "", None, "Ships sail | Sun", None),
        ("Lake", "", None, f"Ships sail | Lake {'a' * 17}", "Ships sail"),
        ("Lake", "", None, f"Ships sail | Lake {'a' * 18}", None),
        # The host says it where the site has no name.
        (None, "lakenews.example", None, "Ships sail | Lake", "Ships sail"),
        (None, "lakenews.example", None, "Ships sail | New", "Ships sail"),
        (None, "lakenews.example", None, "Ships sail | Ne", None),
        (None, "lake.news.example", None, "Ships sail | Lake News Daily", "Ships sail"),
        (None, "lakes.example", None, "Ships sail | Lakes Daily", "Ships sail"),
        (None, "lake.example", None, "Ships sail | Lake Daily", None),
        (None, "localhost", None, "Ships sail | Localhost", None),
        # Where the name stands.
        ("The Lake", "", None, "Ships sail | June | The Lake", "Ships sail | June"),
        ("The Lake", "", None, "The Lake | Ships sail | June", "Ships sail | June"),
        # What is seen decides.
        ("The Lake", "", "Ships sail!", "Ships sail | Far away | June", "Ships sail"),
        ("The Lake", "", "June", "Ships sail | Far away | June", "June"),
        ("Lake", "", "Ships sail: Lake", "Ships sail | Lake", None),
        ("Lake", "", "Boats", "Ships sail | Lake", "Ships sail"),
    ],
)
def test_a_title_without_the_name_of_its_site(
    site: str | None, host: str, known: str | None, title: str, expected: str | None
):
    assert without_site(title, site=site, host=host, known=known) == (expected or title)


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
