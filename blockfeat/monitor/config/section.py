"""One table of a configuration: values by name and type, with every problem and its line noted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from blockfeat.monitor.config.toml_lines import KeyPath, line_of

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|kB|KB|MB|GB)", re.IGNORECASE)
_BYTES = {"b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3}


def duration_of(text: str) -> float | None:
    """Return the seconds of "90s", "10m", "2h", "1d" or "1w"; None for anything else."""
    found = _DURATION.fullmatch(text.strip())
    return float(found.group(1)) * _SECONDS[found.group(2)] if found else None


@dataclass
class Problems:
    """What is wrong in a file, each with its line."""

    name: str
    lines: Mapping[KeyPath, int]
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, path: KeyPath, reason: str) -> None:
        """Note a problem of a key."""
        self.found.append((line_of(self.lines, path), reason))

    def messages(self) -> list[str]:
        """Return one message for each problem, by line."""
        return [f"{self.name}:{line}: {reason}" for line, reason in sorted(self.found)]


@dataclass
class Section:
    """A table; what is not asked for by `finish` is unknown."""

    values: Mapping[str, Any]
    path: KeyPath
    problems: Problems
    asked: list[str] = field(default_factory=list)

    def _take(self, name: str, kind: type | tuple[type, ...], expected: str) -> Any:
        """Return a value of a type, or None where it is absent or of another type."""
        self.asked.append(name)
        value = self.values.get(name)
        is_number_as_flag = isinstance(value, bool) and kind is not bool
        if value is not None and (not isinstance(value, kind) or is_number_as_flag):
            self.problem(name, f"{name!r} must be {expected}, not {_shown(value)}")
            return None
        return value

    def problem(self, name: str, reason: str) -> None:
        """Note that the value of a key is wrong."""
        self.problems.add((*self.path, name), reason)

    def text(self, name: str, default: str | None = None, *, known: Sequence[str] = ()) -> str | None:
        """Return a string, one of ``known`` if that is given."""
        value = self._take(name, str, "a string")
        if value is not None and known and value not in known:
            self.problem(name, f"{name!r} must be one of {', '.join(known)}, not {value!r}")
            return default
        return default if value is None else str(value)

    def required(self, name: str) -> str:
        """Return a string that must be there."""
        value = self.text(name)
        if name not in self.values:
            self.problems.add(self.path, f"{_shown_path(self.path)} has no {name!r}")
        elif value is not None and not value.strip():
            self.problem(name, f"{name!r} is empty")
        return value or ""

    def flag(self, name: str, default: bool) -> bool:
        """Return true or false."""
        value = self._take(name, bool, "true or false")
        return default if value is None else bool(value)

    def number(self, name: str, default: float, *, least: float = 0.0, most: float = float("inf")) -> float:
        """Return a number in a range."""
        value = self._take(name, (int, float), "a number")
        if value is not None and not least <= value <= most:
            upper = "" if most == float("inf") else f" and at most {most:g}"
            self.problem(name, f"{name!r} must be at least {least:g}{upper}, not {value:g}")
            return default
        return default if value is None else float(value)

    def whole(self, name: str, default: int, *, least: int = 1) -> int:
        """Return a whole number."""
        value = self._take(name, int, "a whole number")
        if value is not None and value < least:
            self.problem(name, f"{name!r} must be at least {least}, not {value}")
            return default
        return default if value is None else int(value)

    def duration(self, name: str, default: float | None) -> float | None:
        """Return seconds: a string such as "10m", or a number of seconds; "off" is None."""
        value = self._take(name, (str, int, float), 'a duration such as "30s", "10m", "2h" or "1d"')
        if value is None:
            return default
        if value == "off":
            return None
        seconds = duration_of(value) if isinstance(value, str) else float(value)
        if seconds is None or seconds < 0:
            self.problem(name, f'{name!r} must be a duration such as "30s", "10m", "2h" or "1d", not {_shown(value)}')
            return default
        return seconds

    def size(self, name: str, default: int) -> int:
        """Return bytes: a string such as "10 MB", or a number."""
        value = self._take(name, (str, int), 'a size such as "10 MB"')
        if value is None:
            return default
        if isinstance(value, int):
            if value < 1:
                self.problem(name, f"{name!r} must be at least 1")
            return value
        found = _SIZE.fullmatch(value.strip())
        if found is None:
            self.problem(name, f'{name!r} must be a size such as "10 MB", not {value!r}')
            return default
        return int(float(found.group(1)) * _BYTES[found.group(2).lower()])

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings; one string is a list of one."""
        value = self._take(name, (list, str), "a list of strings")
        if value is None:
            return ()
        if isinstance(value, str):
            return (value,)
        if not all(isinstance(item, str) for item in value):
            self.problem(name, f"{name!r} must be a list of strings")
            return ()
        return tuple(value)

    def table(self, name: str) -> Section:
        """Return a table of this table; empty where it is absent."""
        value = self._take(name, dict, "a table")
        return Section(value or {}, (*self.path, name), self.problems)

    def tables(self, name: str) -> Iterator[Section]:
        """Yield the tables of an array of tables."""
        value = self._take(name, list, f"written as [[{name}]]")
        for number, item in enumerate(value or ()):
            path = (*self.path, name, number)
            if isinstance(item, dict):
                yield Section(item, path, self.problems)
            else:
                self.problems.add(path, f"{name!r} must be written as [[{name}]]")

    def finish(self) -> None:
        """Note every key that nothing has asked for, with the known one that is most like it."""
        for name in self.values:
            if name not in self.asked:
                near = get_close_matches(name, self.asked, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(self.asked))}"
                self.problem(name, f"unknown key {name!r} in {_shown_path(self.path)}; {hint}")


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, (str, int, float)) else f"a {type(value).__name__}"


def _shown_path(path: KeyPath) -> str:
    """Return how a table is written: [fetch], [[brands]] or "the file"."""
    names = ".".join(str(part) for part in path if isinstance(part, str))
    if not names:
        return "the file"
    return f"[[{names}]]" if isinstance(path[-1], int) else f"[{names}]"
