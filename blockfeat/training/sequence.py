"""Trainer of sequence models: soft labels, the network, its cut chosen on held-out hosts, the test for content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from statistics import fmean
from typing import Annotated, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import Count, CountOrNone, InnerShare, Ranged, Share, between
from blockfeat._extras import import_lightgbm, import_torch, require_extra
from blockfeat._files import bundled_table
from blockfeat._numeric import fit_logistic, probabilities
from blockfeat.blocks.tagtable import load_table
from blockfeat.data.corpus import LabelledPage
from blockfeat.data.split import folds_by_host, split_pages
from blockfeat.errors import CorpusError, TrainingError
from blockfeat.features.measuring import context_places
from blockfeat.models.decoding import expectation, logit, page_cut
from blockfeat.models.sequence import MIGHT_BE, SHORT_PAGE, SURE, ContentTest, SequenceModel
from blockfeat.training.config import OnProgress, Progress, Trainer, TrainingReport, no_progress
from blockfeat.training.evaluation.strategies import page_fitness
from blockfeat.training.examples import LabelOptions, PageLabeller, TrainingPage, context_measurer, label_pages
from blockfeat.training.sequence_network import SequenceFit, SequenceOptions, fit_sequence

Teacher: TypeAlias = Callable[[TrainingPage], NDArray[np.floating[Any]]]
"""Returns the probability of content of each block of a page."""


_MOST_BLOCKS = 160
_REACH = (-2, -1, 1, 2)
# The weights of a page's blocks sum to one; LightGBM's limits assume rows of weight one.
_WEIGHT = 1_000.0
_AS_GOOD = 0.0005
_MOST_REFUSED = 0.005
_FEWEST_EMPTIED = 10


@dataclass(frozen=True)
class SequenceConfig(Ranged):
    """Hyperparameters of the sequence model.

    Attributes
    ----------
    table : str
        Bundled tag table, "html5" or "ziegler2007", or path of one.
    emptied_every : int
        Every n-th page with gold text is added a second time without its content, to learn the test for content; 0
        for none, and no such test.
    emptied_weight : float
        Weight of such a copy; a page counts 1.
    inner_share : float
        Share of the pages, by host, for a first network; the cut is chosen on the others. 1: no cut is chosen.
    teacher_share : float
        Weight of the teachers' probabilities in soft labels (`soften_labels`); 0: the labels stay as they are.
    trees : int
        Trees of the forest that is a teacher together with a network.
    fewest_taught : int
        With fewer pages there are no teachers: the labels stay as they are.
    cut : float
        Probability from which a block is content, if no cut is chosen.
    cuts : tuple of float
        Cuts to choose from.
    labels : LabelOptions
        Labels and weights of the blocks.
    network : SequenceOptions
        Size and training of the network.
    """

    error = TrainingError

    table: str = "html5"
    emptied_every: CountOrNone = 4
    emptied_weight: Annotated[float, between(0.0)] = 0.3
    inner_share: Annotated[float, between(0.0, 1.0, is_above=True)] = 0.75
    teacher_share: Share = 0.5
    trees: Count = 200
    fewest_taught: int = 500
    cut: InnerShare = 0.5
    cuts: tuple[float, ...] = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)
    labels: LabelOptions = field(default_factory=LabelOptions)
    network: SequenceOptions = field(default_factory=SequenceOptions)

    def __post_init__(self) -> None:
        """Check the values."""
        super().__post_init__()
        if not all(0 < cut < 1 for cut in self.cuts):
            raise TrainingError("all 'cuts' must lie between 0 and 1")


@dataclass(frozen=True, kw_only=True)
class SequenceTrainer(Trainer[SequenceConfig]):
    """Trains sequence models, the kind of the bundled default; needs PyTorch."""

    kind: ClassVar[str] = "sequence"
    suffix: ClassVar[str] = ".npz"

    config: SequenceConfig = field(default_factory=SequenceConfig)

    def check_libraries(self) -> None:
        """Check that PyTorch is installed, and LightGBM if there are teachers; see `Trainer.check_libraries`."""
        needed = () if self.config.teacher_share else ("torch",)
        require_extra("sequence", *needed, what="training models of kind sequence")

    def fit(self, pages: Sequence[LabelledPage], *, on_progress: OnProgress = no_progress) -> SequenceModel:
        """Learn a model from labelled pages; see `Trainer.fit`."""
        import_torch("sequence")  # fails before minutes of measuring
        if self._has_teachers(len(pages)):
            import_lightgbm()
        measurer = context_measurer(self.config.table, self.languages)
        labeller = PageLabeller(measurer, self.config.labels, self.config.emptied_weight)
        found, skipped = label_pages(
            pages, labeller, emptied_every=self.config.emptied_every, jobs=self.jobs, on_progress=on_progress
        )
        learnt, taught = self._taught(found, on_progress)
        inner, held_out = self._inner_split(learnt)
        first, cut = None, self.config.cut
        if held_out:
            first = self._network(inner, "choice of the cut", on_progress)
            if not first.interrupted:
                cut = chosen_cut(self._model(first, cut), held_out, self.config.cuts)
        fit = first if first is not None and first.interrupted else self._network(learnt, "all pages", on_progress)
        model = self._model(fit, cut)
        if not fit.interrupted:
            model = replace(model, content=learn_content_test(model, learnt))
        used = sum(not page.is_emptied for page in learnt)
        details = {"cut": cut, "cut_chosen_on_pages": len(held_out), "passes": len(fit.losses), "soft_labels": taught}
        report = TrainingReport(self.kind, used, skipped=skipped, details=details, interrupted=fit.interrupted)
        return replace(model, report=report)

    def _has_teachers(self, pages: int) -> bool:
        """Return whether teachers are configured and this number of pages is enough for them."""
        return self.config.teacher_share > 0 and pages >= self.config.fewest_taught

    def _taught(self, pages: Sequence[TrainingPage], on_progress: OnProgress) -> tuple[Sequence[TrainingPage], bool]:
        """Return the pages with soft labels and True; unchanged and False if there are too few pages or hosts."""
        config = self.config
        own = [page.source for page in pages if page.source is not None and not page.is_emptied]
        if not self._has_teachers(len(own)) or len({source.host for source in own}) < 2:
            return pages, False

        def teach(learnt: Sequence[TrainingPage], name: str) -> Teacher:
            fit = self._network(learnt, name, on_progress, is_kept=False)
            if fit.interrupted:
                raise KeyboardInterrupt
            on_progress(Progress("fitting", 0, 1, f"forest, {name}"))
            network, forest = self._model(fit, config.cut), fit_forest(learnt, trees=config.trees, seed=self.seed)
            return lambda page: (probabilities(network.logits(page.matrix)) + forest(page)) / 2

        return soften_labels(pages, teach, share=config.teacher_share, seed=self.seed), True

    def _inner_split(self, pages: Sequence[TrainingPage]) -> tuple[list[TrainingPage], list[TrainingPage]]:
        """Return the pages for the first network, and those for the choice of the cut, of which there may be none."""
        sources = [page.source for page in pages if page.source is not None and not page.is_emptied]
        if self.config.inner_share == 1 or not self.config.cuts:
            return list(pages), []
        try:
            kept, *_ = split_pages(sources, self.config.inner_share, self.seed)
        except CorpusError:
            return list(pages), []
        inner = {id(source) for source in kept}
        first = [page for page in pages if id(page.source) in inner]
        return first, [page for page in pages if id(page.source) not in inner and not page.is_emptied]

    def _network(
        self, pages: Sequence[TrainingPage], what: str, on_progress: OnProgress, *, is_kept: bool = True
    ) -> SequenceFit:
        """Train one network on pages and report its passes."""
        options = replace(self.config.network, seed=self.seed)
        passes = options.passes_over(len(pages))
        on_progress(Progress("network", 0, passes, f"passes, {what}"))

        def on_pass(done: int, loss: float) -> None:
            kept = f"the network after {done} of {passes} passes" if is_kept else ""
            on_progress(Progress("network", done, passes, f"passes, {what}, loss {loss:.4f}", kept))

        return fit_sequence(pages, options, on_pass=on_pass)

    def _model(self, fit: SequenceFit, cut: float) -> SequenceModel:
        table, features = load_table(self.config.table), tuple(context_places())
        return SequenceModel(self.name, table, features, fit.weights, cut=cut, languages=self.languages)


def chosen_cut(model: SequenceModel, pages: Sequence[TrainingPage], cuts: Sequence[float]) -> float:
    """Return the highest cut whose mean F1 on some pages is at most 0.0005 below that of the best cut.

    F1 is over words, or snippets if a page has no gold text; each corpus is weighted by the square root of its number
    of pages. Of two cuts with the same F1, the higher keeps fewer teasers.
    """
    scores: dict[float, dict[str, list[float]]] = {cut: defaultdict(list) for cut in cuts}
    for page in pages:
        if page.source is None:
            continue
        logits = model.logits(page.matrix)
        expected = expectation(logits, page.words.astype(np.int32))
        for cut in cuts:
            kept = logits >= logit(page_cut(cut, expected, sure=SURE))
            text = "\n\n".join(page.texts[place] for place in np.flatnonzero(kept).tolist())
            scores[cut][page.source.corpus].append(page_fitness(text, page.source, "f1"))
    means = {cut: _mean_of_corpora(found) for cut, found in scores.items()}
    return max(cut for cut in cuts if means[cut] >= max(means.values()) - _AS_GOOD)


def _mean_of_corpora(scores: dict[str, list[float]]) -> float:
    """Return the mean of the corpora's means, each weighted by the square root of its number of pages."""
    roots = {corpus: sqrt(len(own)) for corpus, own in scores.items()}
    return sum(fmean(own) * roots[corpus] for corpus, own in scores.items()) / max(sum(roots.values()), 1e-9)


