"""The mentions of stored pages are those that the configuration would find in them today."""

import json
import shutil
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from blockfeat.data import demo_pages
from blockfeat.errors import MissingExtraError
from blockfeat.extraction import Extraction, Extractor, PageParts
from blockfeat.monitor import rematch as rematching
from blockfeat.monitor.config import CopySettings, MonitorConfig, PageSettings, parse_config
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.mention import PLACES
from blockfeat.monitor.mentions.queries import Query
from blockfeat.monitor.page import blocks_of
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.monitor.rematch import rematch
from blockfeat.monitor.reports import Filters, counts
from blockfeat.monitor.store.mentions import NOT_FOUND, Rematched
from blockfeat.monitor.store.records import FoundMention, StoredPage
from blockfeat.monitor.store.store import Store
from cases import CASES
from made_pages import LANGUAGES, made_pages
from stored_pages import NOW, add, column, due, entry, events, execute, save

_OLD, _NEW = Brand("Corvane"), Brand("Lindholt")
_TEXT = " ".join(
    f"In the year {year} the yard of Corvane at Wye built {year % 40} boats, and the yard of Lindholt {year % 30}."
    for year in range(1900, 1908)
)
_PAGE = (
    "<html lang=en><body><nav><ul><li><a href=/l>Lindholt today</a></li><li><a href=/c>Corvane</a></li></ul></nav>"
    f"<article><h1>Corvane and Lindholt build boats</h1><p>{_TEXT}</p></article></body></html>"
)


def _config(*brands: Brand, evidence: bool = True) -> MonitorConfig:
    return MonitorConfig(store="", sources=(), brands=brands, pages=PageSettings(evidence=evidence))


def _fill(store: Store, *names: str, of: MonitorConfig | None = None) -> None:
    reader = PageReader.of(ReaderSettings.of(of or _config(_OLD)))
    for page in add(store, *names):
        record = reader.read(FetchedPage(url=page.url, data=_PAGE.encode()))
        save(store, page, record, copies=CopySettings(min_words=20))


_RICH = Path(__file__).with_name("rich_page.html").read_text("utf-8").replace("{text}", _TEXT)
_TABLES = CASES["rematched"]
_BEFORE = _TABLES.pop("before")


def _of(name: str) -> MonitorConfig:
    tables = {"sources": "[{ url = 'https://a.example/feed' }]"} | _BEFORE | _TABLES[name]
    return parse_config("\n".join(f"{table} = {text}" for table, text in tables.items()))


def _read(store: Store, config: MonitorConfig, origin: str) -> None:
    reader = PageReader.of(ReaderSettings.of(config))
    pages = [_RICH, _RICH, _RICH.replace("Corvane boat,", "Lindholt of Wye,"), *(page.html for page in demo_pages())]
    for page, html in zip(add(store, *(f"{place}.example/" for place in range(len(pages)))), pages, strict=True):
        save(store, page, reader.read(FetchedPage(html, page.url, origin=origin)), copies=CopySettings(min_words=20))


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Store]:
    """What opens a copy of a store in which a configuration has found its mentions on all pages."""
    folder = tmp_path_factory.mktemp("stores")

    def opened(name: str, origin: str = "page") -> Store:
        path = folder / f"{name} {origin}.db"
        if not path.exists():
            with Store.open(str(path)) as store:
                _read(store, _of(name), origin)
        return Store.open(str(shutil.copy(path, folder / "copy.db")))

    return opened


_FIELDS = (*FoundMention.__dataclass_fields__, "page_id", "key", "copied", "version", "first_version")


def _found(store: Store) -> list[tuple[object, ...]]:
    return sorted(column(store, "mention", *_FIELDS, where=f"coalesce(rule, '') <> '{NOT_FOUND}'"), key=repr)


