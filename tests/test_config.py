"""Configurations: the lines of their keys, and what is said of values, tables and dates that do not fit."""

import tomllib
from dataclasses import dataclass, field
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat._config import Count, Duration, Parsed, Positive, Size, Texts, checked, key_lines, line_of, parse_toml
from blockfeat.errors import ConfigError
from cases import CASES


def test_lines_of_keys() -> None:
    text = (
        '# comment\n[a]\nb = """\n[no]\nc = 1\n"""\nd.e = [\n  "x", # ]\n  "]",\n]\n'
        "[[f]]\ng = 1\n[f.h]\ni = {j = 2}\n[[f]]\ng = 3\n"
    )
    tomllib.loads(text)
    expected = {("a", "b"): 3, ("a", "d", "e"): 7, ("f", 0, "g"): 12, ("f", 1, "g"): 16}
    for written in (text, text.replace("\n", "\r\n"), text.rstrip("\n")):
        lines = key_lines(written)
        assert {key: lines[key] for key in expected} == expected
        assert ("no",) not in lines
        assert (line_of(lines, ("f", 0, "h", "i", "j")), line_of(lines, ("unknown",))) == (14, 1)


def test_lines_of_tables_that_are_only_implied_or_come_late() -> None:
    lines = key_lines("\n[a.b]\nc = 1\n[a]\nd = 2\n'e f'.g = 3\n\"h\" = 4\n[[i.j]]\n[[i.j]]\n[i.j.k]\nl = 5\n")
    expected = {("a",): 4, ("a", "b"): 2, ("a", "e f", "g"): 6, ("a", "h"): 7, ("i",): 8, ("i", "j", 1): 9}
    expected[("i", "j", 1, "k", "l")] = 11
    assert {key: lines[key] for key in expected} == expected


def test_lines_behind_a_long_array() -> None:
    addresses = "".join(f'  "https://a.example/{number}?x=[1]",\n' for number in range(20_000))
    assert key_lines(f"urls = [\n{addresses}]\nkind = 1\n")[("kind",)] == 20_003


@given(st.text())
def test_no_text_breaks_the_lines(text: str) -> None:
    assert all(line <= text.count("\n") + 1 for line in key_lines(text).values())


def _upper(text: str) -> str:
    if not text.isupper():
        raise ValueError(f"has {text!r}, which is not in capitals")
    return text


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    tags: Annotated[tuple[Annotated[str, Parsed(_upper, late=True)], ...], Parsed(lambda value: tuple(value))] = ()
    letters: int = field(init=False)

    def __post_init__(self) -> None:
        if not self.name:
            raise ConfigError("'name' must not be empty")
        object.__setattr__(self, "letters", len(self.name))


@dataclass(frozen=True)
class _Limits:
    wait: Duration = 1.0
    most: Count = 3
    ratio: float = 0.5
    kind: Literal["one", "two"] | None = None
    share: Positive = 1.0
    size: Size = 1

    def __post_init__(self) -> None:
        if self.ratio > self.most:
            raise ConfigError("'ratio' is above 'most'")


@dataclass(frozen=True)
class _File:
    title: str = ""
    names: Texts = ()
    limits: _Limits = field(default_factory=_Limits)
    entries: tuple[_Entry, ...] = ()


def _read(text: str) -> _File:
    values, problems = parse_toml(text, name="c.toml")
    file = checked(_File, values, problems)
    problems.check()
    return file


def _problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as error:
        _read(text)
    return str(error.value).replace("c.toml:", "").splitlines()


def test_what_is_right_is_read() -> None:
    file = _read('names = "a"\n[limits]\nwait = "2m"\nratio = 1\n[[entries]]\nname = "abc"\ntags = ["X"]\n')
    assert (file.names, file.limits) == (("a",), _Limits(wait=120.0, ratio=1.0))
    assert isinstance(file.limits.ratio, float)
    assert ((file.entries[0].letters, file.entries[0].tags), _read("")) == ((3, ("X",)), _File())


@pytest.mark.parametrize(("text", "reason"), CASES["what_is_wrong_is_said_with_the_key"])
def test_what_is_wrong_is_said_with_the_key(text: str, reason: str) -> None:
    (problem,) = _problems(f"\n{text}\n")
    assert problem.startswith(f"2: {reason}")


def test_a_problem_hides_no_other() -> None:
    """Those of a table as a whole are found though a key of it, or of what holds it, is wrong too."""
    text = '[limits]\nratio = 9\nmost = "x"\n[[entries]]\nname = ""\n[[entries]]\nname = 3\n[[entry]]\n'
    assert _problems(text) == [
        "2: [limits]: 'ratio' is above 'most'",
        "3: 'limits.most' must be an integer, not 'x'",
        "5: 'name' must not be empty",
        "7: 'entries[1].name' must be a string, not 3",
        "8: unknown key 'entry'; did you mean 'entries'?",
    ]


@pytest.mark.parametrize("number", ["9" * 400, "'" + "9" * 400 + " GB'"])
def test_a_number_that_no_float_has_is_refused(number: str) -> None:
    for key in ("most", "wait", "size"):
        assert len(_problems(f"[limits]\n{key} = {number}\n")) == 1


def test_what_is_nested_too_deeply_is_a_problem() -> None:
    assert _problems("a." * 5000 + "b = 1") == ["1: it is nested too deeply, or has numbers of thousands of digits"]


@pytest.mark.parametrize("text", ["a = " + "9" * 5000, "a = " + "[" * 5000, "a = '", "a = 1\n[b", "= 1"])
@pytest.mark.usefixtures("nothing_to_free")
def test_what_is_no_toml_is_refused_with_a_line(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^c\.toml:\d+: not TOML: "):
        parse_toml(text, name="c.toml")
