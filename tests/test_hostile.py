"""Hostile pages in processes of their own, with limits on memory and time.

``BLOCKFEAT_HOSTILE_FULL=1`` takes sizes up to 16 MB and checks that time grows in step with size.
"""

from __future__ import annotations

import contextlib
import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from blockfeat.blocks import cut_into_blocks, load_table
from blockfeat.errors import BlockfeatError
from blockfeat.page import Page
from hostile import CLASSES

_FULL = bool(os.environ.get("BLOCKFEAT_HOSTILE_FULL"))
_NOISE = 3 if os.environ.get("CI") or not _FULL else 1
_SIZES = (1_000, 100_000, 1_000_000, 16_000_000) if _FULL else (1_000, 100_000)
_ADDRESS_SPACE = 3 << 29
_GROUP = 16


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))


def _seconds(data: bytes, table_name: str) -> float:
    table = load_table(table_name)
    start = time.process_time()
    with contextlib.suppress(BlockfeatError):
        cut_into_blocks(Page.parse(data), table)
    return time.process_time() - start


def _too_slow(names: list[str], sizes: tuple[int, ...]) -> list[str]:
    """Process time over the limit, for every page of these classes; runs in a process of its own."""
    found = []
    for name in names:
        for size in sizes:
            data = CLASSES[name](size)
            allowed = _NOISE * (0.2 + len(data) / 1e6)
            for table in ("html5", "ziegler2007"):
                taken = _seconds(data, table)
                if taken > allowed:
                    found.append(f"{name}, {size:,} bytes, {table}: {taken:.2f} s, {allowed:.2f} s allowed")
    return found


def _growth(name: str) -> float:
    """Time of 4 MB over the time of 1 MB, best of three."""
    small, large = (min(_seconds(CLASSES[name](size), "html5") for _ in range(3)) for size in (1_000_000, 4_000_000))
    return large / max(small, 0.01)


_NAMES = list(CLASSES)


@pytest.mark.parametrize("first", range(0, len(_NAMES), _GROUP))
def test_no_crash_no_time_out_no_other_exception(first: int) -> None:
    names = _NAMES[first : first + _GROUP]
    allowed = sum(2 * (0.2 + 2 * size / 1e6) for size in _SIZES) * len(names) * _NOISE + 30
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_limit) as pool:
        assert pool.submit(_too_slow, names, _SIZES).result(timeout=allowed) == []


@pytest.mark.skipif(not _FULL, reason="takes minutes: BLOCKFEAT_HOSTILE_FULL=1")
@pytest.mark.parametrize("name", _NAMES)
def test_time_grows_with_size(name: str) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_limit) as pool:
        assert pool.submit(_growth, name).result(timeout=600) <= 5
