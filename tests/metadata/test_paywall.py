from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.json_ld import declared_free


@pytest.mark.parametrize(
    ("value", "is_free"),
    [
        (True, True),
        (False, False),
        ("True", True),
        ("False", False),
        ("http://schema.org/False", False),
        (["false"], False),
        ("perhaps", None),
        (None, None),
    ],
)
def test_what_a_page_declares(value: object, is_free: bool | None):
    for indent in (None, 2):
        script = json.dumps({"@type": "NewsArticle", "isAccessibleForFree": value}, indent=indent).encode()
        assert declared_free([b"{}", script]) is is_free


def test_a_part_for_subscribers_makes_a_page_not_free():
    part = {"@type": "WebPageElement", "isAccessibleForFree": False}
    assert declared_free([json.dumps({"isAccessibleForFree": True, "hasPart": part}).encode()]) is False
    assert declared_free([]) is None


@given(st.lists(st.binary(max_size=60)))
def test_any_bytes_are_read(scripts: list[bytes]):
    declared_free([b"isAccessibleForFree".join(scripts), *scripts])
