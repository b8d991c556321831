"""Moments and numbers that the store goes by: when feeds and pages are due, what is an update, what is a copy."""

from dataclasses import replace
from typing import Any

import pytest

from blockfeat.monitor.config import CopySettings, Source
from blockfeat.monitor.store.records import DuePage, Poll
from blockfeat.monitor.store.store import Store
from stored_pages import COPIES, NOW, add, column, due, due_feed, entry, events, execute, mention, record, save, story

_DAY = 86_400.0
_OLD, _NEW = "https://a.example/", "https://b.example/"


def _due_ids(store: Store, at: float, limit: int = 9) -> list[int]:
    return [feed.id for feed in store.due_feeds(now=at, limit=limit)]


def test_a_feed_is_due_from_its_moment_on_and_the_one_that_waited_longest_is_first(store: Store) -> None:
    store.add_sources([Source(f"https://{name}.example/") for name in "abc"], [], now=NOW)
    first, second, third = store.due_feeds(now=NOW, limit=9)
    assert _due_ids(store, NOW - 1) == []
    store.delay_feed(first, NOW + 5)
    store.delay_feed(third, NOW - 5)
    assert _due_ids(store, NOW + 4.9) == _due_ids(store, NOW + 5, 2) == [third.id, second.id]
    assert _due_ids(store, NOW + 5) == [third.id, second.id, first.id]


def test_failures_of_a_feed_are_counted_until_it_answers(store: Store) -> None:
    store.add_sources([Source(_OLD, lang="de", every=99)], [], now=NOW)
    for failures in range(3):
        feed = due_feed(store)
        assert (feed.failures, feed.lang, feed.every, feed.depth) == (failures, "de", 99, 0)
        store.save_poll(feed, Poll(at=NOW, due_at=NOW, error="no answer"))
    store.save_poll(due_feed(store), Poll(at=NOW, due_at=NOW, http_status=200))
    assert due_feed(store).failures == 0


def test_a_feed_that_is_named_by_another_has_its_language_and_stands_below_it(store: Store) -> None:
    store.add_sources([Source(_OLD, lang="de", every=99)], [], now=NOW)
    poll = Poll(at=NOW + 1, due_at=NOW + 500)
    store.save_poll(due_feed(store), poll, [], [_NEW])
    assert _due_ids(store, NOW) == []
    second = due_feed(store, at=NOW + 1)
    assert (second.url, second.lang, second.every, second.depth) == (_NEW, "de", 99, 1)
    store.save_poll(second, poll, [], [_OLD, "https://c.example/"])
    third = due_feed(store, at=NOW + 1)
    assert (third.url, third.depth) == ("https://c.example/", 2)
    store.add_sources([], [], now=NOW + 2)
    assert _due_ids(store, NOW + 9e6) == [], "those that it named go with it"


@pytest.fixture
def moved(store: Store) -> Store:
    """A store with a feed that has moved from one address to another."""
    store.add_sources([Source(_OLD)], [], now=NOW)
    store.save_poll(due_feed(store), Poll(at=NOW, due_at=NOW, moved_to=_NEW))
    return store


def test_a_feed_that_has_moved_is_asked_at_its_old_address_after_a_day_and_while_it_fails(moved: Store) -> None:
    assert due_feed(moved).moved_at == NOW
    assert [due_feed(moved, at=NOW + wait).url for wait in (0, _DAY - 1, _DAY)] == [_NEW, _NEW, _OLD]
    asked = []
    for _ in range(4):
        asked.append(due_feed(moved).url)
        moved.save_poll(due_feed(moved), Poll(at=NOW, due_at=NOW, error="no answer"))
    assert asked == [_NEW, _OLD, _NEW, _OLD]


@pytest.mark.parametrize(("days", "wait"), [(0.5, 1), (3, 3), (30, 7)])
def test_a_redirect_that_lasts_is_checked_more_and_more_seldom(moved: Store, days: float, wait: float) -> None:
    now = NOW + days * _DAY
    # The old address, asked after some days, still leads to the new one.
    moved.save_poll(replace(due_feed(moved), url=_OLD), Poll(at=now, due_at=now, moved_to=_NEW))
    assert due_feed(moved, at=now).moved_at == NOW
    assert [due_feed(moved, at=now + wait * _DAY - early).url for early in (1, 0)] == [_NEW, _OLD]


