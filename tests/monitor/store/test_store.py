"""The store, in both databases."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, text

from blockfeat.errors import StoreError
from blockfeat.monitor.config import CopySettings, Source
from blockfeat.monitor.store.engine import address_of, shown
from blockfeat.monitor.store.records import Poll, PollPolicy
from blockfeat.monitor.store.schema import SCHEMA_VERSION, VIEWS
from blockfeat.monitor.store.store import Store, migrate, schema_version, widen_numbers
from stored_pages import (
    NOW,
    add,
    column,
    due,
    due_feed,
    entry,
    events,
    execute,
    mention,
    other_story,
    record,
    save,
    story,
)

_STORY = story()


def test_a_page_is_fetched_once_and_what_it_says_is_there(store: Store) -> None:
    saved = save(store, "a.example/1", "Corvane sails.", mention(), mention("More", counted=False))
    assert (saved.outcome, saved.mentions) == ("new", 2)
    assert due(store, at=NOW + 9e9) == add(store, "a.example/1") == []
    assert column(store, "pages", "url", "status", "lang", "version") == [("https://a.example/1", "ok", "en", 1)]
    found = sorted(column(store, "mentions", "counted", "not_counted_because"), reverse=True)
    assert found == [(1, None), (0, "dropped: a list of links")]


def test_an_updated_page_replaces_its_mentions_and_keeps_the_old_version(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    first = ("Corvane sails. Old.", mention(), mention("Old Corvane."))
    changed = ("Corvane sails. New.", mention(), mention("New Corvane."))
    save(store, page, *first)
    assert save(store, page, *first, version=1, at=NOW + 60).outcome == "unchanged"
    assert save(store, page, *changed, version=1, at=NOW + 120).outcome == "updated"
    (old,) = column(store, "versions", "text", "fetched_at", "replaced_at")
    assert old == ("Corvane sails. Old.", "2026-01-05T12:01:00Z", "2026-01-05T12:02:00Z")
    kept, current = (dict(column(store, view, "sentence", "id")) for view in ("replaced_mentions", "mentions"))
    assert set(current) == {"Corvane sails.", "New Corvane."}
    assert kept["Corvane sails."] == current["Corvane sails."]


def test_copies_are_found_across_runs_and_counted_apart(address: str) -> None:
    with Store.open(address) as store:
        save(store, "a.example/1", _STORY, mention())
    with Store.open(address) as store:
        assert save(store, "b.example/2", f"From the agency. {_STORY}", mention()).copy
        assert column(store, "pages", "copy_of", where="copy_of IS NOT NULL") == ["https://a.example/1"]
        because = column(store, "mentions", "not_counted_because", where="in_copy = 1")
        assert because == ["copy of https://a.example/1"]
        assert not save(store, "c.example/3", other_story()).copy


def test_a_brand_that_only_the_copy_names_counts(store: Store) -> None:
    own = mention("Brelan sails too.", brand="Brelan")
    save(store, "a.example/1", _STORY, mention())
    save(store, "b.example/2", f"{_STORY} Brelan sails too.", mention(), own)
    save(store, "c.example/3", f"{_STORY} Brelan sails too!", mention(), replace(own, sentence="Brelan sails too!"))
    rows = column(store, "mentions", "brand", "url", "in_copy", where="counted = 1")
    assert sorted(rows) == [("Brelan", "https://b.example/2", 0), ("Corvane", "https://a.example/1", 0)]
    found = store.status(now=NOW)
    assert (found.copies, found.own_mentions, found.counted) == (2, 1, 2)
    assert min(column(store, "pages", "similarity", where="copy_of IS NOT NULL")) > 0.9


def test_copies_are_judged_anew_when_the_original_changes(store: Store) -> None:
    store.set_sinks(["one"])
    first, *_ = pages = add(store, "a.example/1", "b.example/2", "c.example/3")
    for page in pages:
        save(store, page, _STORY, mention(), announce=True)
    save(store, first, "This page says something else now, and nothing of ships.", version=1, announce=True)
    assert [copied for _, copied in sorted(column(store, "pages", "url", "copy_of"))] == [None, None, pages[1].url]
    assert column(store, "mentions", "url", where="counted = 1") == [pages[1].url]
    last = events(store)[-1]
    assert (last["event"], last["url"], last["counted"]) == ("counted", pages[1].url, True)


def test_an_id_outlives_a_corrected_letter(store: Store) -> None:
    store.set_sinks(["one"])
    (page,) = add(store, "a.example/1")
    wrong, corrected, other = map(mention, ("Corvane sials at 9.", "Corvane sails at 9.", "Corvane has a new captain."))
    save(store, page, "one", wrong, other, announce=True)
    before = dict(column(store, "mentions", "sentence", "id"))
    save(store, page, "two", other, corrected, version=1, announce=True)
    after = dict(column(store, "mentions", "sentence", "id"))
    assert after[corrected.sentence] == before[wrong.sentence] != after[other.sentence]
    assert [(each["event"], each["id"]) for each in events(store)[2:]] == [("update", after[corrected.sentence])]
    save(store, page, "three", corrected, wrong, version=2)
    assert len(set(column(store, "mentions", "id"))) == 2


def test_what_passes_by_itself_makes_no_version(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    save(store, page, "Corvane sails.\n\nUpdated 5 minutes ago\n\n1,204 views", mention())
    again = save(store, page, "Corvane sails.\n\nUpdated 2 hours ago\n\n1,377 views", mention(), version=1)
    assert again.outcome == "unchanged"


def test_short_texts_that_share_a_template_are_no_copies(store: Store) -> None:
    words = "Shares of {} closed at {} on Monday in thin trade, said the exchange in its daily note to the members."
    for name in ("Corvane", "Brightwell"):
        assert not save(store, f"a.example/{name}", words.format(name, len(name)), copies=CopySettings()).copy
    loose = CopySettings(min_words=10, similarity=0.5)
    copies = [save(store, f"a.example/{n}", f"{story(0, 8)} {story(n, n + 2)}", copies=loose).copy for n in (20, 30)]
    assert copies == [False, False]


def test_two_addresses_of_one_page(store: Store) -> None:
    long, short = add(store, "a.example/long", "s.example/x")
    save(store, long, "Corvane sails.", mention())
    assert save(store, short, record(), canonical_url=long.url, final_url=long.url).outcome == "same"
    rows = column(store, "pages", "url", "final_url", "same_as", where="status = 'same'")
    assert (rows, len(column(store, "mentions", "id"))) == ([(short.url, long.url, long.url)], 1)


def test_hosts_take_turns(store: Store) -> None:
    first, *_ = add(store, *(f"a.example/{n}" for n in range(20)), "b.example/1")
    assert {page.host for page in store.due_pages(now=NOW, limit=2, of_each_host=5)} == {"a.example", "b.example"}
    assert len(store.due_pages(now=NOW, limit=50, of_each_host=3, besides=[first.id])) == 4


def test_feeds_with_their_entries_are_one_transaction(store: Store) -> None:
    store.add_sources([Source("https://a.example/opml")], [], now=NOW)
    feed = due_feed(store)
    poll = Poll(at=NOW, due_at=NOW + 60, etag='"e"', manners=PollPolicy(30.0, (3,), ()))
    named = entry("a.example/1", stamp="2026-01-01T00:00:00Z", published=datetime(2026, 1, 1, tzinfo=UTC))
    assert store.save_poll(feed, poll, [named, named], ["https://a.example/feed"]) == 1
    found = due_feed(store)
    assert (found.url, found.depth) == ("https://a.example/feed", 1)
    (parent,) = (each for each in store.due_feeds(now=NOW + 61, limit=9) if each.id != found.id)
    assert (parent.etag, parent.manners) == ('"e"', PollPolicy(30.0, (3,), ()))
    (page,) = due(store)
    save(store, page, record())
    assert store.save_poll(feed, poll, [replace(named, stamp="2026-01-02T00:00:00Z")]) == 1
    assert [again.version for again in due(store)] == [1]
    assert column(store, "pages", "day") == ["2026-01-01"]


def test_feeds_move_retire_and_leave_the_configuration(store: Store) -> None:
    sources = [Source("https://a.example/1"), Source("https://a.example/2")]
    store.add_sources(sources, [], now=NOW)
    first, second = store.due_feeds(now=NOW, limit=9)
    store.save_poll(first, Poll(at=NOW, due_at=NOW, moved_to="https://b.example/1"))
    store.save_poll(second, Poll(at=NOW, due_at=NOW, retired=True))
    assert due_feed(store).url == "https://b.example/1"
    store.add_sources(sources[1:], [], now=NOW)
    assert due_feed(store).id == second.id
    store.add_sources(sources, [], now=NOW)
    assert len(store.due_feeds(now=NOW, limit=9)) == 2


def test_new_mentions_wait_for_each_receiver(store: Store) -> None:
    def waiting(receiver: str) -> list[str]:
        return [event["sentence"] for event in events(store, receiver)]

    store.set_sinks(["one", "two"])
    (page,) = add(store, "a.example/1")
    save(store, page, "Corvane sails.", mention(), mention("Again."), announce=True)
    assert waiting("one") == ["Corvane sails.", "Again."]
    for left in (1, 0):
        store.note_delivery("one", store.undelivered("one", limit=1)[0][0])
        assert len(waiting("one")) == left
    store.note_failed_delivery("two", "refused")
    assert len(waiting("two")) == 2
    save(store, page, "Corvane sails. New.", mention(), mention("New."), version=1, announce=True)
    assert waiting("one") == ["Again.", "New."]  # the first is gone
    store.set_sinks(["two", "three"])
    assert waiting("three") == []
    sinks = {sink["name"]: (sink["pending"], sink["error"]) for sink in store.status(now=NOW).sinks}
    assert sinks["two"] == (4, "refused")


def test_a_receiver_that_joins_an_emptied_outbox_loses_nothing(store: Store) -> None:
    store.set_sinks(["one"])
    save(store, "a.example/1", "x", mention(), announce=True)
    store.note_delivery("one", store.undelivered("one", limit=9)[-1][0])
    store.set_sinks(["two"])
    save(store, "a.example/2", "y", mention("y"), announce=True)
    assert len(events(store, "two")) == 1


def test_one_run_at_a_time(address: str, store: Store) -> None:
    with store.lock():
        with Store.open(address) as other, pytest.raises(StoreError, match="another run"), other.lock():
            pass
        assert store.status(now=NOW).due == 0
    with store.lock():
        pass


def test_a_lock_is_on_the_file_whatever_its_name(tmp_path: Path) -> None:
    file, link, other = (tmp_path / name for name in ("a.db", "link.db", "other.db"))
    Store.open(str(file)).close()
    link.symlink_to(file)
    other.hardlink_to(file)
    with Store.open(str(other)) as store, pytest.raises(StoreError, match="2 names"), store.lock():
        pass
    other.unlink()
    with Store.open(str(file)) as store, store.lock():
        with Store.open(str(link)) as second, pytest.raises(StoreError, match="another run"), second.lock():
            pass
        add(store, "a.example/1")
        # Another run may work on the file by its new name.
        file.rename(tmp_path / "moved.db")
        Store.open(str(file)).close()
        with pytest.raises(StoreError, match="lock of the store was lost"):
            add(store, "a.example/2")


def test_a_failed_transaction_leaves_nothing(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    with pytest.raises(StoreError, match="start"):
        save(store, page, "x", mention(), mention("other", start=None))
    assert (due(store), list(store.rows("mentions"))) == ([page], [])


def test_what_a_database_refuses_does_not_reach_it(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    odd = "NUL \x00 and half a pair \ud83d."
    save(store, page, record(odd, mention(odd), title=odd, metadata={"authors": [odd]}), etag=odd, announce=True)
    assert column(store, "pages", "text", "title") == [("NUL \ufffd and half a pair \ufffd.",) * 2]
    save(store, page, error=odd, version=1)


def test_status_and_runs(store: Store) -> None:
    first, _ = add(store, "a.example/1", "a.example/2")
    number = store.begin_run(now=NOW, process="here 1")
    save(store, first, "x", mention())
    store.end_run(number, now=NOW + 1, summary={"pages": 1})
    status = store.status(now=NOW)
    assert (status.pages, status.due, status.mentions, status.counted) == ({"ok": 1, "waiting": 1}, 1, 1, 1)
    assert status.runs[0]["summary"] == {"pages": 1}


def test_an_older_store_is_brought_up_to_date_and_a_newer_one_refused(address: str) -> None:
    with Store.open(address) as store, store.engine.begin() as connection:
        now = SCHEMA_VERSION
        steps = {now: ("no SQL",), now + 1: ("ALTER TABLE page ADD COLUMN colour TEXT",)}
        migrate(connection, name="x", target=now + 1, migrations=steps)
        assert schema_version(connection) == now + 1
        connection.execute(text("SELECT colour FROM page"))
        assert list(connection.execute(text("SELECT * FROM pages"))) == []
    with pytest.raises(StoreError, match="newer blockfeat"):
        Store.open(address)


_IS_OF_VERSION = "UPDATE blockfeat_meta SET value = :version WHERE key = 'schema_version'"


@pytest.mark.parametrize(("table", "version"), [("site", "10"), ("lease", "11")])
def test_an_older_store_loses_tables_and_gets_indexes(address: str, table: str, version: str) -> None:
    with Store.open(address) as store:
        add(store, "a.example/1")
        execute(store, "DROP INDEX page_numbers", "UPDATE page SET day = NULL")
        execute(store, f"CREATE TABLE {table} (name TEXT PRIMARY KEY)", f"INSERT INTO {table} VALUES ('a.example')")
        execute(store, _IS_OF_VERSION, version=version)
    with Store.open(address) as store:
        assert not inspect(store.engine).has_table(table)
        assert "page_numbers" in [index["name"] for index in inspect(store.engine).get_indexes("page")]
        assert store.query("SELECT day FROM pages") == [{"day": "2026-01-05"}]


def test_copies_of_pages_of_an_older_store_are_found(address: str) -> None:
    with Store.open(address) as store:
        save(store, "a.example/1", _STORY)
        save(store, "a.example/2", "Corvane sails.")
        execute(store, "UPDATE band SET hash = hash / 2")
        execute(store, _IS_OF_VERSION, version="2")
    with Store.open(address) as store:
        assert save(store, "b.example/1", f"From the agency. {_STORY}").copy
        assert store.query("SELECT count(DISTINCT page_id) AS pages FROM band") == [{"pages": 2}]


@pytest.mark.parametrize(("receivers", "told"), [(["hook"], 1), ([], 0)])
def test_receivers_of_an_older_store_know_what_counts(address: str, receivers: list[str], told: int) -> None:
    with Store.open(address) as store:
        store.set_sinks(receivers)
        save(store, "a.example/1", "Corvane sails.", mention(), mention("Ads", counted=False), announce=True)
        execute(store, "DROP TABLE announced", "ALTER TABLE sink DROP COLUMN since")
        execute(store, _IS_OF_VERSION, version="15")
    with Store.open(address) as store:
        assert store.query("SELECT count(*) AS told FROM announced") == [{"told": told}]
        assert [store.first_event(name) for name in receivers] == [1] * len(receivers)


def test_a_clock_behind_the_last_year_of_a_time_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 253_402_300_000.0)
    with pytest.raises(StoreError, match=r"^the clock of this machine stands in the year 9999 or later$"):
        Store.open(":memory:")


def test_addresses(tmp_path: Path) -> None:
    assert address_of("postgresql://me@host/db").drivername == "postgresql+psycopg"
    assert shown("postgresql://me:secret@host/db") == "postgresql://me:***@host/db"
    with pytest.raises(StoreError, match="an SQLite file or a PostgreSQL address"):
        address_of("mysql://host/db")
    for name, reason in (("postgresql://:::/db", "is no database address"), ("a\0.db", "no file has such a name")):
        with pytest.raises(StoreError, match=reason):
            Store.open(name)
    with pytest.raises(StoreError, match="there is no store"):
        Store.open(str(tmp_path / "absent.db"), create=False)
    (tmp_path / "bad.db").write_text("no database", encoding="utf-8")
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "full.db").symlink_to("/dev/full")
    for name, reason in (("bad", "not a database"), ("folder", "Is a directory"), ("full", "disk is full")):
        with pytest.raises(StoreError, match=f"{name}.db: .*{reason}"):
            Store.open(str(tmp_path / f"{name}.db"))


def test_a_sentence_that_is_repeated_is_a_mention_each_time(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    assert save(store, page, "Corvane sails. Corvane sails.", mention(), mention()).mentions == 2
    first = set(column(store, "mentions", "id"))
    save(store, page, "News. Corvane sails. Corvane sails.", mention(), mention(), mention(), version=1)
    assert len(first) == 2
    assert first < set(column(store, "mentions", "id"))


def _validators(store: Store) -> tuple[str | None, str | None]:
    (page,) = due(store)
    return page.etag, page.last_modified


@pytest.mark.parametrize("words", ["Corvane sails.", "Corvane sails again."])
def test_validators_are_those_of_the_last_answer(store: Store, words: str) -> None:
    monday = "Mon, 05 Jan 2026 12:00:00 GMT"
    (page,) = add(store, "a.example/1")
    save(store, page, "Corvane sails.", due_at=NOW, etag='"1"', last_modified=monday)
    assert _validators(store) == ('"1"', monday)
    save(store, page, words, due_at=NOW, version=1)
    assert _validators(store) == (None, None)


def test_an_answer_that_says_nothing_new_keeps_the_validators(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    save(store, page, "Corvane sails.", due_at=NOW, etag='"1"')
    (page,) = due(store)
    save(store, page, due_at=NOW, http_status=304)
    save(store, page, due_at=NOW, etag='"of what could not be read"', error="broken")
    assert _validators(store) == ('"1"', None)
    save(store, page, due_at=NOW, etag='"2"', http_status=304)
    assert _validators(store) == ('"2"', None)


def test_validators_of_a_feed_are_those_of_the_last_answer(store: Store) -> None:
    store.add_sources([Source("https://a.example/feed")], [], now=NOW)

    def polled(**values: Any) -> tuple[str | None, str | None]:
        store.save_poll(due_feed(store), Poll(at=NOW, due_at=NOW, **values))
        return due_feed(store).etag, due_feed(store).last_modified

    assert polled(http_status=200, etag='"1"', last_modified="Monday") == ('"1"', "Monday")
    assert polled(http_status=304) == ('"1"', "Monday")
    assert polled(http_status=500, error="the server answered 500") == ('"1"', "Monday")
    assert polled(http_status=200, last_modified="Tuesday") == (None, "Tuesday")
    assert polled(http_status=200) == (None, None)


def test_numbers_of_an_older_store_do_not_run_out(store: Store) -> None:
    if store.engine.dialect.name == "sqlite":
        pytest.skip("SQLite's numbers have 64 bits")
    execute(store, *(f"DROP VIEW {view}" for view in reversed(VIEWS)))
    execute(store, "ALTER TABLE page ALTER COLUMN id TYPE INTEGER", "ALTER SEQUENCE page_id_seq AS INTEGER")
    with store.engine.begin() as connection:
        widen_numbers(connection)
    execute(store, *(f"CREATE VIEW {view} AS {query}" for view, query in VIEWS.items()))
    execute(store, "SELECT setval('page_id_seq', 3000000000)")
    (page,) = add(store, "a.example/1")
    assert page.id > 3_000_000_000
    save(store, page, _STORY, mention())
    assert column(store, "mentions", "url") == [page.url]


def test_hosts_with_pages_that_are_due_are_found_some_at_a_time(store: Store) -> None:
    add(store, *(f"{host}.example/{n}" for host in "abcd" for n in range(3)))
    assert store.due_hosts(now=NOW, limit=3) == (["a.example", "b.example", "c.example"], "c.example")
    execute(store, "UPDATE page SET due_at = due_at + 9 WHERE host = 'b.example'")
    execute(store, "INSERT INTO host (name, retry_at) VALUES ('d.example', 9e9)")
    assert store.due_hosts(now=NOW, limit=2) == (["a.example"], "b.example")
    assert store.due_hosts(now=NOW, after="b.example", limit=9) == (["c.example"], None)
    assert store.due_hosts(now=NOW, after="d.example", limit=9) == ([], None)
    found = store.due_pages(now=NOW + 9, limit=9, of_each_host=2, hosts=["b.example", "c.example"])
    assert [page.host[0] for page in found] == ["c", "b", "c", "b"]


@pytest.mark.parametrize("made", ["CREATE TABLE moz_places (id)", "CREATE VIEW mentions AS SELECT 1 AS id"])
def test_the_database_of_another_program_gets_no_tables(tmp_path: Path, made: str) -> None:
    file = tmp_path / "places.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(made)
        with pytest.raises(StoreError, match=r"places.sqlite: is a database of another program, with '\w+'"):
            Store.open(file)
        assert connection.execute("SELECT sql FROM sqlite_master").fetchall() == [(made,)]
