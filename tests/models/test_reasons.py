"""Reasons that a person can read, for every bundled model."""

from __future__ import annotations

import re

import pytest

from blockfeat import Extractor
from blockfeat.data import demo_pages
from blockfeat.features.measuring import registered_features
from blockfeat.features.phrases import with_note
from blockfeat.models import bundled_models

RAW_NAMES = re.compile(r"[a-z]_[a-z]|nan|inf\b|\{|\(\+|\(-|-?\d+\.\d{4,}")
PAGES = list(demo_pages())[:12:3]


@pytest.mark.parametrize("model", bundled_models())
def test_every_block_of_the_demo_pages_has_a_reason_in_words(model: str) -> None:
    extractor = Extractor.load(model)
    for page in PAGES:
        for block in extractor.extract(page.html, url=page.url).blocks:
            verdict, _, words = block.reason.partition(": ")
            assert block.reason.startswith("kept" if block.kept else "dropped")
            assert words or "though" in verdict
            said = re.sub(r"'[^']*'", "", block.reason)
            assert not RAW_NAMES.search(said), said


def test_names_of_features_are_not_phrases() -> None:
    assert all(feature.name not in (feature.more, feature.less) for feature in registered_features())


def test_a_note_stands_inside_brackets_that_are_there() -> None:
    assert with_note("few stop words (2 %)", "at least 4 %") == "few stop words (2 %, at least 4 %)"
    assert with_note("no words are links", "at least 1 of 10") == "no words are links (at least 1 of 10)"
