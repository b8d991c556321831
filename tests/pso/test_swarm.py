"""The swarm: finds optima, repeats itself, and leaves the process as it found it."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from blockfeat.errors import TrainingError
from blockfeat.pso.search import CoordinateAscent
from blockfeat.pso.swarm import Generation, SwarmOptions, maximise

SMALL = SwarmOptions(particles=5, iterations=3, seed=1)
OPTIMUM = np.array([0.2, 0.7, 0.5])
Array = NDArray[np.float64]


def hill(positions: Array) -> Array:
    """A smooth hill of height 1 over OPTIMUM."""
    values: Array = np.exp(-4 * ((positions - OPTIMUM) ** 2).sum(axis=1))
    return values


def seen_by(seen: list[Array]) -> Callable[[Array], Array]:
    """Return the hill, which keeps the positions that it was asked for."""

    def watch(positions: Array) -> Array:
        seen.append(positions.copy())
        return hill(positions)

    return watch


def test_finds_the_optimum_of_a_simple_function() -> None:
    result = maximise(hill, 3, SwarmOptions(particles=30, iterations=60, seed=3))
    assert result.fitness > 0.999
    assert np.allclose(result.position, OPTIMUM, atol=0.02)
    assert result.fitness == hill(result.position[None])[0]
    assert not result.interrupted


def test_history_tells_each_generation() -> None:
    told: list[Generation] = []
    result = maximise(hill, 3, SwarmOptions(particles=8, iterations=12, seed=1), on_generation=told.append)
    assert tuple(told) == result.history
    assert [generation.number for generation in told] == list(range(1, 13))
    assert all(generation.mean <= generation.best <= generation.best_so_far for generation in told)
    best = [generation.best_so_far for generation in told]
    assert best == np.maximum.accumulate([generation.best for generation in told]).tolist()
    assert best[-1] == result.fitness


def test_same_seed_same_result_to_the_last_digit() -> None:
    options = SwarmOptions(particles=10, iterations=15, seed=42)
    first = maximise(hill, 3, options)
    second = maximise(hill, 3, options)
    assert (first.position.tobytes(), first.history) == (second.position.tobytes(), second.history)
    other = maximise(hill, 3, SwarmOptions(particles=10, iterations=15, seed=43))
    assert other.history != first.history


def test_first_generation_stands_in_the_unit_cube_at_rest() -> None:
    seen: list[Array] = []
    maximise(seen_by(seen), 3, SwarmOptions(particles=50, iterations=2, velocity_limit=0.1, seed=5))
    assert seen[0].shape == (50, 3)
    assert seen[0].min() >= 0
    assert seen[0].max() <= 1
    assert np.abs(seen[1] - seen[0]).max() <= 0.1 + 1e-12
    best = int(hill(seen[0]).argmax())
    assert np.array_equal(seen[1][best], seen[0][best])


@pytest.mark.parametrize("leader", ["ever", "generation"])
def test_particles_follow_their_leader(leader: str) -> None:
    """Without a cognitive pull, what is not inertia is a random share of 2 · (leader - position), as in Alg. 1."""
    options = SwarmOptions(particles=6, iterations=9, inertia=0.9, cognitive=0, leader=leader, patience=0, seed=11)
    seen: list[Array] = []
    result = maximise(seen_by(seen), 3, replace(options, velocity_limit=np.inf))
    velocity = np.zeros((6, 3))
    leading, highest, leaders = seen[0][0], -np.inf, []
    for before, after in pairwise(seen):
        fitness = hill(before)
        if leader == "generation" or fitness.max() > highest:
            leading, highest = before[fitness.argmax()], fitness.max()
        leaders.append(highest)
        pull = after - before - 0.9 * velocity
        assert (pull / (2 * (leading - before) + 1e-300)).clip(0, 1) * 2 * (leading - before) == pytest.approx(pull)
        velocity = after - before
    assert (leaders == sorted(leaders)) == (leader == "ever")
    assert result.fitness == max(hill(generation).max() for generation in seen)


def test_a_plateau_stops_the_swarm() -> None:
    stopped, endless = (
        maximise(lambda positions: np.full(len(positions), 0.5), 2, replace(SMALL, iterations=40, patience=patience))
        for patience in (7, 0)
    )
    assert 7 <= len(stopped.history) <= 9
    assert len(endless.history) == 40


def test_a_fitness_that_is_no_number_is_an_error() -> None:
    with pytest.raises(TrainingError, match="not a number"):
        maximise(lambda positions: np.full(len(positions), np.nan), 2, SwarmOptions(particles=2, iterations=2))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"particles": 0}, "'particles' must be at least 1, not 0"),
        ({"velocity_limit": 0.0}, "'velocity_limit' must be above 0"),
        ({"restarts": -1}, "'restarts' must be at least 0"),
        ({"leader": "eldest"}, "'eldest'; known are ever, generation"),
    ],
)
def test_bad_options_are_errors(options: dict[str, float | str], reason: str) -> None:
    with pytest.raises(TrainingError, match=reason):
        (CoordinateAscent if "restarts" in options else SwarmOptions)(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("earlier", ["None", "'mine.yaml'"])
def test_a_fresh_process_is_left_as_it_was(earlier: str, tmp_path: Path) -> None:
    code = f"""
        import logging, os, sys
        handler = logging.FileHandler("own.log", mode="w")
        logging.basicConfig(handlers=[handler], level=logging.WARNING, format="%(name)s %(message)s")
        os.environ |= {{"LOG_CFG": {earlier}}} if {earlier} else {{}}
        import blockfeat.pso.swarm as swarm
        assert "pyswarms" not in sys.modules
        swarm.maximise(lambda p: -p.sum(axis=1), 2, swarm.SwarmOptions(particles=4, iterations=2))
        assert "pyswarms" in sys.modules
        root = logging.getLogger()
        assert root.handlers == [handler], root.handlers
        assert root.level == logging.WARNING
        assert os.environ.get("LOG_CFG") == {earlier}
        logging.warning("still written")
    """
    environment = {name: value for name, value in os.environ.items() if name != "LOG_CFG"}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    words = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["own.log"]
    assert (tmp_path / "own.log").read_text() == "root still written\n"


def test_the_numbers_of_numpys_own_generator_neither_move_a_swarm_nor_are_moved() -> None:
    drawn: list[float] = []

    def drawing(positions: Array) -> Array:
        drawn.append(float(np.random.random()))
        return hill(positions)

    options = SwarmOptions(particles=5, iterations=4, patience=0)
    np.random.seed(99)
    expected = np.random.random(4).tolist()
    np.random.seed(99)
    found = maximise(drawing, 3, options)
    assert drawn == expected
    assert found.history == maximise(hill, 3, options).history
