"""Long texts that stand on a page twice are kept once."""

from __future__ import annotations

import numpy as np
import pytest

from blockfeat import Extractor
from blockfeat.extraction.structure import repeats
from blocks_of import blocks_of

TEXT = " ".join(
    f"In the year {year} the mill at Ashford sawed {year * 7} boards, and {year * 3} of them went down the river."
    for year in range(1900, 1912)
)
OTHER = TEXT.replace("mill at Ashford", "quarry near Wye").replace("sawed", "cut").replace("boards", "stones")


def dropped(html: str, kept: list[bool]) -> list[int]:
    return repeats(blocks_of(html), np.array(kept))


def test_the_second_of_two_like_texts_is_dropped() -> None:
    assert dropped(f"<p>{TEXT}</p><p>{OTHER}</p><div>{TEXT}</div>", [True, True, True]) == [2]


def test_a_copy_of_several_paragraphs_in_one_is_dropped() -> None:
    half = len(TEXT) // 2
    half += TEXT[half:].index("In the")
    page = f"<p>{TEXT[:half]}</p><p>{TEXT[half:]}</p><div style='display:none'>{TEXT}</div>"
    assert dropped(page, [True, True, True]) == [2]


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        (f"<p>{TEXT}</p><p>{TEXT}</p>", [False, True]),
        (f"<p>{TEXT}</p><p>{OTHER}</p>", [True, True]),
        ("<p>A refrain.</p><p>A refrain.</p>", [True, True]),
        (f"<pre>{TEXT}</pre><pre>{TEXT}</pre>", [True, True]),
        ("<p>" + "a " * 200 + "</p>", [True]),
    ],
    ids=["only the second is kept", "other words", "short", "code", "once"],
)
def test_others_stay(html: str, kept: list[bool]) -> None:
    assert dropped(html, kept) == []


def test_the_extraction_says_why() -> None:
    page = f"<html><body><article><h1>The mill</h1><p>{TEXT}</p><p>{OTHER}</p><p>{TEXT}</p></article></body></html>"
    found = Extractor.load("default").extract(page)
    assert found.text.count("In the year 1905 the mill") == 1
    assert found.blocks[-1].reason == "dropped: its text stands on the page before"
