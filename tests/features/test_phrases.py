"""Features in words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat import Extractor
from blockfeat.data import demo_pages
from blockfeat.features import Feature, features_named, registered_features
from blockfeat.features.phrases import FORMS, limit, phrase, with_note
from blockfeat.models import bundled_models


def named(name: str) -> Feature:
    return features_named([name])[0]


@pytest.mark.parametrize("feature", registered_features(), ids=lambda feature: feature.name)
def test_every_feature_has_words_for_high_and_low_values(feature: Feature) -> None:
    assert feature.form in FORMS
    assert "" not in (feature.more, feature.less)
    for value, is_high in ((feature.high, True), (feature.low, False)):
        words = phrase(feature, value, is_high=is_high, container="'related'")
        assert words
        assert not set("_{") & set(words)
    assert feature.name not in (feature.more, feature.less)


@pytest.mark.parametrize(
    ("name", "value", "is_high", "expected"),
    [
        ("anchor_ratio", 0.93, True, "9 of 10 words are links"),
        ("anchor_ratio", 1.0, True, "all words are links"),
        ("anchor_ratio", 0.99, True, "9 of 10 words are links"),
        ("anchor_ratio", 0.0, False, "no words are links"),
        ("sentence_count", 1.0, False, "hardly a sentence (1)"),
        ("log_words", 0.6931472, False, "only 1 word"),
        ("around_related", 1.0, True, "in a container named 'more'"),
        ("main_steps", 0.0, False, "inside the main container"),
        ("main_steps", 1.0, False, None),
        ("main_steps", 1.0, True, "outside the main container (1 level)"),
        ("title_cover", 1.3, True, "repeats the title (100 % of its words)"),
    ],
)
def test_a_value_in_words(name: str, value: float, is_high: bool, expected: str | None) -> None:
    assert phrase(named(name), value, is_high=is_high, container="'more'") == expected


def test_a_container_without_a_name_is_not_named() -> None:
    assert phrase(named("around_related"), 1.0, is_high=True) is None


def test_a_limit_says_its_side() -> None:
    assert limit(named("anchor_ratio"), 0.31) == "at most 3 of 10"
    assert limit(named("sentence_count"), 2.0) == "at least 2"
    assert limit(named("sentence_count"), float("-inf")) == "no limit"


@given(value=st.floats(-1e6, 1e6), is_high=st.booleans())
def test_any_value_can_be_written(value: float, is_high: bool) -> None:
    for feature in registered_features():
        phrase(feature, value, is_high=is_high, container="'x'")
        limit(feature, value)


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


def test_a_note_stands_inside_brackets_that_are_there() -> None:
    assert with_note("few stop words (2 %)", "at least 4 %") == "few stop words (2 %, at least 4 %)"
    assert with_note("no words are links", "at least 1 of 10") == "no words are links (at least 1 of 10)"
