"""Learning curves: nested training parts, one test part for all models."""

from itertools import pairwise

from blockfeat.data import demo_pages
from experiments.learning_curves import learning_curve, nested_parts, table


def test_parts_are_nested_and_of_the_sizes_asked_for() -> None:
    pages = demo_pages()
    parts = nested_parts(pages, (20, 5, 10, 1_000, 2_000), seed=3)
    assert [len(part) for part in parts] == [5, 10, 20, len(pages)]
    for smaller, larger in pairwise(parts):
        assert larger[: len(smaller)] == smaller
    assert nested_parts(pages, (5,), seed=3)[0] == parts[0]
    assert nested_parts(pages, (5,), seed=4)[0] != parts[0]


def test_all_models_are_scored_on_the_same_pages_of_other_hosts() -> None:
    points = list(learning_curve(demo_pages(), kinds=("tokens",), sizes=(10, 30), seed=1))
    assert [point.pages for point in points] == [10, 30]
    assert len({point.scores.pages for point in points}) == 1
    assert all(point.scores.text is not None and 0 < point.scores.text.extraction <= 1 for point in points)
    lines = table(points).splitlines()
    assert len(lines) == 2 + len(points)
    assert lines[0].startswith("| training pages | kind | word F1 |")
