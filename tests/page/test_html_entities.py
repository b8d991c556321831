"""Character references."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.encoding import unescape


@pytest.mark.parametrize(
    ("text", "plain"),
    [("a &amp; b &#228;&#xe4; &eacute", "a & b ää é"), ("", ""), ("&#" + "0" * 50 + "65;", "A"), ("&;&#;", "&;&#;")],
)
def test_references_are_resolved(text: str, plain: str) -> None:
    assert unescape(text) == plain


def test_a_number_of_thousands_of_digits_is_no_character() -> None:
    assert unescape(f"a &#{'9' * 5_000}; b &#{'9' * 5_000}") == "a \ufffd b \ufffd"


def test_zeros_before_a_number_do_not_count() -> None:
    assert unescape(f"javascript&#{'0' * 5_000}58;") == "javascript:"


@given(st.text(alphabet="&#x0129;aé", max_size=60), st.integers(min_value=1, max_value=6_000))
def test_any_text_is_taken(text: str, times: int) -> None:
    assert isinstance(unescape(text + "&#" + "7" * times), str)
