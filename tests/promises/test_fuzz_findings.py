"""What `make fuzz` found: every file of tests/findings must pass. And the targets fail where they should."""

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import blockfeat
from fuzz_target import check, complaint
from hostile import hostile_pages
from pages import article_page
from tools.fuzz_inputs import TARGETS, complaint_about

_FINDINGS = sorted((Path(__file__).parent / "findings").iterdir())


@pytest.mark.parametrize("path", _FINDINGS, ids=[path.name for path in _FINDINGS])
def test_finding(path: Path) -> None:
    if path.suffix == ".html":
        check(path.read_bytes(), seconds=3.0)
    else:
        assert complaint_about(path.suffix[1:], path.read_bytes()) is None


@pytest.mark.parametrize("kind", TARGETS)
def test_what_is_cut_is_read_or_refused(kind: str) -> None:
    for seed in islice(TARGETS[kind].seeds(), 4):
        told = {end: complaint_about(kind, seed[:end]) for end in range(0, len(seed) + 1, len(seed) // 5)}
        assert not any(told.values()), (seed, told)


def test_ordinary_and_small_hostile_pages_pass() -> None:
    assert complaint(article_page().replace("</p>", r" \(x\) m<sup>2</sup> H<sub>2</sub>O</p>").encode()) is None
    told = {name: told for name, _, page in list(hostile_pages((200,)))[::5] if (told := complaint(page))}
    assert told == {}


def test_the_target_sees_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    page, control = blockfeat.extract(article_page()), "control character in extraction"
    wrong: list[dict[str, Any]] = [{"title": "a\x01"}, {"text": "a\x00"}, {"source": {}.popitem}]
    for values, told in zip(wrong, (control, control, "KeyError in Extraction.analysis"), strict=True):
        monkeypatch.setattr(blockfeat, "extract", lambda _, now=values: replace(page, **now))
        assert complaint(b"<p>x") == told


def test_the_targets_see_slowness_and_other_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TARGETS, "feed", TARGETS["feed"]._replace(read=lambda data: {}.popitem()))
    assert (complaint_about("feed", b"") or "").startswith("KeyError at line")
    with pytest.raises(AssertionError, match="too slow"):
        check(article_page().encode(), seconds=0.0, seconds_per_megabyte=0.0)
