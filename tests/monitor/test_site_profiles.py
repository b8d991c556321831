"""Site profiles of a monitor: kept in the store, used when pages are read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from sqlalchemy import text

from blockfeat import SiteProfile
from blockfeat.monitor.config.read import parse_config
from blockfeat.monitor.config.settings import CopySettings, MonitorConfig, PageSettings, Source
from blockfeat.monitor.demo import DemoServer
from blockfeat.monitor.fetching.options import FetchOptions
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.monitor.rounds.readers import Readers
from blockfeat.monitor.rounds.store_thread import StoreThread
from blockfeat.monitor.run import run_once
from blockfeat.monitor.store import migrations
from blockfeat.monitor.store.records import DuePage, NewEntry, PageRecord, Visit
from blockfeat.monitor.store.store import Store
from site_pages import story_page
from stored_pages import NOW, add, save_visit

_SETTINGS = ReaderSettings("default", (Brand("Zephyrona"),), True, site_profile=True)


@pytest.fixture(scope="module")
def reader() -> PageReader:
    return PageReader.of(_SETTINGS)


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    with Store.open(address) as opened:
        yield opened


def _url(number: int, host: str = "a.example") -> str:
    return f"https://{host}/{number}"


def _read(reader: PageReader, number: int, *, site: str | None = None, promoted: bool = False) -> PageRecord:
    return reader.read(FetchedPage(story_page(number, promoted=promoted), _url(number), site=site))


def _save(store: Store, number: int, record: PageRecord) -> str:
    url = _url(number)
    store.add_sources([], [NewEntry(url=url, key=url, host="a.example")], now=NOW)
    (page,) = [due for due in store.due_pages(now=NOW, limit=99, of_each_host=99) if due.url == url] or [
        _known(store, url)
    ]
    seen = Visit(page=page, at=NOW, due_at=None, final_url=url, canonical_url=url, http_status=200)
    return save_visit(store, seen, record, copies=CopySettings()).outcome


def test_a_run_knows_a_profile_as_soon_as_it_is_saved(store: Store, reader: PageReader) -> None:
    async def known_and_stored() -> list[tuple[str | None, str | None]]:
        async with Readers(_SETTINGS, jobs=0) as readers:
            thread = StoreThread(store, readers, copies=CopySettings(), announce=False)
            found = []
            for page in add(store, "a.example/1", "a.example/2"):
                await thread.site_profile("a.example")
                seen = Visit(page=page, at=NOW, due_at=None, final_url=page.url, canonical_url=page.url)
                await thread.save(seen, _read(reader, page.id))
                found.append((await thread.site_profile("a.example"), store.site_profile("a.example")))
            thread.close()
        return found

    (first, first_stored), (second, second_stored) = asyncio.run(known_and_stored())
    assert first == first_stored
    assert second == second_stored
    assert first != second


def _known(store: Store, url: str) -> DuePage:
    (row,) = store.query("SELECT id, version FROM page WHERE url = :url", {"url": url})
    return DuePage(row["id"], url, "a.example", None, None, None, 0, row["version"], "2026-01-05T00:00:00Z")


def test_a_name_in_a_repeated_promotion_does_not_count(store: Store, reader: PageReader) -> None:
    assert store.site_profile("a.example") is None
    for number in (1, 2, 3):
        _save(store, number, _read(reader, number, site=store.site_profile("a.example")))
    (before,) = _read(reader, 0, promoted=True).mentions
    after = _read(reader, 0, promoted=True, site=store.site_profile("a.example"))
    assert before.counted
    assert [(found.counted, found.because) for found in after.mentions] == [
        (False, "dropped: repeated on 3 other pages of the site")
    ]
    assert store.site_profile("b.example") is None


def test_a_page_that_is_read_again_is_one_page(store: Store, reader: PageReader) -> None:
    for _ in range(2):
        record = _read(reader, 1)
        _save(store, 1, record)
        _save(store, 1, replace(record, title="Another title"))
    packed = store.site_profile("a.example")
    assert packed is not None
    assert len(SiteProfile.from_bytes(packed.encode())) == 1


def test_a_profile_of_another_model_or_a_damaged_one_is_begun_anew(store: Store, reader: PageReader) -> None:
    other = PageReader.of(replace(_SETTINGS, model="margin"))
    _save(store, 1, _read(other, 1))
    packed = store.site_profile("a.example")
    assert _read(reader, 2, site=packed).status == "ok"
    _save(store, 2, _read(reader, 2, site=packed))
    packed = store.site_profile("a.example")
    assert packed is not None
    assert SiteProfile.from_bytes(packed.encode()).model == "default"
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE site SET profile = 'no profile'"))
    assert _read(reader, 3, site=store.site_profile("a.example")).status == "ok"
    _save(store, 3, _read(reader, 3))
    packed = store.site_profile("a.example")
    assert packed is not None
    assert len(SiteProfile.from_bytes(packed.encode())) == 1


def test_a_store_of_the_first_schema_gets_profiles(address: str, reader: PageReader) -> None:
    with Store.open(address) as store, store.engine.begin() as connection:
        connection.execute(text("DROP TABLE site"))
        connection.execute(text("UPDATE blockfeat_meta SET value = '1' WHERE key = 'schema_version'"))
    with Store.open(address) as store:
        with store.engine.begin() as connection:
            assert migrations.schema_version(connection) >= 2
        _save(store, 1, _read(reader, 1))
        assert store.site_profile("a.example") is not None


def test_it_can_be_switched_off() -> None:
    config = """
    [pages]
    site_profile = false
    [[sources]]
    url = "https://a.example/feed"
    [[brands]]
    name = "Zephyrona"
    """
    settings = ReaderSettings.of(parse_config(config))
    assert not settings.site_profile
    assert PageReader.of(settings).read(FetchedPage(story_page(1), _url(1))).site_page is None
    assert ReaderSettings.of(parse_config(config.replace("false", "true"))).site_profile


@pytest.mark.parametrize("is_on", [True, False])
def test_a_run_keeps_a_profile_for_each_host(is_on: bool, tmp_path: Path) -> None:
    with DemoServer(feeds=2, pages=4) as server:
        config = MonitorConfig(
            store=str(tmp_path / "monitor.db"),
            sources=(Source(server.list_url("many")),),
            brands=(Brand("Zephyrona"),),
            fetch=FetchOptions(delay=0.0, per_host=4, attempts=1, allow_networks=("127.0.0.1/32",)),
            pages=PageSettings(max_age=None, jobs=0, site_profile=is_on),
        )
        summary = asyncio.run(run_once(config))
    assert summary.pages["new"] == 8
    with Store.open(config.store) as store:
        rows = store.query("SELECT host, profile FROM site ORDER BY host")
        hosts = {row["host"] for row in store.query("SELECT DISTINCT host FROM page")}
    assert {row["host"] for row in rows} == (hosts if is_on else set())
    assert all(2 <= len(SiteProfile.from_bytes(row["profile"].encode())) <= 4 for row in rows)
