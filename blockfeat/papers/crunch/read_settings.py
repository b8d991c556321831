"""Settings from a TOML file, as ``settings.schema.json`` describes it; every problem is reported."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from blockfeat._config import Problems, checked, parse_toml
from blockfeat._files import config_text
from blockfeat.errors import InputError
from blockfeat.papers.crunch.settings import CleanSettings


def bundled_settings() -> tuple[str, ...]:
    """Return the kinds of pages that settings were learnt for by the swarm (`experiments.crunch_by_kind`)."""
    folder = files("blockfeat.papers.crunch").joinpath("kinds")
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def settings_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a settings file, or of the settings for a kind of page where there is no such file.

    Raises
    ------
    InputError
        There is neither; the message names the kinds.
    """
    name = os.fspath(path)
    if not Path(path).exists() and name in bundled_settings():
        return files("blockfeat.papers.crunch").joinpath("kinds", f"{name}.toml").read_text(encoding="utf-8")
    try:
        return config_text(path)
    except InputError as error:
        raise InputError(f"{error} (or one of {', '.join(bundled_settings())})") from error


def read_settings(path: str | os.PathLike[str]) -> CleanSettings:
    """Read a settings file, or those for a kind of page by its name; host lists are relative to the file's folder.

    Raises
    ------
    InputError
        The file cannot be read.
    ConfigError
        The file has problems; the message has a line for each.
    """
    return parse_settings(settings_text(path), name=os.fspath(path), folder=Path(path).parent)


def parse_settings(text: str, *, name: str = "settings", folder: Path = Path()) -> CleanSettings:
    """Read settings from their text; keys that are not there have their default. See `read_settings`."""
    values, problems = parse_toml(text, name=name)
    settings = settings_from_values(values, problems)
    advertisements = settings.advertisements
    lists = tuple(replace(entry, file=str(folder / entry.file)) for entry in advertisements.lists)
    return replace(settings, advertisements=replace(advertisements, lists=lists))


def settings_from_values(values: Mapping[str, Any], problems: Problems | None = None) -> CleanSettings:
    """Return settings from plain values, as TOML or JSON has them; keys that are not there have their default.

    Raises
    ------
    ConfigError
        There are problems; the message has a line for each.
    """
    problems = problems or Problems("settings")
    settings = checked(CleanSettings, values, problems)
    problems.check()
    return settings


def default_settings_text() -> str:
    """Return the default settings as a commented TOML file."""
    return files("blockfeat.papers.crunch").joinpath("default.toml").read_text(encoding="utf-8")
