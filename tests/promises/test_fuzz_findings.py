"""What `make fuzz` found: every file of tests/findings must pass. And the target fails where it should."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import blockfeat
from fuzz_target import check, complaint
from hostile import hostile_pages
from pages import article_page

_FINDINGS = sorted(path for path in (Path(__file__).parent / "findings").glob("*") if path.suffix == ".html")


@pytest.mark.parametrize("path", _FINDINGS, ids=[path.name for path in _FINDINGS])
def test_finding(path: Path) -> None:
    check(path.read_bytes(), seconds=3.0)


def test_ordinary_and_small_hostile_pages_pass() -> None:
    assert complaint(article_page().replace("</p>", r" \(x\) m<sup>2</sup> H<sub>2</sub>O</p>").encode()) is None
    told = {name: told for name, _, page in list(hostile_pages((200,)))[::5] if (told := complaint(page))}
    assert told == {}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"title": "a\x01"}, "control character in extraction"),
        ({"text": "a\x00"}, "control character in extraction"),
        ({"source": {}.popitem}, "KeyError in Extraction.analysis"),
    ],
)
def test_the_target_sees_what_is_wrong(monkeypatch: pytest.MonkeyPatch, values: dict[str, Any], told: str) -> None:
    found = replace(blockfeat.extract(article_page()), **values)
    monkeypatch.setattr(blockfeat, "extract", lambda page: found)
    assert complaint(b"<p>x") == told


def test_the_target_sees_slowness() -> None:
    with pytest.raises(AssertionError, match="too slow"):
        check(article_page().encode(), seconds=0.0, seconds_per_megabyte=0.0)
