"""In which line of a TOML file a key stands; the standard reader does not say."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
