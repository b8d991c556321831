"""One address for one page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.fetching import canonical_url, netloc_of
from cases import CASES


@pytest.mark.parametrize(("url", "expected"), CASES["canonical_addresses"])
def test_canonical_addresses(url: str, expected: str) -> None:
    assert canonical_url(url) == expected


_SELECTING = """
a?id=5 a?ref=5&source=7 a?campaign=5&page=2&session=1 a?reference=5 a//b a/ a?a=1&a=2 a?q= a%2Fb a;v=1
"""


@pytest.mark.parametrize("url", ["https://www.a.example/", *(f"https://example.com/{x}" for x in _SELECTING.split())])
def test_what_may_select_another_page_stays(url: str) -> None:
    assert canonical_url(url) == url


@given(st.text(max_size=60), st.sampled_from(["", "http://a.example/", "https://a.example/x?", "http://[::1]/"]))
def test_a_canonical_address_is_its_own(text: str, head: str) -> None:
    once = canonical_url(head + text)
    assert canonical_url(once) == once


def test_hosts() -> None:
    assert netloc_of("HTTPS://u:p@A.example:443/x") == "a.example"
    assert (netloc_of("http://a.example:8080/x"), netloc_of("http://[::1")) == ("a.example:8080", "")
