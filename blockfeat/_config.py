"""Configurations: TOML texts validated into frozen dataclasses; an error lists all problems with their lines."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import reduce
from itertools import pairwise
from math import isfinite
from operator import getitem
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_origin, get_type_hints

from blockfeat._extras import importing
from blockfeat.errors import BlockfeatError, ConfigError, nearest

KeyPath = tuple[str | int, ...]
Config = TypeVar("Config")

# Where a header or a key may begin; it does if the lines before it parse, else it is part of a longer value.
_START = re.compile(r"""\s*(?:\[|(?:[\w-]+|"[^"]*"|'[^']*')\s*[.=])""")
_SYNTAX = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", re.S)
# What pydantic expected, by the first word of its error type.
_EXPECTED = {"int": "an integer", "finite": "an integer", "float": "a number", "string": "a string"}
_EXPECTED |= {"bool": "true or false", "tuple": "an array", "list": "an array", "dict": "a table"}
# Stands for dates and times in the JSON that pydantic validates: no field accepts it, and TOML has no null.
_MOMENT = [None]
_DURATION = re.compile(r"(\d{1,15}(?:\.\d+)?)\s*(ms|s|m|h|d|w)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
# No number of a setting is larger; infinity is, as are numbers that no float can have.
_MOST = 1e18
_SIZE = re.compile(r"(\d{1,15}(?:\.\d+)?)\s*(B|kB|MB|GB)", re.I)
_LONGEST = 5200 * 604800.0
_BYTES = {"b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000}


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table header and key of a valid TOML text.

    A path consists of the names of tables and keys, and positions in arrays of tables: ``("brands", 1, "name")``.
    Keys inside an inline table have the line of its own key; see `line_of`.
    """
    lines: dict[KeyPath, int] = {}
    last: dict[KeyPath, int] = {}  # position of the last table of each array of tables
    table: KeyPath = ()
    rows = text.replace("\r\n", "\n").split("\n")
    starts = [number for number, row in enumerate(rows) if _START.match(row)]
    first: int | None = None
    for start, end in pairwise([*starts, len(rows)]):
        first = start if first is None else first
        try:
            value: Any = tomllib.loads("\n".join(rows[first:end]))
        except (ValueError, RecursionError):
            continue
        is_header, line = rows[first].lstrip().startswith("["), first + 1
        path, first = () if is_header else table, None
        while isinstance(value, dict) and len(value) == 1:
            path = (*path, last[path]) if is_header and path in last else path
            ((name, value),) = value.items()
            path = (*path, name)
            lines.setdefault(path, line)
        if is_header:
            if isinstance(value, list):
                last[path] = last.get(path, -1) + 1
                path = (*path, last[path])
            lines[path], table = line, path
    return lines


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a key, or of the innermost table or key that contains it; 1 for the file as a whole."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


@dataclass(frozen=True)
class Parsed:
    """Annotation of a field whose value is read by a function, which raises ValueError with the reason.

    Attributes
    ----------
    read : callable
        Called with the value in the file; must return a tuple for an array.
    late : bool
        Whether it is called with the value converted to the field's type instead.
    """

    read: Callable[[Any], Any]
    late: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the schema by which pydantic calls the function."""
        with importing("clean", what="a configuration"):
            from pydantic import AfterValidator, BeforeValidator

        validator = AfterValidator(self.read) if self.late else BeforeValidator(self.read)
        return validator.__get_pydantic_core_schema__(source, handler)


def between(least: float, most: float = _MOST, *, is_above: bool = False, is_below: bool = False) -> Parsed:
    """Return the annotation of a number field with inclusive bounds; exclusive with ``is_above`` and ``is_below``."""

    def check(number: float) -> float:
        if not least <= number <= most or (is_above and number == least) or (is_below and number == most):
            upper = f" and {'below' if is_below else 'at most'} {most:,.12g}" if most < _MOST or number > most else ""
            lower = f"{'above' if is_above else 'at least'} {least:,.12g}"
            raise ValueError(f"must be {lower}{upper}, not {float(str(number)):,.12g}")
        return number

    return Parsed(check, late=True)


def duration_of(text: str) -> float | None:
    """Return the seconds of "90s", "10m", "2h", "1d" or "1w"; None for anything else."""
    found = _DURATION.fullmatch(text.strip())
    return float(found.group(1)) * _SECONDS[found.group(2)] if found else None


def _duration(value: Any) -> float:
    """Return seconds: a string such as "10m", or a number of seconds."""
    seconds = duration_of(value) if isinstance(value, str) else value
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _LONGEST:
        raise ValueError(f'must be a duration such as "30s", "10m", "2h" or "1d", not {shown(value)}')
    return float(seconds)


def _size(value: Any) -> int:
    """Return bytes: a string such as "10 MB", or a number."""
    found = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    size = int(float(found.group(1)) * _BYTES[found.group(2).lower()]) if found else value
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= _MOST:
        raise ValueError(f'must be a size such as "10 MB", not {shown(value)}')
    return size


def _line(text: str) -> str:
    if not text.isprintable():
        raise ValueError(f"has {text!r}, which is not one line")
    return text


def texts(value: Any) -> Any:
    """Return an array as a tuple; a single string becomes a tuple of one."""
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


Duration = Annotated[float, Parsed(_duration)]
Timeout = Annotated[Duration, between(0.0, is_above=True)]
DurationOrOff = Annotated[float | None, Parsed(lambda value: None if value == "off" else _duration(value))]
Size = Annotated[int, Parsed(_size)]
Line = Annotated[str, Parsed(_line, late=True)]
Texts = Annotated[tuple[str, ...], Parsed(texts)]
Count = Annotated[int, between(1)]
CountOrNone = Annotated[int, between(0)]
Share = Annotated[float, between(0.0, 1.0)]
InnerShare = Annotated[float, between(0.0, 1.0, is_above=True, is_below=True)]
Positive = Annotated[float, between(0.0, is_above=True)]


class Ranged:
    """Base of dataclasses that are made without a file, too: their values are checked by the annotations of the fields.

    Subclasses set ``error``, the type of the error that names the field.
    """

    error: ClassVar[type[BlockfeatError]] = ConfigError

    def __post_init__(self) -> None:
        """Check the values."""
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            value = getattr(self, name)
            if get_origin(hint) is Literal and value not in get_args(hint):
                raise self.error(f"unknown '{name}' {value!r}; known are {', '.join(map(str, get_args(hint)))}")
            for check in getattr(hint, "__metadata__", ()):
                try:
                    check.read(value)
                except ValueError as error:
                    raise self.error(f"'{name}' {error}") from None


@dataclass
class Problems:
    """Collects the problems of a configuration.

    Attributes
    ----------
    name : str
        Name of the file in messages.
    lines : mapping or None
        Line of each key, as `key_lines` gives it; None for values that are not from a TOML file.
    error : type
        Type of the error that `check` raises.
    found : list of (int, str)
        Line and reason of each problem.
    """

    name: str
    lines: Mapping[KeyPath, int] | None = None
    error: type[BlockfeatError] = ConfigError
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, path: KeyPath, reason: str) -> None:
        """Add a problem at the line of a key."""
        self.found.append((line_of(self.lines or {}, path), reason))

    def add_value(self, path: KeyPath, reason: str) -> None:
        """Add a problem of a key's value; the message begins with the key."""
        self.add(path, f"'{dotted(path)}' {reason}")

    def check(self) -> None:
        """Raise an error with a line for each problem, if there are any."""
        if self.found:
            lines = (
                f"{self.name}{'' if self.lines is None else f':{line}'}: {why}" for line, why in sorted(self.found)
            )
            raise self.error("\n".join(lines))


def parse_toml(text: str, *, name: str, error: type[BlockfeatError] = ConfigError) -> tuple[dict[str, Any], Problems]:
    """Return the values of a TOML text, and an empty `Problems` to which their problems can be added.

    Raises
    ------
    ConfigError
        The text is not TOML; the message names file and line. ``error`` is the type to raise instead.
    """
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as fault:
        found = _SYNTAX.fullmatch(str(fault))
        line = int(found.group(2) or len(text.splitlines())) if found else 1
        raise error(f"{name}:{line}: not TOML: {found.group(1) if found else fault}") from fault
    return values, Problems(name, key_lines(text), error)


def checked(
    cls: type[Config], values: Mapping[str, Any], problems: Problems, *, options: frozenset[str] = frozenset()
) -> Config:
    """Return the values of a file as a dataclass; invalid ones are added to ``problems`` and get their defaults.

    Parameters
    ----------
    cls : type
        A frozen dataclass with fields of types that pydantic reads, of further such dataclasses (TOML tables) and of
        tuples of these (arrays of tables). Types are strict: a string is not a number, true is not 1. Fields may be
        annotated with `Parsed`; ``__post_init__`` may reject a table by a `BlockfeatError` that is a ValueError.
    values : mapping
        The parsed TOML.
    options : set of str
        Fields that are set by command-line options; messages do not suggest them.

    Raises
    ------
    ConfigError
        No valid dataclass can be made; the message lists all problems.
    """
    # Reached only where a configuration is read: the training, monitor and web commands check their extras before.
    with importing("clean", what="a configuration"):
        from pydantic import ConfigDict, TypeAdapter, ValidationError

    # Standard-library dataclasses take their pydantic options from the enclosing type.
    adapter = TypeAdapter(tuple[cls], config=ConfigDict(extra="forbid", strict=True))  # type: ignore[valid-type]
    try:
        left = deepcopy(dict(values))
        json.dumps(left, default=str)
    except (RecursionError, ValueError):
        problems.add((), "it is nested too deeply, or has numbers of thousands of digits")
        problems.check()
    noted: set[KeyPath] = set()
    while True:
        try:
            return adapter.validate_json(json.dumps([left], default=lambda moment: _MOMENT))[0]
        except ValidationError as error:
            found = {_place(left, fault["loc"][1:]): fault for fault in error.errors()}
        for path in found.keys() - noted:
            _note(found[path], path, cls, problems, options)
        noted |= found.keys()
        # Invalid values may hide problems of others: validate again without them.
        dropped = [_drop(left, path[:-1] if found[path]["type"] == "missing" else path) for path in found]
        if not any(dropped):
            problems.check()


def _place(values: Any, loc: KeyPath) -> KeyPath:
    """Return the key path in the file for a location of pydantic, without its parts that are not in the file."""
    path: KeyPath = ()
    for part in loc:
        if isinstance(part, str) and isinstance(values, dict):
            path, values = (*path, part), values.get(part)
        elif isinstance(part, int) and isinstance(values, list):
            path, values = (*path, part), values[part]
    return path


def _drop(values: Any, path: KeyPath) -> bool:
    """Remove the value at a path, or the whole array that contains it; return whether there was one."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    with suppress(LookupError):  # its container is removed already
        del reduce(getitem, path[:-1], values)[path[-1]]
        return True
    return False


def _note(fault: Any, path: KeyPath, cls: type[Any], problems: Problems, options: frozenset[str]) -> None:
    """Add an error of pydantic at a path to the problems."""
    kind, reason = fault["type"], fault.get("ctx", {}).get("error")
    if isinstance(reason, BlockfeatError):  # of the table as a whole; its first word may be a key
        key = re.match(r"'?(\w+)", str(reason))
        header = f"{_header(path)}: " if path and isinstance(path[-1], str) else ""
        problems.add((*path, key[1]) if key else path, f"{header}{reason}")
    elif kind == "unexpected_keyword_argument":
        known = [item.name for item in fields(_class_at(cls, path[:-1])) if item.init and item.name not in options]
        problems.add(path, f"unknown key '{dotted(path)}'; {nearest(str(path[-1]), known)}")
    elif kind == "missing":
        problems.add(path, f"{_header(path[:-1])} has no '{path[-1]}'")
    else:
        problems.add_value(path, str(reason or f"must be {_expected(fault, path, cls)}, not {shown(fault['input'])}"))


def _expected(fault: Any, path: KeyPath, cls: type[Any]) -> str:
    """Return a description of the value that is expected at a path."""
    tables = _class_at(cls, path)
    if fault["type"] == "literal_error":
        return "one of " + ", ".join(re.findall("'(.*?)'", fault["ctx"]["expected"]))
    if tables and fault["type"] == "tuple_type":
        return f"an array of tables, [[{path[-1]}]]"
    if not tables:
        return _EXPECTED.get(fault["type"].partition("_")[0], f"of another kind ({fault['msg']})")
    needed = [f"'{item.name}'" for item in fields(tables) if item.init and item.default is item.default_factory]
    return f"a table with {' and '.join(needed)}" if needed else "a table"


def _class_at(cls: Any, path: KeyPath) -> Any:
    """Return the dataclass of the table, or of each table of the array, at a path; None for other values."""
    for name in (part for part in path if isinstance(part, str)):
        hint = get_type_hints(cls).get(name) if is_dataclass(cls) else None
        cls = next((part for part in (hint, *get_args(hint)) if is_dataclass(part)), None)
    return cls


def shown(value: object) -> str:
    """Return a value as messages show it."""
    if value is None or value == _MOMENT:
        return "a date or time"
    return "a table" if isinstance(value, dict) else "a list" if isinstance(value, list) else repr(value)


def dotted(path: KeyPath) -> str:
    """Return a key as messages show it: ``brands[1].case``, counted from 0."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def _header(path: KeyPath) -> str:
    """Return the TOML header of a table: [fetch] or [[brands]]."""
    names = ".".join(part for part in path if isinstance(part, str))
    return f"[[{names}]]" if isinstance(path[-1], int) else f"[{names}]"


def number(values: Mapping[Any, Any], key: object, default: Any = None) -> float:
    """Return a finite number of a document.

    Raises
    ------
    ConfigError
        It is missing, or something else; the message names the key.
    """
    value = values.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise ConfigError(f"{key!r} must be a finite number, not {value!r}")
    return float(value)


_KINDS = {bool: "true or false", float: "a number", int: "an integer", str: "a string", tuple: "an array of texts"}


def stored(default: Any, value: Any, name: str) -> Any:
    """Return a value if it is of the type of the default; for tables, a copy of the default with the given values.

    Raises
    ------
    ConfigError
        A key is unknown, or its value is not of the type of the default.
    """
    if is_dataclass(default) and isinstance(value, dict):
        if unknown := value.keys() - {each.name for each in fields(default)}:
            raise ConfigError(f"{name}: unknown key '{min(unknown)}'")
        made = {key: stored(getattr(default, key), given, f"{name}.{key}") for key, given in value.items()}
        return replace(default, **made)  # type: ignore[type-var]
    if isinstance(default, tuple) and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if type(value) is not type(default) or (isinstance(value, float) and not isfinite(value)):
        raise ConfigError(f"'{name}' must be {_KINDS.get(type(default), 'a table')}, not {value!r}")
    return value
