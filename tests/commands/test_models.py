"""``blockfeat models``."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from blockfeat.cli import app_of
from blockfeat.models.store import bundled_models


@pytest.mark.parametrize(
    ("name", "facts"),
    [("default", "sequence"), ("longest-block", "tokens"), ("web2text", "153"), ("ziegler2007", "conjunction")],
)
def test_models_are_listed_with_true_facts(name: str, facts: str) -> None:
    lines = CliRunner().invoke(app_of(), ["models"]).output.splitlines()
    (line,) = [line for line in lines if line.startswith(f"│ {name} ")]
    assert facts in line.replace("│", " ").split()
    assert len([line for line in lines if line.startswith("│")]) == len(bundled_models())


def test_the_longest_block_is_no_maximal_run() -> None:
    (line,) = [
        line for line in CliRunner().invoke(app_of(), ["models"]).output.splitlines() if "│ longest-block" in line
    ]
    assert "mss" not in line
    assert "longest" in line.split("│")[4]
