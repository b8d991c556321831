"""What a document shows of an output, compared with what was printed."""

import re
from collections.abc import Iterator

# Numbers of which every run has its own: times, memory, speed.
_VARYING = re.compile(r"\d[\d.,]*(?= ?(?:ms|s|seconds|minutes|MB|pages a second|a second)\b)")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_PARTS = re.compile(rf"{_VARYING.pattern}|{_DECIMAL.pattern}|…")


def difference(shown: str, printed: str, *, within: float = 0.0) -> str | None:
    """Return what is wrong with an output that a document shows; ``None`` where it fits.

    Spaces count as one. A line ``…`` stands for any lines, ``…`` in a line for any text in it; a number in front of a
    unit of time, memory or speed stands for any number, a decimal fraction for those that differ by ``within`` at most.
    """
    lines, actual = _lines(shown), _lines(printed)
    pattern = "".join(r"(?:.*\n)*" if line == "…" else _pattern(line, within > 0) + r"\n" for line in lines)
    found = re.fullmatch(pattern, "".join(f"{line}\n" for line in actual))
    if found is None:
        return f"the document shows\n{_text(lines)}\nprinted was\n{_text(actual)}"
    decimals = [one for line in lines if line != "…" and within for one in _decimals(line)]
    for said, was in zip(decimals, found.groups(), strict=True):
        if abs(float(said) - float(was)) > within:
            return f"the document shows {said}, printed was {was}, in\n{_text(actual)}"
    return None


def _pattern(line: str, is_near: bool) -> str:
    """Return the pattern of a line, with a group for each decimal fraction that may differ a little."""
    parts, start = [], 0
    for found in _PARTS.finditer(line):
        parts.append(re.escape(line[start : found.start()]))
        start = found.end()
        if found[0] == "…":
            parts.append(".*")
        elif _VARYING.match(line, found.start()):
            parts.append(r"\d[\d.,]*")
        else:
            parts.append(rf"({_DECIMAL.pattern})" if is_near else re.escape(found[0]))
    return "".join([*parts, re.escape(line[start:])])


def _decimals(line: str) -> Iterator[str]:
    for found in _PARTS.finditer(line):
        if found[0] != "…" and not _VARYING.match(line, found.start()):
            yield found[0]


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def _text(lines: list[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)
