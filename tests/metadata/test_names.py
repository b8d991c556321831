from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.metadata.names import clean_names, is_agency, is_declared, is_headline_of, without_site


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (["By Ann Lee and Bo Ek, senior editor"], ("Ann Lee", "Bo Ek")),
        (["Ann Lee; Bo Ek"], ("Ann Lee", "Bo Ek")),
        (["Ann Lee", "ann lee"], ("Ann Lee",)),
        (["Ann", "Ann Lee"], ("Ann Lee",)),
        (["Lee, Ann"], ("Ann Lee",)),
        (["Ann Lee, MD, PhD"], ("Ann Lee",)),
        (["Ann Lee (ann@lake.example)"], ("Ann Lee",)),
        (["Ann Lee @annlee"], ("Ann Lee",)),
        (["https://www.facebook.com/annlee"], ()),
        (["Chris Long Vice President of Sales"], ("Chris Long",)),
        (["Jürgen von Trotha"], ("Jürgen von Trotha",)),
        (["von Trotha"], ("von Trotha",)),
        (["Center for Drug Evaluation and Research"], ("Center for Drug Evaluation and Research",)),
        (["admin", "None", ""], ()),
        (["山田太郎記者"], ("山田太郎",)),
        (["Ana Bela Clara Dora Elsa Flora Gina"], ("Ana Bela Clara Dora Elsa Flora Gina",)),
        (["Ana Bela Clara Dora Elsa Flora Gina Hera"], ()),
        (["Lee, Reuters"], ("Lee", "Reuters")),
        (["Lee, editor"], ("Lee",)),
        (["Bo"], ("Bo",)),
        (["B"], ()),
        ([f"{'A' * 29} {'B' * 30}"], (f"{'A' * 29} {'B' * 30}",)),
        ([f"{'A' * 30} {'B' * 30}"], ()),
        (["Ann Lee President"], ("Ann Lee",)),
        (["von Ann Lee"], ("Ann Lee",)),
        (["admin, senior editor"], ()),
        (["Ann Lee and Staff Writer"], ("Ann Lee",)),
        (["María Pérez y José Ruiz"], ("María Pérez", "José Ruiz")),
        (["RT en Español"], ("RT en Español",)),
        (["Jan de Vries en Piet Bos"], ("Jan de Vries", "Piet Bos")),
        (["Organization for Good Works"], ("Organization for Good Works",)),
        (["Center for A/B"], ("Center for A/B",)),
        (["Center for A/B/C"], ()),
        (["Jong, Michiel de"], ("Michiel de Jong",)),
        (["Marketing and Event Coordinator"], ("Marketing and Event Coordinator",)),
        (["Jane Doe, Marketing and Event Coordinator"], ("Jane Doe",)),
        (["Sofia Kondrat EdTech Content Writer"], ("Sofia Kondrat",)),
        (["Sofia Kondrat Content Writer"], ("Sofia Kondrat",)),
        (["Sofia Kondrat Nutritionist Expert"], ("Sofia Kondrat",)),
        (["Ann de Lake Writer"], ("Ann de Lake",)),
        (["Justin Writer"], ("Justin Writer",)),
        (["Tolkien J.R.; Bo Ek"], ("Tolkien J.R.", "Bo Ek")),
        (["Ann Lee Sr.; Bo Ek"], ("Ann Lee Sr", "Bo Ek")),
        (["Cazzy Magennis Last Updated"], ("Cazzy Magennis",)),
        (["Post author By Ann Lee"], ("Ann Lee",)),
        (
            ["Username", "View Comments", "Submitted", "Share this article", "Ссылки по теме", "Commentaires", "공유"],
            (),
        ),
    ],
)
def test_names(values: list[str], names: tuple[str, ...]):
    assert clean_names(values) == names


@pytest.mark.parametrize("name", ["Reuters", "dpa", "(AFP)", "The Associated Press", "ТАСС", "新华社", "共同通信"])
def test_agencies(name: str):
    assert is_agency(name)


