"""Configuration files of training: TOML to frozen dataclasses, checked key by key, and back."""

from __future__ import annotations

import inspect
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, asdict, fields, is_dataclass, replace
from importlib.resources import files
from math import inf
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeVar

from blockfeat._config import KeyPath, Problems, checked, dotted, parse_toml
from blockfeat._files import config_text
from blockfeat.errors import ConfigError, InputError, TrainingError

Config = TypeVar("Config")
_RUN_OPTIONS = frozenset({"seed"})
_COMMENT = 110


def bundled_configs() -> tuple[str, ...]:
    """Return the names of the configurations that come with blockfeat."""
    folder = files("blockfeat.training").joinpath("configs")
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def read_document(source: str | Path) -> tuple[dict[str, Any], Problems]:
    """Read a configuration: the path of a TOML file, or a bundled name, with or without ``.toml``.

    Returns
    -------
    dict, Problems
        What the file says, and where `config_from_values` notes what is wrong with it.

    Raises
    ------
    TrainingError
        There is no such file, or it is not TOML; the message names it.
    """
    path, name = Path(source), str(source).removesuffix(".toml")
    try:
        if not path.exists() and name in bundled_configs():
            text = files("blockfeat.training").joinpath("configs", f"{name}.toml").read_text(encoding="utf-8")
        else:
            text = config_text(path)
    except (InputError, ConfigError) as error:
        raise TrainingError(f"{error} (bundled are {', '.join(bundled_configs())})") from error
    return parse_toml(text, name=str(source), error=TrainingError)


def config_from_values(cls: type[Config], values: Mapping[str, Any], problems: Problems) -> Config:
    """Make a configuration from the values of a file; keys that are not there have their default.

    Parameters
    ----------
    cls : type
        A frozen dataclass of numbers, strings, booleans, tuples of them, and further such dataclasses (TOML tables).
    values, problems : mapping, Problems
        What `read_document` gives.

    Raises
    ------
    TrainingError
        Keys are unknown or values of the wrong type or out of range; the message has a line for each, with file and
        line number.
    """
    return _changed_by(cls(), values, problems)


def _changed_by(config: Config, values: Mapping[str, Any], problems: Problems) -> Config:
    """Change a configuration by values, as `config_from_values` does the default one."""
    merged = _merged(asdict(config), values, problems)  # type: ignore[call-overload]
    config = checked(type(config), merged, problems, options=_RUN_OPTIONS)
    problems.check()
    return config


def _merged(old: Mapping[str, Any], new: Mapping[str, Any], problems: Problems, path: KeyPath = ()) -> dict[str, Any]:
    """Return values of a configuration with new ones in their place, but for the options of a run, which are noted."""
    merged = dict(old)
    for key, value in new.items():
        place = (*path, key)
        if key in _RUN_OPTIONS:
            problems.add(place, f"unknown key '{dotted(place)}'; it is the option --{key}")
        elif isinstance(value, dict) and isinstance(old.get(key), dict):
            merged[key] = _merged(old[key], value, problems, place)
        else:
            merged[key] = value
    return merged


def with_settings(config: Config, settings: Sequence[str]) -> Config:
    """Change a configuration by settings such as ``swarm.particles=50``; a value that is no TOML is a string.

    Raises
    ------
    TrainingError
        A setting has no value, its key is unknown or its value wrong; the message names it.
    """
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise TrainingError(f"--set {setting}: it must be KEY=VALUE, such as swarm.particles=50")
        line, name = f"{key} = {value}", f"--set {setting}"
        try:
            tomllib.loads(line)
        except tomllib.TOMLDecodeError:
            line = f"{key} = {json.dumps(value)}"
        values, problems = parse_toml(line, name=name, error=TrainingError)
        config = _changed_by(config, values, replace(problems, lines=None))
    return config


def _config_fields(cls: type[Any]) -> list[Field[Any]]:
    """Return the fields that a file may set: all but those that are options of a run."""
    return [field for field in fields(cls) if field.name not in _RUN_OPTIONS]


def config_to_toml(config: Any, kind: str) -> str:
    """Return a configuration as TOML that `config_from_values` reads back, each key with its description."""
    lines = [f"# Hyperparameters of blockfeat train --kind {kind}; a file need only have the keys that it changes.", ""]
    lines += [f'kind = "{kind}"']
    return "\n".join([*lines, *_toml_lines(config, "")]) + "\n"


def _toml_lines(config: Any, prefix: str) -> Iterator[str]:
    """Yield the plain values, then the tables."""
    described = _descriptions(type(config))
    tables = []
    for field in _config_fields(type(config)):
        value = getattr(config, field.name)
        comment = [f"# {line}" for line in wrap(described.get(field.name, ""), _COMMENT)]
        if is_dataclass(value):
            tables.append((field.name, value, comment))
        else:
            yield from ("", *comment, f"{field.name} = {_toml_value(value)}")
    for name, value, comment in tables:
        yield from ("", *comment, f"[{prefix}{name}]", *list(_toml_lines(value, f"{prefix}{name}."))[1:])


def _toml_value(value: Any) -> str:
    # JSON writes strings, numbers, truth values and arrays as TOML has them, but for the infinite.
    return "inf" if value == inf else json.dumps(value, ensure_ascii=False)


def _descriptions(cls: type[Any]) -> dict[str, str]:
    """Return what the docstring of a class says of its attributes, by name."""
    described: dict[str, str] = {}
    names: list[str] = []
    _, _, section = (inspect.getdoc(cls) or "").partition("Attributes\n----------\n")
    for line in section.splitlines():
        if line.startswith("    "):
            for name in names:
                described[name] = f"{described.get(name, '')} {line.strip()}".strip()
        elif " : " in line:
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
        else:
            break
    return described
