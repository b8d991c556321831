"""What holds for all tests: property tests without a deadline, programs that buffer their output, nothing left behind.

A loaded machine must fail no property test; the rest is as hypothesis has it, in CI too. A shell that asks Python not
to buffer would hide what a user of a pipe waits for. A thread that outlives its test changes how worker processes
start in the next one.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from coroutines import pytest_pyfunc_call as pytest_pyfunc_call

_TESTS = Path(__file__).parent
# Left out of `make test`: what needs a browser, another runtime or minutes, and what a change seldom breaks.
_REST_NAMES = """
benchmarks commands/test_console.py commands/test_demo.py commands/test_label.py documents
evaluation/test_bench.py evaluation/test_report.py examples experiments integrations/test_spark.py
io/test_resume.py lang/test_spacy_segmenter.py monitor/test_drill.py papers/crunch test_extract_only.py
test_setup.py web/labelling/test_label_browser.py web/labelling/test_learning.py
web/reader/test_read_in_browser.py web/reader/test_reader_in_browser.py web/test_browser.py
web/test_feedback_round.py web/test_guard_in_browser.py web/test_live_in_browser.py web/test_openapi.py
web/test_vectors_in_browser.py
"""
_REST = tuple(_REST_NAMES.split())

settings.register_profile("no deadline", settings(deadline=None, suppress_health_check=[HealthCheck.too_slow]))
settings.register_profile("quick", settings.get_profile("no deadline"), max_examples=20)  # of `make test`
settings.load_profile("no deadline")
os.environ.pop("PYTHONUNBUFFERED", None)
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the command line sets it

# Seconds that threads get to end after their test: connections of servers that a module shares close soon after it.
_PATIENCE = 10.0


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests that `make test` leaves to `make test-all`."""
    for item in items:
        if _is_rest(item.path) or item.get_closest_marker("corpora"):
            item.add_marker(pytest.mark.rest)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import none of the tests that `make test` leaves out."""
    return True if "not rest" in config.option.markexpr and _is_rest(collection_path) else None


def _is_rest(path: Path) -> bool:
    return path.is_relative_to(_TESTS) and path.relative_to(_TESTS).as_posix().startswith(_REST)


@pytest.fixture
def nothing_to_free() -> None:
    """Free what earlier tests left: finalizers fail at the depth at which deeply nested input is refused."""
    gc.collect()


@pytest.fixture(autouse=True)
def _leaves_nothing_behind() -> Iterator[None]:
    """Fail a test that leaves a thread, a variable of the environment or another working directory behind."""
    before = set(threading.enumerate())
    surroundings = _surroundings()
    yield
    ends = time.monotonic() + _PATIENCE
    while (left := _threads_beside(before)) and time.monotonic() < ends:
        left[0].join(0.01)
    assert not left, f"threads left running: {left}"
    assert _surroundings() == surroundings, "the environment or the working directory is not as it was"


def _threads_beside(before: set[threading.Thread]) -> list[threading.Thread]:
    # Dummies stand for threads that Python did not start: those of pytest-xdist and of libraries in C. A server that
    # a module shares keeps its anyio threads for a while, and ends them with itself.
    return [
        thread
        for thread in threading.enumerate()
        if thread not in before
        and not isinstance(thread, threading._DummyThread)
        and thread.name not in ("AnyIO worker thread", "fsspecIO")
        and type(thread).__module__ != "tqdm._monitor"  # started by the first progress bar of bm25s, for good
    ]


def _surroundings() -> dict[str, str]:
    variables = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    return {**variables, "working directory": os.getcwd()}
