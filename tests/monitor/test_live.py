"""What the live page reads, from each kind of store."""

from __future__ import annotations

from datetime import date

import pytest

pytest.importorskip("pydantic", reason="needs the extra web")

from blockfeat.monitor.page import choices, evidence_of, newer, overview, stream
from blockfeat.monitor.reports import Filters, mention_rows
from blockfeat.monitor.store.records import FoundMention, PageRecord, Visit
from blockfeat.monitor.store.store import Store
from stored_pages import NOW, add, save_visit


def _saved(address: str) -> Store:
    """Return a store of two pages with a mention that counts, and one in a menu."""
    store = Store.open(address)
    for page, counted in zip(add(store, "a.example/1", "b.example/2", lang="de"), (True, False), strict=True):
        mention = FoundMention(
            "Corvane", "body" if counted else "clutter", counted, None, 0, 7, "Corvane", "Corvane!", 0, "/p", 1.0
        )
        visit = Visit(page, NOW, None, final_url=page.url, canonical_url=page.url, http_status=200)
        save_visit(store, visit, PageRecord("ok", text="Corvane!", lang="de", kind="article", mentions=(mention,)))
    return store


def test_each_query_of_the_live_page_works(address: str) -> None:
    with _saved(address) as store:
        (article,) = stream(store, Filters()).articles
        assert article.head["url"] == "https://a.example/1"
        assert bool(article.head["counted"])
        every = Filters(
            counted="all", brand=["Corvane"], lang=["de"], kind=["article"], since="2026-01-01", q="CORVANE!"
        )
        assert len(stream(store, every, before=10**9).articles) == 2
        assert [bool(row["counted"]) for row in mention_rows(store, every, newest=5)] == [False, True]
        assert (newer(store, every, 0), newer(store, Filters(counted="no"), 0)) == (2, 1)
        numbers = overview(store, Filters(), today=date(2026, 1, 6))
        assert (numbers.total, numbers.shares("source")) == (1, [("a.example", 1, 0)])
        assert overview(store, Filters(), today=date(2029, 1, 6)).total == 1
        assert choices(store)["place"] == ["body", "clutter"]
        found = evidence_of(store, article.head["page"])
        assert found is not None
        assert [row["brand"] for row in found.mentions] == ["Corvane"]
        assert evidence_of(store, 10**6) is None
