"""Hostile pages in processes of their own, with limits on memory and time: promises 1 to 4, 6 and 7.

``BLOCKFEAT_HOSTILE_FULL=1`` takes sizes up to 16 MB and all depths, and checks that time grows in step with size.
"""

import os
import re
import resource
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import NamedTuple

import pytest

import blockfeat
from blockfeat import BlockfeatError, Extraction
from blockfeat.io.outputs import FORMATS
from fuzz_target import with_all_blocks
from hostile import BEFORE, BEHIND, CLASSES, DEPTHS, HIDES_INSIDE, INSIDE
from timing import seconds_of

_FULL = bool(os.environ.get("BLOCKFEAT_HOSTILE_FULL"))
# A loaded machine takes several times as long; growth, measured apart, tells what is quadratic.
_NOISE = 1 if _FULL and not os.environ.get("CI") else 10
_FEW = 10_000
_SIZES = (1_000, 100_000, 1_000_000, 16_000_000) if _FULL else (1_000, 50_000)
_DEPTHS = (300, 2_100, pytest.param(100_000, marks=pytest.mark.rest))
_DEEP_IN_SHORT = ("div", "span", "li", "button", "object", "template", "x-foo")
_WITH_BLOCKS = 1_000_000
_ADDRESS_SPACE = 3 << 29
_GROUP = 75
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# What a warning must say to excuse lost text; that something was flattened or replaced says nothing of the kind.
_TELLS_OF_LOSS = re.compile("hid|miss|lost|left out", re.I)


class _Case(NamedTuple):
    """A class of hostile pages and a size, or a depth."""

    name: str
    size: int

    def page(self) -> bytes:
        return {**CLASSES, **DEPTHS}[self.name](self.size)

    def __str__(self) -> str:
        return f"{self.name}, {self.size:,}"


def _growth(work: Callable[[bytes], object], small: bytes, large: bytes, limit: float, *, floor: float = 0.01) -> float:
    """Return the time of work on a large page over that on a small one, each the best of up to five rounds.

    Process time too rises on a busy machine. Both pages take turns, and a ratio within the limit ends the rounds: noise
    passes, growth does not. Times below ``floor`` seconds count as that.
    """
    best_small = best_large = float("inf")
    for _ in range(5):
        best_small = min(best_small, seconds_of(lambda: work(small)))
        best_large = min(best_large, seconds_of(lambda: work(large)))
        if best_large / max(best_small, floor) <= limit:
            break
    return best_large / max(best_small, floor)


def _lost(case: _Case, data: bytes, extraction: Extraction) -> list[str]:
    """Sentinels that the page has and no block has, if no warning tells of it."""
    found = "".join("".join(block.text.split()) for block in extraction.blocks)
    wanted = [word for word in (BEFORE, INSIDE, BEHIND) if word.encode() in data]
    if case.name in HIDES_INSIDE and INSIDE in wanted:
        wanted.remove(INSIDE)
    lost = [word for word in wanted if word not in found]
    return [] if any(map(_TELLS_OF_LOSS.search, extraction.warnings)) else lost


def _complaints(case: _Case) -> Iterator[str]:
    """Extract one page and write it in every format; yield what breaks a promise."""
    data = case.page()
    found: list[Extraction] = []
    try:
        taken = seconds_of(lambda: found.append(blockfeat.extract(data)))
    except BlockfeatError:
        return
    allowed = _NOISE * (0.2 + len(data) / 1e6)
    if taken > allowed:
        taken = seconds_of(lambda: blockfeat.extract(data), rounds=2)
    if taken > allowed:
        yield f"{taken:.2f} s for the text of {len(data):,} bytes, {allowed:.2f} s allowed"
    if taken > 0.1 and case.name in CLASSES:
        growth = _growth(blockfeat.extract, CLASSES[case.name](case.size // 4), data, 8)
        if growth > 8:
            yield f"{growth:.0f} times the time of a page a quarter as large"
    if len(data) > 2 * _WITH_BLOCKS:
        return
    taken = seconds_of(lambda: found.append(with_all_blocks(found[0])))
    written: list[str] = []
    taken += seconds_of(lambda: written.extend(write(found[1]) for write in FORMATS.values()))
    allowed = _NOISE * (0.2 + 8 * len(data) / 1e6)
    if taken > allowed:
        yield f"{taken:.2f} s for blocks and formats of {len(data):,} bytes, {allowed:.2f} s allowed"
    for word in _lost(case, data, found[0]):
        yield f"{word} is lost; warnings: {found[0].warnings}"
    for format, text in zip(FORMATS, written, strict=True):
        if _UNWANTED.search(text):
            yield f"{format} holds a control character"


def _work(connection: Connection, cases: list[_Case]) -> None:
    """Send back a list of complaints for each case; runs in a process of its own."""
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    blockfeat.extract("<p>warm-up")
    connection.send(None)
    for case in cases:
        try:
            connection.send(list(_complaints(case)))
        except Exception as error:
            connection.send([f"{type(error).__name__}: {error}"[:300]])


def _complaints_of(cases: Iterable[_Case]) -> Iterator[str]:
    """Yield the complaints about some cases; a case that kills its process or hangs is one complaint."""
    left = list(cases)
    context = get_context("spawn")
    while left:
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, left), daemon=True)
        process.start()
        theirs.close()
        try:
            assert ours.poll(60), "the process did not start"
            ours.recv()
            while left:
                case = left.pop(0)
                if not ours.poll(60 + 20 * case.size / 1e6):
                    yield f"{case}: no answer in time"
                    break
                yield from (f"{case}: {complaint}" for complaint in ours.recv())
        except (EOFError, ConnectionError):
            yield f"{case}: its process died"
        finally:
            process.kill()
            process.join()
            ours.close()


_NAMES = list(CLASSES)
_DEEP_NAMES = [name for name in DEPTHS if _FULL or name.split()[0] in _DEEP_IN_SHORT]


@pytest.mark.parametrize("first", range(0, len(_NAMES), _GROUP))
@pytest.mark.parametrize("sizes", [(_FEW,), pytest.param(_SIZES, marks=pytest.mark.rest)], ids=["few", "all"])
def test_hostile_pages_break_no_promise(first: int, sizes: tuple[int, ...]) -> None:
    complaints = list(_complaints_of(_Case(name, size) for name in _NAMES[first : first + _GROUP] for size in sizes))
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("depth", _DEPTHS)
def test_deep_pages_break_no_promise(depth: int) -> None:
    complaints = list(_complaints_of(_Case(name, depth) for name in _DEEP_NAMES))
    assert not complaints, "\n".join(complaints)


def test_the_check_sees_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Extraction(text="", title="a", warnings=("NUL characters were replaced",))
    monkeypatch.setattr(blockfeat, "extract", lambda data: found)
    monkeypatch.setitem(CLASSES, "made up", CLASSES["tiny paragraphs"])
    assert [line.split()[0] for line in _complaints(_Case("made up", 100))] == [BEFORE, BEHIND]


def test_a_case_that_raises_is_named_and_the_rest_goes_on() -> None:
    assert list(_complaints_of([_Case("no such class", 1), _Case("breaks", 1_000)])) == [
        "no such class, 1: KeyError: 'no such class'"
    ]


def test_quadratic_time_is_seen() -> None:
    assert _growth(lambda data: sum(1 for _ in data for _ in data), bytes(700), bytes(2_800), 8) > 8
