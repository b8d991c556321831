"""Full-text search of what a monitor has stored, and Boolean queries as a source of mentions, on both databases."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from typer.testing import CliRunner

from blockfeat.commands.monitor import app
from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.mentions.queries import Query, QueryMatcher
from blockfeat.monitor.store.records import DuePage, NewEntry, PageRecord, Visit
from blockfeat.monitor.store.search import snippet
from blockfeat.monitor.store.store import Store

_ARTICLES = {
    "a": ("Tolmet Bank closes branches", "The bank plans a merger with Quillstack.\nUnions protest."),
    "b": ("Football", "Tolmet Bank is the sponsor.\nA strike in the last minute decided it."),
    "c": ("招商银行新闻", "招商银行在上海开设分行。"),
    "d": ("삼성", "삼성전자가 새로운 공장을 짓는다."),
    "e": ("أخبار", "افتتح بنك تولميت والبنك فرعا جديدا."),
    "f": ("L’Oréal", "Nous avons vu l’Oréal à Paris, chez Dell’s neighbours."),
    "g": ("Сбербанк", "Клиенты Сбербанка ждут."),
}


def _store(address: str, articles: dict[str, tuple[str, str]] = _ARTICLES) -> Store:
    store = Store.open(address)
    _save(store, articles)
    return store


def _save(store: Store, articles: dict[str, tuple[str, str]]) -> None:
    now = time.time()
    entries = [NewEntry(f"https://{name}.example/", name, f"{name}.example") for name in articles]
    store.add_sources([], entries, now=now)
    ids = {row["url"]: row["id"] for row in store.query("SELECT id, url, version FROM page")}
    versions = {row["url"]: row["version"] for row in store.query("SELECT url, version FROM page")}
    for name, (title, text) in articles.items():
        url = f"https://{name}.example/"
        page = DuePage(ids[url], url, f"{name}.example", None, None, None, 0, versions[url], "2026-11-01T00:00:00Z")
        record = PageRecord("ok", title=title, text=text, kind="article")
        store.save_visits([(Visit(page, now, None), record)], copies=CopySettings(find=False))


def _found(store: Store, query: str, **options: int) -> list[str]:
    found = store.articles(Query.parse(query), **{"limit": 100, **options})
    return ["".join(row["host"].split(".")[:1]) for row in found]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"Tolmet Bank"', "ba"),
        ('"Tolmet Bank" NOT title:football', "a"),
        ("merger NEAR/2 quillstack", "a"),
        ("merger NEAR/1 protest", ""),
        ("strike OR protest", "ba"),
        ("title:bank", "a"),
        ("title:(football OR bank*) tolmet", "ba"),
        ("招商银行", "c"),
        ("银行 NEAR/5 上海", "c"),
        ("삼성전자", "d"),
        ("البنك", "e"),
        ("بنك", "e"),
        ("l'oréal", "f"),
        ("oréal Dell", "f"),
        ("Сбербанк*", "g"),
        ("-merger tolmet", "b"),
        ("nothing OR (NOT tolmet merger)", ""),
    ],
)
def test_queries_find_articles(address: str, query: str, expected: str) -> None:
    with _store(address) as store:
        assert "".join(_found(store, query)) == expected


def test_the_index_misses_nothing_that_the_query_itself_finds(address: str) -> None:
    queries = [
        "bank",
        "плат* OR клиент*",
        "l'oréal NEAR/3 paris",
        "上海",
        "이",
        "分行 OR 삼성전자",
        "tolmet NOT bank",
        "ba*",
    ]
    with _store(address) as store:
        rows = store.query("SELECT host, title, text, lang FROM page ORDER BY id DESC")
        for query in queries:
            matcher = QueryMatcher.of([Query.parse(query)])
            direct = [row["host"][0] for row in rows if matcher.find(row["title"], row["text"], lang=row["lang"])]
            assert _found(store, query) == direct, query


def test_a_new_version_replaces_the_words_of_the_old_one(address: str) -> None:
    with _store(address) as store:
        _save(store, {"a": ("Tolmet Bank opens branches", "No more of this.")})
        assert (_found(store, "merger"), _found(store, "opens")) == ([], ["a"])


def test_a_store_of_before_gets_the_index(address: str) -> None:
    from sqlalchemy import text

    with _store(address) as store, store.engine.begin() as connection:
        connection.execute(text("DROP TABLE article_words"))
        connection.execute(text("UPDATE blockfeat_meta SET value = '7' WHERE key = 'schema_version'"))
    with Store.open(address) as store:
        assert _found(store, "merger") == ["a"]


def test_pages_of_results(address: str) -> None:
    many = {f"p{number}": (f"Title {number}", "the same words") for number in range(450)}
    with _store(address, many) as store:
        assert len(_found(store, "same", limit=450)) == 450
        assert _found(store, "same", limit=2) == ["p449", "p448"]
        assert _found(store, "same", limit=1, before=3) == ["p1"]
        assert _found(store, "same NOT title:447", limit=3) == ["p449", "p448", "p446"]


def test_the_command_shows_what_it_found(tmp_path: Path) -> None:
    file = str(tmp_path / "monitor.db")
    _store(file).close()
    result = CliRunner().invoke(app, ["search", file, "merger NEAR/3 quillstack"])
    assert (result.exit_code, "The bank plans a merger with Quillstack." in result.output) == (0, True)
    result = CliRunner().invoke(app, ["search", file, "(open"])
    assert (result.exit_code, "a bracket is not closed" in result.output) == (2, True)
    result = CliRunner().invoke(app, ["search", file, "merger", "--format", "jsonl"])
    assert '"url": "https://a.example/"' in result.output


def test_a_snippet_shows_the_line_around_the_place() -> None:
    row = {"title": "A title", "text": "one\n" + "word " * 60 + "place " + "word " * 60 + "\nend", "spans": ()}
    start = len("A title\n") + row["text"].index("place")
    before, match, behind = snippet(row | {"spans": ((start, start + 5),)})
    assert (match, before[0], behind[-1], "\n" in before + behind) == ("place", "…", "…", False)
    assert snippet(row | {"spans": ((2, 7),)}) == ("A ", "title", "")