def test_people_are_no_agencies():
    assert not is_agency("Ann Lee")


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
    ("title", "site", "host", "known", "expected"),
    [
        ("Ships sail", "Lake", "lake.example", None, "Ships sail"),
        ("Ships sail | The Lake", "The Lake", "", None, "Ships sail"),
        ("Ships sail | BBC", "BBC", "", None, "Ships sail"),
        ("Ships sail | Boats of June", "Lake", "lakes.example", None, "Ships sail | Boats of June"),
        # Either name begins or ends with the other.
        ("Ships sail | Lake News", "Lake", "", None, "Ships sail"),
        ("Ships sail | My Lake", "Lake", "", None, "Ships sail"),
        ("Ships sail | BBC Sport", "BBC", "", None, "Ships sail | BBC Sport"),
        ("Ships sail | Lake", "The Lake Herald", "", None, "Ships sail"),
        ("Ships sail | Sun", "The Sunday", "", None, "Ships sail | Sun"),
        (f"Ships sail | Lake {'a' * 17}", "Lake", "", None, "Ships sail"),
        (f"Ships sail | Lake {'a' * 18}", "Lake", "", None, f"Ships sail | Lake {'a' * 18}"),
        # The host says it where the site has no name.
        ("Ships sail | Lake", None, "lakenews.example", None, "Ships sail"),
        ("Ships sail | New", None, "lakenews.example", None, "Ships sail"),
        ("Ships sail | Ne", None, "lakenews.example", None, "Ships sail | Ne"),
        ("Ships sail | Lake News Daily", None, "lake.news.example", None, "Ships sail"),
        ("Ships sail | Lakes Daily", None, "lakes.example", None, "Ships sail"),
        ("Ships sail | Lake Daily", None, "lake.example", None, "Ships sail | Lake Daily"),
        ("Ships sail | Localhost", None, "localhost", None, "Ships sail | Localhost"),
        # Where the name stands.
        ("Ships sail | June | The Lake", "The Lake", "", None, "Ships sail | June"),
        ("The Lake | Ships sail | June", "The Lake", "", None, "Ships sail | June"),
        # What is seen decides.
        ("Ships sail | Far away | June", "The Lake", "", "Ships sail!", "Ships sail"),
        ("Ships sail | Far away | June", "The Lake", "", "June", "June"),
        ("Ships sail | Lake", "Lake", "", "Ships sail: Lake", "Ships sail | Lake"),
        ("Ships sail | Lake", "Lake", "", "Boats", "Ships sail"),
    ],
)
def test_a_title_without_the_name_of_its_site(
    title: str, site: str | None, host: str, known: str | None, expected: str
):
    assert without_site(title, site=site, host=host, known=known) == expected


@pytest.mark.parametrize(
    ("visible", "given", "expected"),
    [
        ("Ships sail", ["Boats", "Ships sail!"], True),
        ("Ships sail", ["Ships sail | Lake"], True),
        ("Ships sail", ["Lake | Ships sail"], True),
        ("Ships sail", ["Ships sail far away | Lake"], False),
        ("Ships sail", ["Boats | Lake"], False),
        ("Ships sail", [], False),
        ("Lake", ["Lake"], False),
        ("", [""], False),
    ],
)
def test_a_headline_is_declared_with_or_without_the_name_of_the_site(visible: str, given: list[str], expected: bool):
    assert is_declared(visible, given, site="Lake", host="lake.example") is expected


@pytest.mark.parametrize(
    ("visible", "declared", "title", "headings", "expected"),
    [
        ("Ships sail", "ships: sail", "Boats", [], True),
        ("Ships", "", "", [], True),
        # Cut short, or one word of it only.
        ("Ships sail", "Ships sail o", "Ships sail out | Lake", [], True),
        ("Ships", "Ships sail out", "Ships sail out | Lake", [], False),
        # The headline with something in front of it, or the site's name.
        ("News: Ships sail", "Ships sail", "Ships sail | Lake", [], False),
        ("The Lake", "Ships sail", "Ships sail | The Lake", [], False),
        ("The Lake", "Ships sail", "The Lake | Ships sail", [], False),
        # Another heading is the declared title.
        ("Ships sail far", "Ships go", "Ships go | Lake", [], True),
        ("Ships sail far", "Ships go", "Ships go | Lake", ["Ships go"], False),
        # More than the headline, unless the title has it all.
        ("Ships sail far away", "Ships sail", "Ships sail | Lake", [], False),
        ("Ships sail far away", "Ships sail", "Ships sail far away | Lake", [], True),
        ("Ships sail far away", "Ships sail", "Lake | Ships sail", [], True),
        # Three tenths of its words are those of the titles.
        ("Ships sail far away", "Ships go", "Boats", [], False),
        ("One two three four five six seven eight nine ten", "Ships one", "Two three", [], True),
        ("One two three four five six seven eight nine ten", "Ships one", "Two", [], False),
    ],
)
def test_a_headline_is_preferred_to_the_title_that_is_made_of_it(
    visible: str, declared: str, title: str, headings: list[str], expected: bool
):
    assert is_headline_of(visible, declared, title, headings) is expected
