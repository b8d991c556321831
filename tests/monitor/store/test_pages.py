"""What becomes of a page in the store: another address of a known one, its canonical address."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from datetime import datetime

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from blockfeat.monitor.config import CopySettings
from blockfeat.monitor.store.records import DuePage, PageRecord, Saved, Visit
from blockfeat.monitor.store.store import Store
from stored_pages import NOW, add, save_visit

_STORY = " ".join(f"On day {n} the keeper counted {n * 7 % 31} ships." for n in range(40))
_FRONT = "https://a.example/front"


def _save(store: Store, page: DuePage, text: str = "", **values: object) -> Saved:
    visit = Visit(page, NOW, NOW, final_url=page.url, canonical_url=page.url, http_status=200)
    record = replace(PageRecord("ok", text=text), **values)  # type: ignore[arg-type]
    return save_visit(store, visit, record, copies=CopySettings())


def _other(number: int) -> str:
    """Return a text that shares no passage with those of other numbers."""
    return " ".join(f"Baker {number} sold {n * number} loaves at {n + 7} pence to {n} people." for n in range(40))


def _column(store: Store, name: str) -> dict[str, object]:
    with store.engine.connect() as connection:
        found = connection.exec_driver_sql(f"SELECT url, {name} FROM page").all()
    return {url.rpartition("/")[2]: value for url, value in found}


def test_pages_that_call_themselves_the_same_and_say_the_same_are_one(store: Store) -> None:
    first, second = add(store, "a.example/1", "a.example/2")
    assert _save(store, first, _STORY, canonical_url=_FRONT).outcome == "new"
    assert _save(store, second, _STORY, canonical_url=_FRONT).outcome == "same"
    assert _column(store, "same_as") == {"1": None, "2": first.id}
    assert _column(store, "canonical_url") == {"1": _FRONT, "2": _FRONT}


def test_a_page_is_no_other_of_the_same_words_with_another_name(store: Store) -> None:
    first, second, third = add(store, "a.example/1", "a.example/2", "a.example/3")
    assert _save(store, first, _STORY).outcome == "new"
    assert _save(store, second, "Nothing of ships.", canonical_url=_FRONT).outcome == "new"
    assert _save(store, third, _STORY, canonical_url=_FRONT).outcome == "new"


def test_a_name_that_another_page_has_is_taken(store: Store) -> None:
    first, second, third = add(store, "a.example/1", "a.example/2", "a.example/3")
    _save(store, first, "One.", canonical_url=_FRONT)
    _save(store, second, "Two.", canonical_url=_FRONT)
    assert _column(store, "canonical_url") == {"1": _FRONT, "2": second.url, "3": None}
    # Its name is the address of another, which calls itself something else: nobody has it.
    _save(store, third, "Three.", canonical_url=first.url)
    assert _column(store, "canonical_url")["3"] == first.url


def test_what_could_not_be_fetched_and_then_not_read_is_new(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    save_visit(store, Visit(page, NOW, None, error="no answer"))
    assert _save(store, page, status="error", error="no HTML").outcome == "new"
    assert _column(store, "version") == {"1": 1}


@pytest.mark.parametrize(
    ("origin", "status", "is_kept"), [("page", "ok", False), ("page", "partial", True), ("feed", "ok", True)]
)
def test_the_text_of_a_feed_is_kept_until_the_page_itself_is_read(
    store: Store, origin: str, status: str, is_kept: bool
) -> None:
    (page,) = add(store, "a.example/1", title="A title", text="<p>Said by the feed.")
    _save(store, page, _STORY, origin=origin, status=status)
    assert (store.entry_text(page) is not None) is is_kept


def test_the_last_host_that_was_looked_at_is_where_to_go_on(store: Store) -> None:
    add(store, *(f"{host}.example/1" for host in "abcde"))
    assert store.due_hosts(now=NOW, limit=3) == (["a.example", "b.example", "c.example"], "c.example")
    assert store.due_hosts(now=NOW, after="c.example", limit=3) == (["d.example", "e.example"], None)


@pytest.mark.parametrize(
    ("final_url", "canonical_url"),
    [
        ("https://a.example/long?s=2", "https://a.example/long"),
        ("https://a.example/long?s=1", "https://s.example/x"),
    ],
    ids=["canonical", "final"],
)
@pytest.mark.parametrize("own_name", [None, "https://a.example/front"])
def test_a_page_is_known_at_the_address_that_it_leads_to(
    store: Store, final_url: str, canonical_url: str, own_name: str | None
) -> None:
    first, second = add(store, "a.example/long", "s.example/x")
    ask = Visit(first, NOW, NOW, final_url="https://a.example/long?s=1", canonical_url=first.url, http_status=200)
    save_visit(store, ask, PageRecord("ok", text=_STORY), copies=CopySettings())
    there = replace(ask, page=second, final_url=final_url, canonical_url=canonical_url)
    record = PageRecord("ok", text=_STORY, canonical_url=own_name)
    assert save_visit(store, there, record, copies=CopySettings()).outcome == "same"
    assert _column(store, "same_as") == {"long": None, "x": first.id}


@pytest.mark.parametrize(("words", "outcome"), [(300, "same"), (150, "new")])
def test_pages_that_call_themselves_the_same_may_differ_in_some_words(store: Store, words: int, outcome: str) -> None:
    first, second = add(store, "a.example/1", "a.example/2")
    _save(store, first, _STORY, canonical_url=_FRONT)
    some = " ".join(_STORY.split()[:words])
    assert _save(store, second, f"{some} {_other(1)[: 9 * (320 - words)]}", canonical_url=_FRONT).outcome == outcome


def test_a_copy_is_found_among_many_pages(store: Store) -> None:
    *others, original, copy = add(store, *(f"{name}.example/{name}" for name in "abcdefghijklmnop"))
    for number, page in enumerate(others, start=1):
        assert not _save(store, page, _other(number)).copy
    assert not _save(store, original, _STORY).copy
    assert _save(store, copy, f"From the agency. {_STORY}").copy
    assert _column(store, "copy_of")["p"] == original.id


@pytest.mark.parametrize(
    ("of_feed", "of_page", "expected"),
    [
        (None, "2026-01-03", "2026-01-03"),
        ("2026-01-02T10:00:00Z", "2026-01-03", "2026-01-02"),
        ("2026-01-02T10:00:00Z", None, "2026-01-02"),
        # The day on which it was fetched.
        (None, "yesterday", "2026-01-05"),
    ],
)
def test_the_feed_says_when_a_page_was_published_else_the_page(
    store: Store, of_feed: str | None, of_page: str | None, expected: str
) -> None:
    published = None if of_feed is None else datetime.fromisoformat(of_feed)
    (page,) = add(store, "a.example/1", published=published)
    _save(store, page, _STORY, published=of_page)
    assert [row["day"] for row in store.rows("pages")] == [expected]


def test_what_is_kept_of_a_page_is_there(store: Store) -> None:
    first, second = add(store, "a.example/1", "a.example/2")
    blocks = [{"text": "Corvane sails."}]
    _save(store, first, _STORY, evidence=zlib.compress(json.dumps(blocks).encode()), metadata={"authors": ["Zoë"]})
    assert store.evidence(first.url) == blocks
    assert '"Zoë"' in str(_column(store, "metadata")["1"])
    _save(store, second, _other(1))
    assert _column(store, "evidence")["2"] is None
