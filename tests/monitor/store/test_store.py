"""The store, in both databases."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from sqlalchemy import inspect, text

from blockfeat.errors import StoreError
from blockfeat.monitor.config import CopySettings, Source
from blockfeat.monitor.store.engine import address_of, shown
from blockfeat.monitor.store.records import DuePage, FoundMention, PageRecord, Poll, PollPolicy, Visit
from blockfeat.monitor.store.schema import SCHEMA_VERSION, VIEWS
from blockfeat.monitor.store.store import Store, migrate, schema_version, widen_numbers
from stored_pages import NOW, add, entry, save_visit

_COPIES = CopySettings(min_words=10)
_STORY = " ".join(
    f"On day {n} the keeper counted {n * 7 % 31} ships and wrote their names in book {n}." for n in range(40)
)


def _mention(sentence: str = "Corvane sails.", *, counted: bool = True, brand: str = "Corvane") -> FoundMention:
    place, because = ("body", None) if counted else ("clutter", "dropped: a list of links")
    return FoundMention(brand, place, counted, because, 0, 7, brand, sentence, 3, "/html/p", 1.5)


def _record(words: str = "Corvane sails.", *mentions: FoundMention, **values: object) -> PageRecord:
    return PageRecord("ok", text=words, lang="en", title="A title", mentions=mentions, **values)  # type: ignore[arg-type]


def _visit(page: DuePage, *, at: float = NOW, **values: object) -> Visit:
    seen = Visit(page=page, at=at, due_at=None, final_url=page.url, canonical_url=page.url, http_status=200, etag='"1"')
    return replace(seen, **values)  # type: ignore[arg-type]


def test_a_page_is_fetched_once_and_what_it_says_is_there(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    saved = save_visit(
        store, _visit(page), _record("Corvane sails.", _mention(), _mention("More", counted=False)), copies=_COPIES
    )
    assert (saved.outcome, saved.mentions) == ("new", 2)
    assert store.due_pages(now=NOW + 9e9, limit=9, of_each_host=9) == []
    assert add(store, "a.example/1") == []
    (row,) = store.rows("pages")
    assert (row["url"], row["status"], row["lang"], row["version"]) == ("https://a.example/1", "ok", "en", 1)
    mentions = list(store.rows("mentions"))
    assert [(m["counted"], m["not_counted_because"]) for m in mentions] == [(1, None), (0, "dropped: a list of links")]


def test_an_updated_page_replaces_its_mentions_and_keeps_the_old_version(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    first = _record("Corvane sails. Old.", _mention("Corvane sails."), _mention("Old Corvane."))
    save_visit(store, _visit(page), first, copies=_COPIES)
    again = replace(page, version=1)
    same = save_visit(store, _visit(again, at=NOW + 60), first, copies=_COPIES)
    assert same.outcome == "unchanged"
    changed = _record("Corvane sails. New.", _mention("Corvane sails."), _mention("New Corvane."))
    assert save_visit(store, _visit(again, at=NOW + 120), changed, copies=_COPIES).outcome == "updated"
    assert {m["sentence"] for m in store.rows("mentions")} == {"Corvane sails.", "New Corvane."}
    (old,) = store.rows("versions")
    assert (old["text"], old["fetched_at"], old["replaced_at"]) == (
        "Corvane sails. Old.",
        "2026-01-05T12:01:00Z",
        "2026-01-05T12:02:00Z",
    )
    kept = {m["sentence"]: m["id"] for m in store.rows("replaced_mentions")}
    current = {m["sentence"]: m["id"] for m in store.rows("mentions")}
    assert kept["Corvane sails."] == current["Corvane sails."]


def test_copies_are_found_across_runs_and_counted_apart(address: str) -> None:
    with Store.open(address) as store:
        (page,) = add(store, "a.example/1")
        save_visit(store, _visit(page), _record(_STORY, _mention()), copies=_COPIES)
    with Store.open(address) as store:
        (page,) = add(store, "b.example/2")
        saved = save_visit(store, _visit(page), _record(f"From the agency. {_STORY}", _mention()), copies=_COPIES)
        assert saved.copy
        (row,) = store.rows("pages", where="copy_of IS NOT NULL")
        assert row["copy_of"] == "https://a.example/1"
        (mention,) = store.rows("mentions", where="in_copy = 1")
        assert mention["not_counted_because"] == "copy of https://a.example/1"
        (page,) = add(store, "c.example/3")
        other = " ".join(f"Baker {n} sold {n * 3} loaves at {n + 7} pence to {n} people." for n in range(60))
        assert not save_visit(store, _visit(page), _record(other), copies=_COPIES).copy


def _keeps(store: Store, page: DuePage, words: str, *mentions: FoundMention, version: int = 0) -> None:
    record = _record(words, *mentions)
    save_visit(store, _visit(replace(page, version=version)), record, copies=_COPIES, announce=True)


def test_a_brand_that_only_the_copy_names_counts(store: Store) -> None:
    first, second, third = add(store, "a.example/1", "b.example/2", "c.example/3")
    own = _mention("Brelan sails too.", brand="Brelan")
    _keeps(store, first, _STORY, _mention())
    _keeps(store, second, f"{_STORY} Brelan sails too.", _mention(), own)
    _keeps(store, third, f"{_STORY} Brelan sails too!", _mention(), replace(own, sentence="Brelan sails too!"))
    rows = [(row["brand"], row["url"][8], row["in_copy"]) for row in store.rows("mentions", where="counted = 1")]
    assert sorted(rows) == [("Brelan", "b", 0), ("Corvane", "a", 0)]
    found = store.status(now=NOW)
    assert (found.copies, found.own_mentions, found.counted) == (2, 1, 2)
    assert all(row["similarity"] > 0.9 for row in store.rows("pages", where="copy_of IS NOT NULL"))


def test_copies_are_judged_anew_when_the_original_changes(store: Store) -> None:
    store.set_sinks(["one"])
    first, second, third = add(store, "a.example/1", "b.example/2", "c.example/3")
    for page in (first, second, third):
        _keeps(store, page, _STORY, _mention())
    _keeps(store, first, "This page says something else now, and nothing of ships.", version=1)
    pages = {row["url"][8]: row["copy_of"] for row in store.rows("pages")}
    assert pages == {"a": None, "b": None, "c": "https://b.example/2"}
    assert [row["url"] for row in store.rows("mentions", where="counted = 1")] == ["https://b.example/2"]
    last = json.loads(store.undelivered("one", limit=9)[-1][1])
    assert (last["event"], last["url"], last["counted"]) == ("counted", "https://b.example/2", True)


def test_an_id_outlives_a_corrected_letter(store: Store) -> None:
    store.set_sinks(["one"])
    (page,) = add(store, "a.example/1")
    _keeps(store, page, "one", _mention("Corvane sials at nine."), _mention("Corvane has a new captain."))
    before = {row["sentence"]: row["id"] for row in store.rows("mentions")}
    corrected = "Corvane sails at nine."
    _keeps(store, page, "two", _mention("Corvane has a new captain."), _mention(corrected), version=1)
    after = {row["sentence"]: row["id"] for row in store.rows("mentions")}
    assert after[corrected] == before["Corvane sials at nine."]
    assert len(set(after.values())) == 2
    events = [json.loads(event) for _, event in store.undelivered("one", limit=9)]
    assert [(event["event"], event["id"]) for event in events[2:]] == [("update", after[corrected])]
    _keeps(store, page, "three", _mention(corrected), _mention("Corvane sials at nine."), version=2)
    assert len({row["id"] for row in store.rows("mentions")}) == 2


def test_what_passes_by_itself_makes_no_version(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    _keeps(store, page, "Corvane sails.\n\nUpdated 5 minutes ago\n\n1,204 views", _mention())
    saved = save_visit(
        store,
        _visit(replace(page, version=1)),
        _record("Corvane sails.\n\nUpdated 2 hours ago\n\n1,377 views", _mention()),
        copies=_COPIES,
    )
    assert saved.outcome == "unchanged"


def test_short_texts_that_share_a_template_are_no_copies(store: Store) -> None:
    pages = add(store, "a.example/1", "a.example/2")
    words = "Shares of {} closed at {} on Monday in thin trade, said the exchange in its daily note to the members."
    for page, name in zip(pages, ("Corvane", "Brightwell"), strict=True):
        record = _record(words.format(name, len(name)))
        assert not save_visit(store, _visit(page), record, copies=CopySettings()).copy


def test_two_addresses_of_one_page(store: Store) -> None:
    long, short = add(store, "a.example/long", "s.example/x")
    save_visit(store, _visit(long), _record("Corvane sails.", _mention()), copies=_COPIES)
    saved = save_visit(store, _visit(short, canonical_url=long.url, final_url=long.url), _record(), copies=_COPIES)
    assert saved.outcome == "same"
    (row,) = store.rows("pages", where="status = 'same'")
    assert (row["url"], row["final_url"], row["same_as"]) == (short.url, long.url, long.url)
    assert len(list(store.rows("mentions"))) == 1


def test_a_page_that_calls_itself_another_is_believed_only_with_its_text(store: Store) -> None:
    pages = add(store, "a.example/1", "a.example/2", "a.example/3")
    front = "https://a.example/"
    for number, page in enumerate(pages):
        record = _record(f"Story {number} of Corvane.", _mention(f"Story {number}."), canonical_url=front)
        assert save_visit(store, _visit(page), record, copies=_COPIES).outcome == "new"


def test_failures_and_hosts_that_want_to_be_left_alone(store: Store) -> None:
    first, second = add(store, "a.example/1", "a.example/2")
    failed = _visit(first, due_at=NOW + 50, error="busy", http_status=429, retry_at=NOW + 50)
    save_visit(store, failed)
    assert store.due_pages(now=NOW + 1, limit=9, of_each_host=9) == []
    assert store.held_hosts(now=NOW + 1) == {"a.example": NOW + 50}
    assert store.next_due() == NOW + 50
    store.add_sources([Source("https://a.example/feed")], [], now=NOW)
    (feed,) = store.due_feeds(now=NOW, limit=9)
    store.delay_feed(feed, NOW + 50)
    assert store.due_feeds(now=NOW + 49, limit=9) == []
    assert {page.id for page in store.due_pages(now=NOW + 51, limit=9, of_each_host=9)} == {first.id, second.id}
    save_visit(store, _visit(first, error="gone", http_status=410, tried=True))
    (row,) = store.rows("pages", where="status = 'error'")
    assert (row["http_status"], row["error"], row["attempts"]) == (410, "gone", 1)


def test_hosts_take_turns(store: Store) -> None:
    pages = add(store, *(f"a.example/{n}" for n in range(20)), "b.example/1")
    assert {page.host for page in store.due_pages(now=NOW, limit=2, of_each_host=5)} == {"a.example", "b.example"}
    few = store.due_pages(now=NOW, limit=50, of_each_host=3, besides=[pages[0].id])
    assert len(few) == 4


def test_feeds_with_their_entries_are_one_transaction(store: Store) -> None:
    store.add_sources([Source("https://a.example/opml")], [], now=NOW)
    (feed,) = store.due_feeds(now=NOW, limit=9)
    poll = Poll(at=NOW, due_at=NOW + 60, etag='"e"', manners=PollPolicy(30.0, (3,), ()))
    named = entry("a.example/1", stamp="2026-01-01T00:00:00Z", published=datetime(2026, 1, 1, tzinfo=UTC))
    assert store.save_poll(feed, poll, [named, named], ["https://a.example/feed"]) == 1
    (found,) = store.due_feeds(now=NOW, limit=9)
    assert (found.url, found.depth) == ("https://a.example/feed", 1)
    (parent,) = (each for each in store.due_feeds(now=NOW + 61, limit=9) if each.id != found.id)
    assert (parent.etag, parent.manners) == ('"e"', PollPolicy(30.0, (3,), ()))
    (page,) = store.due_pages(now=NOW, limit=9, of_each_host=9)
    save_visit(store, _visit(page), _record(), copies=_COPIES)
    assert store.save_poll(feed, poll, [replace(named, stamp="2026-01-02T00:00:00Z")]) == 1
    assert [again.version for again in store.due_pages(now=NOW, limit=9, of_each_host=9)] == [1]
    assert [row["day"] for row in store.rows("pages")] == ["2026-01-01"]


def test_feeds_move_retire_and_leave_the_configuration(store: Store) -> None:
    sources = [Source("https://a.example/1"), Source("https://a.example/2")]
    store.add_sources(sources, [], now=NOW)
    first, second = store.due_feeds(now=NOW, limit=9)
    store.save_poll(first, Poll(at=NOW, due_at=NOW, moved_to="https://b.example/1"))
    store.save_poll(second, Poll(at=NOW, due_at=NOW, retired=True))
    assert [feed.url for feed in store.due_feeds(now=NOW, limit=9)] == ["https://b.example/1"]
    store.add_sources(sources[1:], [], now=NOW)
    assert [feed.id for feed in store.due_feeds(now=NOW, limit=9)] == [second.id]
    store.add_sources(sources, [], now=NOW)
    assert len(store.due_feeds(now=NOW, limit=9)) == 2


def test_new_mentions_wait_for_each_receiver(store: Store) -> None:
    store.set_sinks(["one", "two"])
    (page,) = add(store, "a.example/1")
    record = _record("Corvane sails.", _mention(), _mention("Again."))
    save_visit(store, _visit(page), record, copies=_COPIES, announce=True)
    events = store.undelivered("one", limit=9)
    assert [json.loads(event)["sentence"] for _, event in events] == ["Corvane sails.", "Again."]
    store.note_delivery("one", events[0][0])
    assert len(store.undelivered("one", limit=9)) == 1
    store.note_delivery("one", events[1][0])
    store.note_failed_delivery("two", "refused")
    assert store.undelivered("one", limit=9) == []
    assert len(store.undelivered("two", limit=9)) == 2
    changed = _record("Corvane sails. New.", _mention(), _mention("New."))
    save_visit(store, _visit(replace(page, version=1)), changed, copies=_COPIES, announce=True)
    assert [json.loads(event)["sentence"] for _, event in store.undelivered("one", limit=9)] == ["New."]
    store.set_sinks(["two", "three"])
    assert store.undelivered("three", limit=9) == []
    (waiting,) = [sink for sink in store.status(now=NOW).sinks if sink["name"] == "two"]
    assert (waiting["pending"], waiting["error"]) == (3, "refused")


def test_a_receiver_that_joins_an_emptied_outbox_loses_nothing(store: Store) -> None:
    store.set_sinks(["one"])
    (page,) = add(store, "a.example/1")
    save_visit(store, _visit(page), _record("x", _mention()), copies=_COPIES, announce=True)
    store.note_delivery("one", store.undelivered("one", limit=9)[-1][0])
    store.set_sinks(["two"])
    (page,) = add(store, "a.example/2")
    save_visit(store, _visit(page), _record("y", _mention("y")), copies=_COPIES, announce=True)
    assert len(store.undelivered("two", limit=9)) == 1


def test_one_run_at_a_time(address: str, store: Store) -> None:
    with store.lock():
        with Store.open(address) as other, pytest.raises(StoreError, match="another run"), other.lock():
            pass
        assert store.status(now=NOW).due == 0
    with store.lock():
        pass


def test_a_failed_transaction_leaves_nothing(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    broken = _record("x", _mention(), replace(_mention("other"), start=None))  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="start"):
        save_visit(store, _visit(page), broken, copies=_COPIES)
    assert store.due_pages(now=NOW, limit=9, of_each_host=9) == [page]
    assert list(store.rows("mentions")) == []


def test_what_a_database_refuses_does_not_reach_it(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    odd = "NUL \x00 and half a pair \ud83d."
    record = replace(_record(odd, _mention(odd)), title=odd, metadata={"authors": [odd]})
    save_visit(store, _visit(page, etag=odd), record, copies=_COPIES, announce=True)
    (row,) = store.rows("pages")
    assert row["text"] == row["title"] == "NUL \ufffd and half a pair \ufffd."
    save_visit(store, _visit(replace(page, version=1), error=odd))


def test_status_and_runs(store: Store) -> None:
    pages = add(store, "a.example/1", "a.example/2")
    number = store.begin_run(now=NOW, process="here 1")
    save_visit(store, _visit(pages[0]), _record("x", _mention()), copies=_COPIES)
    store.end_run(number, now=NOW + 1, summary={"pages": 1})
    status = store.status(now=NOW)
    assert status.pages == {"ok": 1, "waiting": 1}
    assert (status.due, status.mentions, status.counted) == (1, 1, 1)
    assert status.runs[0]["summary"] == {"pages": 1}


def test_an_older_store_is_brought_up_to_date_and_a_newer_one_refused(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(address) as store, store.engine.begin() as connection:
        now = SCHEMA_VERSION
        steps = {now: ("ALTER TABLE page ADD COLUMN colour TEXT",)}
        migrate(connection, name="x", target=now + 1, migrations=steps)
        assert schema_version(connection) == now + 1
        connection.execute(text("SELECT colour FROM page"))
        assert list(connection.execute(text("SELECT * FROM pages"))) == []
        with pytest.raises(StoreError, match=f"no way from schema {now + 1} to {now + 2}"):
            migrate(connection, name="x", target=now + 2, migrations={})
    with pytest.raises(StoreError, match="newer blockfeat"):
        Store.open(address)


@pytest.mark.parametrize(("table", "version"), [("site", 10), ("lease", 11)])
def test_tables_that_no_version_uses_any_more_go(address: str, table: str, version: int) -> None:
    with Store.open(address) as store, store.engine.begin() as connection:
        connection.execute(text(f"CREATE TABLE {table} (name TEXT PRIMARY KEY)"))
        connection.execute(text(f"INSERT INTO {table} VALUES ('a.example')"))
        connection.execute(text(f"UPDATE blockfeat_meta SET value = '{version}' WHERE key = 'schema_version'"))
    with Store.open(address) as store:
        assert not inspect(store.engine).has_table(table)


def test_copies_of_pages_of_an_older_store_are_found(address: str) -> None:
    with Store.open(address) as store:
        page, short = add(store, "a.example/1", "a.example/2")
        save_visit(store, _visit(page), _record(_STORY), copies=_COPIES)
        save_visit(store, _visit(short), _record("Corvane sails."), copies=_COPIES)
        with store.engine.begin() as connection:
            connection.execute(text("UPDATE band SET hash = hash / 2"))
            connection.execute(text("UPDATE blockfeat_meta SET value = '2' WHERE key = 'schema_version'"))
    with Store.open(address) as store:
        (page,) = add(store, "b.example/1")
        assert save_visit(store, _visit(page), _record(f"From the agency. {_STORY}"), copies=_COPIES).copy
        assert store.query("SELECT count(DISTINCT page_id) AS pages FROM band") == [{"pages": 2}]


def test_addresses(tmp_path: Path) -> None:
    assert address_of("postgresql://me@host/db").drivername == "postgresql+psycopg"
    assert shown("postgresql://me:secret@host/db") == "postgresql://me:***@host/db"
    with pytest.raises(StoreError, match="an SQLite file or a PostgreSQL address"):
        address_of("mysql://host/db")
    with pytest.raises(StoreError, match="there is no store"):
        Store.open(str(tmp_path / "absent.db"), create=False)
    (tmp_path / "bad.db").write_text("no database", encoding="utf-8")
    with pytest.raises(StoreError, match="not a database"):
        Store.open(str(tmp_path / "bad.db"))


def test_a_sentence_that_is_repeated_is_a_mention_each_time(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    twice = (_mention("Corvane sails."), _mention("Corvane sails."))
    saved = save_visit(store, _visit(page), _record("Corvane sails. Corvane sails.", *twice), copies=_COPIES)
    assert saved.mentions == 2
    first = {mention["id"] for mention in store.rows("mentions")}
    assert len(first) == 2
    again = _record("News. Corvane sails. Corvane sails.", *twice, _mention("Corvane sails."))
    save_visit(store, _visit(replace(page, version=1)), again, copies=_COPIES)
    assert first < {mention["id"] for mention in store.rows("mentions")}


@pytest.mark.parametrize("text", ["Corvane sails.", "Corvane sails again."])
def test_validators_are_those_of_the_last_answer(store: Store, text: str) -> None:
    (page,) = add(store, "a.example/1")
    first = _visit(page, due_at=NOW, last_modified="Mon, 05 Jan 2026 12:00:00 GMT")
    save_visit(store, first, _record("Corvane sails."), copies=_COPIES)
    (page,) = store.due_pages(now=NOW, limit=9, of_each_host=9)
    assert (page.etag, page.last_modified) == ('"1"', "Mon, 05 Jan 2026 12:00:00 GMT")
    save_visit(store, _visit(page, due_at=NOW, etag=None), _record(text), copies=_COPIES)
    (page,) = store.due_pages(now=NOW, limit=9, of_each_host=9)
    assert (page.etag, page.last_modified) == (None, None)


def test_an_answer_that_says_nothing_new_keeps_the_validators(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    save_visit(store, _visit(page, due_at=NOW), _record("Corvane sails."), copies=_COPIES)
    (page,) = store.due_pages(now=NOW, limit=9, of_each_host=9)
    save_visit(store, _visit(page, due_at=NOW, etag=None, http_status=304))
    save_visit(store, _visit(page, due_at=NOW, etag='"of what could not be read"', error="broken"))
    (page,) = store.due_pages(now=NOW, limit=9, of_each_host=9)
    assert page.etag == '"1"'
    save_visit(store, _visit(page, due_at=NOW, etag='"2"', http_status=304))
    (page,) = store.due_pages(now=NOW, limit=9, of_each_host=9)
    assert page.etag == '"2"'


def test_validators_of_a_feed_are_those_of_the_last_answer(store: Store) -> None:
    store.add_sources([Source("https://a.example/feed")], [], now=NOW)

    def polled(**values: object) -> tuple[str | None, str | None]:
        (feed,) = store.due_feeds(now=NOW, limit=9)
        store.save_poll(feed, Poll(at=NOW, due_at=NOW, **values))  # type: ignore[arg-type]
        (feed,) = store.due_feeds(now=NOW, limit=9)
        return feed.etag, feed.last_modified

    assert polled(http_status=200, etag='"1"', last_modified="Monday") == ('"1"', "Monday")
    assert polled(http_status=304) == ('"1"', "Monday")
    assert polled(http_status=500, error="the server answered 500") == ('"1"', "Monday")
    assert polled(http_status=200, last_modified="Tuesday") == (None, "Tuesday")
    assert polled(http_status=200) == (None, None)


def test_numbers_of_an_older_store_do_not_run_out(address: str) -> None:
    with Store.open(address) as store:
        if store.engine.dialect.name == "sqlite":
            pytest.skip("SQLite's numbers have 64 bits")
        with store.engine.begin() as connection:
            for view in reversed(VIEWS):
                connection.execute(text(f"DROP VIEW {view}"))
            connection.execute(text("ALTER TABLE page ALTER COLUMN id TYPE INTEGER"))
            connection.execute(text("ALTER SEQUENCE page_id_seq AS INTEGER"))
            widen_numbers(connection)
            for view, query in VIEWS.items():
                connection.execute(text(f"CREATE VIEW {view} AS {query}"))
            connection.execute(text("SELECT setval('page_id_seq', 3000000000)"))
        (page,) = add(store, "a.example/1")
        assert page.id > 3_000_000_000
        save_visit(store, _visit(page), _record(_STORY, _mention()), copies=_COPIES)
        assert [row["url"] for row in store.rows("mentions")] == [page.url]


def test_hosts_with_pages_that_are_due_are_found_some_at_a_time(store: Store) -> None:
    add(store, *(f"{host}.example/{n}" for host in "abcd" for n in range(3)))
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE page SET due_at = due_at + 9 WHERE host = 'b.example'"))
        connection.execute(text("INSERT INTO host (name, retry_at) VALUES ('d.example', 9e9)"))
    assert store.due_hosts(now=NOW, limit=2) == (["a.example"], "b.example")
    assert store.due_hosts(now=NOW, after="b.example", limit=9) == (["c.example"], None)
    assert store.due_hosts(now=NOW, after="d.example", limit=9) == ([], None)
    due = store.due_pages(now=NOW + 9, limit=9, of_each_host=2, hosts=["b.example", "c.example"])
    assert [page.host[0] for page in due] == ["c", "b", "c", "b"]
