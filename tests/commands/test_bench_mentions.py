"""``blockfeat bench mentions``, and that ``blockfeat bench`` without it is the benchmark of quality."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from blockfeat.cli import app_of


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app_of(), ["bench", *arguments, "--corpus", "demo", "--peers", "none", "--sample", "4"])
    return result.exit_code, result.output


def test_mentions(tmp_path: Path) -> None:
    code, output = run("mentions", "--output", str(tmp_path), "--quiet", "--model", "thresholds")
    assert code == 0
    assert "| precision, % | mean |" in output
    assert "blockfeat thresholds, headline and text" in output
    assert (tmp_path / "mentions.md").is_file()
    assert (tmp_path / "mentions.csv").is_file()


def test_quality_is_the_default(tmp_path: Path) -> None:
    code, output = run("--output", str(tmp_path), "--quiet", "--model", "thresholds")
    assert code == 0
    assert "word F1" in output or "F1" in output


def test_one_thing_at_a_time() -> None:
    assert run("mentions", "--speed")[0] == 2
    assert run("mention")[0] == 2


def test_metadata_take_no_list_of_pages_to_leave_out() -> None:
    assert run("--metadata", "--leave-out", "wrong.jsonl")[0] == 2
