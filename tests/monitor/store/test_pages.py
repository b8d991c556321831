"""What becomes of a page in the store: another address of a known one, its canonical address."""

import json
import zlib
from datetime import datetime

import pytest

from blockfeat.monitor.page import blocks_of
from blockfeat.monitor.store.store import Store
from stored_pages import add, column, other_story, record, save, story

_STORY = story()
_FRONT = "https://a.example/front"


def _column(store: Store, name: str) -> dict[str, object]:
    return {url.rpartition("/")[2]: value for url, value in column(store, "page", "url", name)}


def test_pages_that_call_themselves_the_same_and_say_the_same_are_one(store: Store) -> None:
    first, second = add(store, "a.example/1", "a.example/2")
    outcomes = [save(store, page, record(_STORY, canonical_url=_FRONT)).outcome for page in (first, second)]
    assert (outcomes, _column(store, "same_as")) == (["new", "same"], {"1": None, "2": first.id})
    assert _column(store, "canonical_url") == {"1": _FRONT, "2": _FRONT}


def test_a_page_is_no_other_of_the_same_words_with_another_name(store: Store) -> None:
    pages = (_STORY, None), ("Nothing of ships.", _FRONT), (_STORY, _FRONT)
    for number, (words, name) in enumerate(pages):
        assert save(store, f"a.example/{number}", record(words, canonical_url=name)).outcome == "new"


def test_a_name_that_another_page_has_is_taken(store: Store) -> None:
    first, second, third = add(store, "a.example/1", "a.example/2", "a.example/3")
    save(store, first, record("One.", canonical_url=_FRONT))
    save(store, second, "Two.")
    assert _column(store, "canonical_url") == {"1": _FRONT, "2": second.url, "3": None}
    # Its name is the address of another, which calls itself something else: nobody has it.
    save(store, third, record("Three.", canonical_url=first.url))
    assert _column(store, "canonical_url")["3"] == first.url


def test_what_could_not_be_fetched_and_then_not_read_is_new(store: Store) -> None:
    (page,) = add(store, "a.example/1")
    save(store, page, error="no answer")
    assert save(store, page, record("", status="error", error="no HTML")).outcome == "new"
    assert _column(store, "version") == {"1": 1}


@pytest.mark.parametrize(
    ("origin", "status", "kept"), [("page", "ok", False), ("page", "partial", 1), ("feed", "ok", 1)]
)
def test_the_text_of_a_feed_is_kept_until_the_page_is_read(store: Store, origin: str, status: str, kept: bool) -> None:
    (page,) = add(store, "a.example/1", title="A title", text="<p>Said by the feed.")
    save(store, page, record(_STORY, origin=origin, status=status))
    assert (store.entry_text(page) is not None) == kept


@pytest.mark.parametrize(
    ("final_url", "canonical_url"),
    [("https://a.example/long?s=2", "https://a.example/long"), ("https://a.example/long?s=1", "https://s.example/x")],
    ids=["canonical", "final"],
)
@pytest.mark.parametrize("name", [None, "https://a.example/front"])
def test_a_page_is_known_where_it_leads_to(store: Store, final_url: str, canonical_url: str, name: str | None) -> None:
    first, second = add(store, "a.example/long", "s.example/x")
    save(store, first, _STORY, final_url="https://a.example/long?s=1")
    read = record(_STORY, canonical_url=name)
    assert save(store, second, read, final_url=final_url, canonical_url=canonical_url).outcome == "same"
    assert _column(store, "same_as") == {"long": None, "x": first.id}


@pytest.mark.parametrize(("words", "outcome"), [(300, "same"), (150, "new")])
def test_pages_that_call_themselves_the_same_may_differ_in_some_words(store: Store, words: int, outcome: str) -> None:
    whole = story(0, 32)
    some = f"{' '.join(whole.split()[:words])} {other_story()[: 9 * (320 - words)]}"
    save(store, "a.example/1", record(whole, canonical_url=_FRONT))
    assert save(store, "a.example/2", record(some, canonical_url=_FRONT)).outcome == outcome


def test_a_copy_is_found_among_many_pages(store: Store) -> None:
    *others, original, copy = add(store, *(f"{name}.example/{name}" for name in "abcdefghijklmnop"))
    for number, page in enumerate(others, start=1):
        assert not save(store, page, other_story(number)).copy
    assert not save(store, original, _STORY).copy
    assert save(store, copy, f"From the agency. {_STORY}").copy
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
def test_the_feed_dates_a_page_else_the_page(
    store: Store, of_feed: str | None, of_page: str | None, expected: str
) -> None:
    (page,) = add(store, "a.example/1", published=datetime.fromisoformat(of_feed) if of_feed else None)
    save(store, page, record(_STORY, published=of_page))
    assert column(store, "pages", "day") == [expected]


def test_what_is_kept_of_a_page_is_there(store: Store) -> None:
    blocks = [{"index": 0, "text": "Corvane sails.", "words": 2, "xpath": "/"}]
    evidence = zlib.compress(json.dumps(blocks).encode())
    save(store, "a.example/1", record(_STORY, evidence=evidence, metadata={"authors": ["Zoë"]}))
    (found,) = blocks_of(store, "https://a.example/1")
    assert (found["text"], found["kept"], found["role"]) == ("Corvane sails.", True, "body")
    assert '"Zoë"' in str(_column(store, "metadata")["1"])
    save(store, "a.example/2", other_story())
    assert _column(store, "evidence")["2"] is None
