"""Settings from a TOML file, as ``settings.schema.json`` describes it; every problem is reported."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from blockfeat._files import config_text
from blockfeat.errors import ConfigError
from blockfeat.papers.crunch.settings import CleanSettings, HostListFile

Section = TypeVar("Section")
_NAMES = {bool: "true or false", float: "a number", int: "an integer", str: "a string"}


def read_settings(path: str | os.PathLike[str]) -> CleanSettings:
    """Read a settings file; host lists in it are relative to its folder.

    Raises
    ------
    InputError
        The file cannot be read.
    ConfigError
        The file has problems; the message has a line for each.
    """
    return parse_settings(config_text(path), name=os.fspath(path), folder=Path(path).parent)


def parse_settings(text: str, *, name: str = "settings", folder: Path = Path()) -> CleanSettings:
    """Read settings from their text; keys that are not there have their default. See `read_settings`."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: not TOML: {error}") from error
    settings = settings_from_values(values, name=name)
    advertisements = settings.advertisements
    lists = tuple(replace(entry, file=str(folder / entry.file)) for entry in advertisements.lists)
    return replace(settings, advertisements=replace(advertisements, lists=lists))


def settings_from_values(values: Mapping[str, Any], *, name: str = "settings") -> CleanSettings:
    """Return settings from plain values, as TOML or JSON has them; keys that are not there have their default.

    Raises
    ------
    ConfigError
        There are problems; the message has a line for each, which begins with ``name``.
    """
    problems: list[str] = []
    settings = _changed(CleanSettings(), values, "", problems)
    if problems:
        raise ConfigError("\n".join(f"{name}: {problem}" for problem in problems))
    return settings


def default_settings_text() -> str:
    """Return the default settings as a commented TOML file."""
    return files("blockfeat.papers.crunch").joinpath("default.toml").read_text(encoding="utf-8")


def _changed(default: Section, values: Mapping[str, Any], prefix: str, problems: list[str]) -> Section:
    """Return a section with the values of a file; what is wrong goes into ``problems``."""
    cls: Any = type(default)
    hints, known = get_type_hints(cls), [field.name for field in fields(cls)]
    found: dict[str, Any] = {}
    for key, value in values.items():
        name = prefix + key
        if key not in known:
            problems.append(f"unknown key '{name}'; known are {', '.join(known)}")
        elif is_dataclass(own := getattr(default, key)):
            if isinstance(value, dict):
                found[key] = _changed(own, value, f"{name}.", problems)
            else:
                problems.append(f"'{name}' must be a table, not {value!r}")
        else:
            wrong = list(_wrong(hints[key], value, name))
            problems += wrong
            if not wrong:
                found[key] = _typed(hints[key], value)
    try:
        return replace(default, **found)  # type: ignore[type-var]
    except ConfigError as error:
        problems.append(f"{prefix.rstrip('.')}: {error}")
        return default


def _wrong(expected: Any, value: Any, name: str) -> Iterator[str]:
    """Yield what is wrong with a value."""
    if get_origin(expected) is tuple:
        if not isinstance(value, list):
            yield f"'{name}' must be an array, not {value!r}"
            return
        for place, entry in enumerate(value):
            yield from _wrong(get_args(expected)[0], entry, f"{name}[{place}]")
    elif expected is HostListFile:
        if not isinstance(value, dict) or "file" not in value:
            yield f"'{name}' must be a table with 'file', not {value!r}"
            return
        for key, entry in value.items():
            if key not in ("file", "url"):
                yield f"unknown key '{name}.{key}'; known are file, url"
            elif not isinstance(entry, str):
                yield f"'{name}.{key}' must be a string, not {entry!r}"
    elif expected is float:
        if not isinstance(value, int | float) or isinstance(value, bool):
            yield f"'{name}' must be a number, not {value!r}"
    elif type(value) is not expected:
        yield f"'{name}' must be {_NAMES[expected]}, not {value!r}"


def _typed(expected: Any, value: Any) -> Any:
    """Return a value that is right as the type of its field."""
    if get_origin(expected) is tuple:
        return tuple(_typed(get_args(expected)[0], entry) for entry in value)
    return HostListFile(**value) if expected is HostListFile else expected(value)
