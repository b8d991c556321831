"""The comparison of processes."""

from __future__ import annotations

from blockfeat import Extractor
from experiments.processes import seconds_of
from pages import article_page


def test_time_is_measured_for_one_process_and_for_two() -> None:
    pages = [article_page().encode()] * 3
    taken = [seconds_of(Extractor.load("thresholds"), pages, jobs=jobs, rounds=2) for jobs in (1, 2)]
    assert all(0 < seconds < float("inf") for seconds in taken)
