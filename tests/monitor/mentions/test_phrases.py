"""Names by spaCy's tokens."""

from __future__ import annotations

import pytest

from blockfeat.errors import BrandError
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.matcher import PhraseFinder


def test_tokens_without_case() -> None:
    finder = PhraseFinder.of([Brand("Red Bull", {"en": ["RB"], "de": ["Bulle"]})], lang="en")
    hits = finder.find("A red bull, rb and Bulle, but no Red Bulls.")
    assert [(hit.brand, hit.text) for hit in hits] == [("Red Bull", "red bull"), ("Red Bull", "rb")]


def test_shapes() -> None:
    finder = PhraseFinder.of([Brand("Airbus A320")], lang="en", attribute="SHAPE")
    assert [hit.text for hit in finder.find("An Boeing B737 flew.")] == ["Boeing B737"]


def test_unknown_attribute() -> None:
    with pytest.raises(BrandError, match="LOWER, ORTH"):
        PhraseFinder.of([], lang="en", attribute="COLOUR")
