"""The tables of Pasternack & Roth (2009) over labelled corpora: baselines, supervised, with HR, semi-supervised.

Supervised systems are tested on folds by host: what scores a page was trained without its site. CleanEval's test pages
are scored by what was trained on all other corpora, none of CleanEval's; its bias is tuned on CleanEval's development
pages.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import TrainingError
from blockfeat.evaluation.metrics import word_scores
from blockfeat.lang import tokenize
from blockfeat.models.tokens.classifier import Scale, TokenClassifier
from blockfeat.models.tokens.model import Constraints, TokenModel
from blockfeat.models.tokens.naive_bayes import NaiveBayes
from blockfeat.models.tokens.page_tokens import PageTokens
from blockfeat.models.tokens.vocabulary import Vocabulary
from blockfeat.page.page import Page
from blockfeat.page.tags import Tags
from blockfeat.training.bootstrapping import adapt_to_pages
from blockfeat.training.token_counts import TokenCounter
from experiments.extractions import PossibleExtractions, alignment_score

__all__ = [
    "BUNDLED_SCALE",
    "BUNDLED_SOURCES",
    "CleanEvalRow",
    "FoldedCounts",
    "SiteRow",
    "SystemRow",
    "clean_eval_row",
    "score_sites",
    "score_systems",
]

FOLDS = 3
BIASES = (0.0, 0.05, 0.1, 0.14, 0.2, 0.25, 0.3, 0.35)
PENALTIES = (1.0, 1.5, 2.0, 2.5, 3.25, 4.0)
LEAST_PAGES = 20
BUNDLED_SOURCES = 12
"""Sites that a gram must have been seen on to be in the bundled model."""
BUNDLED_SCALE = Scale("log odds", limit=8.0)
"""How the bundled model's certainty becomes scores."""
_LEAST_SOURCES = 2
Trained = tuple[Vocabulary, NaiveBayes]


@dataclass(frozen=True)
class SystemRow:
    """Mean scores of a system on a corpus: precision and recall against the main text alone, and both F1."""

    corpus: str
    system: str
    pages: int
    precision: float
    recall: float
    short: float
    best: float


@dataclass(frozen=True)
class SiteRow:
    """Mean F1 of three systems on the pages of one site; ``adapted`` is None where adapting found nothing."""

    site: str
    pages: int
    simple: float
    supervised: float
    adapted: float | None


@dataclass(frozen=True)
class CleanEvalRow:
    """The paper's four figures on CleanEval, the F1 of the same alignment, and the bias that was tuned."""

    system: str
    pages: int
    text_only: float
    alignment_f1: float
    precision: float
    recall: float
    f1: float
    bias: float


@dataclass
class FoldedCounts:
    """Counts of labelled pages by fold of their host, so that a page can be scored without its site.

    Attributes
    ----------
    tags : tuple of str
        Names of the common tags.
    size : int
        Tokens in a gram.
    """

    tags: tuple[str, ...]
    size: int = 3
    _counters: dict[int, TokenCounter] = field(default_factory=dict, repr=False)

    def add(self, page: LabelledPage, tokens: PageTokens, run: tuple[int, int]) -> None:
        """Count a page whose article text is a run of its tokens."""
        counter = self._counters.setdefault(fold_of(page), TokenCounter(self.tags, self.size))
        counter.add(tokens, run, source=page.host, lang=page.lang)

    def trained(self, *, least_sources: int = _LEAST_SOURCES) -> dict[int | None, Trained]:
        """Return what was learnt without each fold, and without none of them under None."""
        parts = {fold: counter.finish(least_sources=1) for fold, counter in self._counters.items()}
        found: dict[int | None, Trained] = {}
        for left_out in (None, *parts):
            kept = [part for fold, part in parts.items() if fold != left_out]
            vocabulary, bayes = kept[0]
            for more_vocabulary, more_bayes in kept[1:]:
                vocabulary, bayes = vocabulary.plus(more_vocabulary), bayes.plus(more_bayes)
            grams = bayes.grams.chosen(bayes.grams.sources >= least_sources)
            around = bayes.around.chosen(bayes.around.sources >= _LEAST_SOURCES)
            found[left_out] = vocabulary, replace(bayes, grams=grams, around=around, balanced=True)
        return found


def fold_of(page: LabelledPage) -> int:
    """Return the fold of a page, by its host."""
    return zlib.crc32(page.host.encode("utf-8", "surrogatepass")) % FOLDS


def systems_of(trained: Trained, penalty: float) -> dict[str, TokenModel]:
    """Return the systems of the table by name."""
    vocabulary, bayes = trained
    paper = TokenClassifier(vocabulary, replace(bayes, around=bayes.around.chosen(np.zeros(len(bayes.around), bool))))
    shared = bayes.grams.chosen(bayes.grams.sources >= BUNDLED_SOURCES)
    bundled = TokenClassifier(vocabulary, replace(bayes, grams=shared, neighbours=True), BUNDLED_SCALE)
    stops = Constraints(stop_at_rule=True)
    return {
        "longest cell or DIV": TokenModel("longest", "longest-block"),
        "simple, -3.25": TokenModel("simple", "simple"),
        f"simple, {-penalty:g}": TokenModel("simple", "simple", penalty=penalty),
        "supervised, two features": TokenModel("paper", "classifier", classifier=paper),
        "supervised, two features, HR": TokenModel("paper", "classifier", classifier=paper, constraints=stops),
        "supervised, bundled": TokenModel("bundled", "classifier", classifier=bundled),
        "supervised, bundled, HR": TokenModel("bundled", "classifier", classifier=bundled, constraints=stops),
    }


