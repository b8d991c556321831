"""htmldate, the last resort for a date: what happens where it is not installed."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from blockfeat.metadata.visible import place_of
from blockfeat.metadata.visible_dates import day_by_htmldate
from blocks_of import blocks_of

_PAGE = (
    "<h1>The bridge stays</h1><div class='date'>2 May 2024</div><p>The council met in the old hall for a long time.</p>"
)


def test_without_htmldate_there_is_no_date_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = blocks_of(_PAGE)
    place = place_of(blocks, np.ones(len(blocks), dtype=bool), 0)
    assert place is not None
    assert str(day_by_htmldate(blocks, None, place)) == "2024-05-02"
    monkeypatch.setitem(sys.modules, "htmldate", None)
    assert day_by_htmldate(blocks, None, place) is None
