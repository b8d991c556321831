"""Adaptation of a token model to one site by unlabelled pages of it (Pasternack & Roth 2009, 6.2.4).

Usage::

    python -m experiments.mss.adapt pages-of-one-site/ --output site.npz
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blockfeat import __version__
from blockfeat.errors import BlockfeatError, ModelError, TrainingError
from blockfeat.io.inputs import read_inputs
from blockfeat.models import load_model, save_model
from blockfeat.models.decoding import best_run
from blockfeat.page.document import Document
from blockfeat.page.page import Page
from blockfeat.papers.mss.classifier import FeatureCounts, Importance, NaiveBayes, Scale, TokenClassifier, gram_keys
from blockfeat.papers.mss.model import TokenModel
from blockfeat.papers.mss.page_tokens import PageTokens, inside
from blockfeat.papers.mss.vocabulary import Ids
from experiments.needs import check_needs

Floats = NDArray[np.float64]
Run = tuple[int, int]

_NEVER_CERTAIN = 1e-6
_TRIGRAM = 3


FEWEST_PAGES = 5
_LEAST_SEEN = 2


@dataclass(frozen=True)
class AdaptOptions:
    """Parameters of the semi-supervised approach; the defaults are those of the paper.

    Attributes
    ----------
    window : int
        w: tokens on each side of a border from which the confidence of a prediction is computed.
    share : float
        Share of the pages, those with the most confident predictions, that each iteration trains on.
    distance : int
        d: distance from a border, in tokens, from which on the importance of a token is 0.
    factor : float
        c: scores are multiplied by 1 + c times the importance.
    iterations : int
        Most rounds of selecting pages, training and predicting.
    smoothing : float
        Added to the counts of every feature.
    """

    window: int = 10
    share: float = 0.6
    distance: int = 64
    factor: float = 24.0
    iterations: int = 10
    smoothing: float = 0.5


@dataclass(frozen=True, eq=False)
class Adapted:
    """A classifier for one site, and its predictions for the pages that it was trained on.

    Attributes
    ----------
    classifier : TokenClassifier
        The classifier, over trigrams, with importance weights.
    runs : tuple of (int, int)
        The run that it finds on each page.
    changed : tuple of int
        Number of pages whose run changed in each iteration.
    """

    classifier: TokenClassifier
    runs: tuple[Run, ...]
    changed: tuple[int, ...]


def adapt_to_pages(
    classifier: TokenClassifier,
    pages: Sequence[PageTokens],
    options: AdaptOptions | None = None,
    *,
    sites: Sequence[str] | None = None,
    on_iteration: Callable[[int], None] | None = None,
) -> Adapted:
    """Train a trigram classifier for a site, or for several sites together, on unlabelled pages.

    Parameters
    ----------
    classifier : TokenClassifier
        The supervised classifier that makes the first predictions; its vocabulary is kept.
    pages : sequence of PageTokens
        The tokens of the pages, a few dozen of each site.
    options : AdaptOptions, optional
        The parameters.
    sites : sequence of str, optional
        The site of each page: each iteration trains on the most confident pages of each site, as in the paper's
        experiment with 60 of 100 pages of each of five sites. By default, all pages are of one site.
    on_iteration : callable, optional
        Called with the number of each finished iteration, from 1.

    Raises
    ------
    TrainingError
        No article text is found on the pages to begin with.
    """
    how = options or AdaptOptions()
    grams = [gram_keys(classifier.vocabulary.ids(page)[0], _TRIGRAM) for page in pages]
    places = _places_by_site(sites or [""] * len(pages))
    current = classifier
    runs = [best_run(current.scores(page)) for page in pages]
    changed = []
    for number in range(1, how.iterations + 1):
        probabilities = [current.probabilities(page) for page in pages]
        chosen = [page for found in places for page in _most_confident(found, runs, probabilities, how)]
        if not chosen:
            raise TrainingError("no article text was found on the pages: there is nothing to adapt to")
        learnt = _learnt([grams[page] for page in chosen], [runs[page] for page in chosen], how)
        current = TokenClassifier(classifier.vocabulary, learnt[0], Scale(), learnt[1])
        found = [best_run(current.scores(page)) for page in pages]
        changed.append(sum(new != old for new, old in zip(found, runs, strict=True)))
        runs = found
        if on_iteration is not None:
            on_iteration(number)
        if not changed[-1]:
            break
    return Adapted(current, tuple(runs), tuple(changed))


def confidence(probabilities: Floats, run: Run, window: int) -> float:
    """Return the geometric mean of the predicted labels' probabilities near the borders, 0 to 1; 0 for an empty run.

    Parameters
    ----------
    probabilities : float array
        Probability that each token is inside of the text.
    run : tuple of int
        First token and end (exclusive) of the prediction.
    window : int
        Tokens on each side of a border.
    """
    first, end = run
    if end <= first:
        return 0.0
    of_text = (probabilities[first : min(first + window, end)], probabilities[max(end - window, first) : end])
    of_others = (probabilities[max(first - window, 0) : first], probabilities[end : end + window])
    factors = np.clip(np.concatenate((*of_text, 1.0 - np.concatenate(of_others))), _NEVER_CERTAIN, 1.0)
    return float(np.exp(np.log(factors).mean()))


def border_weights(count: int, run: Run, distance: int) -> Floats:
    """Return the importance of each of ``count`` tokens: 1 beside a border of the run, 0 at ``distance`` from it."""
    place = np.arange(count)
    # The paper's k is the last token, so that k + 0.5 is the end less a half.
    to_border = np.minimum(np.abs(place - (run[0] - 0.5)), np.abs(place - (run[1] - 0.5))) - 0.5
    return np.asarray((distance - np.minimum(distance, to_border)) / distance)


def importance_of(keys: Ids, grams: Sequence[Ids], runs: Sequence[Run], distance: int) -> Floats:
    """Return the mean of the border weights of the tokens with each gram, in the order of ``keys``."""
    weights = [border_weights(page.size, run, distance) for page, run in zip(grams, runs, strict=True)]
    place = np.searchsorted(keys, np.concatenate(list(grams)))
    sums = np.bincount(place, weights=np.concatenate(weights), minlength=keys.size)
    return np.asarray(sums / np.maximum(np.bincount(place, minlength=keys.size), 1))


def _places_by_site(sites: Sequence[str]) -> list[list[int]]:
    """Return the indices of the pages of each site."""
    return [[place for place, one in enumerate(sites) if one == site] for site in dict.fromkeys(sites)]


def _most_confident(
    pages: Sequence[int], runs: Sequence[Run], probabilities: Sequence[Floats], how: AdaptOptions
) -> list[int]:
    """Return the pages with the most confident predictions, best first, without pages whose run is empty."""
    found = [page for page in pages if runs[page][1] > runs[page][0]]
    sure = {page: confidence(probabilities[page], runs[page], how.window) for page in found}
    wanted = max(1, round(how.share * len(pages)))
    return sorted(found, key=lambda page: (-sure[page], page))[:wanted]


def _learnt(grams: Sequence[Ids], runs: Sequence[Run], how: AdaptOptions) -> tuple[NaiveBayes, Importance]:
    """Train naive Bayes on the trigrams of pages labelled by runs; return it and the importance of the trigrams."""
    labels = np.concatenate([inside(run, page.size) for page, run in zip(grams, runs, strict=True)])
    counts = FeatureCounts.of(np.concatenate(list(grams)), labels)
    nothing = FeatureCounts.sum([])
    tokens = max(int(labels.sum()), 1), max(int((~labels).sum()), 1)
    bayes = NaiveBayes(counts, nothing, nothing, *tokens, smoothing=how.smoothing, balanced=True)
    return bayes, Importance(importance_of(counts.key, grams, runs, how.distance), how.factor)


@dataclass(frozen=True, eq=False)
class AdaptedModel:
    """A model for one site, and the record of its adaptation.

    Attributes
    ----------
    model : TokenModel
        The model.
    pages : int
        Number of pages that it was adapted to.
    skipped : tuple of str
        Pages that could not be read, each with the reason.
    changed : tuple of int
        Number of pages whose text changed in each iteration.
    """

    model: TokenModel
    pages: int
    skipped: tuple[str, ...]
    changed: tuple[int, ...]


def adapt(
    documents: Iterable[Document],
    model: TokenModel,
    *,
    name: str = "adapted",
    options: AdaptOptions | None = None,
    on_page: Callable[[int], None] | None = None,
    on_iteration: Callable[[int], None] | None = None,
) -> AdaptedModel:
    """Adapt a supervised token model to a site by the site's own pages; no labels are needed.

    Parameters
    ----------
    documents : iterable of Document
        A few dozen pages of one site, such as `blockfeat.io.inputs.read_inputs` yields. All their tokens are held in
        memory.
    model : TokenModel
        The model to start from, such as ``mss-supervised``.
    name : str
        Name of the new model.
    options : AdaptOptions, optional
        The parameters of the approach.
    on_page, on_iteration : callable, optional
        Called with the number of pages read so far, and with the number of each finished iteration, from 1.

    Raises
    ------
    ModelError
        The model has no classifier to start from.
    TrainingError
        There are fewer than five pages, or no text is found on them.
    """
    if model.classifier is None:
        raise ModelError(f"model {model.name!r} cannot be adapted: it has no classifier; take mss-supervised")
    how = options or AdaptOptions()
    pages: list[PageTokens] = []
    skipped: list[str] = []
    for document in documents:
        try:
            pages.append(_tokens_of(document))
        except BlockfeatError as error:
            skipped.append(f"{document.id}: {error}")
        if on_page is not None:
            on_page(len(pages) + len(skipped))
    if len(pages) < FEWEST_PAGES:
        raise TrainingError(f"adapting needs at least {FEWEST_PAGES} pages of one site, not {len(pages)}")
    adapted = adapt_to_pages(model.classifier, pages, how, on_iteration=on_iteration)
    record = {"adapted_from": model.name, "pages": len(pages), "options": asdict(how)}
    record |= {"changed": list(adapted.changed), "blockfeat": __version__}
    made = replace(model, name=name, classifier=without_rare(adapted.classifier), record=record)
    return AdaptedModel(made, len(pages), tuple(skipped), adapted.changed)


def _tokens_of(document: Document) -> PageTokens:
    """Parse one page and return its tokens."""
    if document.data is None:
        raise TrainingError(document.error or "the document has no data")
    return PageTokens.of(Page.parse(document.data, charset=document.charset).tags)


def without_rare(classifier: TokenClassifier) -> TokenClassifier:
    """Return the classifier without grams seen only once: they are of single articles and would only fill the file."""
    grams, importance = classifier.bayes.grams, classifier.importance
    kept: NDArray[np.bool_] = grams.inside + grams.outside >= _LEAST_SEEN
    return replace(
        classifier,
        bayes=replace(classifier.bayes, grams=grams.chosen(kept)),
        importance=importance and replace(importance, weight=importance.weight[kept]),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Adapt a bundled model or a model file to the pages of a site; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m experiments.mss.adapt")
    parser.add_argument("pages", nargs="+", help="folders or files with pages of one site")
    parser.add_argument("--model", default="mss-supervised", help="the token model to start from")
    parser.add_argument("--output", type=Path, required=True, help="the model file to write, .npz")
    options = parser.parse_args(arguments)
    check_needs(files=options.pages)
    model = load_model(options.model)
    if not isinstance(model, TokenModel):
        raise ModelError(f"model {options.model!r} does not label tokens; take mss-supervised")
    found = adapt(read_inputs(options.pages), model, name=options.output.stem)
    save_model(found.model, options.output)
    for problem in found.skipped:
        print(problem, file=sys.stderr)
    for number, changed in enumerate(found.changed, start=1):
        print(f"iteration {number}: the text of {changed} of {found.pages} pages changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
