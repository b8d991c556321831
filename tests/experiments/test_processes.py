"""The comparison of processes."""

from blockfeat import Extractor
from experiments.processes import apart, pooled, taken
from pages import article_page


def test_time_is_measured_for_one_process_and_for_two_with_and_without_a_pool() -> None:
    pages = [article_page().encode()] * 3
    extractor = Extractor.load("thresholds")
    ways = [lambda: pooled(extractor, pages, jobs=1), lambda: pooled(extractor, pages, jobs=2)]
    ways.append(lambda: apart(extractor, pages, jobs=2))
    for found in [taken(work, rounds=2) for work in ways]:
        assert 0 < found.wall < float("inf")
        assert 0 < found.cpu < float("inf")
