"""What holds for all tests: property tests without a deadline, and programs that buffer their output.

A loaded machine must fail no property test; the rest is as hypothesis has it, in CI too. A shell that asks Python not
to buffer would hide what a user of a pipe waits for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import settings

_TESTS = Path(__file__).parent
# Left out of `make test`: what needs a browser, another runtime or minutes, and what a change seldom breaks.
_REST = (
    "benchmarks",
    "commands/test_bench_mentions.py",
    "commands/test_console.py",
    "commands/test_label.py",
    "documents",
    "examples",
    "experiments",
    "integrations/spark",
    "io/batch/test_resume.py",
    "lang/test_spacy_segmenter.py",
    "monitor/test_drill.py",
    "web/test_browser.py",
    "web/test_vectors_in_browser.py",
)

settings.register_profile("no deadline", settings(deadline=None))
settings.register_profile("quick", settings(deadline=None, max_examples=20))  # of `make test`
settings.load_profile("no deadline")
os.environ.pop("PYTHONUNBUFFERED", None)


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests that `make test` leaves to `make test-all`."""
    for item in items:
        place = item.path.relative_to(_TESTS).as_posix() if item.path.is_relative_to(_TESTS) else ""
        if place.startswith(_REST):
            item.add_marker(pytest.mark.rest)
