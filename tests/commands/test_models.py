"""``blockfeat models``."""

from typer.testing import CliRunner

from blockfeat.cli import app_of
from blockfeat.models.store import bundled_models


def test_models_are_listed_with_true_facts() -> None:
    lines = [line for line in CliRunner().invoke(app_of(), ["models"]).output.splitlines() if line.startswith("│")]
    rows = {line.split()[1]: line for line in lines}
    assert (len(lines), sorted(rows)) == (len(bundled_models()), sorted(bundled_models()))
    facts = {"default": "sequence", "longest-block": "tokens", "web2text": "153", "ziegler2007": "conjunction"}
    for name, fact in facts.items():
        assert fact in rows[name].replace("│", " ").split()
    # The longest block is no maximal run.
    assert ("mss" in rows["longest-block"], "longest" in rows["longest-block"].split("│")[4]) == (False, True)
