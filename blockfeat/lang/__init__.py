"""Languages: words, sentences, stop words, identification."""

from blockfeat.lang.codes import normalise_code
from blockfeat.lang.density import density
from blockfeat.lang.identify import Identifier, LanguageGuess, identify
from blockfeat.lang.index import StopWordIndex
from blockfeat.lang.measures import FastSegmenter, PageText, Segmenter, TextMeasures
from blockfeat.lang.stopwords import PAPER_LANGUAGES, available_languages, stop_words
from blockfeat.lang.words import tokenize

__all__ = [
    "PAPER_LANGUAGES",
    "FastSegmenter",
    "Identifier",
    "LanguageGuess",
    "PageText",
    "Segmenter",
    "StopWordIndex",
    "TextMeasures",
    "available_languages",
    "density",
    "identify",
    "normalise_code",
    "stop_words",
    "tokenize",
]
