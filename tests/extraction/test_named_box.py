"""Doubtful pages keep what stands in the box that they name as their article."""

from __future__ import annotations

import numpy as np
import pytest

from blockfeat import Extractor
from blockfeat.extraction.rules import in_named_box, is_doubtful
from blocks_of import blocks_of

SENTENCE = "The ferry to the island was late, and the people on the pier began to sing, as they do when it rains."
BODY = f"<p>{SENTENCE}</p>" * 4
AROUND = f"<p>{SENTENCE}</p>"


def kept(page: str, *, likely: list[bool] | None = None, url: str | None = None) -> list[bool]:
    blocks = blocks_of(page)
    everything = np.ones(len(blocks), dtype=np.bool_)
    found = in_named_box(blocks, everything, everything if likely is None else np.array(likely), url)
    assert found.shape == everything.shape
    return [bool(each) for each in found]


@pytest.mark.parametrize(
    "box",
    [
        "div class='article-body x'",
        "div id=post_content",
        "section class=EntryText",
        "div itemprop=articleBody",
        "article",
        "main",
        "div role=main",
    ],
)
def test_only_what_stands_in_the_box_is_kept(box: str) -> None:
    name = box.split()[0]
    assert kept(f"{AROUND}<{box}>{BODY}</{name}>{AROUND}") == [False, *[True] * 4, False]


def test_the_clearest_name_counts_and_of_boxes_in_one_another_the_outermost() -> None:
    inner = f"<div class=post-body>{BODY}</div>"
    assert kept(f"<main>{AROUND}<article>{AROUND}{inner}</article></main>") == [False, False, *[True] * 4]
    assert kept(f"{AROUND}<article>{AROUND}<article>{BODY}</article></article>") == [False, *[True] * 5]


@pytest.mark.parametrize(
    "page",
    [
        f"{AROUND}<div>{BODY}</div>{AROUND}",
        f"<article>{BODY}</article><article>{BODY}</article>{AROUND}",
        f"<article><p>The pier</p></article>{BODY}",
    ],
)
def test_without_one_box_of_most_words_all_is_kept(page: str) -> None:
    assert all(kept(page))


def test_forums_keep_all_answers() -> None:
    page = f"{AROUND}<article>{BODY}</article>"
    assert all(kept(page, url="https://example.org/forum/viewtopic?t=9"))
    assert all(kept(page, url="https://forum.example.org/9"))
    assert not all(kept(page, url="https://example.org/9"))


def test_boxes_that_hold_little_of_what_is_likely_are_none() -> None:
    page = f"<article>{AROUND}</article>{BODY}"
    assert all(kept(page))
    assert kept(page, likely=[True, False, False, False, False]) == [True, False, False, False, False]


def test_pages_are_doubtful_where_what_is_kept_is_unlikely() -> None:
    words, everything = np.array([100, 100]), np.array([True, True])
    assert not is_doubtful(np.array([5.0, 5.0]), everything, words)
    assert is_doubtful(np.array([5.0, -1.0]), everything, words)
    assert is_doubtful(np.array([5.0, 5.0]), np.array([True, False]), words)
    assert not is_doubtful(np.array([5.0, -5.0]), np.array([True, False]), words)
    assert not is_doubtful(np.zeros(0), np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.int64))


def test_a_block_outside_says_why() -> None:
    html = f"<article>{'<p>Ferries and piers, crews, boats</p>' * 12}</article>{'<p>A pier of old</p>' * 9}"
    for favour in (None, "recall"):
        found = Extractor.load("default").with_options(favour=favour).extract(html)
        reasons = [block.reason for block in found.blocks if "outside of the box" in block.reason]
        assert all(reason.startswith("dropped") for reason in reasons)
        assert favour is None or not reasons
