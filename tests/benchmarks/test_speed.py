"""Speed: structure, means, ratios and tables; never how long anything takes."""

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.speed import BARE_PARSE, PageInput, PageTimes, SpeedResult, System, measure_speed, systems_of
from blockfeat.data import LabelledPage
from blockfeat.errors import InputError

PAGES = [LabelledPage(str(number), f"<p>page {number} é</p>", "", corpus="ab"[number % 2]) for number in range(8)]


def fails(page: PageInput) -> object:
    raise ValueError("no")


def made_up() -> SpeedResult:
    kinds = {BARE_PARSE: "parse", "blockfeat x": "blockfeat", "slow": "peer"}
    pages = (
        PageTimes("a", "1", 100, (0.001, 0.002, 0.100), (math.nan, 0.8, 0.9)),
        PageTimes("a", "2", 100, (0.003, 0.004, math.nan), (math.nan, 0.9, 0.0)),
        PageTimes("b", "3", 100, (0.002, 0.006, 0.050), (math.nan, math.nan, math.nan)),
    )
    return SpeedResult(tuple(System(name, "1", kind, fails) for name, kind in kinds.items()), pages, 5)


def test_every_system_is_timed_on_every_page() -> None:
    calls: list[tuple[str, bytes, str]] = []
    systems = [
        System(name, "1", "blockfeat", lambda page, name=name: calls.append((name, page.data, page.html)))  # type: ignore[misc]
        for name in ("one", "two")
    ]
    result = measure_speed(systems, PAGES, passes=2)
    assert result.names == ("one", "two")
    assert [page.id for page in result.pages] == [page.id for page in PAGES]
    assert all(seconds >= 0 for page in result.pages for seconds in page.seconds)
    warm_up = 2
    assert len(calls) == 2 * 2 * len(PAGES) + warm_up
    assert all(data == html.encode() for _, data, html in calls)


def test_each_call_gets_a_text_of_its_own() -> None:
    given: list[str] = []
    systems = [System(name, "1", "peer", lambda page: given.append(page.html)) for name in ("one", "two")]
    measure_speed(systems, PAGES, passes=3)
    assert len({id(html) for html in given}) == len(given)


def test_the_spread_is_that_of_the_passes() -> None:
    every = np.array([[[1, 2, 8], [1, 2, math.nan]], [[1, 3, 8], [1, 3, 8]], [[1, 4, 8], [1, 4, 8]]])
    result = replace(made_up(), every=every)
    assert result.quartiles("blockfeat x", BARE_PARSE) == pytest.approx((2.5, 3.5))
    assert result.quartiles("slow", BARE_PARSE) == pytest.approx((8, 8))
    assert "2.00 (2.50 to 3.50)" in result.to_markdown()


def test_a_system_that_fails_has_no_time() -> None:
    result = measure_speed([*systems_of(), System("bad", "1", "peer", fails)], PAGES, passes=1)
    assert math.isnan(result.mean("bad"))
    assert math.isnan(result.ratio("bad", BARE_PARSE))
    assert "bad" in result.to_markdown()


def test_means_and_ratios_are_over_common_pages() -> None:
    result = made_up()
    assert (result.mean(BARE_PARSE), result.mean("slow", "a")) == pytest.approx((0.002, 0.1))
    ratios = [result.ratio(name, BARE_PARSE, *of) for name, *of in (("blockfeat x",), ("slow",), ("slow", "b"))]
    assert ratios == pytest.approx([2, 0.075 / 0.0015, 25])
    with pytest.raises(InputError, match="nobody"):
        result.mean("nobody")


def test_texts_are_scored_in_a_call_that_is_not_timed() -> None:
    pages = [replace(page, text=gold) for page, gold in zip(PAGES, ("page 0 é", "page", None), strict=False)]
    texts = {"copy": lambda page: page.html[3:-4], "fails": fails, "none": None}
    systems = [System(name, "1", "peer", lambda page: None, text) for name, text in texts.items()]
    result = measure_speed(systems, pages, passes=1)
    assert [page.f1[:2] for page in result.pages[:2]] == [(1.0, 0.0), (pytest.approx(0.5), 0.0)]
    assert (result.f1("copy"), result.f1("copy", "b")) == pytest.approx((0.75, 0.5))
    assert np.isnan([*result.pages[2].f1, result.f1("none")]).all()
    assert not measure_speed(systems[2:], pages, passes=1).to_markdown().count("F1")


@pytest.mark.parametrize(
    ("times", "f1", "unbeaten"),
    [
        *(((1, 2, 3), (0.7, 0.8, 0.9), "xyz"), ((1, 2, 3), (0.7, 0.9, 0.8), "xy"), ((1, 1, 3), (0.7, 0.8, 0.8), "y")),
        *(((1, 1, 1), (0.8, 0.8, math.nan), "xy"), ((1, 1, 1), 3 * (math.nan,), "")),
    ],
)
def test_none_beats_the_unbeaten_in_both(times: tuple[float, ...], f1: tuple[float, ...], unbeaten: str) -> None:
    systems = tuple(System(name, "1", "peer", fails) for name in "xyz")
    result = SpeedResult(systems, (PageTimes("a", "1", 100, times, f1),), 1)
    assert "".join(filter(result.is_unbeaten, "xyz")) == unbeaten


def test_table_is_sorted_by_time() -> None:
    lines = made_up().to_markdown().splitlines()
    assert lines[0].startswith("| system | version | a, ms | b, ms | all, ms | pages | × lxml parse |")
    assert [line.split(" | ")[0].strip("| ") for line in lines[2:]] == [BARE_PARSE, "blockfeat x", "slow"]
    assert lines[3].split(" | ")[2:] == ["3.00", "6.00", "4.00", "3", "2.00", "85.0", "yes |"]


def test_frame_has_a_row_for_each_system_and_page() -> None:
    frame = made_up().to_frame()
    assert list(frame.columns) == ["system", "version", "corpus", "id", "size", "seconds", "f1"]
    assert len(frame) == 9


def test_without_pages_or_passes_there_is_nothing_to_measure() -> None:
    for pages, passes in (([], 1), (PAGES, 0)):
        with pytest.raises(InputError):
            measure_speed(systems_of(), pages, passes=passes)


def test_lone_surrogates_do_not_stop_the_clock() -> None:
    assert PageInput.of_text("a\ud800b").data == b"a?b"
