"""``blockfeat monitor aliases``: TOML for a monitor's file."""

import tomllib

import pytest
import typer
from typer.testing import CliRunner

from blockfeat.commands.monitor import aliases

app = typer.Typer()
app.command()(aliases)


def test_forms_are_toml() -> None:
    result = CliRunner().invoke(app, ["Orlen", 'Lot "Air"', "--lang", "pl,fi"])
    assert result.exit_code == 0
    first, second = tomllib.loads(result.stdout)["brands"]
    assert first["name"] == "Orlen"
    assert "Orlenu" in first["aliases"]["pl"]
    assert second["name"] == 'Lot "Air"'


def test_no_forms_in_another_script_is_said() -> None:
    result = CliRunner().invoke(app, ["Orlen", "--lang", "ru"])
    assert tomllib.loads(result.stdout) == {"brands": [{"name": "Orlen"}]}
    assert "no other forms in ru" in result.stderr


@pytest.mark.parametrize("arguments", [[], ["Orlen"], ["Orlen", "--lang", "ja"], ["Orlen", "--lang", "x1"]])
def test_wrong_usage(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, arguments).exit_code == 2
