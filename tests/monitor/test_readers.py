"""Reading in processes: pages that hang or kill, and no process left behind."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from blockfeat.errors import ModelError
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import FetchedPage, ReaderSettings
from blockfeat.monitor.rounds.readers import Readers
from blockfeat.monitor.store.records import PageRecord
from pages import article_page

_SETTINGS = ReaderSettings("default", (Brand("Harbour Council", case="fold"),), evidence=True)
_PAGE = FetchedPage(article_page().encode(), "https://example.org/1")


def test_a_killed_process_is_replaced_and_the_page_read() -> None:
    async def run() -> list[str]:
        async with Readers(_SETTINGS, jobs=1) as readers:
            first = await readers.read(_PAGE)
            assert readers.processes is not None
            for number in readers.processes.pids:
                os.kill(number, signal.SIGKILL)
            second = await readers.read(_PAGE)
            return [first.text, second.text]

    first, second = asyncio.run(run())
    assert first == second != ""


def test_a_page_that_takes_too_long_fails_alone() -> None:
    async def run() -> PageRecord:
        async with Readers(_SETTINGS, jobs=1, deadline=0.0001) as readers:
            return await readers.read(FetchedPage(article_page().encode() * 50, "https://example.org/slow"))

    record = asyncio.run(run())
    assert "took longer" in (record.error or "")
    assert record.is_fault


class _Deadly(bytes):
    """A page that ends the process that reads it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


def test_a_page_that_ends_its_process_costs_no_other_page() -> None:
    async def run() -> list[tuple[str | None, bool]]:
        deadly = FetchedPage(_Deadly(), "https://example.org/deadly")
        async with Readers(_SETTINGS, jobs=1) as readers:
            found = await asyncio.gather(*(readers.read(page) for page in (_PAGE, deadly, _PAGE)))
        return [(record.error, record.is_fault) for record in found]

    assert asyncio.run(run()) == [(None, False), ("its worker process died", True), (None, False)]


def test_what_is_no_page_becomes_a_record_with_an_error() -> None:
    async def run() -> PageRecord:
        async with Readers(_SETTINGS, jobs=0) as readers:
            return await readers.read(FetchedPage(b"%PDF-1.7 \x00\x01", "https://example.org/x"))

    record = asyncio.run(run())
    assert "PDF" in (record.error or "")
    assert not record.is_fault


def test_an_unknown_model_is_named_before_anything_starts() -> None:
    async def run() -> None:
        async with Readers(ReaderSettings("nothing", (), evidence=False), jobs=1):
            pass

    with pytest.raises(ModelError, match="nothing"):
        asyncio.run(run())
