import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.features.cues import WORD_KINDS, WordCues
from blockfeat.features.keys import DESCRIPTION, TITLE, KeyTable, WordFlags
from blockfeat.lang.measures import keys_of_words, tokenize
from property_examples import examples
from random_pages import PAGES, context_of, measured_of

KEYS = st.one_of(st.integers(0, 40), st.integers(0, 2**64 - 1), st.integers(2**64 - 40, 2**64 - 1))


@given(st.sets(KEYS, max_size=60), st.lists(KEYS, max_size=60))
def test_each_key_is_found_at_its_place_and_no_other(known: set[int], wanted: list[int]):
    keys = sorted(known)
    wanted = [*wanted, *keys]
    places = KeyTable.of(np.array(keys, dtype=np.uint64)).places(np.array(wanted, dtype=np.uint64))
    assert places.tolist() == [keys.index(key) if key in known else -1 for key in wanted]


def test_many_keys_with_the_same_highest_bits():
    keys = np.arange(100_000, dtype=np.uint64)
    assert (KeyTable.of(keys).places(keys) == np.arange(100_000)).all()


@given(st.lists(st.lists(KEYS, max_size=20), min_size=1, max_size=4))
def test_words_have_all_of_their_kinds(kinds: list[list[int]]):
    made = WordCues.of({str(bit): np.array(keys, dtype=np.uint64) for bit, keys in enumerate(kinds)})
    expected = {key: sum(1 << bit for bit, keys in enumerate(kinds) if key in keys) for own in kinds for key in own}
    assert dict(zip(made.table.keys.tolist(), made.bits.tolist(), strict=True)) == expected
    assert made.table.places(made.table.keys).tolist() == list(range(len(expected)))


CUE_WORDS = ("words_promotion", "words_credit", "words_related", "words_reply", "replies_before")
HEADINGS = ("since_heading", "heading_reply")
TITLE_WORDS = ("title_share", "title_cover", "description_share", "description_cover")
_SETTINGS = examples(60)


def test_words_of_several_kinds():
    words = {"fruit": ["apple", "pear"], "red": ["apple", "rose"], "none": []}
    cues = WordCues.of({kind: keys_of_words(entries) for kind, entries in words.items()})
    keys = measured_of("<p>Apple pear stone</p><p>a rose, an apple").blocks.measures.token_keys
    title = keys_of_words(["stone", "pear", "an", "pear"])
    for spread in (1, 2**64 - 1):
        found = WordFlags.of(keys, cues, title=title, title_words=2, spread=spread)
        fruit, red = 1, 2
        expected = [fruit | red, fruit | TITLE | DESCRIPTION, TITLE, 0, red, DESCRIPTION, fruit | red]
        assert (found.flags.tolist(), (found.in_title, found.in_descriptions)) == (expected, (2, 2))


@_SETTINGS
@given(PAGES)
def test_words_of_title_and_block(html: str):
    page = context_of(html)
    columns = page.columns_by_name(TITLE_WORDS)
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
    columns = page.columns_by_name((*CUE_WORDS, *HEADINGS, "around_heading"))
    replies = page.cue_words("reply")
    for index in range(n):
        for kind in WORD_KINDS:
            share = page.cue_words(kind)[index] / max(words[index], 1)
            assert columns[f"words_{kind}"][index] == pytest.approx(share)
        before = sum(replies[other] for other in range(index) if words[other] <= 8)
        assert columns["replies_before"][index] == pytest.approx(np.log1p(before))
        headings = [other for other in range(index + 1) if columns["around_heading"][other] > 0]
        assert columns["since_heading"][index] == (min(index - headings[-1], 40) if headings else 40)
        share = columns["words_reply"][headings[-1]] if headings else 0
        assert columns["heading_reply"][index] == pytest.approx(share)
