"""What rendering could bring: the sequence network trained with and without features of the rendering."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.tagtable import load_table
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import TrainingError
from blockfeat.models.decoding import expectation, logit, page_cut
from blockfeat.models.model import best_blocks
from blockfeat.models.sequence import SURE, SequenceModel
from blockfeat.training.evaluation.strategies import page_fitness
from blockfeat.training.examples import LabelOptions, PageLabeller, TrainingPage, context_measurer
from blockfeat.training.sequence import SequenceConfig
from blockfeat.training.sequence_network import SequenceOptions, fit_sequence
from experiments.nested_folds import Fold
from experiments.vips.layout import RenderedPage
from experiments.vips.rendered_features import LAYOUT, VIPS_BLOCK, VISIBILITY, RenderedBlocks
from experiments.vips.structure import segment

__all__ = ["VARIANTS", "PreparedPage", "prepare", "score_folds", "train"]

Floats = NDArray[np.float32]
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "text": (),
    "visibility": VISIBILITY,
    "rendering": (*VISIBILITY, *LAYOUT),
    "rendering and VIPS": (*VISIBILITY, *LAYOUT, *VIPS_BLOCK),
}
"""The features of the rendering that each variant has beside those of the text."""
_NAMES = (*VISIBILITY, *LAYOUT, *VIPS_BLOCK)
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class _AnyInputs(SequenceModel):
    """A sequence model whose inputs are not all in the catalogue of features."""

    def __post_init__(self) -> None:
        """Check nothing: the names of the inputs are not known elsewhere."""


@dataclass(frozen=True, eq=False)
class PreparedPage:
    """A page that was measured, labelled and rendered.

    Attributes
    ----------
    page : TrainingPage
        With the features of the text.
    source : LabelledPage
        The page.
    rendered : float32 array, n × k
        The features of the rendering.
    """

    page: TrainingPage
    source: LabelledPage
    rendered: Floats

    def with_features(self, names: Sequence[str]) -> TrainingPage:
        """Return the page with some of the features of the rendering behind those of the text."""
        places = [_NAMES.index(name) for name in names]
        matrix = np.hstack((self.page.matrix, self.rendered[:, places])).astype(np.float32)
        return replace(self.page, matrix=matrix, source=self.source)


def prepare(pages: Sequence[LabelledPage], rendered: Mapping[tuple[str, str], RenderedPage]) -> list[PreparedPage]:
    """Measure and label pages that were rendered; those that cannot be used are left out, with a note in the log."""
    measurer = context_measurer("html5")
    labeller = PageLabeller(measurer, LabelOptions())
    found: list[PreparedPage] = []
    for page in pages:
        rendering = rendered.get((page.corpus, page.id))
        if rendering is None or rendering.error is not None:
            continue
        try:
            labelled, _, _ = labeller.label(page)
        except TrainingError as error:
            _logger.info("%s %s is left out: %s", page.corpus, page.id, error)
            continue
        matrix = RenderedBlocks.of(labelled.texts, rendering).matrix(segment(rendering))
        found.append(PreparedPage(labelled, page, matrix))
    return found


def train(pages: Sequence[TrainingPage], options: SequenceOptions) -> SequenceModel:
    """Train the network of ``blockfeat train --kind sequence`` on pages; the cut is not tuned."""
    names = tuple(map(str, range(pages[0].matrix.shape[1])))
    weights = fit_sequence(pages, options).weights
    return _AnyInputs("gain", load_table("html5"), names, weights, cut=SequenceConfig().cut)


def score(model: SequenceModel, page: TrainingPage) -> float:
    """Return word F1 of what a model keeps of a page."""
    assert page.source is not None
    logits, words = model.logits(page.matrix), page.words.astype(np.int32)
    kept = logits >= logit(page_cut(model.cut, expectation(logits, words), sure=SURE))
    kept = kept if kept.any() else best_blocks(logits)
    text = "\n\n".join(page.texts[place] for place in np.flatnonzero(kept).tolist())
    return page_fitness(text, page.source, "f1")


def score_folds(
    pages: Sequence[PreparedPage],
    folds: Sequence[Fold],
    seeds: Sequence[int],
    *,
    variants: Mapping[str, Sequence[str]] = VARIANTS,
    options: SequenceOptions | None = None,
    on_fold: Callable[[str], None] = _logger.info,
) -> dict[tuple[str, str], dict[str, float]]:
    """Train each variant for each fold and score the fold's pages.

    Parameters
    ----------
    pages : sequence of PreparedPage
        All pages.
    folds : sequence of Fold
        Of the same labelled pages.
    seeds : sequence of int
        Each page's score is the mean over trainings with these seeds.
    variants : mapping
        Names of the features of the rendering that each has.
    options : SequenceOptions, optional
        Size and training of the network.
    on_fold : callable
        Called with a line after each training.

    Returns
    -------
    dict
        Word F1 of each variant by corpus and id of the page.
    """
    scores: dict[tuple[str, str], dict[str, float]] = {}
    for fold in folds:
        tested = {(page.corpus, page.id) for page in fold.test}
        for name, features in variants.items():
            training = [page.with_features(features) for page in pages if _key(page) not in tested]
            test = {_key(page): page.with_features(features) for page in pages if _key(page) in tested}
            for seed in seeds:
                model = train(training, replace(options or SequenceOptions(), seed=seed))
                for key, page in test.items():
                    found = scores.setdefault(key, dict.fromkeys(variants, 0.0))
                    found[name] += score(model, page) / len(seeds)
                on_fold(f"fold {fold.name}, {name}, seed {seed}: trained on {len(training)} pages")
    return scores


def _key(page: PreparedPage) -> tuple[str, str]:
    return page.source.corpus, page.source.id
