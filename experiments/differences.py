"""What differences to the papers cost: lists of links, tokens and formulas of 2009, leaves of Web2Text, cuts of VIPS.

Command: python -m experiments.differences --output experiments/results/differences.md

Crunch: the settings of `crunch2003` with one thing as the paper has it. Pasternack & Roth (2009): the classifier of
`pasternack2009.toml` with other tokens; the bundled models, which round the run of tokens to blocks; the adaptation
(6.2.4) of the bundled `mss-supervised` with one formula as it is printed. Web2Text: trained on the original split with
features as the authors' code has them; needs PyTorch. VIPS: the choices that its rebuilding made, one otherwise at a
time; needs the extra ``render`` and Chromium.
`--only NAME --output FILE` computes one table anew.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.data import LabelledPage
from blockfeat.data.split import split_by_host
from blockfeat.errors import BlockfeatError
from blockfeat.extraction.extractor import Extractor
from blockfeat.lang import tokenize
from blockfeat.lang.identify import Identifier
from blockfeat.lang.measures import keys_of_words
from blockfeat.models.decoding import best_run
from blockfeat.models.store import load_model
from blockfeat.page.page import Page
from blockfeat.papers.crunch.model import CrunchModel
from blockfeat.papers.mss.classifier import TokenClassifier
from blockfeat.papers.mss.model import TokenModel
from blockfeat.papers.mss.page_tokens import PageTokens
from blockfeat.papers.mss.trainer import PAPER_TAGS, TokenCounter, common_tags, gold_run
from blockfeat.papers.mss.vocabulary import Vocabulary, stemmer_of, token_ids
from blockfeat.papers.web2text import features
from blockfeat.papers.web2text.leaves import leaf_measurer
from blockfeat.papers.web2text.networks import Recipe, train_web2text
from blockfeat.papers.web2text.trainer import LeafPageLabeller
from blockfeat.training.evaluation.evaluate import score_page
from blockfeat.training.evaluation.metrics import markdown_table, word_scores
from blockfeat.training.examples import LabelOptions
from experiments.corpora import CLEANEVAL, NEWS, Corpora
from experiments.documents import add_page_options, write_page
from experiments.mss import adapt
from experiments.mss.counts import folds_and_sites
from experiments.mss.extractions import PossibleExtractions
from experiments.mss.sites import adapted_scores
from experiments.mss.source_tokens import source_tokens
from experiments.mss.systems import paper_classifier, predicted_words
from experiments.needs import check_needs
from experiments.searches import interval
from experiments.vips.changes import scores_of_changes
from experiments.vips.study import ALL_CORPORA
from experiments.vips.study import Study as RenderedStudy
from experiments.web2text.leaf_pages import LeafPage, PageSplit, label_pages, original_split, pooled_scores

__all__ = ["main"]

Floats = NDArray[np.float64]
_SEED = 1
_logger = logging.getLogger(__name__)


def _some(pages: Sequence[LabelledPage], most: int) -> list[LabelledPage]:
    order = np.random.default_rng(_SEED).permutation(len(pages))[:most].tolist()
    return [pages[place] for place in order]


def _rows(scores: dict[str, list[float]]) -> list[list[str]]:
    """Return a row for each change: its mean, and what it gains on the first, which is as the package does."""
    usual = next(iter(scores.values()))
    rows = []
    for name, own in scores.items():
        gains = [one - other for one, other in zip(own, usual, strict=True)]
        low, high = interval(gains) if any(gains) else (0.0, 0.0)
        rows.append([name, f"{fmean(own):.3f}", f"{fmean(gains):+.3f}", f"{low:+.3f} to {high:+.3f}"])
    return rows


def crunch_rows(pages: Sequence[LabelledPage]) -> list[list[str]]:
    """Return word F1 of what is left by Crunch."""
    usual = Extractor.load("crunch2003").model
    assert isinstance(usual, CrunchModel)
    lists = usual.settings.link_lists
    changed = {
        "crunch2003": lists,
        "lists of links in table cells alone": replace(lists, containers=()),
        "a list from two links on": replace(lists, least_links=2),
        "no lists removed": replace(lists, remove=False),
    }
    scores = {}
    for name, own in changed.items():
        model = replace(usual, settings=replace(usual.settings, link_lists=own))
        extractor = Extractor.of(model).with_options(rules=False)
        found = [score_page(extractor.extract(page.html, url=page.url).text, page).f1 for page in pages]
        scores[name] = [score or 0.0 for score in found]
        _logger.info("Crunch: %s", name)
    return _rows(scores)


_CONFIDENCE = adapt.confidence


def _printed_confidence(probabilities: Floats, run: tuple[int, int], window: int) -> float:
    """Return the n-th root of the product around the borders, n the tokens of the page."""
    count, (first, end) = max(probabilities.size, 1), run
    factors = 2 * min(window, end - first) + min(window, first) + min(window, count - end)
    return float(_CONFIDENCE(probabilities, run, window) ** (factors / count)) if end > first else 0.0


def _printed_weights(count: int, run: tuple[int, int], distance: int) -> Floats:
    """Return the terms of the sum in 6.2.4 as it is printed: Max, and divided by d twice."""
    place = np.arange(count)
    to_border = np.minimum(np.abs(place - (run[0] - 0.5)), np.abs(place - (run[1] - 0.5))) / distance
    return np.asarray((distance - np.maximum(distance, to_border - 0.5)) / distance)


def _summed(keys: Any, grams: Any, runs: Any, distance: int) -> Floats:
    """Return the sum of the border weights of each gram, not their mean."""
    weights = [adapt.border_weights(page.size, run, distance) for page, run in zip(grams, runs, strict=True)]
    place = np.searchsorted(keys, np.concatenate(list(grams)))
    return np.asarray(np.bincount(place, weights=np.concatenate(weights), minlength=keys.size), dtype=np.float64)


def _unsigned(classifier: TokenClassifier, page: Any) -> Floats:
    """Return scores with p · 0.5 in place of p - 0.5: none is below 0."""
    return np.asarray(classifier.probabilities(page) * 0.5)


def rounding_rows(pages: Sequence[LabelledPage]) -> list[list[str]]:
    """Return word F1 of the run of tokens of each bundled model, and of its blocks, which `extract` gives."""
    rows = []
    for name in ("longest-block", "mss-simple", "mss-supervised", "mss-supervised-hr"):
        model = Extractor.load(name).model
        assert isinstance(model, TokenModel)
        extractor = Extractor.of(model).with_options(rules=False)
        runs, blocks = [], []
        for page in pages:
            words = predicted_words(model, Page.parse(page.html).tags)
            runs.append(word_scores(words, tokenize(page.text or "")).f1)
            blocks.append(score_page(extractor.extract(page.html, url=page.url).text, page).f1 or 0.0)
        _, (_, mean, *gain) = _rows({"run": runs, "blocks": blocks})
        rows.append([f"`{name}`", f"{fmean(runs):.3f}", mean, *gain])
        _logger.info("rounding: %s", name)
    return rows


def adaptation_rows(sites: Sequence[Sequence[LabelledPage]]) -> list[list[str]]:
    """Return F1 of the runs of token models that are adapted to a site, a model for each."""
    start = load_model("mss-supervised")
    assert isinstance(start, TokenModel)
    assert start.classifier is not None
    changed: dict[str, Callable[[], AbstractContextManager[Any]]] = {
        "as `experiments/mss/adapt.py`": nullcontext,
        "confidence: n-th root, n of the page": lambda: patch.object(adapt, "confidence", _printed_confidence),
        "importance: `Max`, divided by d twice": lambda: patch.object(adapt, "border_weights", _printed_weights),
        "importance: the sum": lambda: patch.object(adapt, "importance_of", _summed),
        "score: (p · 0.5)(m · c + 1)": lambda: patch.object(TokenClassifier, "scores", _unsigned),
    }
    scores = {}
    for name, patched in changed.items():
        with patched():
            found = [adapted_scores(start.classifier, pages, name) for pages in sites]
        scores[name] = [fmean(score.short for score in own) if own else 0.0 for own in found]
        _logger.info("adaptation: %s", name)
    return _rows(scores)


def leaf_rows(pages: Sequence[LabelledPage]) -> list[list[str]]:
    """Return how many leaves have another label at two thirds than at one half, and what else tells them apart."""
    measurer = leaf_measurer(Identifier.build(), ())
    ways = {
        "half of its words": LeafPageLabeller(measurer, LabelOptions(), 0.5),
        "two thirds of its words": LeafPageLabeller(measurer, LabelOptions(), 2 / 3),
        "half, headline and byline are no content": LeafPageLabeller(measurer, LabelOptions()),
    }
    labels: dict[str, list[NDArray[np.bool_]]] = {name: [] for name in ways}
    for page in pages:
        try:
            found = {name: label(page) for name, label in ways.items()}
        except BlockfeatError:
            continue
        for name, leaves in found.items():
            labels[name].append(np.asarray(leaves.labels))
    usual = labels["half of its words"]
    return [
        [
            name,
            f"{fmean(page.mean() for page in own):.3f}",
            f"{fmean((page != other).mean() for page, other in zip(own, usual, strict=True)):.4f}",
        ]
        for name, own in labels.items()
    ]


def token_rows(pages: Sequence[LabelledPage], seeds: Sequence[int]) -> list[list[str]]:
    """Return F1 of the runs of the paper's classifier, trained on other hosts, with tokens or stems as in the paper."""
    repaired = [PageTokens.of(Page.parse(page.html).tags) for page in pages]
    sources = [source_tokens(page.html) for page in pages]
    number_of = {id(page): number for number, page in enumerate(pages)}
    scores: dict[str, list[float]] = {name: [] for name in _TOKENS}
    for seed in seeds:
        parts = [[number_of[id(page)] for page in part] for part in split_by_host(pages, _SHARE, seed)]
        names = common_tags((pages[one].host, tags) for one in parts[0] if (tags := Page.parse(pages[one].html).tags))
        for name, (of_source, stems) in _TOKENS.items():
            tokens = sources if of_source else repaired
            training, test = ([(pages[one], tokens[one]) for one in part] for part in parts)
            scores[name] += _scores_of_tokens(training, test, names, stems)
            _logger.info("tokens, seed %d: %s", seed, name)
    return _rows(scores)


