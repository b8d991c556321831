"""The lines of the keys of TOML files."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from blockfeat._config import key_lines, line_of


def test_lines_of_keys() -> None:
    text = (
        '# comment\n[a]\nb = """\n[no]\nc = 1\n"""\nd.e = [\n  "x", # ]\n  "]",\n]\n'
        "[[f]]\ng = 1\n[f.h]\ni = {j = 2}\n[[f]]\ng = 3\n"
    )
    tomllib.loads(text)
    lines = key_lines(text)
    assert lines[("a", "b")] == 3
    assert ("no",) not in lines
    assert lines[("a", "d", "e")] == 7
    assert lines[("f", 0, "g")] == 12
    assert line_of(lines, ("f", 0, "h", "i", "j")) == 14
    assert lines[("f", 1, "g")] == 16
    assert line_of(lines, ("unknown",)) == 1


@given(st.text())
def test_no_text_breaks_the_lines(text: str) -> None:
    assert all(line <= text.count("\n") + 1 for line in key_lines(text).values())
