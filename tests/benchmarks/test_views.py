"""Views: exponents of made-up times, and what a table says of failures and of the law; never of how long it takes."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.views import BYTES_A_BYTE, FREE_BYTES, SIZES, Cell, ViewsResult, fit_exponent, measure_views


@given(st.floats(0.2, 3.0), st.floats(1e-12, 1e-3))
def test_the_exponent_of_a_power_is_found(power: float, factor: float) -> None:
    seconds = [factor * size**power for size in SIZES]
    assert fit_exponent(SIZES, seconds) == pytest.approx(power, abs=1e-6)


def test_small_pages_do_not_count_and_too_few_sizes_have_no_exponent() -> None:
    assert fit_exponent([1024, *SIZES], [0.01, *(1e-6 * size for size in SIZES)]) == pytest.approx(1)
    few: list[tuple[list[int], list[float]]] = [([65536], [1.0]), ([1024, 4096], [1.0, 4.0]), ([], [])]
    assert all(math.isnan(fit_exponent(*pair)) for pair in (*few, ([65536, 262144], [0.0, 1.0])))


def test_a_table_names_what_failed_and_what_took_more_memory_than_the_law_allows() -> None:
    most = FREE_BYTES + BYTES_A_BYTE * (1 << 20)
    cells = [Cell("text", shape, 1 << 20, 0.5, memory) for shape, memory in (("br", most), ("<", most + 1e6))]
    lines = ViewsResult((*cells, Cell("text", "links", 65536, outcome="it broke"))).to_markdown().splitlines()
    assert lines[2].endswith("| `links` 64 KB: it broke | `<` 1024 KB: 94 MB |")


def test_what_breaks_on_a_page_is_not_tried_on_a_larger_one() -> None:
    def breaks(data: bytes) -> None:
        if len(data) > 2000:
            raise ValueError("too large for me")

    found = measure_views({"breaks": breaks}, shapes=["article"], sizes=[1024, 4096, 16384])
    assert [cell.outcome for cell in found.cells] == ["result", "ValueError: too large for me"]
