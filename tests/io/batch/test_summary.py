"""Summaries of batches."""

from __future__ import annotations

import pytest

from blockfeat.io.batch.summary import Tally, reason_of
from blockfeat.io.outputs.rendering import Rendered


def test_outcomes_are_counted_by_status_and_reason() -> None:
    tally = Tally(earlier=7)
    for number in range(3):
        tally.add(Rendered(f"p{number}", "", None))
    tally.add(Rendered("n", "", None, status="no content"))
    tally.add(Rendered("f.jsonl:3", "", "f.jsonl:3: not JSON: Expecting value at column 1"))
    tally.add(Rendered("f.jsonl:9", "", "f.jsonl:9: not JSON: Extra data at column 8"))
    summary = tally.summary()
    assert summary.startswith("6 pages: 3 ok, 1 no content, 2 failed (not JSON: 2), 7 done earlier; ")
    assert summary.endswith("pages a second")


def test_many_reasons_are_cut() -> None:
    tally = Tally()
    for number in range(20):
        tally.add(Rendered("p", "", "p: reason " + "x" * number))
    assert "other reasons: 14" in tally.summary()


def test_a_run_with_nothing_left_says_so() -> None:
    assert Tally(earlier=1200).summary() == "nothing left to do: 1,200 pages done earlier"


@pytest.mark.parametrize(
    ("name", "error", "reason"),
    [
        ("a.html", "a.html: no such file or folder", "no such file or folder"),
        ("urn:x", "a.warc:17: body cannot be read: truncated after 3 of 9 bytes", "body cannot be read"),
        ("f.gz", "f.gz: damaged after line 8: CRC check failed", "damaged"),
        (
            "https://a.example/x",
            "https://a.example/x: the server answered 404 Not Found",
            "the server answered 404 Not Found",
        ),
        (
            "http://h.example/",
            "http://h.example/: no public address for host h.example; --allow-network CIDR allows others",
            "no public address",
        ),
        ("p", "it took longer than 5 s", "it took longer than 5 s"),
        ("p", "", "no reason given"),
    ],
)
def test_reasons_are_without_names_and_details(name: str, error: str, reason: str) -> None:
    assert reason_of(name, error) == reason
