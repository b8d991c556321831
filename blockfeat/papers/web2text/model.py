"""The model Web2Text: blocks are kept by the labels of the text leaves in them (Vogels, Ganea & Eickhoff 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import number
from blockfeat._numeric import Floats, probabilities
from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import TagTable, load_table
from blockfeat.errors import ModelError
from blockfeat.features.measuring import FeatureExtractor, PageFeatures
from blockfeat.lang.identify import Identifier
from blockfeat.models.decoding import best_labels
from blockfeat.models.layers import matmul
from blockfeat.models.model import Arrays, BlockReason, Documented, Prediction, ReadFile, floats
from blockfeat.page.page import Page
from blockfeat.papers.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, LeafFeatures, page_features
from blockfeat.papers.web2text.leaves import leaf_measurer

Activations = NDArray[np.float32]

FILTERS = (50, 50, 50, 10)
"""Filters of the first four layers; the last has one for each class."""
KERNELS = (1, 1, 3, 3, 3)
"""Kernel sizes; with `FILTERS` they give the numbers of weights in section 4.3.1 (17,960 and 12,870)."""


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A convolution: weights, float array of kernel × inputs × outputs, and a bias for each output."""

    weights: Activations
    bias: Activations

    def __post_init__(self) -> None:
        """Check the shapes."""
        if self.weights.ndim != 3 or self.weights.shape[0] % 2 == 0 or self.bias.shape != self.weights.shape[2:]:
            raise ModelError(f"weights {self.weights.shape} and bias {self.bias.shape} are no convolution")

    def __call__(self, sequence: Activations) -> Activations:
        """Return n × outputs for n × inputs; the sequence is padded with zeros at both ends."""
        reach = self.weights.shape[0] // 2
        result: Activations = matmul(sequence, self.weights[reach], is_padded=True) + self.bias
        for step in range(1, min(reach, sequence.shape[0] - 1) + 1):
            result[step:] += matmul(sequence[:-step], self.weights[reach - step], is_padded=True)
            result[:-step] += matmul(sequence[step:], self.weights[reach + step], is_padded=True)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Convolutions with rectified linear units between them.

    Attributes
    ----------
    mean, scale : float32 array, inputs
        Mean and standard deviation of each feature: 0 and 1 for binary ones.
    layers : tuple of Layer
        The convolutions.
    """

    mean: Activations
    scale: Activations
    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        """Check that the layers fit each other."""
        sizes = [self.mean.size, *(layer.weights.shape[2] for layer in self.layers)]
        if self.mean.shape != self.scale.shape or [layer.weights.shape[1] for layer in self.layers] != sizes[:-1]:
            raise ModelError("the layers of the network do not fit each other")
        if not self.scale.all():
            raise ModelError("a feature of the network has a standard deviation of 0")

    def standardise(self, features: Activations) -> Activations:
        """Return features with zero mean and unit variance on the training pages; 0, the mean, for NaN."""
        values = (features - self.mean) / self.scale
        values[np.isnan(values)] = 0.0
        return values

    def logits(self, features: Activations) -> Activations:
        """Return the logits at each position of a sequence: n × classes."""
        sequence = self.standardise(features)
        for layer in self.layers[:-1]:
            sequence = layer(sequence)
            np.maximum(sequence, 0, out=sequence)
        return self.layers[-1](sequence)


def log_softmax(logits: Activations) -> NDArray[np.float64]:
    """Return the logarithm of the softmax of each row."""
    shifted = logits.astype(np.float64)
    shifted -= shifted.max(axis=1, keepdims=True, initial=-np.inf)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


@dataclass(frozen=True, eq=False)
class LeafLabeller:
    """Labels the text leaves of pages by two networks and Viterbi decoding.

    Attributes
    ----------
    unary : Network
        Maps the 128 features of a leaf to two classes: other, content.
    pairwise : Network
        Maps the 25 features of a leaf and the next to four classes: the pairs of labels 00, 01, 10, 11.
    interpolation : float
        λ, the weight of the pairwise scores relative to the unary ones.
    """

    unary: Network
    pairwise: Network
    interpolation: float = 1.0

    def __post_init__(self) -> None:
        """Check the numbers of inputs and of classes of the networks."""
        for network, features, answers in ((self.unary, BLOCK_FEATURES, 2), (self.pairwise, EDGE_FEATURES, 4)):
            if network.mean.shape != (len(features),) or network.layers[-1].bias.size != answers:
                raise ModelError(f"a network of Web2Text does not take {len(features)} features to {answers} answers")

    def predict(self, features: LeafFeatures, *, shift: float = 0.0) -> Prediction:
        """Label the leaves of a page by their features; scores are the log odds of the unary network.

        Parameters
        ----------
        features : LeafFeatures
            Features of n leaves and of the edges between them.
        shift : float
            Added to the log odds of content: above 0 for recall, below for precision.
        """
        n = features.blocks.shape[0]
        if n == 0:
            return Prediction(np.zeros(0), np.zeros(0, dtype=np.bool_))
        unary = log_softmax(self.unary.logits(features.blocks))
        unary[:, 1] += shift
        pairwise = log_softmax(self.pairwise.logits(features.edges)) if n > 1 else np.zeros((0, 4))
        kept = best_labels(unary, pairwise, interpolation=self.interpolation)
        return Prediction(unary[:, 1] - unary[:, 0], kept)

    def to_arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the arrays of both networks by their names in a model file."""
        arrays: dict[str, NDArray[np.float32]] = {}
        for name, network in (("unary", self.unary), ("pairwise", self.pairwise)):
            arrays |= {f"{name}_mean": network.mean, f"{name}_scale": network.scale}
            for place, layer in enumerate(network.layers):
                arrays |= {f"{name}_weights_{place}": layer.weights, f"{name}_bias_{place}": layer.bias}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], interpolation: float) -> LeafLabeller:
        """Create a labeller from the arrays of a model file.

        Raises
        ------
        ModelError
            The arrays do not fit each other.
        KeyError
            An array is missing.
        """
        return cls(_network("unary", arrays), _network("pairwise", arrays), interpolation)


