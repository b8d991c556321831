"""Boolean queries over articles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import QueryError
from blockfeat.monitor.mentions.queries import Query, QueryMatcher
from timing import seconds_of

_TITLE = "Tolmet Bank closes its last branch"
_TEXT = (
    "The bank said on Monday that a merger with Quillstack was planned.\n"
    "Unions had called for a strike. Sport is not what this is about.\n"
    "招商银行在上海。Сбербанка больше нет."
)


def _fulfils(query: str) -> bool:
    return "query" in QueryMatcher.of([Query.parse(query)]).find(_TITLE, _TEXT)


_FULFILLED = """
merger | MERGER | merge* | merger strike | merger AND strike | merger OR flood | merger NOT flood | title:branch
merger AND NOT (flood OR fire) | "last branch" | title:("last branch" OR flood) | merger NOT title:sport
sport NOT title:sport | merger NEAR/2 Quillstack | Quillstack NEAR/1 merger | bank NEAR/7 (merger OR strike)
招商银行 | 银行 NEAR/3 上海 | Сбербанк* | (merger OR flood) (strike OR fire) | strike OR merger AND flood
"""
_UNFULFILLED = """
merge | merger AND flood | flood OR fire | merger NOT strike | merger -strike | "branch last" | title:merger
title:(branch AND merger) | Quillstack NEAR/0 merger | bank NEAR/3 (merger OR strike) | merger NEAR strike | Сбербанк
“last branch” and | (strike OR merger) AND flood
"""


def _queries(text: str) -> list[str]:
    return text.strip().replace("\n", " | ").split(" | ")


@pytest.mark.parametrize("query", _queries(_FULFILLED))
def test_what_fulfils_a_query(query: str) -> None:
    assert _fulfils(query)


# NEAR ends at a paragraph, AND binds more strongly than OR, and a small "and" is a word.
@pytest.mark.parametrize("query", _queries(_UNFULFILLED))
def test_what_does_not_fulfil_a_query(query: str) -> None:
    assert not _fulfils(query)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        *((query, "a word is missing") for query in ("", "   ", "a AND", "title:", "a & b")),
        *((query, "must be there") for query in ("NOT a", "a OR NOT b", "NOT a NOT b")),
        ("a NOT (NOT b)", "NOT stands before NOT"),
        ("(a", "not closed"),
        ("a)", "not opened"),
        ('"a', "quotation is not closed"),
        ("(a AND b) NEAR c", "NEAR stands between"),
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
    small, large = (seconds_of(lambda: matcher.find("", "a b " * size)) for size in (5_000, 40_000))  # noqa: B023
    assert large < 40 * small + 1