@pytest.mark.parametrize("origin", ["page", "feed"])
@pytest.mark.parametrize("name", _TABLES)
def test_the_past_is_as_the_configuration_would_find_it(stores: Callable[..., Store], name: str, origin: str) -> None:
    with stores(name, origin) as store:
        expected = _found(store)
    with stores("nothing", origin) as store:
        before = _found(store)
        found = rematch(store, _of(name), now=NOW)
        assert _found(store) == expected
        assert (found == Rematched(found.pages)) == (before == expected)
        assert rematch(store, _of(name), now=NOW) == Rematched(found.pages)
        # And back again: the very mentions that there were, with their ids.
        rematch(store, _of("nothing"), now=NOW)
        assert _found(store) == before
    assert origin == "feed" or {row[1] for row in before} >= {"headline", "body", "caption", "lead", "comment"}


_SENSED = Brand("Visa", about=("card", "Karte", "carte"), others=("travel",))
_NAMED = (Brand("Volkswagen"), Brand("Tolmet Bank", aliases={"*": ["E2"]}), Brand("Škoda", excluded=("Škoda Auto",)))
_RENAMED = (
    Brand("Volks"),
    Brand("Tolmet"),
    replace(_SENSED, requires=("bank", "Bank", "E2")),
    Brand("Škoda", case="exact"),
)
_OF_EACH = 13 * settings().max_examples // 100  # 312 pages in `make test-all`


def test_pages_of_many_languages_are_found_again_as_they_were_read(tmp_path: Path) -> None:
    made = [*made_pages(("Volkswagen", "Tolmet Bank", "Škoda", "Visa"), of_each=_OF_EACH)]
    first, then = (
        replace(_config(*brands), queries=queries, pages=PageSettings(descriptions=bool(queries)))
        for brands, queries in (((*_NAMED, _SENSED), (Query("Either", "Visa OR Škoda"),)), (_RENAMED, ()))
    )
    with Store.open(str(tmp_path / "store.db")) as store, Store.open(str(tmp_path / "fresh.db")) as fresh:
        for config, filled in ((first, store), (then, fresh)):
            reader = PageReader.of(ReaderSettings.of(config))
            pages = add(filled, *(f"{place}.example/" for place in range(len(made))))
            for page, (lang, html) in zip(pages, made, strict=True):
                save(filled, page, reader.read(FetchedPage(html, page.url, lang=lang)))
        expected = _found(fresh)
        before = _found(store)
        assert {row[1] for row in before} >= {*PLACES} - {"table"}
        assert len({*column(store, "page", "lang")}) == len(LANGUAGES)
        assert rematch(store, first, now=NOW) == Rematched(len(made))
        rematch(store, then, now=NOW)
        assert _found(store) == expected
        rematch(store, first, now=NOW)
        assert _found(store) == before


@pytest.mark.parametrize(
    "page",
    [
        b"\xc3\xbcle Corvane <e \xbb M\xc3\xbc<body>\x9e",
        b"<title>\xc3\xbc \xc3\xbc</title><body>\xc3\xbcle Corvane <e \xbb M\xc3\xbc><p>\x9e",
        'Corvane<th >1日本語の文章でe@type":"Article,<rt >0EUR<p role=dialog schema.org/Product">><cite ><header >',
    ],
    ids=["what looks encoded twice", "the same in the head", "what its bytes say of its kind"],
)
def test_a_page_is_decided_by_more_than_is_kept_of_it(store: Store, page: bytes | str) -> None:
    config = _config(_OLD)
    (row,) = add(store, "a.example/")
    save(store, row, PageReader.of(ReaderSettings.of(config)).read(FetchedPage(page, row.url)))
    before = _found(store)
    assert len(before) == 1
    assert rematch(store, config, now=NOW) == Rematched(1)
    assert _found(store) == before


def test_a_name_can_be_taken_back(stores: Callable[..., Store]) -> None:
    """A word of the language that was given for a name by mistake."""
    with stores("nothing") as store:
        found = rematch(store, replace(_of("nothing"), brands=(_OLD,)), now=NOW)
        (left,) = counts(store, ("brand",), Filters(brand=["Yard"]))
        there = column(store, "mentions", "not_counted_because", where="brand = 'Yard'")
        assert (found.added, found.changed, {*there}) == (0, 0, {NOT_FOUND})
        assert (left.everything, left.articles, left.ruled_out) == (0, 0, found.gone) == (0, 0, len(there))


