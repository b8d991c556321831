import json
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from blockfeat.errors import ConfigError, InputError
from blockfeat.papers.crunch import settings as crunch
from cases import CASES

_SCHEMA: dict[str, Any] = json.loads(files("blockfeat.papers.crunch").joinpath("settings.schema.json").read_bytes())


def _is_valid(text: str) -> bool:
    return bool(jsonschema.Draft202012Validator(_SCHEMA).is_valid(tomllib.loads(text)))


def test_the_default_file_has_every_key_with_its_default() -> None:
    text = crunch.default_settings_text()
    assert crunch.parse_settings(text) == crunch.CleanSettings() == crunch.parse_settings("")
    values = tomllib.loads(text)
    for name, section in _SCHEMA["properties"].items():
        assert {key: entry["default"] for key, entry in section["properties"].items()} == values[name]
    assert _is_valid(text)


@pytest.mark.parametrize(("text", "message"), CASES["schema_and_reader_refuse_the_same"])
def test_schema_and_reader_refuse_the_same(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        crunch.parse_settings(text)
    assert not _is_valid(text)


def test_all_problems_are_reported_with_file_and_line() -> None:
    with pytest.raises(ConfigError) as raised:
        crunch.parse_settings("[filters]\na = 1\nb = 2", name="own.toml")
    lines = [line.partition(";")[0] for line in str(raised.value).splitlines()]
    assert lines == ["own.toml:2: unknown key 'filters.a'", "own.toml:3: unknown key 'filters.b'"]


def test_lists_are_relative_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[advertisements]\nlists = [{ file = "hosts.txt" }]\n[link_lists]\nratio = 1\n', encoding="utf-8")
    settings = crunch.read_settings(path)
    assert settings.advertisements.lists == (crunch.HostListFile(str(tmp_path / "hosts.txt")),)
    assert settings.link_lists.ratio == 1.0


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: cannot be read"):
        crunch.read_settings(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="not TOML"):
        crunch.parse_settings("[")


def test_settings_for_a_kind_of_page_are_read_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert {"article", "listing"} <= set(crunch.bundled_settings())
    for kind in crunch.bundled_settings():
        assert crunch.read_settings(kind) != crunch.CleanSettings()
    Path("listing").write_text("[filters]\nforms = true", encoding="utf-8")
    assert crunch.read_settings("listing").filters.forms
    assert not crunch.read_settings("listing").link_lists.remove_container
    with pytest.raises(InputError, match=r"nosuch.*\(or one of article, "):
        crunch.read_settings("nosuch")
