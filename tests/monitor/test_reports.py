"""Counts, exports, the page as a file and what it reads, and pages of something else."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from blockfeat.errors import ConfigError
from blockfeat.monitor.config import Source
from blockfeat.monitor.feeds.reading import read_opml
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.page import Overview, choices, evidence_of, newer, overview, report_page, stream
from blockfeat.monitor.reading import mentions_in
from blockfeat.monitor.reports import Count, Filters, counts, export_rows, mention_rows
from blockfeat.monitor.store.records import FoundMention
from blockfeat.monitor.store.schema import type_of
from blockfeat.monitor.store.store import Store
from pages import BRAND, article_page
from stored_pages import NOW, add, execute, mention, record, save, save_on_day, story

_EVIL = '<script>alert("x")</script>'


def _found(brand: str, *, counted: bool = True) -> FoundMention:
    return mention(f"{brand} {_EVIL}", counted=counted, brand=brand)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Three pages: an article, its copy, and one with a brand in its menu only."""
    article = record(story(0, 60), _found("Corvane"), title=_EVIL)
    menu = record("=1+1", _found("Le Rex", counted=False), lang="fr", title=None)
    with Store.open(str(tmp_path / "m.db")) as opened:
        for number, read in enumerate((article, article, menu)):
            save_on_day(opened, number, read)
        yield opened


def test_counts_with_and_without_clutter_and_copies(store: Store) -> None:
    assert counts(store, ("brand",)) == [Count(("Corvane",), 1, 2, 1, 2, 1, 2), Count(("Le Rex",), 0, 0, 1, 1, 0, 0)]
    assert counts(store, ()) == [Count((), 1, 2, 2, 3, 1, 2)]
    because = {count.values: count.everything for count in counts(store, ("brand", "because"))}
    assert because == {("Corvane", "copy"): 1, ("Corvane", "counted"): 1, ("Le Rex", "clutter"): 1}
    assert counts(store, ("day", "lang", "place"))[0].values == ("2026-01-05", "en", "body")
    only = Filters(since="2026-01-06", lang=["en"])
    assert counts(store, (), only) == [Count((), 0, 1, 0, 1, 0, 1)]
    assert counts(store, (), Filters(brand=["None"])) == [Count((), 0, 0, 0, 0, 0, 0)]
    with pytest.raises(ConfigError, match="colour"):
        counts(store, ("colour",))


def test_the_report_is_one_file_that_runs_nothing_and_needs_no_server(store: Store) -> None:
    page = report_page(store, title="Ours & theirs")
    assert "Ours &amp; theirs" in page
    assert "<mark>Corvane</mark>" in page
    assert page.count("<script") == page.count(_EVIL) == 0
    assert "prefers-color-scheme: dark" in page
    html = page[page.index("</style>") :]
    assert not [part for part in ("@import", "url(", "<link", "<script", "src=") if part in page]
    assert not [part for part in ("<form", "<button", "<input", "<select", 'href="/', "/article/") if part in html]
    assert set(re.findall(r'href="([^"]*)"', html)) == {"#main", "https://h0.example/"}
    assert "2026-01-05 to 2026-01-05" in page
    assert "No mentions in these days." in report_page(store, Filters(brand=["None"]))


def test_the_report_has_all_days_and_forty_stories(store: Store) -> None:
    now = datetime.now(UTC).date().isoformat()
    for number, page in enumerate(add(store, *(f"a.example/{number}" for number in range(45)))):
        words = " ".join(f"word{number}of{place}" for place in range(12))
        save(store, page, record(words, _found("Orlam"), published=now))
    page = report_page(store)
    assert page.count('class="article"') == 40
    assert f"2026-01-05 to {now}" in page


def test_the_report_has_the_chosen_mentions_and_names_them(store: Store) -> None:
    page = report_page(store, Filters(counted="all", lang=["fr"]), title="Ours")
    assert "<title>Ours: fr</title>" in page
    assert "not counted: dropped: a list of links" in page
    assert "Corvane" not in page[page.index("</style>") :]


@pytest.mark.parametrize(
    ("last", "step", "columns"), [("2026-01-09", "day", 9), ("2026-06-30", "week", 27), ("2029-01-01", "month", 37)]
)
def test_long_periods_are_shown_in_longer_steps(last: str, step: str, columns: int) -> None:
    rows = [{"value": "Corvane", "day": day, "is_now": 1, "articles": 2, "mentions": 3} for day in ("2026-01-01", last)]
    shown = Overview(date(2026, 1, 1), date.fromisoformat(last), None, {"brand": rows}, {last: 7})
    found, steps, series, _, read = shown.series
    assert ((found, len(steps)), series["Corvane"].total(), read.total()) == ((step, columns), 4, 7)
    assert {*series["Corvane"], *read} <= set(steps)


def _exported(rows: Iterable[Mapping[str, Any]], form: str, count: int, *, columns: Sequence[str] = ()) -> bytes:
    """Write rows, so many of them, and return what was written."""
    written, given = io.BytesIO(), [*rows]
    assert export_rows(given, form, written, name="x", columns=columns or [*given[0]]) == count
    return written.getvalue()