def learn_content_test(model: SequenceModel, pages: Sequence[TrainingPage]) -> ContentTest | None:
    """Fit a test whether pages have content, on pages with and without it; None if too few are without.

    Logistic regression over the measures of `ContentTest`, both groups with the same total weight; the bias is set so
    that 0.5 % of the pages with content are refused. For short pages, the logit above which a block might be content is
    that of `might_be`.
    """
    chosen = [page for page in pages if page.source is not None and page.source.text is not None]
    is_full = np.array([not page.is_emptied for page in chosen], dtype=np.bool_)
    if (~is_full).sum() < _FEWEST_EMPTIED or not is_full.any():
        return None
    expected = [expectation(model.logits(page.matrix), page.words.astype(np.int32)) for page in chosen]
    inputs = np.column_stack((np.array([ContentTest.measures(one) for one in expected]), np.ones(len(expected))))
    share = np.where(is_full, 0.5 / is_full.sum(), 0.5 / (~is_full).sum())
    weights = fit_logistic(inputs, is_full, weights=share, ridge=1e-4, steps=30)
    least = float(np.quantile((inputs @ weights)[is_full], _MOST_REFUSED))
    short = [
        one.highest for one, page in zip(expected, chosen, strict=True) if page.is_emptied and one.words < SHORT_PAGE
    ]
    return ContentTest(tuple(weights[:-1].tolist()), float(weights[-1] - least), might_be(short))


