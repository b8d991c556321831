"""The command ``python -m benchmarks``, and what ``blockfeat bench`` says where that folder is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import main
from benchmarks.footprint import ColdStart, cold_start_table
from blockfeat.cli import app_of
from blockfeat.commands import evaluate


def test_stages_are_printed_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stages", "--corpus", "demo", "--sample", "2", "--passes", "1", "--model", "thresholds"]) == 0
    assert "| prediction |" in capsys.readouterr().out


def test_each_format_has_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formats", "--corpus", "demo", "--sample", "1", "--passes", "1", "--model", "thresholds"]) == 0
    printed = capsys.readouterr().out
    assert all(f"| {name} |" in printed for name in ("text", "Markdown", "record"))


def test_cold_starts_are_rows() -> None:
    assert "| `python` | 20 | 30 |" in cold_start_table([ColdStart("python", 0.02, 0.03)])


@pytest.mark.parametrize("is_checkout", [True, False])
def test_bench_speed_says_what_to_run_without_a_checkout(
    is_checkout: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    if not is_checkout:
        monkeypatch.setattr(evaluate, "import_module", missing)
    words = ["bench", "--speed", "--corpus", "demo", "--peers", "none", "--sample", "1", "--passes", "1", "--quiet"]
    if not is_checkout:
        words += ["--growth", "--memory"]
    result = CliRunner().invoke(app_of(), [*words, "--model", "thresholds", "--output", str(tmp_path)])
    assert result.exit_code == 0
    assert ("| prediction |" in result.output) == is_checkout
    assert ("python -m benchmarks stages|growth|footprint" in result.output) != is_checkout
