"""``blockfeat models`` and ``blockfeat adapt``."""

import re
from pathlib import Path

from typer.testing import CliRunner

from blockfeat.cli import app_of
from blockfeat.models.store import bundled_models, load_model
from pages import article_page


def test_models_are_listed_with_true_facts() -> None:
    lines = [line for line in CliRunner().invoke(app_of(), ["models"]).output.splitlines() if line.startswith("│")]
    rows = {line.split()[1]: line for line in lines}
    assert (len(lines), sorted(rows)) == (len(bundled_models()), sorted(bundled_models()))
    facts = {"default": "sequence", "longest-block": "tokens", "web2text": "153", "ziegler2007": "conjunction"}
    for name, fact in facts.items():
        assert fact in rows[name].replace("│", " ").split()
    # The longest block is no maximal run.
    assert ("mss" in rows["longest-block"], "longest" in rows["longest-block"].split("│")[4]) == (False, True)


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
    assert (last, load_model(target).name) == (f"written: {target}", "site")