_SHARE = 0.7
_TOKENS = {
    "of the repaired tree, stems from a table": (False, "table"),
    "of the repaired tree, no stems": (False, "none"),
    "of the repaired tree, the stemmer of the page's language": (False, "language"),
    "of the source, stems from a table": (True, "table"),
}
_Tokenised = Sequence[tuple[LabelledPage, PageTokens]]


def _scores_of_tokens(training: _Tokenised, test: _Tokenised, tags: tuple[str, ...], stems: str) -> list[float]:
    counter = TokenCounter(tags)
    for page, tokens in training:
        run = gold_run(tokens, page.text or "", most_tags=PAPER_TAGS)
        if run is not None:
            counter.add(tokens, run, source=page.host, lang=None if stems == "none" else page.lang)
    classifier = paper_classifier(counter.finish(least_sources=1, around=False))
    found = []
    for page, tokens in test:
        own = replace(classifier, vocabulary=_stemmed(tags, page, tokens)) if stems == "language" else classifier
        first, end = best_run(own.scores(tokens))
        words = tokens.texts(first + np.flatnonzero(tokens.is_word[first:end]))
        found.append(PossibleExtractions.of_gold(page.text or "").short(words).f1)
    return found


def _stemmed(tags: tuple[str, ...], page: LabelledPage, tokens: PageTokens) -> Vocabulary:
    """Return the vocabulary of a page whose words are all stemmed, whether a training page had them or not."""
    forms = sorted(set(tokens.texts(np.flatnonzero(tokens.is_word))))
    keys = (token_ids(keys_of_words(list(words))).tolist() for words in (forms, map(stemmer_of(page.lang), forms)))
    return Vocabulary.of(tags, dict(zip(*keys, strict=True)))


