from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from blockfeat.features.cues import WordCues
from blockfeat.features.text_cues import CUE_WORDS, HEADINGS, TITLE_WORDS, cue_word_counts
from blockfeat.lang.measures import keys_of_words, tokenize
from random_pages import PAGES, context_of, measured_of

_SETTINGS = settings(max_examples=60, deadline=None)


def test_words_of_several_kinds():
    words = {"fruit": ["apple", "pear"], "red": ["apple", "rose"], "none": []}
    cues = WordCues.of({kind: keys_of_words(entries) for kind, entries in words.items()})
    counts = cue_word_counts(measured_of("<p>Apple pear stone</p><p>a rose, an apple").blocks.measures, cues)
    assert {kind: found.tolist() for kind, found in counts.items()} == {"fruit": [2, 1], "red": [1, 2], "none": [0, 0]}


@_SETTINGS
@given(PAGES)
def test_words_of_title_and_block(html: str):
    page = context_of(html)
    columns = dict(zip(TITLE_WORDS, page.columns(TITLE_WORDS).T, strict=True))
    title = set(tokenize("Lantern makers meet"))
    for index, text in enumerate(page.blocks.texts()):
        words = tokenize(text)
        shared = sum(word in title for word in words)
        assert columns["title_share"][index] == pytest.approx(shared / max(len(words), 1))
        assert columns["title_cover"][index] == pytest.approx(shared / (len(title) + 1))
        assert columns["description_share"][index] == columns["description_cover"][index] == 0


@_SETTINGS
@given(PAGES)
def test_headings_and_replies_before(html: str):
    page = context_of(html)
    n, words = len(page.blocks), page.words.tolist()
    names = (*CUE_WORDS, *HEADINGS, "around_heading")
    columns = dict(zip(names, page.columns(names).T, strict=True))
    replies = page.cue_words["reply"].tolist()
    for index in range(n):
        for kind, counts in page.cue_words.items():
            assert columns[f"words_{kind}"][index] == pytest.approx(counts[index] / max(words[index], 1))
        before = sum(replies[other] for other in range(index) if words[other] <= 8)
        assert columns["replies_before"][index] == pytest.approx(np.log1p(before))
        headings = [other for other in range(index + 1) if columns["around_heading"][other] > 0]
        assert columns["since_heading"][index] == (min(index - headings[-1], 40) if headings else 40)
        share = columns["words_reply"][headings[-1]] if headings else 0
        assert columns["heading_reply"][index] == pytest.approx(share)
