from benchmarks.metadata_scores import GoldPage
from blockfeat import Extractor
from experiments.metadata_sources import calibration, count_sources, differences, learnt_order, read_values
from metadata.described import TEXT


def _page(number: int, *, gold: str) -> GoldPage:
    meta = f'<meta property="article:published_time" content="2024-05-0{number}T08:00:00+02:00">'
    body = f"<body><h1>Quiet days at the harbour</h1>{TEXT}</body>"
    html = f"<html><head>{meta}<meta name=date content=2024-05-01></head>{body}</html>"
    return GoldPage(str(number), "set", f"https://lake{number}.example/a", html, {"days": [gold]})


PAGES = [_page(number, gold=f"2024-05-0{number if number < 6 else 1}") for number in range(1, 8)]
VALUES = list(read_values(Extractor.load("default"), PAGES))


def test_right_values_are_counted_by_source_and_support() -> None:
    counts = count_sources(VALUES).counts["published"]
    assert {name: sum(right for right, _ in by.values()) for name, by in counts.items()}.get("open-graph", 0) >= 4
    assert sum(count for by in counts.values() for _, count in by.values()) == 7


def test_pairs_are_compared_where_they_differ() -> None:
    found = differences(VALUES, "published")
    assert found["open-graph", "meta"][0] == 6  # on the first page they agree
    assert found["open-graph", "meta"][1] == -found["meta", "open-graph"][1]


def test_a_source_moves_before_another_that_is_wrong_more_often() -> None:
    usual = ("json-ld", "open-graph", "meta")
    moved = learnt_order({("meta", "json-ld"): (6, 5.0), ("open-graph", "json-ld"): (9, 1.0)}, usual)
    assert moved == ("meta", "json-ld", "open-graph")
    assert learnt_order({("meta", "json-ld"): (40, 3.0)}, usual) == usual


def test_calibration_has_every_value_once() -> None:
    assert sum(count for count, _, _ in calibration(VALUES, "published")) == 7