def might_be(highest: Sequence[float]) -> float:
    """Return the logit that no block exceeds on a third of the pages without content.

    Parameters
    ----------
    highest : sequence of float
        The highest logit of each of these pages; `MIGHT_BE` is returned for fewer than ten.
    """
    return float(np.quantile(highest, 1 / 3)) if len(highest) >= _FEWEST_EMPTIED else MIGHT_BE


def soften_labels(
    pages: Sequence[TrainingPage], teach: Callable[[Sequence[TrainingPage], str], Teacher], *, share: float, seed: int
) -> list[TrainingPage]:
    """Return the pages with soft labels: (1 - share) · label + share · mean probability.

    Gold texts differ in what they count as content, and some are wrong. Where models of other sites contradict a label,
    this is more often the cause than a difficult block; a network trained on soft labels makes fewer errors on pages of
    other corpora (docs/accuracy.md). The sites are split into two halves; models are trained on each and label
    the pages of the other. Hinton, Vinyals & Dean 2015, section 2, with teachers that never label their training pages.

    Parameters
    ----------
    pages : sequence of TrainingPage
        Pages with their sources, of at least two hosts.
    teach : callable
        Trains a teacher on pages and returns it; the second argument is its name for the progress.
    share : float
        Weight of the teacher's probability in a label, from 0 to 1.
    seed : int
        Seed of the split into halves.

    Raises
    ------
    CorpusError
        The pages are of fewer than two hosts.
    """
    sources = list({id(page.source): page.source for page in pages if page.source is not None}.values())
    softened = list(pages)
    for number, (learnt, _) in enumerate(folds_by_host(sources, 2, seed), start=1):
        seen = {id(source) for source in learnt}
        teacher = teach([page for page in pages if id(page.source) in seen], f"teachers {number} of 2")
        for place, page in enumerate(pages):
            if page.source is not None and id(page.source) not in seen:
                label = (1 - share) * page.label + share * teacher(page)
                softened[place] = replace(page, label=label.astype(np.float32))
    return softened


