"""Brands, names and rules that are new are found in what is stored."""

from dataclasses import replace
from pathlib import Path

import pytest

from blockfeat.errors import MissingExtraError
from blockfeat.extraction import Extraction, PageParts
from blockfeat.monitor import rematch as rematching
from blockfeat.monitor.config import CopySettings, MonitorConfig, PageSettings
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.monitor.rematch import Rematched, rematch
from blockfeat.monitor.store.records import FoundMention, StoredPage
from blockfeat.monitor.store.store import Store
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


def _rows(store: Store) -> list[tuple[object, ...]]:
    columns = "id, url, brand, start, stop, match, sentence, block, counted, in_article, in_copy"
    found = store.query(f"SELECT {columns} FROM mentions ORDER BY url, block, start, brand")
    return [tuple(row.values()) for row in found]


def test_a_new_brand_is_found_as_if_it_had_been_there(tmp_path: Path) -> None:
    pages, both = ("a.example/1", "b.example/copy"), _config(_OLD, _NEW)
    with Store.open(str(tmp_path / "late.db")) as store, Store.open(str(tmp_path / "early.db")) as other:
        _fill(store, *pages)
        before = _rows(store)
        found = rematch(store, both, now=NOW)
        assert (found.pages, found.added) == (2, len(_rows(store)) - len(before))
        assert set(before) < set(_rows(store))
        _fill(other, *pages, of=both)
        assert _rows(other) == _rows(store)


_RICH = Path(__file__).with_name("rich_page.html").read_text("utf-8").replace("{text}", _TEXT)


@pytest.mark.parametrize("descriptions", [False, True])
@pytest.mark.parametrize("origin", ["page", "feed"])
def test_the_past_is_read_as_the_present(tmp_path: Path, descriptions: bool, origin: str) -> None:
    config = _config(_OLD, _NEW)
    config = replace(config, pages=replace(config.pages, descriptions=descriptions))
    names = (*FoundMention.__dataclass_fields__, "brand")
    read = []
    for brands in ((_OLD, _NEW), (_OLD,)):
        with Store.open(str(tmp_path / f"{len(brands)}.db")) as store:
            (page,) = add(store, "a.example/1")
            reader = PageReader.of(ReaderSettings.of(replace(config, brands=brands)))
            save(store, page, reader.read(FetchedPage(_RICH, page.url, origin=origin)))
            rematch(store, config, now=NOW)
            read.append(sorted(column(store, "mention", *names), key=repr))
            assert rematch(store, config, now=NOW) == Rematched(1)
    assert read[0] == read[1]
    places = {row[1] for row in read[0]}
    assert places >= ({"headline", "body", "caption", "lead", "comment"} if origin == "page" else {"body"})


def test_it_may_be_repeated(store: Store) -> None:
    _fill(store, "a.example/1")
    rematch(store, _config(_OLD, _NEW), now=NOW)
    assert rematch(store, _config(_OLD, _NEW), now=NOW) == Rematched(1, 0, 0, 0)


def test_only_some_brands_and_their_names(store: Store) -> None:
    _fill(store, "a.example/1")
    rematch(store, _config(_OLD, _NEW, Brand("Wye")), brands={"Wye"}, now=NOW)
    assert {row[2] for row in _rows(store)} == {"Corvane", "Wye"}


def test_where_no_blocks_were_kept_the_text_is_looked_through(store: Store) -> None:
    _fill(store, "a.example/1", of=_config(_OLD, evidence=False))
    found = rematch(store, _config(_OLD, _NEW, evidence=False), brands={"Lindholt"}, now=NOW)
    assert found.added == found.counted >= 8


def test_a_new_rule_rules_out_what_was_counted_and_may_be_taken_back(store: Store) -> None:
    def counted() -> int:
        return sum(1 for row in store.rows("mentions") if row["counted"])

    _fill(store, "a.example/1")
    before = counted()
    for brand, left in ((replace(_OLD, excluded=("yard of Corvane",)), before - 8), (_OLD, before)):
        assert rematch(store, _config(brand), now=NOW).changed == 8
        assert counted() == left > 0


@pytest.mark.parametrize("announce", [True, False])
def test_receivers_hear_of_it_where_that_is_asked_for(store: Store, announce: bool) -> None:
    _fill(store, "a.example/1")
    store.set_sinks(["one"])
    found = rematch(store, _config(_OLD, _NEW), announce=announce, now=NOW)
    assert len(events(store)) == (found.added if announce else 0)


def test_pages_that_were_not_read_and_later_versions_are_left_out(store: Store) -> None:
    _fill(store, "a.example/1")
    store.add_sources([], [entry("c.example/9")], now=NOW)
    assert len(due(store)) == 1
    (page,) = store.stored_pages(after=0, limit=9)
    assert page.key == "https://a.example/1"
    assert store.add_past_mentions([(replace(page, version=9), [])], announce=False, now=NOW) == (0, 0, 0)


def test_many_pages_are_taken_some_at_a_time(store: Store) -> None:
    steps: list[int] = []
    _fill(store, *(f"a.example/{number}" for number in range(103)))
    assert (rematch(store, _config(_NEW), now=NOW, on_pages=steps.append).pages, steps) == (103, [100, 103])


def test_a_page_that_cannot_be_looked_through_costs_no_other(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    failures: dict[str, str] = {}
    _fill(store, "a.example/1", "b.example/2", "c.example/3")
    execute(store, "UPDATE page SET evidence = :no WHERE host = 'a.example'", no=b"damaged")
    read = rematching.stored_extraction

    def broken(page: StoredPage) -> tuple[Extraction, PageParts]:
        if page.key.endswith("/2"):
            raise MissingExtraError("no lists: the package is not installed")
        return read(page)

    with monkeypatch.context() as without:
        without.setattr(rematching, "stored_extraction", broken)
        found = rematch(store, _config(_OLD, _NEW), now=NOW, on_failure=failures.__setitem__)
    assert (found.pages, found.failed) == (3, 2)
    assert {row[1] for row in _rows(store) if row[2] == "Lindholt"} == {"https://c.example/3"}
    assert failures.pop("https://a.example/1").startswith("unexpected error: ")
    assert failures == {"https://b.example/2": "no lists: the package is not installed"}
    # What is mended since is made up for.
    again = rematch(store, _config(_OLD, _NEW), now=NOW)
    assert (again.failed, again.added) == (1, found.added)
