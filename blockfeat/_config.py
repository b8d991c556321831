"""Configurations: TOML text to checked frozen dataclasses, with all problems at once, each in its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from blockfeat.errors import BlockfeatError, ConfigError

KeyPath = tuple[str | int, ...]

_NAME = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_DOTTED = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_ARRAY_HEADER = re.compile(rf"\s*\[\[\s*({_DOTTED})\s*\]\]")
_HEADER = re.compile(rf"\s*\[\s*({_DOTTED})\s*\]")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")
_ONE_NAME = re.compile(_NAME)
# What opens or closes a value that may run over several lines; strings are taken whole where they end in the line.
_TOKEN = re.compile(
    r'"""|' + r"'''" + r"""|"(?:[^"\\]|\\.)*"|'[^']*'|[\[\]{}]|\#""",
)


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table header and key of a valid TOML text.

    A path has the names of the tables and keys, and the position in an array of tables: ``("brands", 1, "name")``.
    Keys inside inline tables stand in the line of the key that holds them; see `line_of`.
    """
    lines: dict[KeyPath, int] = {}
    seen: dict[KeyPath, int] = {}
    table: KeyPath = ()
    depth, quote = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        start = 0
        if not depth and not quote:
            if header := _ARRAY_HEADER.match(line):
                path = _resolved(_names(header.group(1)), seen)
                seen[path] = seen.get(path, -1) + 1
                table = (*path, seen[path])
                lines[table] = number
                lines.setdefault(path, number)
                continue
            if header := _HEADER.match(line):
                table = _resolved(_names(header.group(1)), seen)
                lines[table] = number
                continue
            if (key := _KEY.match(line)) is None:
                continue
            lines[(*table, *_names(key.group(1)))] = number
            start = key.end()
        depth, quote = _after(line, start, depth, quote)
    return lines


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a key, or of what holds it; 1 for the file as a whole."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(name.strip("\"'") for name in _ONE_NAME.findall(dotted))


def _resolved(names: tuple[str, ...], seen: Mapping[KeyPath, int]) -> KeyPath:
    """Return the path of a table: a name on the way that is an array of tables means its last table."""
    path: KeyPath = ()
    for place, name in enumerate(names):
        path = (*path, name)
        if path in seen and place < len(names) - 1:
            path = (*path, seen[path])
    return path


def _after(line: str, start: int, depth: int, quote: str) -> tuple[int, str]:
    """Return how many brackets, and which long string, are open at the end of a line."""
    while True:
        if quote:
            end = line.find(quote, start)
            if end < 0:
                return depth, quote
            start, quote = end + 3, ""
        token = _TOKEN.search(line, start)
        if token is None or token.group() == "#":
            return depth, ""
        start = token.end()
        found = token.group()
        if found in ('"""', "'''"):
            quote = found
        elif found in "[{":
            depth += 1
        elif found in "]}":
            depth -= 1


Config = TypeVar("Config")

_SYNTAX = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", re.S)
# What msgspec says of a value: the types that it expects, and at which place in an array or a table.
_EXPECTED = re.compile(r"Expected `(.+?)`.*?(?: - at `\$(.*)`)?")
_TYPE_NAMES = {
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "an array",
    "object": "a table",
}
_TYPE_OF: Mapping[type, str] = {list: "list", dict: "table"}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|kB|MB|GB)", re.IGNORECASE)
_BYTES = {"b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3}


@dataclass(frozen=True)
class Parsed:
    """Annotation of a field whose value in a file is read by a function, which raises ValueError with the reason."""

    read: Callable[[Any], Any]


@dataclass(frozen=True)
class Between:
    """Annotation of a field whose number has bounds, both of them allowed."""

    least: float
    most: float = float("inf")

    def check(self, number: Any) -> None:
        """Raise ValueError for a number out of bounds."""
        if number is not None and not self.least <= number <= self.most:
            upper = "" if self.most == float("inf") else f" and at most {self.most:g}"
            raise ValueError(f"must be at least {self.least:g}{upper}, not {number:g}")


def duration_of(text: str) -> float | None:
    """Return the seconds of "90s", "10m", "2h", "1d" or "1w"; None for anything else."""
    found = _DURATION.fullmatch(text.strip())
    return float(found.group(1)) * _SECONDS[found.group(2)] if found else None


def _duration(value: Any) -> float:
    """Return seconds: a string such as "10m", or a number of seconds."""
    seconds = duration_of(value) if isinstance(value, str) else value
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise ValueError(f'must be a duration such as "30s", "10m", "2h" or "1d", not {_shown(value)}')
    return float(seconds)


def _duration_or_off(value: Any) -> float | None:
    """Return seconds, or None for "off"."""
    return None if value == "off" else _duration(value)


def _size(value: Any) -> int:
    """Return bytes: a string such as "10 MB", or a number."""
    found = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    size = int(float(found.group(1)) * _BYTES[found.group(2).lower()]) if found else value
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f'must be a size such as "10 MB", not {_shown(value)}')
    return size


