"""Moments and numbers that the store goes by: when feeds and pages are due, what is an update, what is a copy."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from blockfeat.monitor.config import CopySettings, Source
from blockfeat.monitor.store.records import DueFeed, DuePage, FoundMention, PageRecord, Poll, Visit
from blockfeat.monitor.store.store import Store
from stored_pages import NOW, add, due, entry, save_visit

_DAY = 86_400.0
_COPIES = CopySettings(min_words=10)


def _feed(store: Store, *, at: float = NOW) -> DueFeed:
    (feed,) = store.due_feeds(now=at, limit=9)
    return feed


def _visit(page: DuePage, *, at: float = NOW, **values: object) -> Visit:
    seen = Visit(page=page, at=at, due_at=at, final_url=page.url, canonical_url=page.url, http_status=200)
    return replace(seen, **values)  # type: ignore[arg-type]


def _mention(sentence: str = "Corvane sails.", *, counted: bool = True) -> FoundMention:
    place, because = ("body", None) if counted else ("clutter", "a list of links")
    return FoundMention("Corvane", place, counted, because, 2, 9, "corvane", sentence, 3, "/html/p", 1.5)


def _record(words: str, *mentions: FoundMention, **values: object) -> PageRecord:
    made = PageRecord("ok", text=words, lang="en", title="A title", mentions=mentions)
    return replace(made, **values)  # type: ignore[arg-type]


def _story(first: int, last: int) -> str:
    return " ".join(
        f"On day {n} the keeper counted {n * 7 % 31} ships and wrote {n} names." for n in range(first, last)
    )


def test_a_feed_is_due_from_its_moment_on_and_the_one_that_waited_longest_is_first(store: Store) -> None:
    store.add_sources([Source(f"https://{name}.example/") for name in "abc"], [], now=NOW)
    first, second, third = store.due_feeds(now=NOW, limit=9)
    assert store.due_feeds(now=NOW - 1, limit=9) == []
    store.delay_feed(first, NOW + 5)
    store.delay_feed(third, NOW - 5)
    assert [feed.id for feed in store.due_feeds(now=NOW + 4.9, limit=9)] == [third.id, second.id]
    assert [feed.id for feed in store.due_feeds(now=NOW + 5, limit=2)] == [third.id, second.id]
    assert [feed.id for feed in store.due_feeds(now=NOW + 5, limit=9)] == [third.id, second.id, first.id]


def test_failures_of_a_feed_are_counted_until_it_answers(store: Store) -> None:
    store.add_sources([Source("https://a.example/", lang="de", every=99)], [], now=NOW)
    for failures in range(3):
        feed = _feed(store)
        assert (feed.failures, feed.lang, feed.every, feed.depth) == (failures, "de", 99, 0)
        store.save_poll(feed, Poll(at=NOW, due_at=NOW, error="no answer"))
    store.save_poll(_feed(store), Poll(at=NOW, due_at=NOW, http_status=200))
    assert _feed(store).failures == 0


def test_a_feed_that_is_named_by_another_has_its_language_and_stands_below_it(store: Store) -> None:
    store.add_sources([Source("https://a.example/", lang="de", every=99)], [], now=NOW)
    poll = Poll(at=NOW + 1, due_at=NOW + 500)
    store.save_poll(_feed(store), poll, [], ["https://b.example/"])
    assert store.due_feeds(now=NOW, limit=9) == []
    second = _feed(store, at=NOW + 1)
    assert (second.url, second.lang, second.every, second.depth) == ("https://b.example/", "de", 99, 1)
    store.save_poll(second, poll, [], ["https://a.example/", "https://c.example/"])
    assert (_feed(store, at=NOW + 1).url, _feed(store, at=NOW + 1).depth) == ("https://c.example/", 2)
    store.add_sources([], [], now=NOW + 2)
    assert store.due_feeds(now=NOW + 9e6, limit=9) == [], "those that it named go with it"


def test_a_feed_that_has_moved_is_asked_at_its_old_address_after_a_day_and_while_it_fails(store: Store) -> None:
    old, new = "https://a.example/", "https://b.example/"
    store.add_sources([Source(old)], [], now=NOW)
    store.save_poll(_feed(store), Poll(at=NOW, due_at=NOW, moved_to=new))
    assert (_feed(store).url, _feed(store).moved_at) == (new, NOW)
    assert _feed(store, at=NOW + _DAY - 1).url == new
    assert _feed(store, at=NOW + _DAY).url == old
    asked = []
    for _ in range(4):
        feed = _feed(store)
        asked.append(feed.url)
        store.save_poll(feed, Poll(at=NOW, due_at=NOW, error="no answer"))
    assert asked == [new, old, new, old]


@pytest.mark.parametrize(("days", "wait"), [(0.5, 1), (3, 3), (30, 7)])
def test_a_redirect_that_lasts_is_checked_more_and_more_seldom(store: Store, days: float, wait: float) -> None:
    old, new = "https://a.example/", "https://b.example/"
    store.add_sources([Source(old)], [], now=NOW)
    store.save_poll(_feed(store), Poll(at=NOW, due_at=NOW, moved_to=new))
    now = NOW + days * _DAY
    # The old address, asked after some days, still leads to the new one.
    store.save_poll(replace(_feed(store), url=old), Poll(at=now, due_at=now, moved_to=new))
    assert _feed(store, at=now).moved_at == NOW
    assert _feed(store, at=now + wait * _DAY - 1).url == new
    assert _feed(store, at=now + wait * _DAY).url == old


def test_a_redirect_that_has_ended_is_forgotten(store: Store) -> None:
    old, new = "https://a.example/", "https://b.example/"
    store.add_sources([Source(old)], [], now=NOW)
    store.save_poll(_feed(store), Poll(at=NOW, due_at=NOW, moved_to=new))
    store.save_poll(replace(_feed(store), url=old), Poll(at=NOW, due_at=NOW))
    assert (_feed(store).url, _feed(store).moved_to, _feed(store).moved_at) == (old, None, None)


def test_what_a_clock_that_was_ahead_put_off_is_due_again(store: Store) -> None:
    sources = [Source(f"https://{name}.example/") for name in "ab"]
    store.add_sources(sources, [], now=NOW)
    first, second = store.due_feeds(now=NOW, limit=9)
    pages = _add_pages(store, "a.example/1", "a.example/2")
    for number, ahead in enumerate([60.0, 3600.0]):
        then = NOW + ahead
        store.save_poll((first, second)[number], Poll(at=then, due_at=then + 500))
        save_visit(store, _visit(pages[number], at=then, due_at=then + 500, error="no"))
    held = {"b.example": NOW + 8 * _DAY, "c.example": NOW + 8 * _DAY + 1}
    for name, until in held.items():
        save_visit(store, _visit(pages[0], at=NOW + 60, due_at=NOW + 560, retry_at=until, retry_host=name))
    store.begin_run(now=NOW, process="here 1")
    assert [feed.id for feed in store.due_feeds(now=NOW, limit=9)] == [second.id]
    assert [page.id for page in due(store)] == [pages[1].id]
    assert list(store.held_hosts(now=NOW)) == ["b.example"]


def _add_pages(store: Store, *names: str) -> list[DuePage]:
    """Add pages as a feed does, without a change of the configuration."""
    (feed, *_) = store.due_feeds(now=NOW, limit=9)
    store.add_entries(feed, [entry(name) for name in names], now=NOW)
    return due(store)


def test_many_entries_are_added_once_each(store: Store) -> None:
    entries = [entry(f"a.example/{number}") for number in range(1001)]
    assert store.add_sources([], [*entries, *entries[:3]], now=NOW) == 1001
    assert store.add_sources([], entries, now=NOW) == 0
    assert len(due(store)) == 1001


@pytest.mark.parametrize(
    ("before", "after", "is_update"),
    [
        ("2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z", True),
        ("2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z", False),
        ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", False),
        ("2026-01-02T00:00:00Z", None, False),
        (None, "2026-01-01T00:00:00Z", False),
    ],
)
def test_only_a_later_date_of_a_feed_is_an_update(
    store: Store, before: str | None, after: str | None, is_update: bool
) -> None:
    store.add_sources([Source("https://a.example/feed")], [], now=NOW)
    feed = _feed(store)
    store.add_entries(feed, [entry("a.example/1", stamp=before)], now=NOW)
    (page,) = due(store)
    save_visit(store, _visit(page, due_at=None), _record("Corvane sails."), copies=_COPIES)
    assert store.add_entries(feed, [entry("a.example/1", stamp=after)], now=NOW + 9) == int(is_update)
    assert due(store, at=NOW + 8.9) == []
    assert len(due(store, at=NOW + 9)) == int(is_update)
    later = entry("a.example/1", stamp="2026-01-04T00:00:00Z")
    assert store.add_entries(feed, [later], now=NOW + 9) == int(not (before is None and after is None))


def test_other_words_in_a_feed_are_an_update_where_they_are_of_the_same_feed(store: Store) -> None:
    store.add_sources([Source(f"https://{name}.example/feed") for name in "ab"], [], now=NOW)
    own, other = store.due_feeds(now=NOW, limit=9)
    store.add_entries(own, [entry("a.example/1", digest="1", text="<p>One", title="1")], now=NOW)
    (page,) = due(store)
    assert store.entry_text(page) == ("1", "<p>One")
    again = entry("a.example/1", digest="2", text="<p>Two", title="2")
    assert store.add_entries(other, [again], now=NOW) == 0
    assert store.entry_text(page) == ("1", "<p>One")
    assert store.add_entries(own, [entry("a.example/1", digest="1", text="<p>Odd")], now=NOW) == 0
    assert store.add_entries(own, [again], now=NOW) == 1
    assert store.add_entries(own, [again], now=NOW) == 0
    assert store.entry_text(page) == ("2", "<p>Two")


def test_a_host_that_is_held_is_free_from_its_moment_on(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    save_visit(store, _visit(page, due_at=NOW + 5, error="busy", retry_at=NOW + 50))
    assert store.next_due() == NOW + 50
    assert store.held_hosts(now=NOW + 49) == {"a.example": NOW + 50}
    assert due(store, at=NOW + 49) == []
    assert [due.id for due in due(store, at=NOW + 50)] == [page.id]
    assert store.held_hosts(now=NOW + 50) == {}
    assert store.next_due() == NOW + 5
    save_visit(store, _visit(page, due_at=None, error="gone"))
    assert store.next_due() is None


def test_the_next_moment_is_the_first_of_feeds_and_pages(store: Store) -> None:
    store.add_sources([Source("https://a.example/")], [], now=NOW)
    (page,) = _add_pages(store, "b.example/1")
    store.delay_feed(_feed(store), NOW + 7)
    assert store.next_due() == NOW
    save_visit(store, _visit(page, due_at=NOW + 9, error="busy"))
    assert store.next_due() == NOW + 7


def test_attempts_are_counted_until_a_page_is_read(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    for attempts in range(2):
        (page,) = due(store)
        assert page.attempts == attempts
        save_visit(store, _visit(page, error="busy", tried=True))
    save_visit(store, _visit(page, error="held", tried=False))
    (page,) = due(store)
    assert page.attempts == 2
    assert [row["status"] for row in store.rows("pages")] == ["waiting"]
    save_visit(store, _visit(page), _record("Corvane sails."), copies=_COPIES)
    (page,) = due(store)
    assert (page.attempts, page.version) == (0, 1)
    save_visit(store, _visit(page, error="busy", tried=True))
    (row,) = store.rows("pages")
    assert (row["status"], row["text"], row["attempts"]) == ("ok", "Corvane sails.", 1)
    save_visit(store, _visit(page, http_status=304))
    (page,) = due(store)
    assert (page.attempts, page.version) == (0, 1)


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({}, "unchanged"),
        ({"title": "Another"}, "updated"),
        ({"status": "partial"}, "updated"),
        ({"text": "Corvane sank."}, "updated"),
        ({"mentions": (_mention("Corvane sank."),)}, "updated"),
        ({"lang": "de"}, "unchanged"),
    ],
)
def test_what_is_another_version_of_a_page(store: Store, change: dict[str, object], outcome: str) -> None:
    (page,) = add(store, "a.example/1")
    first = _record("Corvane sails.", _mention())
    save_visit(store, _visit(page), first, copies=_COPIES)
    (page,) = due(store)
    assert save_visit(store, _visit(page), replace(first, **change), copies=_COPIES).outcome == outcome  # type: ignore[arg-type]
    (page,) = due(store)
    assert page.version == (2 if outcome == "updated" else 1)
    assert len(list(store.rows("versions"))) == page.version - 1


@pytest.mark.parametrize(("last", "is_copy"), [(100, True), (78, True), (70, False), (0, False)])
def test_a_copy_has_most_of_what_the_other_says(store: Store, last: int, is_copy: bool) -> None:
    first, second = add(store, "a.example/1", "b.example/2")
    save_visit(store, _visit(first), _record(_story(0, 80)), copies=_COPIES)
    text = f"{_story(0, last)} {_story(200, 300 - last)}".strip()
    assert save_visit(store, _visit(second), _record(text), copies=_COPIES).copy is is_copy
    (third,) = [page for page in add(store, "c.example/3") if page.version == 0]
    assert not save_visit(store, _visit(third), _record(text), copies=replace(_COPIES, find=False)).copy


def test_a_copy_is_of_the_original_that_it_is_most_like(store: Store) -> None:
    pages = add(store, *(f"{name}.example/1" for name in "abcd"))
    near = f"{_story(0, 100)} {_story(300, 310)}"
    loose = CopySettings(min_words=10, similarity=1.0)
    save_visit(store, _visit(pages[0]), _record(_story(0, 100)), copies=loose)
    save_visit(store, _visit(pages[1]), _record(_story(8, 100) + " " + _story(300, 340)), copies=loose)
    assert save_visit(store, _visit(pages[2]), _record(near), copies=_COPIES).copy
    assert save_visit(store, _visit(pages[3]), _record(near), copies=_COPIES).copy
    found = {row["url"]: row["copy_of"] for row in store.rows("pages")}
    assert [found[page.url] for page in pages] == [None, None, pages[0].url, pages[0].url]


@pytest.mark.parametrize(("counted", "is_copy"), [(True, False), (False, False), (True, True), (False, True)])
def test_what_a_receiver_learns_of_a_mention(store: Store, counted: bool, is_copy: bool) -> None:
    store.set_sinks(["one"])
    first, second = add(store, "a.example/1", "b.example/2")
    save_visit(store, _visit(first), _record(_story(0, 50), _mention()), copies=_COPIES, announce=True)
    text = _story(0 if is_copy else 100, 50 if is_copy else 150)
    record = _record(text, _mention(counted=counted))
    assert save_visit(store, _visit(second), record, copies=_COPIES, announce=True).copy is is_copy
    (_, (_, event)) = store.undelivered("one", limit=9)
    sent = json.loads(event)
    because = "a list of links" if not counted else "copy" if is_copy else None
    assert (sent["counted"], sent["not_counted_because"]) == (counted and not is_copy, because)
    assert (sent["copy"], sent["start"], sent["stop"], sent["match"]) == (is_copy, 2, 9, "corvane")
    assert (sent["url"], sent["lang"], sent["found_at"]) == (second.url, "en", "2026-01-05T12:00:00Z")
    assert len(sent["id"]) == 24


def test_a_page_with_nothing_new_says_nothing_and_without_receivers_nothing_is_kept(store: Store) -> None:
    store.set_sinks(["one"])
    first, second = add(store, "a.example/1", "b.example/2")
    save_visit(store, _visit(first), _record("Corvane sails.", _mention()), copies=_COPIES)
    save_visit(store, _visit(second), _record("Nothing."), copies=_COPIES, announce=True)
    assert store.undelivered("one", limit=9) == []


def test_a_login_that_many_addresses_lead_to_makes_none_of_them_another(store: Store) -> None:
    first, second, third = add(store, "a.example/1", "a.example/2", "a.example/3")
    there = {"final_url": "https://a.example/login", "canonical_url": "https://a.example/login"}
    wall = _record("Log in.", status="partial")
    for page in (first, second):
        assert save_visit(store, _visit(page, **there), wall, copies=_COPIES).outcome == "new"
    assert save_visit(store, _visit(third, **there), _record("Log in."), copies=_COPIES).outcome == "new"
