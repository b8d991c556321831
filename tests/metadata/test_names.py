from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.metadata.names import clean_names, is_agency


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
        (["Jong, Michiel de"], ("Michiel de Jong",)),
        (["Marketing and Event Coordinator"], ("Marketing and Event Coordinator",)),
        (["Sofia Kondrat EdTech Content Writer"], ("Sofia Kondrat",)),
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