def texts(value: Any) -> Any:
    """Return a list of strings as it is; one string is a list of one."""
    return [value] if isinstance(value, str) else value


Duration = Annotated[float, Parsed(_duration)]
DurationOrOff = Annotated[float | None, Parsed(_duration_or_off)]
Size = Annotated[int, Parsed(_size)]
Texts = Annotated[tuple[str, ...], Parsed(texts)]
Count = Annotated[int, Between(1)]


@dataclass
class Problems:
    """What is wrong in a configuration.

    Attributes
    ----------
    name : str
        What the file is called in messages.
    lines : mapping or None
        Line of each key, as `key_lines` gives it; None for values that come from no TOML file.
    found : list of (int, str)
        Line and reason of each problem.
    """

    name: str
    lines: Mapping[KeyPath, int] | None = None
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, path: KeyPath, reason: str) -> None:
        """Note a problem of a key, or of what holds it."""
        self.found.append((line_of(self.lines or {}, path), reason))

    def add_value(self, path: KeyPath, reason: str) -> None:
        """Note what is wrong with the value of a key, which begins the message."""
        self.add(path, f"'{_dotted(path)}' {reason}")

    def check(self, error: type[BlockfeatError] = ConfigError) -> None:
        """Raise an error with a line for each problem, if there are any."""
        if self.found:
            places = [self.name if self.lines is None else f"{self.name}:{line}" for line, _ in sorted(self.found)]
            reasons = [reason for _, reason in sorted(self.found)]
            raise error("\n".join(f"{place}: {reason}" for place, reason in zip(places, reasons, strict=True)))


