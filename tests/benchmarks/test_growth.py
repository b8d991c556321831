"""Growth: exponents of made-up times, what stops a measurement, tables; never how long anything takes."""

import math
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.growth import SIZES, Growth, GrowthResult, fit_exponent, measure_growth
from benchmarks.speed import PageInput, System, systems_of
from blockfeat.errors import InputError


def measured(power: float, *, factor: float = 1e-9) -> Growth:
    return Growth("made up", "article", SIZES, tuple(factor * size**power for size in SIZES))


@given(st.floats(0.2, 3.0), st.floats(1e-12, 1e-3))
def test_the_exponent_of_a_power_is_found(power: float, factor: float) -> None:
    seconds = [factor * size**power for size in SIZES]
    assert fit_exponent(SIZES, seconds) == pytest.approx(power, abs=1e-6)


def test_small_pages_do_not_count_and_too_few_sizes_have_neither_exponent_nor_ratio() -> None:
    assert fit_exponent(SIZES, [0.01 if size < 65536 else 1e-6 * size for size in SIZES]) == pytest.approx(1)
    few: list[tuple[list[int], list[float]]] = [([65536], [1.0]), ([1024, 4096], [1.0, 4.0]), ([], [])]
    assert all(math.isnan(fit_exponent(*pair)) for pair in (*few, ([65536, 262144], [0.0, 1.0])))
    assert (measured(1.0).largest_ratio, measured(2.0).largest_ratio) == (pytest.approx(4), pytest.approx(16))
    assert math.isnan(Growth("x", "article", (1024, 4096), (1.0, 9.0)).largest_ratio)


def test_systems_are_measured_on_each_known_shape_and_size() -> None:
    result = measure_growth(systems_of(), shapes=["article", "<"], sizes=[1024, 4096])
    found = [(growth.system, growth.shape, growth.sizes) for growth in result.growths]
    assert found == [("lxml parse", shape, (1024, 4096)) for shape in ("article", "<")]
    assert all(growth.stopped is None for growth in result.growths)
    assert list(result.to_frame().columns) == ["system", "shape", "size", "seconds", "exponent", "stopped"]
    assert len(result.to_frame()) == 4
    with pytest.raises(InputError, match="spiral"):
        measure_growth(systems_of(), shapes=["spiral"])


def test_a_system_that_fails_or_dies_is_stopped() -> None:
    def fails(page: PageInput) -> None:
        if len(page.data) > 2000:
            raise ValueError("too large for me")

    def dies(page: PageInput) -> None:
        if len(page.data) > 2000:
            os._exit(1)

    systems = [System("fails", "1", "peer", fails), System("dies", "1", "peer", dies)]
    first, second = measure_growth(systems, shapes=["article"], sizes=[1024, 4096, 16384]).growths
    assert (first.sizes, first.stopped) == ((1024,), "ValueError: too large for me at 4 KB")
    assert (second.sizes, second.stopped) == ((1024,), "its worker process died at 4 KB")


def test_a_growth_that_would_take_too_long_is_not_tried() -> None:
    result = measure_growth(systems_of(), shapes=["article"], sizes=SIZES[:4], limit=0.0)
    assert result.growths[0].sizes == (1024, 4096)
    assert "would take about" in (result.growths[0].stopped or "")


def test_table_and_picture(tmp_path: Path) -> None:
    result = GrowthResult((measured(1.0), Growth("other", "<", (1024,), (1.0,), "worker died at 4 KB")))
    lines = result.to_markdown().splitlines()
    assert "| 1.00 | 4.00 |" in lines[2]
    assert "16 MB, ms" in lines[0]
    assert "worker died at 4 KB" in lines[3]
    result.plot(tmp_path / "growth.png")
    assert (tmp_path / "growth.png").stat().st_size > 1000