_OWN_FEATURES = features._own_features
_PUNCTUATION, _POSITION = 23, 25  # b24 and b26; b27 is the square of b26
_MOST_PUNCTUATION = 10


def _bounded(blocks: Blocks, counts: Any, tree: Any) -> Floats:
    """Return the features of leaves with at most ten punctuation characters, as the authors' code counts them."""
    found = _OWN_FEATURES(blocks, counts, tree)
    found[:, _PUNCTUATION] = np.minimum(found[:, _PUNCTUATION], _MOST_PUNCTUATION)
    return found


def _from_the_middle(blocks: Blocks, counts: Any, tree: Any) -> Floats:
    """Return the features of leaves with the position of their middle, as the authors' code has it."""
    found = _OWN_FEATURES(blocks, counts, tree)
    first, end = blocks.first_byte, blocks.end_byte
    middle = ((first + end) / 2 - first[0]) / max(int(end[-1] - first[0]), 1)
    found[:, _POSITION], found[:, _POSITION + 1] = middle, middle**2
    return found


def _as_of_a_leaf(known: tuple[features.Web2TextFeature, ...]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the ranges of features with the characters of nodes clipped as a leaf's, to the appendix's letter."""
    (most,) = (feature.high for feature in features.BLOCK_FEATURES if feature.name == "log_characters")
    alike = (replace(one, high=most) if one.name.endswith("log_characters") else one for one in known)
    return features.ranges(tuple(alike))


def feature_rows(
    development: Sequence[LabelledPage], test: Sequence[LabelledPage], seeds: Sequence[int], recipe: Recipe
) -> list[list[str]]:
    """Return F1 over the leaves of the original split's test pages with one feature as appendix or code have it."""
    changed: dict[str, dict[str, Any]] = {
        "as here": {},
        "b24: at most 10": {"_own_features": _bounded},
        "b26: the middle": {"_own_features": _from_the_middle},
        "nodes: 244 characters at most": {
            "_BLOCK_RANGES": _as_of_a_leaf(features.BLOCK_FEATURES),
            "_EDGE_RANGES": _as_of_a_leaf(features.EDGE_FEATURES),
        },
    }
    measurer = leaf_measurer(Identifier.build())
    scores: dict[str, list[float]] = {}
    for name, own in changed.items():
        with patch.multiple(features, **own) if own else nullcontext():
            split = original_split(*(list(label_pages(part, measurer)) for part in (development, test)))
        scores[name] = [_trained_f1(split, seed, recipe) for seed in seeds]
        _logger.info("Web2Text, %s: %s", name, scores[name])
    return _rows(scores)


def _trained_f1(split: PageSplit, seed: int, recipe: Recipe) -> float:
    def leaves(pages: Sequence[LeafPage]) -> list[Any]:
        return [page.to_training() for page in pages]

    labeller = train_web2text(leaves(split.training), leaves(split.validation), recipe, seed=seed).labeller
    return float(pooled_scores(split.test, labeller).f1)


_RECIPE = Recipe(steps=1_000)
_HEADS = ("changed", "F1", "gain", "interval of 95 %")


@dataclass(frozen=True, eq=False)
class Study:
    """The pages of the tables.

    Attributes
    ----------
    corpora : Corpora
        Where the pages are.
    most, of_site : int
        Most pages of a corpus, and of a site.
    seeds : int
        Splits by host, and trainings of networks.
    renderings : Path
        Folder of the rendered pages; those that are not there are rendered.
    """

    corpora: Corpora
    most: int
    of_site: int
    seeds: int
    renderings: Path

    @cached_property
    def by_corpus(self) -> list[list[LabelledPage]]:
        """The news, by corpus."""
        return [self.corpora.pages(name) for name in NEWS]

    @cached_property
    def pages(self) -> list[LabelledPage]:
        """Some news of each corpus."""
        return [page for own in self.by_corpus for page in _some(own, self.most)]

    def crunch(self) -> str:
        """Return the table of Crunch's lists of links."""
        return f"{len(self.pages)} pages of seven corpora:\n\n{markdown_table(_HEADS, crunch_rows(self.pages))}"

    def vips(self) -> str:
        """Return the tables of the choices of VIPS's rebuilding."""
        every = Corpora(self.corpora.folder, _EVERY_RENDERED)
        pages = RenderedStudy(every, ALL_CORPORA, self.renderings).seen
        best, chosen = (markdown_table(_HEADS, _rows(scores)) for scores in scores_of_changes(pages))
        return f"{len(pages)} pages; the oracle:\n\n{best}\nThe heuristic, words less twice the tags:\n\n{chosen}"

    def leaves(self) -> str:
        """Return the table of labels."""
        heads = ["label of a leaf", "content", "other label than half"]
        return f"{len(self.pages)} pages of seven corpora:\n\n{markdown_table(heads, leaf_rows(self.pages))}"

    def features(self) -> str:
        """Return the table of Web2Text's features."""
        development, test = (self.corpora.pages(name) for name in CLEANEVAL)
        table = markdown_table(_HEADS, feature_rows(development, test, self._numbers, _RECIPE))
        return f"Mean of {self.seeds} seeds, {_RECIPE.steps:,} steps at most, λ = 1:\n\n{table}"

    def tokens(self) -> str:
        """Return the table of tokens and stems."""
        table = markdown_table(_HEADS, token_rows(self.pages, self._numbers))
        return f"{len(self.pages)} pages of seven corpora, split by host 70 to 30, {self.seeds} times:\n\n{table}"

    def rounding(self) -> str:
        """Return the table of runs and their blocks."""
        heads = ["model", "run of tokens", "its blocks", *_HEADS[2:]]
        return f"{len(self.pages)} pages of seven corpora:\n\n{markdown_table(heads, rounding_rows(self.pages))}"

    def adaptation(self) -> str:
        """Return the table of the formulas of the adaptation."""
        _, by_site = folds_and_sites([page for own in self.by_corpus for page in own])
        sites = [_some(own, self.of_site) for own in by_site.values()]
        table = markdown_table(_HEADS, adaptation_rows(sites))
        return f"{len(sites)} sites, {self.of_site} pages of each at most:\n\n{table}"

    @property
    def _numbers(self) -> range:
        return range(1, self.seeds + 1)


_EVERY_RENDERED = 24  # the pages of the table of systems in experiments/results/vips.md
_SECTIONS = ("crunch", "leaves", "features", "tokens", "rounding", "adaptation", "vips")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.differences", description=(__doc__ or "").split("\n")[0]
    )
    Corpora.add_options(parser)
    parser.add_argument("--pages", type=int, default=150, help="most pages of a corpus")
    parser.add_argument("--of-site", type=int, default=24, help="most pages of a site")
    parser.add_argument("--seeds", type=int, default=3, help="splits by host, and trainings of networks")
    parser.add_argument("--renderings", type=Path, default=Path("build/vips"), help="folder of rendered pages")
    add_page_options(parser, _SECTIONS)
    options = parser.parse_args(arguments)
    chosen = {*options.only} or {*_SECTIONS}
    check_needs(
        modules=[*(["torch"] if "features" in chosen else []), *(["playwright"] if "vips" in chosen else [])],
        folder=options.corpora,
        corpora=[*(NEWS if chosen != {"features"} else ()), *(CLEANEVAL if chosen & {"features", "vips"} else ())],
    )
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    study = Study(Corpora.of_options(options), options.pages, options.of_site, options.seeds, options.renderings)
    write_page(options, _TEMPLATE, {name: getattr(study, name) for name in _SECTIONS})
    return 0


_TEMPLATE = Path(__file__).with_name("differences_page.md")


if __name__ == "__main__":
    sys.exit(main())