def surroundings(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the features of each block, of its two neighbours on each side, and their means over the page.

    Parameters
    ----------
    matrix : float32 array, n × k
        Features of a page's blocks.

    Returns
    -------
    float32 array, n × 6k
        Neighbours beyond the page have zeros.
    """
    count, width = matrix.shape
    reach = max(_REACH)
    edge = np.zeros((reach, width), dtype=np.float32)
    padded = np.vstack((edge, matrix, edge))
    beside = [padded[reach + step : reach + step + count] for step in _REACH]
    mean = np.broadcast_to(matrix.mean(axis=0), matrix.shape)
    return np.hstack((matrix, *beside, mean)).astype(np.float32, copy=False)


def fit_forest(pages: Sequence[TrainingPage], *, trees: int, seed: int) -> Teacher:
    """Fit boosted trees to the labels of pages; return a function from a page to its blocks' probabilities.

    Of a long page 160 blocks are drawn, with the weight of all its blocks. The same pages and seed give the same trees.

    Parameters
    ----------
    pages : sequence of TrainingPage
        Training pages; labels of at least 0.5 are content.
    trees : int
        Number of trees.
    seed : int
        Seed of the draws.

    Raises
    ------
    MissingExtraError
        LightGBM is not installed.
    """
    lightgbm = import_lightgbm()
    order = np.random.default_rng(seed)
    rows, labels, weights = zip(*(_sample(page, order) for page in pages), strict=True)
    data = lightgbm.Dataset(np.vstack(rows), np.concatenate(labels), weight=np.concatenate(weights))
    parameters = bundled_table("blockfeat.training", "forest.toml")
    booster = lightgbm.train({**parameters, "seed": seed}, data, trees)
    return lambda page: np.asarray(booster.predict(surroundings(page.matrix)), dtype=np.float64)


def _sample(
    page: TrainingPage, order: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.float32]]:
    """Return rows, labels and weights of drawn blocks with a known label, scaled to the total weight of all blocks."""
    known = np.flatnonzero(page.weight > 0)
    drawn = known if known.size <= _MOST_BLOCKS else np.sort(order.choice(known, _MOST_BLOCKS, replace=False))
    weights = page.weight[drawn]
    factor = _WEIGHT * float(page.weight.sum()) / max(float(weights.sum()), 1e-9)
    return surroundings(page.matrix)[drawn], page.label[drawn] >= 0.5, weights * np.float32(factor)
