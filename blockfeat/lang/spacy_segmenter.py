"""Words and sentences by spaCy's rules for a language; spaCy is imported at the first measurement."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._extras import require_extra
from blockfeat.errors import MissingExtraError, ModelError
from blockfeat.lang.characters import ALPHANUMERIC, SPACE, UNSPACED
from blockfeat.lang.counting import ANCHOR, FORMAT
from blockfeat.lang.measures import FastTokenizer, PageText, TextMeasures, Tokenizer, lowered_codes
from blockfeat.lang.word_keys import keys_of_spans

if TYPE_CHECKING:
    from spacy.language import Language


SEGMENTERS = ("fast", "spacy")
"""Names that `segmenter_for` knows; models record one of them."""

_ANY_LANGUAGE = "xx"
_SPACY_CODES = {"no": "nb"}
# Their tokenizers need another package by default, but spaCy's rules work as well.
_BY_RULE = frozenset({"ko", "vi"})
_RULE_TOKENIZER = {"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}}
_EXTRAS = frozenset({"ja", "th"})
# The Japanese tokenizer takes 49,149 bytes at once.
_LONGEST_CHUNK = 12_000

_Places = NDArray[np.int32]


@dataclass(frozen=True)
class SpacyTokenizer:
    """Words by the tokenizer of spaCy's blank pipeline of a language, sentences by its sentencizer.

    A word is a token that holds a letter or a digit; a sentence counts if it holds a word. The pipeline is
    made at the first page and belongs to this object: keep one for each language. May be used from several
    threads, which then take turns; a pickled copy makes its own pipeline.

    Attributes
    ----------
    lang : str
        ISO 639-1 code. A language that spaCy has no rules for gets those for any language.
    name : str
        ``"spacy"``.
    """

    lang: str
    name: str = field(default="spacy", init=False)
    _lock: Any = field(default_factory=Lock, init=False, repr=False, compare=False)

    def measure(self, page: PageText) -> TextMeasures:
        """Count words, sentences and characters by block; linear in the text.

        Raises
        ------
        MissingExtraError
            The language's tokenizer needs a package that is not installed.
        """
        classes = page.classes
        starts, ends, sentence_starts = self._segment(page)
        alphanumeric = np.concatenate(([0], np.cumsum((classes & ALPHANUMERIC) != 0)))
        is_word = alphanumeric[ends] > alphanumeric[starts]
        starts, ends = starts[is_word], ends[is_word]
        fast, counts = FastTokenizer().measure(page), _counts(page, starts, ends, sentence_starts)
        keys = keys_of_spans(lowered_codes(page.text, page.codes), starts, ends)
        every = np.concatenate([counts, fast.counts[len(counts) :]])
        return replace(fast, token_keys=keys, spans=(starts, ends), counts=every)

    def _segment(self, page: PageText) -> tuple[_Places, _Places, _Places]:
        """Return where tokens start and end and where sentences start, in the page's text."""
        bounds = list(_chunks(page))
        found = [np.zeros((0, 3), dtype=np.int32)]
        with self._lock, self._pipeline.memory_zone():
            texts = (page.text[low:high] for low, high in bounds)
            for (low, _), doc in zip(bounds, self._pipeline.pipe(texts), strict=True):
                table = doc.to_array(["IDX", "LENGTH", "SENT_START"]).astype(np.int32)
                table[:, 0] += low
                found.append(table)
        start, length, sentence_start = np.concatenate(found).T
        return start, start + length, start[sentence_start == 1]

    @cached_property
    def _pipeline(self) -> Language:
        """The blank pipeline of the language, with a sentencizer."""
        pipeline = blank_pipeline(self.lang)
        pipeline.add_pipe("sentencizer")
        return pipeline

    def __reduce__(self) -> tuple[type[SpacyTokenizer], tuple[str]]:
        """Pickle the language only."""
        return SpacyTokenizer, (self.lang,)


def segmenter_for(name: str, lang: str | None = None) -> Tokenizer:
    """Return the segmenter of a name.

    Parameters
    ----------
    name : str
        ``"fast"`` or ``"spacy"``.
    lang : str, optional
        The page's language, ISO 639-1; only used by spaCy.

    Raises
    ------
    ModelError
        There is no segmenter of that name; the message lists what there is.
    MissingExtraError
        ``name`` is ``"spacy"`` and spaCy is not installed.
    """
    if name == "fast":
        return FastTokenizer()
    if name == "spacy":
        require_extra("spacy", what="cutting words by spaCy")
        return SpacyTokenizer(lang or _ANY_LANGUAGE)
    raise ModelError(f"unknown segmenter {name!r}; known are {', '.join(SEGMENTERS)}")


def blank_pipeline(lang: str) -> Language:
    """Return spaCy's blank pipeline of a language, that for any language where spaCy has no rules for it.

    Raises
    ------
    MissingExtraError
        spaCy is not installed, or a package that the language's tokenizer needs.
    """
    require_extra("spacy", what=f"cutting words of language {lang!r} by spaCy")
    from importlib.util import find_spec

    import spacy

    code = _SPACY_CODES.get(lang, lang)
    if not (code.isascii() and code.isalpha() and find_spec(f"spacy.lang.{code}")):
        code = _ANY_LANGUAGE

    try:
        pipeline = spacy.blank(code, config=_RULE_TOKENIZER if code in _BY_RULE else {})
    except ImportError as error:
        package = f"blockfeat[{code}]" if code in _EXTRAS else "the package that the message names"
        raise MissingExtraError(f"spaCy cannot segment language {lang!r}: {error}; pip install {package}") from error
    pipeline.max_length = sys.maxsize
    return pipeline


def _counts(page: PageText, starts: _Places, ends: _Places, sentence_starts: _Places) -> _Places:
    """Return the first rows of `COUNTED`, words and sentences by block; a sentence counts if it holds a word."""
    block = page.block_ends.searchsorted(starts, side="right")
    flags = page.pieces[1, page.pieces[0].searchsorted(starts, side="right")]
    sentence = sentence_starts.searchsorted(starts, side="right")
    is_counted = (
        np.ones(starts.size, dtype=np.bool_),
        flags & ANCHOR != 0,
        flags & FORMAT != 0,
        (np.diff(block, prepend=-1) != 0) | (np.diff(sentence, prepend=-1) != 0),
        ((page.classes[starts] & UNSPACED) != 0) & (ends - starts == 1),
    )
    size = page.block_ends.size
    return np.array([np.bincount(block[counted], minlength=size) for counted in is_counted], dtype=np.int32)


def _chunks(page: PageText) -> Iterator[tuple[int, int]]:
    """Cut the page's text into pieces that spaCy takes at once: behind blocks, or else behind white space."""
    low, size = 0, len(page.text)
    spaces = np.flatnonzero(page.classes & SPACE) + 1
    while low < size:
        high = min(low + _LONGEST_CHUNK, size)
        for ends in (page.block_ends, spaces):
            place = int(np.searchsorted(ends, high, side="right")) - 1
            if place >= 0 and ends[place] > low:
                high = int(ends[place])
                break
        yield low, high
        low = high