def test_a_redirect_that_has_ended_is_forgotten(moved: Store) -> None:
    moved.save_poll(replace(due_feed(moved), url=_OLD), Poll(at=NOW, due_at=NOW))
    feed = due_feed(moved)
    assert (feed.url, feed.moved_to, feed.moved_at) == (_OLD, None, None)


def _add_pages(store: Store, *names: str) -> list[DuePage]:
    """Add pages as a feed does, without a change of the configuration."""
    (feed, *_) = store.due_feeds(now=NOW, limit=9)
    store.add_entries(feed, [entry(name) for name in names], now=NOW)
    return due(store)


def test_what_a_clock_that_was_ahead_put_off_is_due_again(store: Store) -> None:
    store.add_sources([Source(_OLD), Source(_NEW)], [], now=NOW)
    feeds = store.due_feeds(now=NOW, limit=9)
    pages = _add_pages(store, "a.example/1", "a.example/2")
    for feed, page, then in zip(feeds, pages, (NOW + 60, NOW + 3600), strict=True):
        store.save_poll(feed, Poll(at=then, due_at=then + 500))
        save(store, page, at=then, due_at=then + 500, error="no")
    for name, until in (("b.example", NOW + 8 * _DAY), ("c.example", NOW + 8 * _DAY + 1)):
        save(store, pages[0], at=NOW + 60, due_at=NOW + 560, retry_at=until, retry_host=name)
    store.save_poll(feeds[0], Poll(at=NOW + 60, due_at=NOW + 560, host="d.example", retry_at=NOW + 8 * _DAY))
    never_polled = "https://e.example/feed"
    store.add_sources([Source(url) for url in (_OLD, _NEW, never_polled)], [], now=NOW + 3600)
    store.begin_run(now=NOW, process="here 1")
    assert {feed.url for feed in store.due_feeds(now=NOW, limit=9)} == {feeds[1].url, never_polled}
    assert [page.id for page in due(store)] == [pages[1].id]
    assert sorted(store.held_hosts(now=NOW)) == ["b.example", "d.example"]


def test_a_pause_that_a_host_asked_for_only_grows(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    for wait, end in ((3600, 3600), (5, 3600), (7200, 7200)):
        save(store, page, error="no", retry_at=NOW + wait, retry_host="a.example")
        assert store.held_hosts(now=NOW) == {"a.example": NOW + end}


def test_many_entries_are_added_once_each(store: Store) -> None:
    entries = [entry(f"a.example/{number}") for number in range(1001)]
    assert store.add_sources([], [*entries, *entries[:3]], now=NOW) == 1001
    assert (store.add_sources([], entries, now=NOW), len(due(store))) == (0, 1001)


_FIRST, _SECOND, _THIRD, _FOURTH = (f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3, 4))


@pytest.mark.parametrize(
    ("before", "after", "is_update"),
    [
        (_SECOND, _THIRD, True),
        (_SECOND, _SECOND, False),
        (_SECOND, _FIRST, False),
        (_SECOND, None, False),
        (None, _FIRST, False),
    ],
)
def test_only_a_later_date_is_an_update(store: Store, before: str | None, after: str | None, is_update: bool) -> None:
    store.add_sources([Source("https://a.example/feed")], [], now=NOW)
    feed = due_feed(store)
    store.add_entries(feed, [entry("a.example/1", stamp=before)], now=NOW)
    (page,) = due(store)
    save(store, page, "Corvane sails.")
    assert store.add_entries(feed, [entry("a.example/1", stamp=after)], now=NOW + 9) == is_update
    assert (len(due(store, at=NOW + 8.9)), len(due(store, at=NOW + 9))) == (0, is_update)
    later = store.add_entries(feed, [entry("a.example/1", stamp=_FOURTH)], now=NOW + 9)
    assert later == (before is not None or after is not None)


