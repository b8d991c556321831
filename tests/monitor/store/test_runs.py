"""Runs, what is tried again and what is forgotten: to the second and to the last page."""

from datetime import date
from zoneinfo import ZoneInfo

from blockfeat.monitor.config import Source
from blockfeat.monitor.mentions.queries import Query
from blockfeat.monitor.store.records import Poll
from blockfeat.monitor.store.runs import StoreStatus
from blockfeat.monitor.store.store import Store
from stored_pages import NOW, add, column, due, execute, mention, record, save, save_visit, story, visit

_DAY = 86_400.0


def test_an_empty_store_has_nothing_of_anything(store: Store) -> None:
    found = store.status(now=NOW)
    sizes = {"store_bytes": found.store_bytes, "free_bytes": found.free_bytes}
    assert found == StoreStatus(trouble="no round has been run", **sizes)
    assert (found.store_bytes > 0, store.collecting_since()) == (True, None)


def test_a_page_is_due_from_its_moment_on(store: Store) -> None:
    page, _ = add(store, "a.example/1", "a.example/2")
    save_visit(store, visit(page, due_at=NOW + 60, tried=True, error="x", http_status=500))
    counts = [store.status(now=NOW + wait) for wait in (-1, 0, 59, 60)]
    assert [(each.due, each.later, each.retried) for each in counts] == [(0, 2, 1), (1, 1, 1), (1, 1, 1), (2, 0, 0)]
    assert counts[0].failed_pages == ()
    execute(store, "UPDATE page SET status = 'error' WHERE id = :number", number=page.id)
    assert [failed["url"] for failed in store.status(now=NOW).failed_pages] == [page.url]


def test_pages_are_collected_since_the_day_of_the_first_one_in_the_zone(store: Store) -> None:
    add(store, "a.example/1")
    assert store.collecting_since() == date(2026, 1, 5)
    store.set_timezone(ZoneInfo("Pacific/Auckland"))
    assert store.collecting_since() == date(2026, 1, 6)


def test_copies_are_counted(store: Store) -> None:
    for name, words in (("a.example/1", story()), ("b.example/2", story()), ("c.example/3", story(0, 38))):
        save(store, name, f"{words}{' And more of it.' * (name[0] == 'c')}", mention())
    assert store.status(now=NOW).copies == 2


def test_feeds_and_hosts_that_fail_are_told_until_they_do_not(store: Store) -> None:
    store.add_sources([Source(f"https://{number}.example/feed") for number in range(14)], [], now=NOW)
    for feed in store.due_feeds(now=NOW, limit=20):
        number = int(feed.url[8:].partition(".")[0])
        answer = Poll(at=NOW + number, due_at=NOW + 9e6, error=None if number == 13 else "x")
        store.save_poll(feed, answer)
    kept = [Source(f"https://{number}.example/feed") for number in range(1, 14)]
    store.add_sources(kept, [], now=NOW)
    values = ", ".join(f"('{number}.example', {NOW + number})" for number in range(12))
    execute(store, f"INSERT INTO host (name, retry_at) VALUES {values}")
    status = store.status(now=NOW)
    assert [feed["url"][8:-13] for feed in status.failing_feeds] == [*map(str, range(1, 11))]
    assert (status.feed_count, status.retired) == (14, 1)
    assert list(status.waiting_hosts) == [f"{number}.example" for number in range(1, 11)]
    assert len(store.status(now=NOW, limit=3).failing_feeds) == 3


def test_a_week_of_runs_is_kept_and_the_last_ones_shown(store: Store) -> None:
    first = store.begin_run(now=NOW, process="x")
    values = (f"({first - back}, '2026-01-01T00:00:00Z', 'x')" for back in (11_000, 10_999, 10_998))
    execute(store, f"INSERT INTO run (id, started_at, process) VALUES {', '.join(values)}")
    assert store.begin_run(now=NOW, process="x") == first + 1
    assert sorted(column(store, "run", "id")) == [first - 10_998, first, first + 1]
    numbers = [store.begin_run(now=NOW, process="x") for _ in range(12)]
    assert [run["id"] for run in store.status(now=NOW).runs] == numbers[:1:-1]


def test_which_answers_may_pass(store: Store) -> None:
    statuses = (*range(398, 432), 498, 499, 500, 501)
    pages = add(store, *(f"h{status}.example/" for status in statuses))
    execute(store, "UPDATE page SET status = 'error', due_at = NULL, error = url || ': no'")
    for status in statuses:
        execute(store, f"UPDATE page SET http_status = {status} WHERE host = 'h{status}.example'")
    execute(store, "UPDATE page SET due_at = :now WHERE host = 'h501.example'", now=NOW + 9)
    assert len(pages) == len(statuses)
    passing = {401, 402, 403, 404, 408, 425, 429, 500}
    assert store.retry(now=NOW + 9, is_any=True) == {"no": len(passing)}
    assert {page.host for page in due(store, at=NOW + 9)} == {f"h{status}.example" for status in passing | {501}}


def test_what_is_purged_unread_was_in_no_index(store: Store) -> None:
    add(store, "a.example/unread")
    save(store, "b.example/read", story(), mention())
    assert store.purge(host="a.example") == 1
    assert [row["url"] for row in store.articles(Query.parse("keeper"), limit=9)] == ["https://b.example/read"]
    # A page is known by other addresses too.
    page = next(page for page in add(store, "c.example/3") if page.host == "c.example")
    save(store, page, record("Other words.", canonical_url="https://c.example/c"), final_url="https://c.example/f")
    assert [store.purge(url=f"https://c.example/{name}") for name in "gcf"] == [0, 1, 0]


def test_nothing_points_to_what_is_purged_and_no_word_of_it_is_found(store: Store) -> None:
    save(store, "a.example/1", story(), mention())
    save(store, "b.example/2", f"From the agency. {story()}", mention())
    execute(store, "UPDATE page SET same_as = copy_of, story = copy_of WHERE host = 'b.example'")
    assert (store.purge(host="a.example"), column(store, "versions", "text")) == (1, [])
    left = "SELECT copy_of, same_as, story, version FROM page ORDER BY host"
    assert [tuple(row.values()) for row in store.query(left)] == [(None, None, None, 0), (None, None, None, 1)]
    if store.engine.dialect.name == "sqlite":
        assert store.query("SELECT count(*) AS n FROM article_words_docsize") == [{"n": 1}]


def test_what_is_as_old_as_is_kept_is_kept(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    for number, words in enumerate(("Corvane sails at nine.", "Corvane sank at ten.")):
        save(store, page, words, mention(words), version=number, at=NOW + number)
    execute(store, "UPDATE page SET evidence = :evidence", evidence=b"x")

    def forget(now: float, **after: float) -> tuple[int, int, int]:
        return store.forget_old(now=now, **dict.fromkeys(("pages", "evidence", "versions")) | after)

    for kind, moment in (("versions", NOW + 1), ("evidence", NOW), ("pages", NOW)):
        assert forget(moment + _DAY, **{kind: _DAY}) == (0, 0, 0)
        expected = tuple(int(kind == each) for each in ("pages", "evidence", "versions"))
        assert forget(moment + _DAY + 1, **{kind: _DAY}) == expected
