"""Each filter alone: what it takes, what it leaves, and what stands in its place."""

from dataclasses import replace
from typing import Any

import pytest

from blockfeat.papers.crunch import settings as crunch
from blockfeat.papers.crunch.clean import clean
from cases import CASES

_OFF = crunch.Filters(**dict.fromkeys(crunch.Filters.__dataclass_fields__, False))
_NOTHING = crunch.CleanSettings(
    _OFF, crunch.Advertisements(remove=False), crunch.LinkLists(remove=False), crunch.EmptyTables(remove=False)
)


def _body(page: str, settings: crunch.CleanSettings) -> str:
    return clean(page, settings).html.partition("<body>")[2].partition("</body>")[0]


def _filtered(page: str, *names: str) -> str:
    return _body(page, replace(_NOTHING, filters=replace(_OFF, **dict.fromkeys(names, True))))


@pytest.mark.parametrize(("name", "inside", "left"), CASES["a_filter_takes_its_elements_and_fuses_no_words"])
def test_a_filter_takes_its_elements_and_fuses_no_words(name: str, inside: str, left: str) -> None:
    assert _filtered(f"<p>foo{inside}bar", name) == f"<p>{left}</p>"


@pytest.mark.parametrize(("names", "page", "left"), CASES["filters_and_what_stands_in_the_place_of_what_they_take"])
def test_filters_and_what_stands_in_the_place_of_what_they_take(names: tuple[str, ...], page: str, left: str) -> None:
    assert _filtered(page, *names) == left


def test_meta_elements_go_but_for_the_encoding() -> None:
    html = clean("<meta name=author content=a><meta charset=utf-8><p>b").html
    assert "author" not in html
    assert '<meta charset="utf-8">' in html


def test_widths_of_cells_go_and_those_of_tables_stay() -> None:
    left = _filtered("<table width=9><tr><td width=5>a</table>", "table_cell_widths")
    assert 'table width="9"' in left
    assert "5" not in left


def _lists(page: str, **chosen: Any) -> str:
    return _body(page, replace(_NOTHING, link_lists=crunch.LinkLists(**chosen)))


_TWO = "<a href=/1>one</a> <a href=/2>two</a>"


@pytest.mark.parametrize(
    ("words", "is_list"),
    # Two links: eight words of five letters are just enough at a ratio of .25.
    [("", True), ("abcde " * 7 + "abcd", True), ("abcde " * 8, False)],
)
def test_a_cell_with_more_links_than_words_allow_is_emptied(words: str, is_list: bool) -> None:
    page = f"<table><tr><td>{words}{_TWO}</td><td>rest</td></tr></table>"
    assert ("one" not in _lists(page), "<td></td>" in _lists(page)) == (is_list, is_list)
    assert _lists(page, remove_container=True).count("<td") == 2 - is_list


@pytest.mark.parametrize(
    ("chosen", "is_kept"),
    [
        *(({}, False), ({"ratio": 1.0}, False), ({"container_ratio": 1.0}, True)),
        *(({"container_ratio": 1.0, "letters_per_word": 6}, False), ({"containers": ("ul",)}, True)),
        ({"least_links": 3}, True),
    ],
)
def test_letters_of_a_word_ratio_and_containers_can_be_set(chosen: dict[str, Any], is_kept: bool) -> None:
    assert ("one" in _lists(f"<nav>{_TWO} abcdefghij</nav>", **chosen)) == is_kept


def test_text_beside_a_list_of_links_stays() -> None:
    article = "The lantern makers of the valley meet every autumn at the old mill. " * 2
    page = f"<div><ul>{'<li><a href=/x>link</a>' * 9}</ul><p>{article}</p></div>"
    assert _lists(page).startswith("<div><ul></ul><p>The lantern")


@pytest.mark.parametrize(
    ("inside", "stays"), [("ab", False), ("abcde", True), ("<img src=i>", True), ("<table><tr><td>a</table>", False)]
)
def test_tables_without_substance_go(inside: str, stays: bool) -> None:
    page = f"<p>x</p><table><tr><td>{inside}</table>"
    assert ("<table" in _body(page, replace(_NOTHING, empty_tables=crunch.EmptyTables()))) == stays
    # What is substance can be set.
    for least in (0, 1):
        chosen = replace(_NOTHING, empty_tables=crunch.EmptyTables(substance=(), least_characters=least))
        assert ("<table" in _body("<table><tr><td><img src=i></table>", chosen)) == (least == 0)


def test_removed_links_are_listed_once_at_the_end() -> None:
    settings = crunch.CleanSettings(
        replace(_OFF, text_links=True), removed_links=crunch.RemovedLinks(list=True, heading="Removed")
    )
    ad = "<a href='https://x.doubleclick.net/'>ad</a>"
    body = _body(f"<p>a<a href=/1>one</a>b<a href=/1>one</a>{ad}<a href=#x>here</a>", settings)
    listed = '<ul><li><a href="/1">one</a></li></ul></section>'
    assert body.endswith(f'<section id="crunch-removed-links"><h2>Removed</h2>{listed}')
    assert body.startswith("<p>a b")


def test_advertisements_go_by_host() -> None:
    page = "<p>a<a href='//ad.doubleclick.net/x'>b</a>c<iframe src=https://s.criteo.com></iframe><a href=/d>d</a>"
    assert _body(page, replace(_NOTHING, advertisements=crunch.Advertisements())) == '<p>a c <a href="/d">d</a></p>'