def test_exports(store: Store) -> None:
    lines = _exported(mention_rows(store, Filters(counted="all")), "jsonl", 3)
    assert [json.loads(line)["counted"] for line in lines.splitlines()] == [1, 0, 0]
    rows = list(csv.DictReader(io.StringIO(_exported(store.rows("pages"), "csv", 3).decode())))
    assert rows[2]["text"] == "'=1+1"
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    table = parquet.read_table(io.BytesIO(_exported(store.rows("mentions"), "parquet", 3)))
    assert table.column("brand").to_pylist() == ["Corvane", "Corvane", "Le Rex"]
    columns = store.columns("versions")
    assert columns[:2] == ["url", "version"]
    assert parquet.read_table(io.BytesIO(_exported([], "parquet", 0, columns=columns))).column_names == columns
    assert _exported([], "csv", 0, columns=columns).decode().strip().split(",") == columns


def test_feeds_as_a_list_that_can_be_read_again(tmp_path: Path) -> None:
    addresses = ["https://a.example/feed?x=1&y=2", "https://b.example/atom"]
    with Store.open(str(tmp_path / "f.db")) as opened:
        opened.add_sources([Source(address) for address in addresses], [], now=NOW)
        written = _exported(opened.rows("feeds"), "opml", 2).decode()
        opened.add_sources([Source(addresses[0])], [], now=NOW)
        _exported(opened.rows("feeds"), "opml", 1)
    assert list(read_opml(written, url="https://x.example/").feeds) == addresses


def test_pages_of_something_else() -> None:
    pages = [("https://example.org/1", article_page()), ("https://example.org/2", b"%PDF-1.4")]
    first, second = mentions_in(pages, ["harbour council", Brand(BRAND)])
    assert first.brands == ("harbour council",)
    assert BRAND in {mention.brand for mention in first.mentions if not mention.counted}
    assert json.loads(json.dumps(first.to_dict()))["brands"] == ["harbour council"]
    assert second.extraction.error is not None
    assert [found.brands for found in mentions_in(pages, ["harbour council"], jobs=2)] == [first.brands, ()]


def test_the_report_has_each_article_once(store: Store) -> None:
    (address,) = store.query("SELECT url FROM pages WHERE url LIKE '%h0%'")
    columns = "page_id, version, key, brand, place, counted, start, stop, match, sentence, block, xpath, score, copied"
    changed = columns.replace("key, brand", "'k2', 'Brelan'")
    execute(store, f"INSERT INTO mention ({columns}) SELECT {changed} FROM mention WHERE id = 1")
    page = report_page(store)
    assert page.count(f'<a class="evidence" href="{address["url"]}"') == 1
    assert "<strong>Corvane</strong>" in page
    assert "<strong>Brelan</strong>" in page


def test_types_of_columns_are_those_of_the_tables() -> None:
    names = ("id", "copy_of", "story", "title", "words", "counted", "in_copy", "unexpected", "score", "published")
    kinds = ("text", "text", "text", "text", "integer", "integer", "integer", "integer", "number", "text")
    assert tuple(map(type_of, names)) == kinds


def test_each_query_of_the_live_page_works(address: str) -> None:
    with Store.open(address) as store:
        for page, counted in zip(add(store, "a.example/1", "b.example/2", lang="de"), (True, False), strict=True):
            found = mention("Élan Corvane!", counted=counted)
            save(store, page, record("Élan Corvane!", found, lang="de", kind="article"))
        (article,) = stream(store, Filters()).articles
        assert (article.head["url"], bool(article.head["counted"])) == ("https://a.example/1", True)
        chosen = {
            "brand": ["Corvane"],
            "lang": ["de"],
            "kind": ["article"],
            "since": "2026-01-01",
            "q": "ÉLAN CORVANE!",
        }
        every = Filters(counted="all", **chosen)
        assert len(stream(store, every, before=10**9).articles) == 2
        assert [bool(row["counted"]) for row in mention_rows(store, every, newest=5)] == [False, True]
        assert (newer(store, every, 0), newer(store, Filters(counted="no"), 0)) == (2, 1)
        numbers = overview(store, Filters(), today=date(2026, 1, 6))
        assert (numbers.total(), numbers.shares("source")) == (1, [("a.example", 1, 1, 0)])
        assert overview(store, Filters(), today=date(2029, 1, 6)).total() == 1
        store.add_sources([Source(f"https://f{number}.example/") for number in range(250)], [], now=0.0)
        execute(store, "UPDATE feed SET title = 'A daily' WHERE url = 'https://f99.example/'")
        named = choices(store)["source"]
        assert (len(named), named[0]) == (250, ("https://f99.example/", "A daily"))
        found = evidence_of(store, article.head["page"])
        assert [row["brand"] for row in found["mentions"]] == ["Corvane"]
        assert evidence_of(store, 10**6) is None