def parse_toml(text: str, *, name: str, error: type[BlockfeatError] = ConfigError) -> tuple[dict[str, Any], Problems]:
    """Return the values of a TOML text, and where their problems are to be noted.

    Raises
    ------
    ConfigError
        It is not TOML; the message names file and line. ``error`` is another type to raise.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        found = _SYNTAX.fullmatch(str(fault))
        line = int(found.group(2) or len(text.splitlines())) if found else 1
        raise error(f"{name}:{line}: not TOML: {found.group(1) if found else fault}") from fault
    return values, Problems(name, key_lines(text))


def changed(
    default: Config,
    values: Mapping[str, Any],
    problems: Problems,
    *,
    path: KeyPath = (),
    options: frozenset[str] = frozenset(),
) -> Config:
    """Return a configuration with the values of a file; what is wrong goes into ``problems``.

    Parameters
    ----------
    default : dataclass
        A frozen dataclass of what msgspec converts, of further such dataclasses (TOML tables) and tuples of them
        (arrays of tables). Fields may be annotated with `Parsed` and `Between`.
    values : mapping
        What the file says; keys that are not there keep the value of ``default``.
    path : tuple
        Where the values stand in the file.
    options : set of str
        Fields that are options of the command and may not stand in a file.
    """
    return _table(type(default), values, path, problems, default=default, options=options) or default


def made(cls: type[Config], values: Mapping[str, Any], problems: Problems, *, path: KeyPath) -> Config | None:
    """Return a dataclass with the values of a table; None where one that it needs is missing or wrong."""
    return _table(cls, values, path, problems)


class _WrongItemError(ValueError):
    """A value in an array is wrong."""

    def __init__(self, reason: str, place: tuple[int, ...]) -> None:
        super().__init__(reason)
        self.place = place


def _table(
    cls: type[Config],
    values: Mapping[str, Any],
    path: KeyPath,
    problems: Problems,
    *,
    default: Any = None,
    options: frozenset[str] = frozenset(),
) -> Config | None:
    """Return a dataclass with the values of a table; those that are wrong keep their default."""
    hints, known = get_type_hints(cls, include_extras=True), [item.name for item in fields(cls)]  # type: ignore[arg-type]
    found: dict[str, Any] = {}
    if default is not None:
        found = {name: getattr(default, name) for name in known}
    for key, value in values.items():
        if key not in known or key in options:
            problems.add((*path, key), _unknown(key, path, [name for name in known if name not in options], options))
        else:
            try:
                found[key] = _value(hints[key], value, (*path, key), problems, found.get(key), options)
            except ValueError as error:
                place = error.place if isinstance(error, _WrongItemError) else ()
                problems.add_value((*path, key, *place), str(error))
    missing = [item.name for item in fields(cls) if item.name not in found and _is_needed(item)]  # type: ignore[arg-type]
    for name in missing:
        if name not in values:
            problems.add(path, f"{_header(path)} has no '{name}'")
    if missing:
        return None
    try:
        return cls(**found)
    except BlockfeatError as error:
        named = re.match(r"'(\w+)'", str(error))
        problems.add((*path, named.group(1)) if named else path, f"{_header(path)}: {error}" if path else str(error))
        return None


def _value(hint: Any, value: Any, path: KeyPath, problems: Problems, default: Any, options: frozenset[str]) -> Any:
    """Return a value as the type of its field; raise ValueError where it cannot be."""
    annotations: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *annotations = get_args(hint)  # type: ignore[assignment]
    for annotation in annotations:
        if isinstance(annotation, Parsed):
            value = annotation.read(value)
    if is_dataclass(hint):
        if not isinstance(value, dict):
            raise ValueError(f"must be a table, not {_shown(value)}")
        made = _table(hint, value, path, problems, default=default, options=options)  # type: ignore[arg-type]
        return default if made is None else made
    if get_origin(hint) is tuple and is_dataclass(get_args(hint)[0]):
        return tuple(_tables(get_args(hint)[0], value, path, problems))
    converted = _converted(hint, value)
    for annotation in annotations:
        if isinstance(annotation, Between):
            annotation.check(converted)
    return converted


def _tables(cls: Any, value: Any, path: KeyPath, problems: Problems) -> list[Any]:
    """Return the dataclasses of an array of tables, without those that have problems."""
    if not isinstance(value, list):
        raise ValueError(f"must be an array of tables, [[{path[-1]}]], not {_shown(value)}")
    made = []
    for number, entry in enumerate(value):
        place = (*path, number)
        if isinstance(entry, dict):
            made.append(_table(cls, entry, place, problems))
        else:
            needed = " and ".join(f"'{item.name}'" for item in fields(cls) if _is_needed(item))
            problems.add_value(place, f"must be a table{f' with {needed}' if needed else ''}, not {_shown(entry)}")
    return [entry for entry in made if entry is not None]


def _converted(hint: Any, value: Any) -> Any:
    """Return a value as msgspec converts it, without guessing: a string is no number, true is no 1."""
    import msgspec  # only where a configuration is read

    try:
        return msgspec.convert(value, hint, strict=True)
    except msgspec.ValidationError as error:
        known = [text for part in (hint, *get_args(hint)) if get_origin(part) is Literal for text in get_args(part)]
        if known:
            raise ValueError(f"must be one of {', '.join(known)}, not {_shown(value)}") from error
        expected, place = _expected(str(error))
        for number in place:
            value = value[number]
        raise _WrongItemError(f"must be {expected}, not {_shown(value)}", place) from error


def _expected(message: str) -> tuple[str, tuple[int, ...]]:
    """Return what msgspec expects, in words, and at which place in an array; it does not say which key of a table."""
    found = _EXPECTED.fullmatch(message)
    if found is None:
        return f"of another kind ({message})", ()
    types = [_TYPE_NAMES.get(name, name) for name in found.group(1).split(" | ") if name != "null"]
    place = found.group(2) or ""
    return " or ".join(types), tuple(map(int, re.findall(r"\d+", place))) if "..." not in place else ()


def _is_needed(item: Field[Any]) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def _unknown(key: str, path: KeyPath, known: list[str], options: frozenset[str]) -> str:
    """Return what is said of an unknown key: the known one that is most like it, or all of them."""
    near = get_close_matches(key, known, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(known)}"
    return f"unknown key '{_dotted((*path, key))}'; {f'it is the option --{key}' if key in options else hint}"


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str | int | float) else f"a {_TYPE_OF.get(type(value), 'date or time')}"


def _dotted(path: KeyPath) -> str:
    """Return how a key is named in messages: ``brands[1].case``, counted from 0."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def _header(path: KeyPath) -> str:
    """Return how a table is written: [fetch] or [[brands]]."""
    names = ".".join(part for part in path if isinstance(part, str))
    return f"[[{names}]]" if isinstance(path[-1], int) else f"[{names}]"
