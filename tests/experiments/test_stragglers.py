"""The simulation of hostile pages."""

from __future__ import annotations

import math

import pytest

from experiments.stragglers import Crawl, main, outcome

CALM = Crawl(pages=1000, per_partition=100, mean=0.01, spread=0.0, hostile=0.0, tail=1.0, worst=3600.0)
HOSTILE = Crawl(pages=200_000, per_partition=1000, mean=0.01, spread=1.0, hostile=1e-3, tail=1.0, worst=36_000.0)


def test_without_hostile_pages_the_cores_share_the_work() -> None:
    found = outcome(CALM, 5, deadline=None)
    assert found.core_hours == pytest.approx(10 / 3600)
    assert found.hours == pytest.approx(2 / 3600)
    assert found.idle == pytest.approx(0.0, abs=1e-9)
    assert found.cut == 0
    assert outcome(CALM, 100, deadline=None).hours == pytest.approx(1 / 3600)


def test_a_deadline_cuts_pages_and_shortens_the_job() -> None:
    found = [outcome(HOSTILE, 20, deadline=deadline, seed=1) for deadline in (None, 60.0, 5.0)]
    assert found[0].cut == 0 < found[1].cut < found[2].cut
    assert found[0].hours > found[1].hours > found[2].hours
    # Of a Pareto distribution of index 1, one page in five is beyond five times the least.
    assert found[2].cut == pytest.approx(200_000 * 1e-3 / 5, rel=0.4)


def test_the_drawing_repeats_with_the_seed() -> None:
    assert outcome(HOSTILE, 20, deadline=5.0, seed=3) == outcome(HOSTILE, 20, deadline=5.0, seed=3)
    assert outcome(HOSTILE, 20, deadline=5.0, seed=3) != outcome(HOSTILE, 20, deadline=5.0, seed=4)
    assert math.isfinite(outcome(HOSTILE, 20, deadline=None).hours)


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--pages", "1e5", "--cores", "8", "--per-partition", "1000"]) == 0
    assert "| 1,000 | 10 s |" in capsys.readouterr().out
