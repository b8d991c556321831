"""Plain text."""

from __future__ import annotations

from blockfeat.output.text import to_text
from extraction_stand_in import block, extraction


def test_blocks_are_joined_and_cleaned() -> None:
    assert to_text(extraction(block("One\x00."), block("no", kept=False), block("T\ud800wo."))) == "One.\n\nT\ufffdwo."


def test_a_page_without_content_gives_nothing() -> None:
    assert to_text(extraction(status="empty")) == ""