def test_a_page_that_comes_again_without_a_name_taken_back_is_no_new_version(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    for version, brand in enumerate((_OLD, _NEW)):
        read = PageReader.of(ReaderSettings.of(_config(brand))).read(FetchedPage(_PAGE, page.url))
        assert save(store, page, read, version=version).outcome == ("unchanged" if version else "new")
        rematch(store, _config(_NEW), now=NOW)


def test_only_some_brands_and_their_names(store: Store) -> None:
    _fill(store, "a.example/1")
    rematch(store, _config(_OLD, _NEW, Brand("Wye")), brands={"Wye"}, now=NOW)
    assert {*column(store, "mentions", "brand")} == {"Corvane", "Wye"}


def test_where_no_blocks_were_kept_the_text_is_looked_through(store: Store) -> None:
    def counted(*brands: Brand) -> tuple[Rematched, int]:
        found = rematch(store, _config(*brands, evidence=False), now=NOW)
        return found, sum(1 for row in store.rows("mentions") if row["counted"])

    _fill(store, "a.example/1", of=_config(_OLD, evidence=False))
    ruled = replace(_OLD, excluded=("yard of Corvane",))
    assert counted(_OLD) == (Rematched(1), 9)
    assert counted(_OLD, _NEW) == (Rematched(1, 9, 9), 18)
    assert counted(ruled, _NEW) == (Rematched(1, changed=8), 10)
    assert counted(_OLD, _NEW) == (Rematched(1, changed=8), 18)
    assert counted(_NEW) == (Rematched(1, gone=9), 9)
    assert counted(_OLD) == (Rematched(1, changed=9, gone=9), 9)


def _changed(store: Store, url: str, change: Callable[[np.ndarray, int], np.ndarray]) -> None:
    """Store a page as if a program had read it whose scores and labels, or number of blocks, are others."""
    (packed,) = column(store, "page", "evidence", where=f"url = '{url}'")
    line, _, rest = zlib.decompress(packed).partition(b"\n")
    size = json.loads(line[1:])["blocks"]
    decided = np.frombuffer(rest, np.uint8, 9 * size)
    changed = change(decided, size)
    line = line.replace(f'"blocks": {size}'.encode(), f'"blocks": {changed.size // 9}'.encode())
    evidence = zlib.compress(line + b"\n" + changed.tobytes() + rest[9 * size :])
    execute(store, "UPDATE page SET evidence = :evidence WHERE url = :url", evidence=evidence, url=url)


def test_decisions_stay_where_the_model_decides_otherwise_today(store: Store) -> None:
    _fill(store, "a.example/1")
    before, url = _found(store), "https://a.example/1"
    _changed(store, url, lambda decided, size: np.append(decided[: 8 * size], 1 - decided[8 * size :]))
    blocks = blocks_of(store, url)
    assert [block["kept"] for block in blocks] == [True, True, True, False]
    assert {"decided when the page was read" in block["reason"] for block in blocks} == {True}
    rematch(store, _config(_OLD), now=NOW)
    counted = column(store, "mention", "sentence", where="counted ORDER BY id")
    assert counted == ["Corvane", "Corvane and Lindholt build boats"]
    _changed(store, url, lambda decided, size: np.append(decided[: 8 * size], 1 - decided[8 * size :]))
    assert not any("decided when" in block["reason"] for block in blocks_of(store, url))
    rematch(store, _config(_OLD), now=NOW)
    assert _found(store) == before


def test_where_the_program_finds_other_blocks_the_text_is_looked_through(store: Store) -> None:
    _fill(store, "a.example/1")
    before = _found(store)
    _changed(store, "https://a.example/1", lambda decided, size: np.tile(decided, 2))
    assert rematch(store, _config(_OLD), now=NOW) == Rematched(1)
    assert (_found(store), blocks_of(store, "https://a.example/1")) == (before, [])
    assert rematch(store, _config(_OLD, _NEW), now=NOW) == Rematched(1, 9, 9)


@pytest.mark.parametrize(
    "html", ["Corvane sails at nine.\n\nLindholt at ten.", b"", "<noscript/><noscript><p>Corvane</p>"]
)
def test_odd_pages_are_found_again(store: Store, html: str | bytes) -> None:
    (page,) = add(store, "a.example/1")
    save(store, page, PageReader.of(ReaderSettings.of(_config(_OLD))).read(FetchedPage(html, page.url)))
    assert rematch(store, _config(_OLD), now=NOW) == Rematched(1)


def test_a_page_whose_reasons_take_too_much_memory_has_no_blocks_to_look_at(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    record = PageReader.of(ReaderSettings.of(_config(_OLD))).read(FetchedPage("<p>a" * 100_000, page.url))
    save(store, page, record)
    assert record.evidence
    assert blocks_of(store, page.url) == []


def test_what_was_ruled_out_beside_a_text_without_blocks_stays_as_it_is(store: Store) -> None:
    of_a_yard = _config(replace(_OLD, requires=("yard",)), evidence=False)
    _fill(store, "a.example/1", of=of_a_yard)
    assert ("clutter", "Corvane", "requires: none of yard") in column(store, "mentions", "place", "sentence", "rule")
    assert rematch(store, of_a_yard, now=NOW) == Rematched(1)


@pytest.mark.parametrize("announce", [True, False])
def test_receivers_hear_of_it_where_that_is_asked_for(store: Store, announce: bool) -> None:
    _fill(store, "a.example/1")
    store.set_sinks(["one"])
    found = rematch(store, _config(_OLD, _NEW), announce=announce, now=NOW)
    assert len(events(store)) == (found.added if announce else 0)
    gone = rematch(store, _config(_OLD), announce=announce, now=NOW).gone
    assert len(events(store)) == (found.added + found.counted if announce else 0)
    assert gone == found.added


def test_pages_that_were_not_read_and_later_versions_are_left_out(store: Store) -> None:
    _fill(store, "a.example/1")
    store.add_sources([], [entry("c.example/9")], now=NOW)
    assert len(due(store)) == 1
    (page,) = store.stored_pages(after=0, limit=9)
    assert page.key == "https://a.example/1"
    assert store.match_again([(replace(page, version=9), [])], announce=False, now=NOW) == Rematched(1)


def test_many_pages_are_taken_some_at_a_time(store: Store) -> None:
    steps: list[int] = []
    _fill(store, *(f"a.example/{number}" for number in range(103)))
    assert (rematch(store, _config(_NEW), now=NOW, on_pages=steps.append).pages, steps) == (103, [100, 103])


def test_a_page_that_cannot_be_looked_through_costs_no_other(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    failures: dict[str, str] = {}
    _fill(store, "a.example/1", "b.example/2", "c.example/3")
    execute(store, "UPDATE page SET evidence = :no WHERE host = 'a.example'", no=b"damaged")
    read = rematching.stored_extraction

    def broken(page: StoredPage, extractor: Extractor) -> tuple[Extraction, PageParts, bool]:
        if page.key.endswith("/2"):
            raise MissingExtraError("no lists: the package is not installed")
        return read(page, extractor)

    with monkeypatch.context() as without:
        without.setattr(rematching, "stored_extraction", broken)
        found = rematch(store, _config(_OLD, _NEW), now=NOW, on_failure=failures.__setitem__)
    assert (found.pages, found.failed) == (3, 2)
    assert {*column(store, "mentions", "url", where="brand = 'Lindholt'")} == {"https://c.example/3"}
    assert failures.pop("https://a.example/1").startswith("unexpected error: ")
    assert failures == {"https://b.example/2": "no lists: the package is not installed"}
    # What is mended since is made up for.
    again = rematch(store, _config(_OLD, _NEW), now=NOW)
    assert (again.failed, again.added) == (1, found.added)