def test_other_words_in_a_feed_are_an_update_where_they_are_of_the_same_feed(store: Store) -> None:
    store.add_sources([Source(f"https://{name}.example/feed") for name in "ab"], [], now=NOW)
    own, other = store.due_feeds(now=NOW, limit=9)
    store.add_entries(own, [entry("a.example/1", digest="1", text="<p>One", title="1")], now=NOW)
    (page,) = due(store)
    again = entry("a.example/1", digest="2", text="<p>Two", title="2")
    odd = entry("a.example/1", digest="1", text="<p>Odd")
    assert (store.entry_text(page), store.add_entries(other, [again], now=NOW)) == (("1", "<p>One"), 0)
    assert store.entry_text(page) == ("1", "<p>One")
    assert [store.add_entries(own, [each], now=NOW) for each in (odd, again, again)] == [0, 1, 0]
    assert store.entry_text(page) == ("2", "<p>Two")


def test_a_host_that_is_held_is_free_from_its_moment_on(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    save(store, page, due_at=NOW + 5, error="busy", retry_at=NOW + 50)
    assert store.next_due() == NOW + 50
    assert (store.held_hosts(now=NOW + 49), due(store, at=NOW + 49)) == ({"a.example": NOW + 50}, [])
    assert ((store.held_hosts(now=NOW + 50), len(due(store, at=NOW + 50))), store.next_due()) == (({}, 1), NOW + 5)
    save(store, page, error="gone")
    assert store.next_due() is None


def test_the_next_moment_is_the_first_of_feeds_and_pages(store: Store) -> None:
    store.add_sources([Source(_OLD)], [], now=NOW)
    (page,) = _add_pages(store, "b.example/1")
    store.delay_feed(due_feed(store), NOW + 7)
    assert store.next_due() == NOW
    save(store, page, due_at=NOW + 9, error="busy")
    assert store.next_due() == NOW + 7


def test_attempts_are_counted_until_a_page_is_read(store: Store) -> None:
    def again(read: str | None = None, **values: Any) -> tuple[int, int]:
        """Save a visit; return how often the page was tried and changed then."""
        save(store, due(store)[0], read, due_at=NOW, **values)
        return due(store)[0].attempts, due(store)[0].version

    add(store, "a.example/1")
    assert [again(error="busy", tried=tried) for tried in (True, True, False)] == [(1, 0), (2, 0), (2, 0)]
    assert column(store, "pages", "status") == ["waiting"]
    assert (again("Corvane sails."), again(error="busy", tried=True)) == ((0, 1), (1, 1))
    assert column(store, "pages", "status", "text", "attempts") == [("ok", "Corvane sails.", 1)]
    assert again(http_status=304) == (0, 1)
    save(store, "a.example/2", error="gone", http_status=410, tried=True)
    rows = column(store, "pages", "http_status", "error", "attempts", where="status = 'error'")
    assert rows == [(410, "gone", 1)]


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({}, "unchanged"),
        ({"title": "Another"}, "updated"),
        ({"status": "partial"}, "updated"),
        ({"text": "Corvane sank."}, "updated"),
        ({"mentions": (mention("Corvane sank."),)}, "updated"),
        ({"lang": "de"}, "unchanged"),
    ],
)
def test_what_is_another_version_of_a_page(store: Store, change: dict[str, Any], outcome: str) -> None:
    first = record("Corvane sails.", mention())
    save(store, "a.example/1", first, due_at=NOW)
    (page,) = due(store)
    assert save(store, page, replace(first, **change), due_at=NOW).outcome == outcome
    versions = 2 if outcome == "updated" else 1
    assert (due(store)[0].version, len(list(store.rows("versions")))) == (versions, versions - 1)