def _network(name: str, arrays: Mapping[str, NDArray[Any]]) -> Network:
    """Return the network of a name from the arrays of a model file."""

    def array(key: str) -> NDArray[np.float32]:
        return floats(arrays, f"{name}_{key}")

    layers = tuple(Layer(array(f"weights_{place}"), array(f"bias_{place}")) for place in range(len(KERNELS)))
    return Network(array("mean"), array("scale"), layers)


_FAVOUR = 1.5
_HALF = 0.5
_LEAST_ODDS = -20.0


@dataclass(frozen=True)
class Web2TextModel(Documented):
    """Two networks over the text leaves of a page, and the tag table of the blocks that are kept or dropped.

    Attributes
    ----------
    labeller : LeafLabeller
        The networks.
    name : str
        Name of the model.
    table : TagTable
        How pages are cut into the blocks that are kept or not; leaves are the model's own segmentation.
    shift : float
        Added to the log odds of content.
    languages, record
        As for every model.
    """

    kind: ClassVar[str] = "web2text"
    decoding: ClassVar[str] = "viterbi"
    feature_names: ClassVar[tuple[str, ...]] = tuple(feature.name for feature in (*BLOCK_FEATURES, *EDGE_FEATURES))

    labeller: LeafLabeller
    name: str = "web2text"
    table: TagTable = field(default_factory=lambda: load_table("html5"))
    shift: float = 0.0

    def measurer(self, identifier: Identifier) -> Web2TextMeasurer:
        """Return the measuring stage: blocks by the model's table, text leaves and their features beside them."""
        cutter, leaves = Blockifier.of(self.table), leaf_measurer(identifier)
        return Web2TextMeasurer(cutter, (), identifier, self.languages, leaves=leaves)

    def favouring(self, side: str) -> Web2TextModel:
        """Return a copy that favours ``"precision"`` or ``"recall"``: the log odds of content move by 1.5."""
        return replace(self, shift=self.shift + (_FAVOUR if side == "recall" else -_FAVOUR))

    def predict(self, measured: PageFeatures) -> Prediction:
        """Score the blocks of a page, and keep those with at least half of their characters in leaves that are content.

        The score is the mean of the log odds of content over the block's characters; -20 for a block without a leaf.
        Where Viterbi overrules the odds of single leaves, a block may be kept with a score below 0.
        """
        blocks, leaves = measured.blocks, _leaves(measured)
        owner, weights = _owners(leaves.leaves, blocks)
        if not weights.size:
            return Prediction(np.full(len(blocks), _LEAST_ODDS), np.zeros(len(blocks), dtype=np.bool_))
        found = self.labeller.predict(leaves.leaf_features, shift=self.shift)
        total = np.bincount(owner, weights=weights, minlength=len(blocks))
        odds = np.bincount(owner, weights=weights * found.scores, minlength=len(blocks))
        kept = np.bincount(owner, weights=weights * found.kept, minlength=len(blocks))
        scores = np.where(total > 0, odds / np.maximum(total, 1), _LEAST_ODDS)
        return Prediction(scores, (total > 0) & (kept >= _HALF * total))

    def explain(self, measured: PageFeatures, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Return the reason for each block: the probability that it is content, and whether its neighbours decided."""
        owner, weights = _owners(_leaves(measured).leaves, measured.blocks)
        counts = np.bincount(owner[weights > 0], minlength=len(measured.blocks))
        chance = probabilities(prediction.scores)
        found = []
        for one, kept, count in zip(chance.tolist(), prediction.kept.tolist(), counts.tolist(), strict=True):
            pieces = "one piece" if count == 1 else f"{count} pieces"
            reason = (
                f"{'kept' if kept else 'dropped'}: content with a probability of {100 * one:.0f} %, by {pieces} of text"
            )
            if (one > _HALF) != kept:
                reason += ", but the text around it decided"
            found.append(BlockReason(reason, {"content_probability": one, "leaves": float(count)}))
        return tuple(found)

    def own_values(self) -> dict[str, Any]:
        """Return λ, the shift, and the names of the inputs of the networks."""
        return {
            "interpolation": self.labeller.interpolation,
            "shift": self.shift,
            "features": [feature.name for feature in BLOCK_FEATURES],
            "edge_features": [feature.name for feature in EDGE_FEATURES],
        }

    def own_arrays(self) -> Arrays:
        """Return the weights of the networks."""
        return self.labeller.to_arrays()

    @classmethod
    def own_attributes(cls, document: Mapping[str, Any], arrays: Arrays, read: ReadFile | None) -> dict[str, Any]:
        """Return the attributes that `own_values` and `own_arrays` wrote."""
        for key, features in (("features", BLOCK_FEATURES), ("edge_features", EDGE_FEATURES)):
            if document[key] != [feature.name for feature in features]:
                raise ModelError(f"its {key} are not those of this version")
        labeller = LeafLabeller.from_arrays(arrays, number(document, "interpolation"))
        return {"labeller": labeller, "shift": number(document, "shift")}


@dataclass(frozen=True, eq=False)
class MeasuredLeaves(PageFeatures):
    """A measured page with its text leaves and their features.

    Attributes
    ----------
    leaves : Blocks
        The page's text leaves.
    leaf_features : LeafFeatures
        The features of the leaves and of the edges between them.
    """

    leaves: Blocks
    leaf_features: LeafFeatures


@dataclass(frozen=True)
class Web2TextMeasurer(FeatureExtractor):
    """Cuts pages into blocks, of which no features are computed, and into text leaves.

    Attributes
    ----------
    leaves : FeatureExtractor
        What `blockfeat.papers.web2text.leaves.leaf_measurer` returned.
    """

    leaves: FeatureExtractor = field(kw_only=True)

    def measure(self, page: Page, *, lang: str | None = None) -> MeasuredLeaves:
        """Measure a page; ``lang`` is its language where the caller knows it, identified otherwise."""
        measured = super().measure(page, lang=lang)
        leaves = self.leaves.measure(page, lang=measured.lang)
        return MeasuredLeaves(**vars(measured), leaves=leaves.blocks, leaf_features=page_features(leaves))


def _leaves(measured: PageFeatures) -> MeasuredLeaves:
    """Return a measured page; raise ModelError for one without text leaves."""
    if not isinstance(measured, MeasuredLeaves):
        raise ModelError("web2text needs a page with text leaves, as its own measurer gives it")
    return measured


def _owners(leaves: Blocks, blocks: Blocks) -> tuple[NDArray[np.int64], Floats]:
    """Return the index of the block that contains each leaf, and the leaf's number of characters (0 if in no block)."""
    if not len(leaves) or not len(blocks):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    owner = np.maximum(np.searchsorted(blocks.first_byte, leaves.first_byte, side="right") - 1, 0)
    inside = (leaves.first_byte >= blocks.first_byte[owner]) & (leaves.first_byte < blocks.end_byte[owner])
    return owner, np.where(inside, leaves.measures.characters, 0).astype(np.float64)
