"""Memory and cold starts: what is counted; never how much memory or time it is."""

import pytest

from benchmarks.footprint import ColdStart, MemoryGrowth, cold_start_table, cold_starts, memory_growth, results_table
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor


def test_memory_is_sampled_over_all_pages_of_which_there_must_be_one() -> None:
    with pytest.raises(InputError):
        memory_growth(Extractor.load("thresholds"), [])
    found = memory_growth(Extractor.load("thresholds"), ["<p>one</p>", "<p>two</p>"], 30, warm_up=3)
    assert (found.pages, found.warm_up, len(found.resident)) == (30, 3, 31)
    assert min(found.resident) > 0
    assert (len(found.to_frame()), list(found.to_frame()["pages"])[-1]) == (31, 30)


def test_growth_is_taken_from_the_end_of_the_warm_up() -> None:
    megabyte = 1024 * 1024
    found = MemoryGrowth(200, 10, (100 * megabyte, 108 * megabyte, 103 * megabyte))
    assert (found.growth, found.peak_growth) == (3 * megabyte, 8 * megabyte)
    assert "| 200 | 10 | 100.0 | 3.0 | 8.0 |" in found.to_markdown()


def test_cold_starts_are_rows_of_new_processes_and_one_that_fails_says_why() -> None:
    starts = cold_starts(model="thresholds", passes=1)
    assert [start.what for start in starts] == ["python", "import blockfeat", "blockfeat extract"]
    assert all(start.process_seconds > 0 and start.wall_seconds > 0 for start in starts)
    assert "| `python` | 20 | 30 |" in cold_start_table([ColdStart("python", 0.02, 0.03)])
    with pytest.raises(InputError, match="no-such-model"):
        cold_starts(model="no-such-model", passes=1)


def test_results_in_a_list_and_pickled_are_measured() -> None:
    table = results_table(Extractor.load("thresholds"), ["<p>one two</p>", "<p>three four</p>"], 10)
    cells = [float(cell) for cell in table.splitlines()[2].strip("| ").split("|")]
    assert cells[0] == 10
    assert 0 < cells[2] <= cells[3] <= cells[4] < 5
