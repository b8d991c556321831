"""Full-text search of what a monitor has stored, and Boolean queries as a source of mentions, on both databases."""

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from blockfeat.commands.monitor import app
from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.mentions.queries import Query, QueryMatcher
from blockfeat.monitor.store.records import DuePage
from blockfeat.monitor.store.search import snippet
from blockfeat.monitor.store.store import Store
from cases import CASES
from stored_pages import NOW, entry, execute, record, save

_ARTICLES = CASES["searched_articles"]
NAMES = tomllib.loads(Path(__file__).with_name("mentions").joinpath("names_in_texts.toml").read_text(encoding="utf-8"))


def _save(store: Store, articles: dict[str, tuple[str, str]]) -> None:
    store.add_sources([], [entry(f"{name}.example") for name in articles], now=NOW)
    pages = {row["url"]: row for row in store.query("SELECT id, url, host, version FROM page")}
    for name, (title, text) in articles.items():
        row = pages[f"https://{name}.example"]
        page = DuePage(row["id"], row["url"], row["host"], None, None, None, 0, row["version"], "2026-11-01T00:00:00Z")
        save(
            store,
            page,
            record(text, title=title, lang="de" if name == "h" else None, kind="article"),
            copies=CopySettings(find=False),
        )


def test_many_words_for_the_title_are_one() -> None:
    assert Query.parse("title:" * 9999 + "tolmet").tree == Query.parse("title:tolmet").tree


@pytest.fixture
def filled(store: Store) -> Store:
    """A store with some articles."""
    _save(store, _ARTICLES)
    return store


def _found(store: Store, query: str, **options: int) -> list[str]:
    found = store.articles(Query.parse(query), **{"limit": 100, **options})
    return [row["host"].split(".")[0] for row in found]


_FINDING = CASES["searched_finding"]


@pytest.mark.parametrize(
    ("query", "expected"), [(query, expected) for expected, some in _FINDING.items() for query in some.split(" | ")]
)
def test_queries_find_articles(filled: Store, query: str, expected: str) -> None:
    assert "".join(_found(filled, query)) == expected


_EXACT = "bank | плат* OR клиент* | l'oréal NEAR/3 paris | 上海 | 이 | 分行 OR 삼성전자 | tolmet NOT bank | ba*"


def test_the_index_misses_nothing_that_the_query_itself_finds(filled: Store) -> None:
    texts = [row[:2] for rows in NAMES.values() for row in rows]
    _save(filled, {f"n{number}": ("", text) for number, (_, text) in enumerate(texts)})
    rows = filled.query("SELECT host, title, text, lang FROM page ORDER BY id DESC")
    names = {f'"{name}{star}"' for name, _ in [*texts, ("E2", ""), ("E²", ""), ("E", "")] for star in ("", "*")}
    for query in (*_EXACT.split(" | "), *names):
        matcher = QueryMatcher.of([Query.parse(query)])
        direct = [row for row in rows if matcher.find(row["title"] or "", row["text"], lang=row["lang"])]
        assert _found(filled, query) == [row["host"].split(".")[0] for row in direct], query


def test_a_new_version_replaces_the_words_of_the_old_one(filled: Store) -> None:
    _save(filled, {"a": ("Tolmet Bank opens branches", "No more of this.")})
    assert (_found(filled, "merger"), _found(filled, "opens")) == ([], ["a"])


def test_a_store_of_before_gets_the_index(filled: Store, address: str) -> None:
    execute(filled, "DROP TABLE article_words", "UPDATE blockfeat_meta SET value = '7' WHERE key = 'schema_version'")
    with Store.open(address) as store:
        assert _found(store, "merger") == ["a"]


def test_pages_of_results(store: Store) -> None:
    _save(store, {f"p{number}": (f"Title {number}", "the same words") for number in range(450)})
    assert len(_found(store, "same", limit=450)) == 450
    assert _found(store, "same", limit=2) == ["p449", "p448"]
    assert _found(store, "same", limit=1, before=3) == ["p1"]
    assert _found(store, "same NOT title:447", limit=3) == ["p449", "p448", "p446"]


@pytest.mark.parametrize(
    ("query", "code", "shown"),
    [
        ("merger NEAR/3 quillstack", 0, "The bank plans a merger with Quillstack."),
        ("(open", 2, "a bracket is not closed"),
        ("merger --format jsonl", 0, '"url": "https://a.example"'),
    ],
)
def test_the_command_shows_what_it_found(tmp_path: Path, query: str, code: int, shown: str) -> None:
    file = str(tmp_path / "monitor.db")
    with Store.open(file) as store:
        _save(store, _ARTICLES)
    query, *options = query.split(" --")
    result = CliRunner().invoke(app, ["search", file, query, *" ".join(f"--{option}" for option in options).split()])
    assert (result.exit_code, shown in result.output) == (code, True)


def test_a_snippet_shows_the_line_around_the_place() -> None:
    row = {"title": "A title", "text": "one\n" + "word " * 60 + "place " + "word " * 60 + "\nend", "spans": ()}
    start = len("A title\n") + row["text"].index("place")
    before, match, behind = snippet(row | {"spans": ((start, start + 5),)})
    assert (match, before[0], behind[-1], "\n" in before + behind) == ("place", "…", "…", False)
    assert snippet(row | {"spans": ((2, 7),)}) == ("A ", "title", "")
