"""The sequence model: a small residual network over the blocks of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import log1p
from operator import mul
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import number
from blockfeat.blocks.tagtable import TagTable
from blockfeat.errors import ModelError
from blockfeat.features.block_kernel import FeatureRows
from blockfeat.features.measuring import PageFeatures, features_named
from blockfeat.features.schema import Feature
from blockfeat.models.decoding import Expectation, expectation, favoured_cut, logit, page_cut
from blockfeat.models.layers import Array, Network, matmul
from blockfeat.models.model import Arrays, BlockReason, FeatureModel, Prediction, ReadFile, best_blocks, floats

DILATIONS = (1, 2, 4)
"""Distance to the neighbours that each convolution looks at."""
WEIGHT_NAMES = (
    "mean", "scale", "inner", "inner_bias", "page", "page_bias",
    *(name for layer in range(len(DILATIONS)) for name in (f"convolution_{layer}", f"convolution_{layer}_bias")),
    "outer", "outer_bias",
)  # fmt: skip
"""Names of the arrays of a network: standardisation, layer by layer, and the last unit."""
_MOST_DEVIATIONS = 5.0
_LOOKED_AT = 16
SURE = 0.8
"""The expected F1 from which a page is not in doubt."""
MIGHT_BE = -10.0
"""Default logit above which a block might be content."""
SHORT_PAGE = 120
"""Words below which a page is short for the test for content."""
_STRETCH = 4_096
_REACH = sum(DILATIONS)


@dataclass(frozen=True, slots=True)
class ContentTest:
    """Decides whether a page has main content at all: a weighted sum of four measures of the page, at least 0.

    Attributes
    ----------
    weights : tuple of float
        Weights of the measures, in the order of `measures`.
    bias : float
        What is added.
    might_be : float
        Logit above which a block might be content; a short page needs only one such block.
    """

    weights: tuple[float, ...]
    bias: float
    might_be: float = MIGHT_BE

    @staticmethod
    def measures(expected: Expectation) -> list[float]:
        """Return log of the expected words of content and of the page, their ratio, and the highest logit."""
        content, words = expected.content, float(expected.words)
        return [log1p(content), log1p(words), content / max(words, 1.0), expected.highest]

    def holds(self, expected: Expectation) -> bool:
        """Return whether a page with these blocks has content; a short page needs only one block that might be."""
        if expected.words < SHORT_PAGE and expected.highest > self.might_be:
            return True
        return bool(sum(map(mul, self.weights, self.measures(expected))) + self.bias >= 0)


@dataclass(frozen=True, eq=False)
class SequenceModel(FeatureModel):
    """A network over the blocks of a page in their order.

    Each block's features go through one layer to c channels, to which a layer over the page's mean is added; three
    convolutions over a block and its neighbours at distances 1, 2 and 4 add to the channels in turn; the last unit
    gives the logit of the probability that the block is content.

    Attributes
    ----------
    name : str
        Name of the model.
    table : TagTable
        How pages are cut.
    feature_names : tuple of str
        Names of the features, in the order of the network's inputs.
    weights : mapping
        Float arrays by `WEIGHT_NAMES`.
    cut : float
        Probability from which a block is content; lower for more recall.
    cuts : mapping
        The cut by language, for languages that gain by their own.
    content : ContentTest or None
        Decides which pages have no main content.
    languages, stop_word_scope, segmenter, record
        As for every model.
    """

    kind: ClassVar[str] = "sequence"
    decoding: ClassVar[str] = "cut"

    name: str
    table: TagTable
    feature_names: tuple[str, ...]
    weights: Mapping[str, Array]
    cut: float = 0.5
    cuts: Mapping[str, float] = field(default_factory=dict)
    content: ContentTest | None = None

    def __post_init__(self) -> None:
        """Check that the weights fit together and the features are known."""
        missing = [name for name in WEIGHT_NAMES if name not in self.weights]
        if missing:
            raise ModelError(f"model {self.name!r} has no weights named {', '.join(missing)}")
        features_named(self.feature_names, where=f"model {self.name!r}")
        features, channels = len(self.feature_names), self.weights["inner_bias"].size
        shapes: dict[str, tuple[int, ...]] = {"mean": (features,), "scale": (features,), "inner": (features, channels)}
        shapes["inner_bias"] = (channels,)
        shapes |= {"page": (channels, channels), "page_bias": (channels,), "outer": (channels,), "outer_bias": (1,)}
        for layer in range(len(DILATIONS)):
            shapes[f"convolution_{layer}"] = (3 * channels, channels)
            shapes[f"convolution_{layer}_bias"] = (channels,)
        for name, shape in shapes.items():
            if self.weights[name].shape != shape:
                raise ModelError(f"model {self.name!r}: weights {name!r} are {self.weights[name].shape}, not {shape}")
        if not all(0 < cut < 1 for cut in (self.cut, *self.cuts.values())):
            raise ModelError(f"model {self.name!r}: a cut must lie between 0 and 1")

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The features, in the order of the network's inputs."""
        return features_named(self.feature_names)

    @cached_property
    def _network(self) -> Network:
        return Network(self.weights, DILATIONS, _MOST_DEVIATIONS)

    def logits(self, features: NDArray[np.floating[Any]] | FeatureRows) -> Array:
        """Return the logit of each block: n. Long pages go through in stretches, so that memory stays bounded."""
        rows = features if isinstance(features, FeatureRows) else FeatureRows(features.astype(np.float32, copy=False))
        count, network = rows.blocks, self._network
        if count <= _STRETCH:
            return network.logits(rows)
        channels = self._states(1, _STRETCH)[0]
        firsts = range(0, count, _STRETCH)
        total = np.sum([network.alone(rows, first, channels[: count - first]) for first in firsts], axis=0)
        whole = network.whole(total, count)
        parts = []
        for first in firsts:
            begin = max(first - _REACH, 0)
            states = self._states(2, min(first + _STRETCH + _REACH, count) - begin)
            network.alone(rows, begin, states[0])
            convolved = network.convolve(states, whole)[first - begin :][:_STRETCH]
            parts.append(convolved @ self.weights["outer"])
        return np.asarray(np.concatenate(parts) + self.weights["outer_bias"])

    def _states(self, number: int, count: int) -> Array:
        """Return a buffer for the channels of ``count`` blocks at ``number`` stages."""
        return np.empty((number, count, self.weights["outer"].size), dtype=np.float32)

    def contributions(self, matrix: Array) -> Array:
        """Return by how much each feature of a block moves the scores of the block and its neighbours: n × k.

        Input times gradient of the sum of all logits, for inputs as deviations from the mean; one pass back.
        """
        count = matrix.shape[0]
        if not count:
            return np.zeros(matrix.shape, dtype=np.float32)
        states = self._states(1 + len(DILATIONS), count)
        whole = self._network.whole(self._network.alone(FeatureRows(matrix), 0, states[0]), count)
        is_active = states[0] > 0
        self._network.convolve(states, whole)
        channels = whole.size
        slope = np.broadcast_to(self.weights["outer"], (count, channels)).astype(np.float32)
        for layer in reversed(range(len(DILATIONS))):
            dilation = DILATIONS[layer]
            active = slope * (states[layer + 1] > states[layer])
            back = matmul(active, np.ascontiguousarray(self.weights[f"convolution_{layer}"].T))
            slope = slope + back[:, channels : 2 * channels]
            slope[:-dilation] += back[dilation:, :channels]
            slope[dilation:] += back[:-dilation, 2 * channels :]
        shared = (slope.sum(axis=0) * (whole > 0)) @ self.weights["page"].T / np.float32(count)
        slope = (slope + shared) * is_active
        deviations = (matrix - self.weights["mean"]) * self.weights["scale"]
        inputs = deviations.clip(-_MOST_DEVIATIONS, _MOST_DEVIATIONS)
        return np.asarray(matmul(slope, np.ascontiguousarray(self.weights["inner"].T)) * inputs)

    def cut_for(self, lang: str | None) -> float:
        """Return the probability from which a block is content on a page of this language."""
        return self.cuts.get(lang or "", self.cut)

    def favouring(self, side: str) -> SequenceModel:
        """Return a copy that favours ``"precision"`` or ``"recall"``: the cut moves by a logit of 1.5."""
        cuts = {lang: favoured_cut(cut, side) for lang, cut in self.cuts.items()}
        return replace(self, cut=favoured_cut(self.cut, side), cuts=cuts)

    def predict(self, measured: PageFeatures) -> Prediction:
        """Score the blocks of a page (logit above that of the cut) and keep those above 0.

        Where none is, the best are kept (see `best_blocks`), unless the page is one without content.
        """
        rows, words = measured.rows, measured.blocks.measures.words
        logits = self.logits(measured.matrix if callable(rows) else rows)
        expected = expectation(logits, words)
        least = logit(page_cut(self.cut_for(measured.lang), expected, sure=SURE))
        scores = logits.astype(np.float64) - least
        if self.content is not None and not self.content.holds(expected):
            return Prediction(scores, np.zeros(scores.size, dtype=np.bool_), log_odds=logits)
        kept = scores >= 0 if expected.highest - least >= 0 else best_blocks(logits)
        return Prediction(scores, kept, log_odds=logits)

    def explain(self, measured: PageFeatures, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Return for each block its features and how far each moved its score; ``reason`` stays empty.

        See `contributions`.
        """
        matrix = measured.matrix.astype(np.float32, copy=False)
        return self.reasons(matrix, self.contributions(matrix))

    def own_values(self) -> dict[str, Any]:
        """Return how logits become labels, and which features are read."""
        return {
            "columns": list(self.feature_names),
            "cut": self.cut,
            "cuts": dict(self.cuts),
            "content": None if self.content is None else asdict(self.content),
        }

    def own_arrays(self) -> Arrays:
        """Return the weights, those of the layers in 16 bits."""
        halves = {name: self.weights[name].astype(np.float16) for name in WEIGHT_NAMES[2:]}
        floats = {name: self.weights[name].astype(np.float32) for name in WEIGHT_NAMES[:2]}
        return {**halves, **floats}

    @classmethod
    def own_attributes(cls, document: Mapping[str, Any], arrays: Arrays, read: ReadFile | None) -> dict[str, Any]:
        """Return the attributes that `own_values` and `own_arrays` wrote."""
        return {
            "feature_names": tuple(map(str, document["columns"])),
            "weights": {name: floats(arrays, name) for name in WEIGHT_NAMES},
            "cut": number(document, "cut"),
            "cuts": {lang: number(document["cuts"], lang) for lang in document["cuts"]},
            "content": _content_test(document["content"]),
        }


def _content_test(values: Mapping[str, Any] | None) -> ContentTest | None:
    if values is None:
        return None
    # Files of 0.1 have no "might_be".
    might_be, weights = number(values, "might_be", MIGHT_BE), dict(enumerate(values["weights"]))
    if len(weights) != 4:
        raise ModelError(f"'content' needs a weight for each of 4 measures, not {len(weights)}")
    return ContentTest(tuple(number(weights, place) for place in weights), number(values, "bias"), might_be)
