"""Stop-word ratios by block: against counting by hand and by a loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang.index import StopWordIndex, stop_word_ratios
from blockfeat.lang.measures import tokenize
from blockfeat.lang.stopwords import density, stop_word_lists
from blocks_of import blocks_of

LANGUAGES = ("en", "de", "zh")
INDEX = StopWordIndex.build(LANGUAGES)
LISTS = stop_word_lists(LANGUAGES)
WORDS = st.sampled_from(["the", "and", "house", "und", "der", "Haus", "war", "was", "river", ",", "|", "i"])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), max_size=5)


def test_by_hand() -> None:
    blocks = blocks_of("<p>The cat and the dog</p><p>Der Hund</p><p>Kiosk 24</p>")
    ratios = stop_word_ratios(blocks.measures, INDEX, ("en", "de"))
    assert ratios.languages == ("en", "de")
    assert ratios.language[:2].tolist() == [0, 1]
    assert ratios.ratio.tolist() == [0.6, 0.5, 0.0]
    assert ratios.normalised.tolist() == pytest.approx([0.6 / density("en"), 0.5 / density("de"), 0.0])


@given(TEXTS)
def test_one_and_two_languages_equal_a_loop(texts: list[str]) -> None:
    blocks = blocks_of("".join(f"<p>{text}</p>" for text in texts))
    words = [tokenize(text) for text in blocks.texts()]
    shares = {
        lang: [sum(word in LISTS[lang] for word in own) / max(1, len(own)) for own in words] for lang in ("en", "de")
    }
    for lang, expected in shares.items():
        alone = stop_word_ratios(blocks.measures, INDEX, (lang,))
        assert alone.ratio.tolist() == pytest.approx(expected)
        assert alone.language.tolist() == [0] * len(words)
    both = stop_word_ratios(blocks.measures, INDEX, ("de", "en"))
    assert both.ratio.tolist() == pytest.approx(np.maximum(shares["en"], shares["de"]).tolist())
    chosen = [("de", "en")[place] for place in both.language.tolist()]
    expected = [share / density(lang) for share, lang in zip(both.ratio.tolist(), chosen, strict=True)]
    assert both.normalised.tolist() == pytest.approx(expected)


def test_chinese_counts_covered_characters() -> None:
    text = "我们的书在桌子上。"
    blocks = blocks_of(f"<p>{text}</p><p>苹果</p><p>library</p>")
    covered = set()
    for entry in LISTS["zh"]:
        for start in range(len(text)):
            if text.startswith(entry, start):
                covered |= set(range(start, start + len(entry)))
    assert covered
    ratios = stop_word_ratios(blocks.measures, INDEX, ("zh",))
    assert ratios.ratio.tolist() == pytest.approx([len(covered) / 8, 0.0, 0.0])
    mixed = stop_word_ratios(blocks.measures, INDEX, LANGUAGES)
    assert LANGUAGES[mixed.language[0]] == "zh"


def test_ratios_lie_between_0_and_1_in_every_language() -> None:
    index = StopWordIndex.build()
    blocks = blocks_of("<p>The cat and the dog of 我们 ก็ この</p><p>de la que y en</p><p>...</p>")
    ratios = stop_word_ratios(blocks.measures, index)
    assert ratios.languages == index.languages
    assert ((ratios.ratio >= 0) & (ratios.ratio <= 1)).all()
    assert ratios.ratio[2] == 0


def test_languages_are_those_asked_for_in_their_order() -> None:
    blocks = blocks_of("<p>und die</p>")
    assert stop_word_ratios(blocks.measures, INDEX, ("de",)).languages == ("de",)
    assert stop_word_ratios(blocks.measures, INDEX, ("zh", "de")).language.tolist() == [1]


@pytest.mark.parametrize("languages", [None, ("en",), ("en", "de")])
def test_no_blocks(languages: tuple[str, ...] | None) -> None:
    ratios = stop_word_ratios(blocks_of("").measures, INDEX, languages)
    assert (ratios.ratio.size, ratios.normalised.size, ratios.language.size) == (0, 0, 0)
