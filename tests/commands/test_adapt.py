"""``blockfeat adapt``."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from blockfeat.cli import app_of
from blockfeat.models.store import load_model
from pages import article_page


def test_adapt_prints_what_each_iteration_changed(tmp_path: Path) -> None:
    for number in range(1, 7):
        (tmp_path / f"{number}.html").write_text(article_page(number), encoding="utf-8")
    target = tmp_path / "site.npz"
    done = CliRunner().invoke(app_of(), ["adapt", "--pages", str(tmp_path), "--output", str(target), "--quiet"])
    assert done.exit_code == 0, done.output
    first, *iterations, last = done.output.splitlines()
    assert first == f"6 pages, {len(iterations)} iterations"
    for number, line in enumerate(iterations, start=1):
        assert re.fullmatch(rf"iteration {number}: the text of \d pages changed", line)
    assert last == f"written: {target}"
    assert load_model(target).name == "site"