def predicted_words(model: TokenModel, tags: Tags | None) -> list[str]:
    """Return the words of the run that a model finds on a page."""
    found = model.find(tags)
    return found.tokens.texts(np.flatnonzero(found.is_taken & found.tokens.is_word))


def best_penalty(pages: Sequence[LabelledPage]) -> float:
    """Return the penalty of a tag with the highest mean F1 of simple scores, as the paper chose its own (6.2.2)."""
    means = {}
    for penalty in PENALTIES:
        model = TokenModel("simple", "simple", penalty=penalty)
        found = [word_scores(predicted_words(model, Page.parse(page.html).tags), page.text or "").f1 for page in pages]
        means[penalty] = float(np.mean(found))
    return max(means, key=lambda penalty: means[penalty])


def score_systems(
    corpus: str, pages: Sequence[LabelledPage], trained: Mapping[int | None, Trained], penalty: float
) -> list[SystemRow]:
    """Score every system on the pages of a corpus, each page by what was trained without its host."""
    by_fold = {fold: systems_of(trained[fold], penalty) for fold in range(FOLDS)}
    scores: dict[str, list[tuple[float, float, float, float]]] = defaultdict(list)
    for page in pages:
        tags = Page.parse(page.html).tags
        gold = PossibleExtractions.of_gold(page.text or "", title=page.title, author=page.author)
        for name, model in by_fold[fold_of(page)].items():
            words = predicted_words(model, tags)
            short = gold.short(words)
            scores[name].append((short.precision, short.recall, short.f1, gold.best(words).f1))
    return [
        SystemRow(corpus, name, len(found), *(float(mean) for mean in np.mean(found, axis=0)))
        for name, found in scores.items()
    ]


def score_sites(pages: Sequence[LabelledPage], trained: Mapping[int | None, Trained], system: str) -> Iterator[SiteRow]:
    """Adapt a supervised system to each site with at least `LEAST_PAGES` pages, largest first, and yield its scores."""
    sites: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in pages:
        if page.host != page.id:
            sites[page.host].append(page)
    for site, found in sorted(sites.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        if len(found) < LEAST_PAGES:
            continue
        model = systems_of(trained[fold_of(found[0])], 3.25)[system]
        if model.classifier is None:
            raise TrainingError(f"{system!r} cannot be adapted")
        tags = [Page.parse(page.html).tags for page in found]
        simple = TokenModel("simple", "simple")
        adapted: float | None = None
        try:
            learnt = adapt_to_pages(model.classifier, [PageTokens.of(one) for one in tags]).classifier
            adapted = _mean_f1(TokenModel("adapted", "classifier", classifier=learnt), tags, found)
        except TrainingError:
            adapted = None
        yield SiteRow(site, len(found), _mean_f1(simple, tags, found), _mean_f1(model, tags, found), adapted)


def _mean_f1(model: TokenModel, tags: Sequence[Tags | None], pages: Sequence[LabelledPage]) -> float:
    pairs = zip(tags, pages, strict=True)
    return float(np.mean([word_scores(predicted_words(model, one), page.text or "").f1 for one, page in pairs]))


def clean_eval_row(
    name: str,
    model_of: Callable[[float], TokenModel],
    development: Sequence[LabelledPage],
    test: Sequence[LabelledPage],
    biases: Sequence[float] = BIASES,
) -> CleanEvalRow:
    """Tune the bias of a system on development pages and score it on test pages.

    Parameters
    ----------
    name : str
        What the row is called.
    model_of : callable
        Returns the model with a bias.
    development, test : sequence of LabelledPage
        CleanEval's pages.
    biases : sequence of float
        What is tried; one alone is taken as it is.
    """
    chosen = biases[0]
    if len(biases) > 1:
        means = {bias: _clean_eval(model_of(bias), development)[0] for bias in biases}
        chosen = max(means, key=lambda bias: means[bias])
    text_only, alignment_f1, precision, recall, f1 = _clean_eval(model_of(chosen), test)
    return CleanEvalRow(name, len(test), text_only, alignment_f1, precision, recall, f1, chosen)


def _clean_eval(model: TokenModel, pages: Sequence[LabelledPage]) -> list[float]:
    found = []
    for page in pages:
        words, gold = predicted_words(model, Page.parse(page.html).tags), tokenize(page.text or "")
        aligned = alignment_score(words, gold)
        scores = word_scores(words, gold)
        found.append((aligned, 2 * aligned / (1 + aligned), scores.precision, scores.recall, scores.f1))
    return [float(mean) for mean in np.mean(found, axis=0)]
