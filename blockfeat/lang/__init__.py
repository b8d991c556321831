"""Languages: words, sentences, stop words, identification."""

from blockfeat.lang.identify import Identifier, LanguageGuess, identify, normalise_code
from blockfeat.lang.measures import FastSegmenter, PageText, Segmenter, TextMeasures, tokenize
from blockfeat.lang.stopwords import StopWordIndex, available_languages, density, stop_words

__all__ = [
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
