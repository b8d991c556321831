"""N-grams of bytes: the walk, the weights, and the bundled table against the library that it was made from."""

import importlib.util
import math
import unicodedata
import zlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat._files import bundled_file
from blockfeat.lang.ngrams import STEP, NgramTable
from lang.test_identify import SENTENCES
from property_examples import examples
from tools.make_ngram_table import TABLE, table, tree_of
from uncompiled import load_uncompiled

_NEEDS_LIBRARY = pytest.mark.skipif(importlib.util.find_spec("py3langid") is None, reason="needs py3langid")
_NGRAMS = [b"a", b"ab", b"cab", b"b", b"xabc", "é".encode(), b"\x00a", b"\xff\xfe"]
_LEVELS = np.array([[1 + number % 5, number % 3, (2 * number) % 16, 15 - number] for number in range(len(_NGRAMS))])
_LEAST, _PRIORS = np.array([-9.0, -8.5, -9.5, -8.0]), np.array([0.5, 0.25, 0.125, 0.0])


def small_table() -> NgramTable:
    tree, order = tree_of(_NGRAMS)
    levels = np.pad(_LEVELS[order], ((1, 0), (0, 0))).astype(np.uint8)
    packed = levels[:, :2] | levels[:, 2:] << 4
    return NgramTable(np.array(["de", "en", "", "fr"]), **tree, levels=packed, least=_LEAST, priors=_PRIORS)


def plain_probabilities(text: str) -> list[float]:
    """What the small table says of a text, by the definition."""
    cased = text.lower() if text.isupper() else text
    data = unicodedata.normalize("NFC", cased).encode("utf-8", "surrogatepass")
    longest = (
        max((n for n in _NGRAMS if data[:end].endswith(n)), key=len, default=None) for end in range(1, len(data) + 1)
    )
    counts = Counter(ngram for ngram in longest if ngram is not None)
    if not counts:
        return [0.25] * 4
    scores = _PRIORS.copy()
    for ngram, count in counts.items():
        scores += round(256 * math.log1p(count)) / 256 * (_LEAST + STEP * _LEVELS[_NGRAMS.index(ngram)])
    odds = np.exp((scores - scores.max()) / math.sqrt(len(data)))
    return (odds / odds.sum()).tolist()


@examples(200)
@given(st.text(st.sampled_from("abcxéABe\u0301\x00 \ud800þ"), max_size=40))
def test_probabilities_are_what_their_definition_says(text: str) -> None:
    assert small_table().probabilities(text).tolist() == pytest.approx(plain_probabilities(text), abs=1e-9)


@examples(10)
@given(st.text(max_size=60))
def test_it_runs_uncompiled_with_the_same_results(text: str) -> None:
    bundled = NgramTable.bundled()
    uncompiled = load_uncompiled("blockfeat.lang.ngrams").NgramTable(**vars(bundled))
    assert uncompiled.probabilities(text).tolist() == bundled.probabilities(text).tolist()


@pytest.mark.parametrize("text", ["", "–", "\U0001f600", "a" * 1_000_000, "\x00" * 1_000, "\u0301" * 9_999])
def test_any_text_has_probabilities(text: str) -> None:
    found = NgramTable.bundled().probabilities(text)
    assert found.sum() == pytest.approx(1.0)
    assert found.min() >= 0.0


def test_the_bundled_table_is_small() -> None:
    assert len(zlib.compress(bundled_file("blockfeat.lang", TABLE.name).read_bytes())) <= 1_000_000
    assert sum(array.nbytes for array in vars(NgramTable.bundled()).values()) <= 3_000_000


@_NEEDS_LIBRARY
@pytest.mark.rest
def test_answers_are_those_of_the_library() -> None:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    library, bundled = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True), NgramTable.bundled()
    texts = [text[start : start + length] for text in SENTENCES.values() for length in (60, 300) for start in (0, 20)]
    answers = [(library.classify(text)[0], bundled.languages[bundled.probabilities(text).argmax()]) for text in texts]
    assert sum(one == other for one, other in answers) >= 0.97 * len(answers), [
        pair for pair in answers if len({*pair}) > 1
    ]


@_NEEDS_LIBRARY
@pytest.mark.rest
def test_the_bundled_table_is_made_by_the_tool() -> None:
    # Another processor may round a logarithm otherwise, and another n-gram of equal worth stay.
    bundled, made = NgramTable.bundled(), NgramTable(**table())
    assert bundled.languages.tolist() == made.languages.tolist()
    for text in SENTENCES.values():
        assert np.abs(bundled.probabilities(text) - made.probabilities(text)).max() < 0.01, (
            "run tools/make_ngram_table.py"
        )