@pytest.mark.parametrize(("last", "is_copy"), [(100, True), (78, True), (70, False), (0, False)])
def test_a_copy_has_most_of_what_the_other_says(store: Store, last: int, is_copy: bool) -> None:
    save(store, "a.example/1", story(0, 80))
    text = f"{story(0, last)} {story(200, 300 - last)}".strip()
    assert save(store, "b.example/2", text).copy is is_copy
    assert not save(store, "c.example/3", text, copies=replace(COPIES, find=False)).copy


def test_a_copy_is_of_the_original_that_it_is_most_like(store: Store) -> None:
    near = f"{story(0, 100)} {story(300, 310)}"
    loose = CopySettings(min_words=10, similarity=1.0)
    save(store, "a.example", story(0, 100), copies=loose)
    save(store, "b.example", f"{story(8, 100)} {story(300, 340)}", copies=loose)
    assert [save(store, name, near).copy for name in ("c.example", "d.example")] == [True, True]
    copies = dict(column(store, "pages", "url", "copy_of"))
    assert copies == dict(zip(sorted(copies), [None, None, *["https://a.example"] * 2], strict=True))


@pytest.mark.parametrize(("counted", "is_copy"), [(True, False), (False, False), (True, True), (False, True)])
def test_what_a_receiver_learns_of_a_mention(store: Store, counted: bool, is_copy: bool) -> None:
    store.set_sinks(["one"])
    save(store, "a.example/1", story(0, 50), mention(), announce=True)
    found = mention(counted=counted, start=2, stop=9, match="corvane")
    text = story(0, 50) if is_copy else story(100, 150)
    assert save(store, "b.example/2", text, found, announce=True).copy is is_copy
    sent = events(store)[1]
    expected = {
        "counted": counted and not is_copy,
        "not_counted_because": found.because or ("copy" if is_copy else None),
        **{"copy": is_copy, "start": 2, "stop": 9, "match": "corvane"},
        **{"url": "https://b.example/2", "lang": "en", "found_at": "2026-01-05T12:00:00Z"},
        **{"backfill": False, "evidence": "/article/2#b1"},
    }
    assert (expected | sent, len(sent["id"])) == (sent, 24)


def test_a_page_with_nothing_new_says_nothing_and_without_receivers_nothing_is_kept(store: Store) -> None:
    store.set_sinks(["one"])
    save(store, "a.example/1", "Corvane sails.", mention())
    save(store, "b.example/2", "Nothing.", announce=True)
    assert events(store) == []


def test_a_login_that_many_addresses_lead_to_makes_none_of_them_another(store: Store) -> None:
    there = {"final_url": "https://a.example/login", "canonical_url": "https://a.example/login"}
    for number, status in enumerate(("partial", "partial", "ok")):
        wall = record("Log in.", status=status)
        assert save(store, f"a.example/{number}", wall, **there).outcome == "new"


@pytest.mark.parametrize("set_by", [_DAY, -_DAY])
def test_what_waits_when_the_clock_is_set_by_a_day_waits_no_day(store: Store, set_by: float) -> None:
    store.add_sources([Source(_OLD)], [], now=NOW)
    _add_pages(store, "a.example/1")
    store.set_sinks(["one"])
    execute(store, "INSERT INTO outbox (event) VALUES ('{}')")
    for begun in (NOW, NOW + set_by, NOW + 1000, NOW + 2000):
        store.begin_run(now=begun, process="here 1")
        # What was told to wait for so long waits no longer.
        now = begun + 500
        feed, (page,) = due_feed(store, at=now), due(store, at=now)
        store.save_poll(feed, Poll(at=now, due_at=now + 500, etag='"1"', digest="1"))
        save(store, page, at=now, due_at=now + 500, error="busy", retry_at=now + 500)
        assert store.undelivered("one", limit=9, now=now) != []
        store.note_failed_delivery("one", "busy", retry_at=now + 500)
        # Begun again at once, it waits as long as that.
        store.begin_run(now=now, process="here 1")
        assert (due(store, at=now + 499), store.undelivered("one", limit=9, now=now + 499)) == ([], [])
        assert store.held_hosts(now=now) == {"a.example": pytest.approx(now + 500)}
    assert (feed.etag, feed.digest) == ('"1"', "1")
