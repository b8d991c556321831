"""Synthetic pages: of the size asked for, equal each time, of the shape that their name says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.shapes import SHAPES, synthetic_page


@given(st.sampled_from(SHAPES), st.integers(1024, 50_000))
def test_pages_are_about_as_large_as_asked(shape: str, size: int) -> None:
    page = synthetic_page(shape, size)
    assert size - 600 <= len(page) <= size
    assert page == synthetic_page(shape, size)
    assert sum(not letter.isascii() for letter in page) == shape.startswith("wide")


@pytest.mark.parametrize(
    ("shape", "part"),
    [
        *(("short paragraphs", "<p>the</p>"), ("links", "<a href="), ("table rows", "<tr>"), ("spaces", " " * 99)),
        *(("repeated ids", "<p id=a>"), ("<!-->", "<!-->" * 9), ("attributes", " a7=1 a8=1"), ("classes", "c7 c8")),
    ],
)
def test_shapes_repeat_what_they_are_named_for(shape: str, part: str) -> None:
    assert part in synthetic_page(shape, 4096)
