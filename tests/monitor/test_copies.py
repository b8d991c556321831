"""Copies: what is one, and what is none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.copies import BANDS, bands_of, containment, runs_of_words

_STORY = " ".join(
    f"On day {number} the keeper of the lighthouse counted {number * 7 % 31} ships and wrote the names into {number}."
    for number in range(1, 25)
)


def test_a_copy_with_another_beginning_shares_keys() -> None:
    copy = "From our partners at the agency. " + _STORY.replace(" wrote ", " noted ", 2)
    first, second = runs_of_words(_STORY), runs_of_words(copy)
    assert set(bands_of(first, min_words=60)) & set(bands_of(second, min_words=60))
    assert containment(first, second) > 0.9


def test_spaces_case_and_width_do_not_count() -> None:
    other = _STORY.upper().replace(" ", "\u00a0 ").replace("K", "\uff2b")
    assert bands_of(runs_of_words(_STORY), min_words=60) == bands_of(runs_of_words(other), min_words=60)


def test_a_digest_that_holds_an_article_is_no_copy() -> None:
    digest = _STORY + " ".join(
        f"Baker {number} sold {number * 3} loaves at {number + 7} pence." for number in range(90)
    )
    assert containment(runs_of_words(_STORY), runs_of_words(digest)) == 0.0


def test_short_texts_have_no_keys() -> None:
    assert bands_of(runs_of_words("Shares of Corvane closed at 12.30 on Monday."), min_words=60) == ()
    assert runs_of_words("Three words only").size == 0


def test_scripts_without_spaces_have_runs_of_characters() -> None:
    assert runs_of_words("云栖单车把退役车轮做成了风铃").size > 5


@given(st.text(), st.text())
def test_containment_is_a_share_and_symmetric(first: str, second: str) -> None:
    one, other = runs_of_words(first), runs_of_words(second)
    assert 0.0 <= containment(one, other) <= 1.0
    assert containment(one, other) == containment(other, one)
    assert len(bands_of(one, min_words=1)) in (0, BANDS)
