"""The trainer of Web2Text models: labelled text leaves, two networks, λ chosen on the validation pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from blockfeat._config import InnerShare, Ranged, Share
from blockfeat._extras import import_torch, require_extra
from blockfeat.blocks.tagtable import load_table
from blockfeat.data.align import align
from blockfeat.data.corpus import LabelledPage
from blockfeat.data.labels import label_blocks
from blockfeat.data.split import split_pages
from blockfeat.errors import CorpusError, TrainingError
from blockfeat.features.measuring import FeatureExtractor, context_columns
from blockfeat.features.schema import Measured
from blockfeat.lang.identify import Identifier
from blockfeat.page.page import Page
from blockfeat.papers.web2text.features import page_features
from blockfeat.papers.web2text.leaves import leaf_measurer
from blockfeat.papers.web2text.model import LeafLabeller, Web2TextModel
from blockfeat.papers.web2text.networks import LabelledLeaves, Recipe, train_web2text
from blockfeat.training.config import OnProgress, Progress, Trainer, TrainingReport, no_progress
from blockfeat.training.examples import LabelOptions, convention_marks, measured_pages


@dataclass(frozen=True)
class Web2TextConfig(Ranged):
    """Hyperparameters of Web2Text.

    Attributes
    ----------
    table : str
        Bundled tag table that cuts pages into the blocks of the result, or path of one.
    validation_share : float
        Share of the pages, by host, that are used for early stopping and for choosing λ.
    interpolations : tuple of float
        Values of λ to choose from; none to take that of the recipe. 0, a model without the pairwise network, is scored
        for comparison and never chosen.
    labels : LabelOptions
        Labels and weights of the text leaves.
    content_share : float
        The paper's labels: a leaf is content from this share of its words in the gold text on, headlines too, and all
        leaves weigh the same. 0 for labels and weights as of blocks (`blockfeat.data.labels.label_blocks`).
    recipe : Recipe
        Training of the networks.
    """

    error = TrainingError

    table: str = "html5"
    validation_share: InnerShare = 0.1
    interpolations: tuple[float, ...] = (0.0, 0.1, 0.3, 1.0)
    labels: LabelOptions = field(default_factory=lambda: LabelOptions(other_types=0.3))
    content_share: Share = 0.0
    recipe: Recipe = field(default_factory=Recipe)

    def __post_init__(self) -> None:
        """Check the values."""
        super().__post_init__()
        if self.interpolations and max(self.interpolations) <= 0:
            raise TrainingError("one of 'interpolations' must be above 0")


@dataclass(frozen=True)
class LeafPageLabeller:
    """Measures and labels the text leaves of pages, in this process or in another."""

    measurer: FeatureExtractor
    options: LabelOptions
    content_share: float = 0.0

    def __call__(self, page: LabelledPage) -> LabelledLeaves:
        """Label the leaves: body text is content; headlines are not, captions do not count, unless as in the paper."""
        if not page.text:
            raise TrainingError("it has no gold text")
        measured = self.measurer.measure(Page.parse(page.html, url=page.url))
        blocks = measured.blocks
        alignment = align(blocks, page.text)
        if len(blocks) < 2 or alignment.found < self.options.least_found:
            raise TrainingError("too little of its gold text is found on it")
        if self.content_share:
            is_content = alignment.share >= self.content_share
            return LabelledLeaves(page_features(measured), is_content, np.ones(is_content.size))
        matrix = context_columns(Measured(blocks, measured.stop_words))
        labelled = label_blocks(alignment.share, alignment.words, convention_marks(matrix, alignment.echo))
        size = np.sqrt(np.maximum(alignment.words, 1))
        weights = labelled.weights * size / size.mean() * self.options.importance(page)
        return LabelledLeaves(page_features(measured), labelled.labels > 0.5, weights)


@dataclass(frozen=True, kw_only=True)
class Web2TextTrainer(Trainer[Web2TextConfig]):
    """Trains Web2Text models on the pages that have a gold text; needs PyTorch."""

    kind: ClassVar[str] = "web2text"
    suffix: ClassVar[str] = ".npz"

    config: Web2TextConfig = field(default_factory=Web2TextConfig)

    def check_libraries(self) -> None:
        """Check that PyTorch is installed; see `Trainer.check_libraries`."""
        require_extra("web2text", what="training models of kind web2text")

    def fit(self, pages: Sequence[LabelledPage], *, on_progress: OnProgress = no_progress) -> Web2TextModel:
        """Learn a model from labelled pages; see `Trainer.fit`."""
        import_torch()  # before minutes of measuring
        measurer = leaf_measurer(Identifier.build(), self.languages)
        work = LeafPageLabeller(measurer, self.config.labels, self.config.content_share)
        measured, skipped = measured_pages(work, pages, jobs=self.jobs, on_progress=on_progress)
        usable, leaves = [page for page, _ in measured], {id(page): found for page, found in measured}
        try:
            rest, validation, _ = split_pages(usable, 1 - self.config.validation_share, self.seed)
        except CorpusError as error:
            raise TrainingError("Web2Text needs validation pages: give it two training pages or more") from error
        found = [leaves[id(page)] for page in validation]
        # Weights that sum to 1, so that long pages do not dominate the validation error.
        checked = [replace(page, weights=page.weights / max(float(page.weights.sum()), 1e-9)) for page in found]
        recipe = self.config.recipe

        def on_check(name: str, step: int, error: float) -> None:
            done = step + (0 if name == "unary" else recipe.steps)
            kept = "" if name == "unary" else "the best weights so far"
            on_progress(Progress("network", done, 2 * recipe.steps, f"steps, {name}, error {error:.4f}", kept))

        on_progress(Progress("network", 0, 2 * recipe.steps, "steps, unary"))
        learnt = [leaves[id(page)] for page in rest]
        trained = train_web2text(learnt, checked, recipe, seed=self.seed, on_check=on_check)
        scored = {
            value: _weighted_f1(replace(trained.labeller, interpolation=value), checked)
            for value in self.config.interpolations or (recipe.interpolation,)
        }
        best = max((value for value in scored if value > 0), key=lambda value: scored[value])
        details = {
            "interpolation": best,
            "validation_f1": {str(value): round(score, 4) for value, score in scored.items()},
            "validation_error": trained.errors,
            "validation_pages": len(checked),
        }
        report = TrainingReport(
            self.kind, len(usable), skipped=skipped, details=details, interrupted=trained.interrupted
        )
        labeller, table = replace(trained.labeller, interpolation=best), load_table(self.config.table)
        return Web2TextModel(labeller, self.name, table, languages=self.languages, report=report)


def _weighted_f1(labeller: LeafLabeller, pages: Sequence[LabelledLeaves]) -> float:
    """Return the F1 over the leaves of some pages, weighted, from 0 to 1."""
    both = either = 0.0
    for page in pages:
        kept = labeller.predict(page.features).kept
        both += float(page.weights[kept & page.labels].sum())
        either += float(page.weights[kept].sum() + page.weights[page.labels].sum())
    return 2 * both / either if either else 0.0
