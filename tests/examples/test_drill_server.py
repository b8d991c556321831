"""The demo server, and the drill's traps as the fetcher meets them."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

import blockfeat
from blockfeat.monitor.feeds import read_feed
from blockfeat.monitor.fetching import Fetched, Fetcher, FetchOptions
from examples.drill_server import DrillServer

_LOCAL = {"allow_networks": ("127.0.0.1/32",), "per_host": 4}
OPTIONS = FetchOptions(delay=0, first_wait=0.01, timeout=10.0, max_bytes=5_000_000, **_LOCAL)


@pytest.fixture(scope="module")
def server() -> Iterator[DrillServer]:
    with DrillServer(feeds=3, pages=4) as running:
        yield running


def gathered(*requests: tuple[str, dict[str, Any]], options: FetchOptions = OPTIONS) -> list[Fetched]:
    async def main() -> list[Fetched]:
        async with Fetcher(options) as fetcher:
            return await asyncio.gather(*(fetcher.fetch(url, **how) for url, how in requests))

    return asyncio.run(main())


def feeds_of(server: DrillServer, name: str) -> list[Fetched]:
    listed = gathered((server.list_url(name), {"kind": "feed"}))[0]
    addresses = read_feed(listed.data, url=listed.final_url).feeds
    return gathered(*((address, {"kind": "feed"}) for address in addresses))


@pytest.mark.parametrize("name", ["feeds", "many"])
def test_every_feed_names_the_pages_of_its_site(server: DrillServer, name: str) -> None:
    for site, fetched in zip(server.sites(name), feeds_of(server, name), strict=True):
        feed = read_feed(fetched.data, url=fetched.final_url, content_type=fetched.headers["content-type"])
        host = f"http://{site.name}.localhost:{server.port}"
        assert (feed.kind, feed.warnings) == (site.feed_kind, ())
        assert [entry.url for entry in feed.entries] == [host + page.path for page in site.pages]
        assert [entry.published for entry in feed.entries] == [page.date for page in site.pages]
        assert [entry.title for entry in feed.entries] == [page.title for page in site.pages]
        assert {entry.lang for entry in feed.entries} == {site.lang}


def test_the_quiet_sites_speak_eleven_languages_in_five_kinds_of_feeds(server: DrillServer) -> None:
    sites = server.sites("feeds")
    assert {site.lang for site in sites} == {"ar", "de", "en", "es", "fr", "it", "ja", "pl", "ru", "tr", "zh"}
    assert {site.feed_kind for site in sites} == {"rss", "atom", "rdf", "json", "sitemap"}


@pytest.mark.parametrize("name", ["nevskievesti", "qingchuanwanbao", "sahilyawm", "limanpostasi", "many-0", "many-2"])
def test_brands_stand_where_the_site_says(server: DrillServer, name: str) -> None:
    site = next(site for key in ("feeds", "many") for site in server.sites(key) if site.name == name)
    for page in site.pages:
        text = blockfeat.extract(page.html, lang=page.lang).text
        assert all(brand in text or brand in page.title for brand in page.brands), page.path
        assert not any(brand in text for brand in page.around), page.path
        assert all(brand in page.html for brand in (*page.brands, *page.around))


def test_what_has_not_changed_answers_304(server: DrillServer) -> None:
    url = f"http://nevskievesti.localhost:{server.port}/feed.xml"
    first = gathered((url, {"kind": "feed"}))[0]
    again = gathered((url, {"kind": "feed", "etag": first.etag}))[0]
    assert (first.not_modified, again.not_modified) == (False, True)
    assert [visit.status for visit in server.log if visit.host == "nevskievesti"][-2:] == [200, 304]


def test_the_log_can_be_read_over_the_network(server: DrillServer) -> None:
    gathered((f"http://steady.localhost:{server.port}/one", {}))
    answer = gathered((f"{server.url}-/log", {"kind": "feed"}))[0]
    visits = [json.loads(line) for line in answer.data.splitlines()]
    assert any((visit["host"], visit["target"], visit["status"]) == ("steady", "/one", 200) for visit in visits)
    assert all(visit["agent"].startswith("blockfeat/") for visit in visits)


def test_generated_sites_are_the_same_each_time_and_hold_a_copy() -> None:
    first, second = DrillServer(feeds=4, pages=5), DrillServer(feeds=4, pages=5)
    assert first.sites("many") == second.sites("many")
    even, odd = first.sites("many")[:2]
    assert even.pages[-1].title == odd.pages[-1].title
    assert len({page.title for site in (even, odd) for page in site.pages}) == 9
