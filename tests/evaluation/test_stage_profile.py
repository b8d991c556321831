"""The profile by room: every room is found in the chain, and the chain is left as it was."""

from __future__ import annotations

import logging

import pytest

from blockfeat.errors import InputError
from blockfeat.evaluation.stage_profile import ROOMS, profile_rooms
from blockfeat.extraction.extractor import Extractor
from blockfeat.page import page
from blockfeat.page.page import Page

PAGE = (
    "<html lang=en><title>A walk</title><script>x</script><body><nav><a href=/>Home</a></nav>"
    + "<p>We went up the hill, and when we had come to the top of it we saw the sea.</p>" * 9
)


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load("thresholds")


def test_every_room_is_found_and_takes_time(extractor: Extractor, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        profile = profile_rooms(extractor, [PAGE.encode(), PAGE], passes=2)
    assert not caplog.records
    assert tuple(profile.seconds) == ROOMS
    assert all(seconds >= 0 for seconds in profile.seconds.values())
    assert profile.seconds["cut into blocks"] > 0
    assert profile.seconds["measures of blocks"] > 0
    assert (profile.pages, profile.passes, profile.model) == (2, 2, extractor.model.name)
    assert profile.total == pytest.approx(sum(profile.seconds.values()))


def test_the_chain_is_left_as_it_was(extractor: Extractor) -> None:
    before = (page.decode, vars(Page)["parse"], vars(Page)["title"], vars(type(extractor.model))["predict"])
    profile_rooms(extractor, [PAGE], passes=1)
    with pytest.raises(TypeError):
        profile_rooms(extractor, [PAGE, 7], passes=1)  # type: ignore[list-item]
    assert before == (page.decode, vars(Page)["parse"], vars(Page)["title"], vars(type(extractor.model))["predict"])


def test_table_and_frame(extractor: Extractor) -> None:
    profile = profile_rooms(extractor, [PAGE], passes=1)
    lines = profile.to_markdown().splitlines()
    assert len(lines) == len(ROOMS) + 3
    assert lines[-1].startswith("| all |")
    assert profile.to_frame()["share"].sum() == pytest.approx(1)


def test_without_pages_there_is_nothing_to_profile(extractor: Extractor) -> None:
    with pytest.raises(InputError):
        profile_rooms(extractor, [])
