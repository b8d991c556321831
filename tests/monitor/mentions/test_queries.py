"""Boolean queries over articles."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("ahocorasick_rs", reason="needs the extra monitor")

from blockfeat.errors import QueryError
from blockfeat.monitor.mentions.queries import Query, QueryMatcher

_TITLE = "Tolmet Bank closes its last branch"
_TEXT = (
    "The bank said on Monday that a merger with Quillstack was planned.\n"
    "Unions had called for a strike. Sport is not what this is about.\n"
    "招商银行在上海。Сбербанка больше нет."
)


def _fulfils(query: str, *, title: str = _TITLE, text: str = _TEXT) -> bool:
    return "query" in QueryMatcher.of([Query.parse(query)]).find(title, text)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("merger", True),
        ("MERGER", True),
        ("merge", False),
        ("merge*", True),
        ("merger strike", True),
        ("merger AND strike", True),
        ("merger AND flood", False),
        ("merger OR flood", True),
        ("flood OR fire", False),
        ("merger NOT strike", False),
        ("merger -strike", False),
        ("merger NOT flood", True),
        ("merger AND NOT (flood OR fire)", True),
        ('"last branch"', True),
        ('"branch last"', False),
        ("title:branch", True),
        ("title:merger", False),
        ("title:(branch AND merger)", False),
        ('title:("last branch" OR flood)', True),
        ("merger NOT title:sport", True),
        ("sport NOT title:sport", True),
        ("merger NEAR/2 Quillstack", True),
        ("Quillstack NEAR/1 merger", True),
        ("Quillstack NEAR/0 merger", False),
        ("bank NEAR/3 (merger OR strike)", False),
        ("bank NEAR/7 (merger OR strike)", True),
        ("merger NEAR strike", False),  # another paragraph
        ("招商银行", True),
        ("银行 NEAR/3 上海", True),
        ("Сбербанк", False),
        ("Сбербанк*", True),
        ("“last branch” and", False),  # small: a word
        ("(merger OR flood) (strike OR fire)", True),
        ("strike OR merger AND flood", True),  # AND binds more strongly
        ("(strike OR merger) AND flood", False),
    ],
)
def test_operators(query: str, *, expected: bool) -> None:
    assert _fulfils(query) is expected


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "a word is missing"),
        ("   ", "a word is missing"),
        ("a AND", "a word is missing"),
        ("NOT a", "must be there"),
        ("a OR NOT b", "must be there"),
        ("NOT a NOT b", "must be there"),
        ("a NOT (NOT b)", "NOT stands before NOT"),
        ("(a", "not closed"),
        ("a)", "not opened"),
        ('"a', "quotation is not closed"),
        ("(a AND b) NEAR c", "NEAR stands between"),
        ("title:", "a word is missing"),
        ("a & b", "a word is missing"),
        ("(" * 60 + "a" + ")" * 60, "brackets in each other"),
        (" ".join("abcdefghij"[i % 10] + str(i) for i in range(300)), "words and phrases"),
    ],
)
def test_what_cannot_be_understood_is_said(query: str, reason: str) -> None:
    with pytest.raises(QueryError, match="'strikes'") as error:
        Query.parse(query, name="strikes")
    assert reason in str(error.value)


def test_places_are_those_of_the_terms_that_must_be_there() -> None:
    whole = f"{_TITLE}\u2029{_TEXT}"
    (spans,) = QueryMatcher.of([Query.parse("bank NEAR/7 merger NOT flood")]).find(_TITLE, _TEXT).values()
    assert [whole[start:end] for start, end in spans] == ["bank", "merger"]


@given(st.text(alphabet='ab ()"*-:ANDORTNEitle/5“”', max_size=60))
def test_any_text_is_a_query_or_an_error(text: str) -> None:
    try:
        query = Query.parse(text)
    except QueryError:
        return
    QueryMatcher.of([query]).find("a b", "b a")


def test_a_long_text_with_many_hits_takes_linear_time() -> None:
    matcher = QueryMatcher.of([Query.parse("a NEAR/3 b NOT c")])
    small, large = "a b " * 5_000, "a b " * 40_000
    begin = time.process_time()
    matcher.find("", small)
    middle = time.process_time()
    matcher.find("", large)
    assert time.process_time() - middle < 40 * (middle - begin) + 1
