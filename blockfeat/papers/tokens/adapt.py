"""``adapt``: unlabelled pages of one site to a model for that site (Pasternack & Roth 2009, 6.2.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from blockfeat import __version__
from blockfeat.errors import BlockfeatError, ModelError, TrainingError
from blockfeat.page.document import Document
from blockfeat.page.page import Page
from blockfeat.papers.tokens.bootstrapping import AdaptOptions, adapt_to_pages
from blockfeat.papers.tokens.classifier import TokenClassifier
from blockfeat.papers.tokens.model import TokenModel
from blockfeat.papers.tokens.page_tokens import PageTokens

FEWEST_PAGES = 5
_LEAST_SEEN = 2


@dataclass(frozen=True, eq=False)
class AdaptedModel:
    """A model for one site, and how it came about.

    Attributes
    ----------
    model : TokenModel
        The model.
    pages : int
        Pages that were learnt from.
    skipped : tuple of str
        Pages that could not be read, each with the reason.
    changed : tuple of int
        How many pages changed their text in each iteration.
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
        Pages of one site, some dozens, such as `blockfeat.io.inputs.read_inputs` yields them. All their tokens are held
        in memory.
    model : TokenModel
        The model to start from, such as ``mss-supervised``.
    name : str
        Name of the new model.
    options : AdaptOptions, optional
        The constants of the approach.
    on_page, on_iteration : callable, optional
        Called with the number of pages read, and of each finished iteration.

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
    record = {
        "adapted_from": model.name,
        "pages": len(pages),
        "options": asdict(how),
        "changed": list(adapted.changed),
        "blockfeat": __version__,
    }
    made = replace(model, name=name, classifier=_without_rare(adapted.classifier), record=record)
    return AdaptedModel(made, len(pages), tuple(skipped), adapted.changed)


def _tokens_of(document: Document) -> PageTokens:
    """Parse one page and take it apart."""
    if document.data is None:
        raise TrainingError(document.error or "the document has no data")
    return PageTokens.of(Page.parse(document.data, charset=document.charset).tags)


def _without_rare(classifier: TokenClassifier) -> TokenClassifier:
    """Leave out the grams that were seen once: they are of one article's own text and would only fill the file."""
    grams, importance = classifier.bayes.grams, classifier.importance
    kept: NDArray[np.bool_] = grams.inside + grams.outside >= _LEAST_SEEN
    return replace(
        classifier,
        bayes=replace(classifier.bayes, grams=grams.chosen(kept)),
        importance=importance and replace(importance, weight=importance.weight[kept]),
    )
