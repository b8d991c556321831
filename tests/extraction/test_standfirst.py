"""A standfirst that the model drops is kept where the page describes itself with it."""

from __future__ import annotations

import numpy as np
import pytest

from blockfeat import Extractor
from blockfeat.extraction.rules import lost_standfirst
from blocks_of import blocks_of

STANDFIRST = "The ferry to the northern islands leaves an hour later from Monday on, and the harbour master says why"
SENTENCE = "The ferry to the island was late, and the people on the pier began to sing, as they do when it rains."
OTHER = "Nobody in the harbour had asked for the change, which costs the company a crew and two boats a year."


def found(before: str, *, kept: tuple[bool, ...], descriptions: str = STANDFIRST, odds: float = 0.0) -> int | None:
    blocks = blocks_of(f"{before}<p>{SENTENCE}</p><p>{OTHER}</p>")
    return lost_standfirst(blocks, np.array(kept), np.full(len(blocks), odds), descriptions)


@pytest.mark.parametrize("description", [STANDFIRST, f"{STANDFIRST[:80]} …", f"A pier.\n{STANDFIRST.upper()}"])
def test_a_dropped_block_that_is_the_description_is_found(description: str) -> None:
    assert found(f"<p>{STANDFIRST}.</p>", kept=(False, True, True), descriptions=description) == 0


def test_what_is_kept_unlike_or_sure_to_be_none_is_not() -> None:
    before = f"<p>{STANDFIRST}.</p>"
    assert found(before, kept=(True, True, True)) is None
    assert found(before, kept=(False, False, False)) is None
    assert found(before, kept=(False, True, True), descriptions="The ferry is late") is None
    assert found(before, kept=(False, True, True), descriptions="") is None
    assert found(before, kept=(False, True, True), odds=-4.0) is None


def test_links_captions_and_blocks_behind_the_begin_are_not() -> None:
    assert found(f"<p><a href=/1>{STANDFIRST}</a></p>", kept=(False, True, True)) is None
    assert found(f"<figure><figcaption>{STANDFIRST}</figcaption></figure>", kept=(False, True, True)) is None
    assert found("", kept=(True, False), descriptions=OTHER) is None


def test_a_block_far_above_is_not() -> None:
    short = "<p>A pier</p>" * 14
    assert found(f"<p>{STANDFIRST}</p>{short}", kept=(*[False] * 15, True, True)) is None


def test_the_text_the_lead_and_the_reason_have_it() -> None:
    body = "".join(f"<p>{SENTENCE} {OTHER} {number}.</p>" for number in range(6))
    menu = "".join(f"<li><a href=/{number}>Ferries {number}</a></li>" for number in range(20))
    page = (
        f'<html lang=en><head><title>The ferry</title><meta property="og:description" content="{STANDFIRST}"></head>'
        f"<body><ul>{menu}</ul><div class='box'><p>{STANDFIRST}</p></div><h1>The ferry</h1>"
        f"<article>{body}</article></body></html>"
    )
    with_it = Extractor.load("default").extract(page)
    without = Extractor.load("default").extract(page.replace("og:description", "og:other"))
    assert STANDFIRST in with_it.text
    assert STANDFIRST not in without.text
    (block,) = (block for block in with_it.blocks if block.text == STANDFIRST)
    assert "describes itself" in block.reason
