"""The model Web2Text: blocks are kept by the labels of the text leaves in them (Vogels, Ganea & Eickhoff 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities
from blockfeat.blocks.cut import Cutter
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import TagTable, load_table
from blockfeat.errors import ModelError
from blockfeat.features.measuring import MeasuredPage
from blockfeat.lang.identify import Identifier
from blockfeat.models.model import Arrays, BlockReason, Documented, Prediction, ReadFile
from blockfeat.papers.web2text.catalogue import BLOCK_FEATURES, EDGE_FEATURES
from blockfeat.papers.web2text.features import MeasuredLeaves, Web2TextMeasurer
from blockfeat.papers.web2text.labeller import LeafLabeller
from blockfeat.papers.web2text.leaves import leaf_measurer

_FAVOUR = 1.5
_HALF = 0.5
_LEAST_ODDS = -20.0
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Web2TextModel(Documented):
    """Two networks over the text leaves of a page, and the table whose blocks they decide on.

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
        cutter, leaves = Cutter.of(self.table), leaf_measurer(identifier)
        return Web2TextMeasurer(cutter, (), identifier, self.languages, leaves=leaves)

    def favouring(self, side: str) -> Web2TextModel:
        """Return a copy that favours ``"precision"`` or ``"recall"``: the log odds of content move by 1.5."""
        return replace(self, shift=self.shift + (_FAVOUR if side == "recall" else -_FAVOUR))

    def predict(self, measured: MeasuredPage) -> Prediction:
        """Score the blocks of a page, and keep those that have half of their characters in leaves that are content.

        The score is the mean of the log odds of content over the block's characters; -20 for a block without a leaf.
        Where Viterbi overrules the odds of single leaves, a block may be kept with a score below 0.
        """
        blocks, leaves = measured.blocks, _leaves(measured)
        owner, weights = _owners(leaves.leaves, blocks)
        if not weights.size:
            return Prediction(np.full(len(blocks), _LEAST_ODDS), np.zeros(len(blocks), dtype=np.bool_))
        found = self.labeller.predict(leaves.leaf_features, shift=self.shift)
        total = np.bincount(owner, weights=weights, minlength=len(blocks))
        odds = np.bincount(owner, weights=weights * found.log_odds, minlength=len(blocks))
        kept = np.bincount(owner, weights=weights * found.kept, minlength=len(blocks))
        scores = np.where(total > 0, odds / np.maximum(total, 1), _LEAST_ODDS)
        return Prediction(scores, (total > 0) & (kept >= _HALF * total))

    def explain(self, measured: MeasuredPage, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Say for each block how likely its leaves are content, and where its neighbours decided."""
        owner, weights = _owners(_leaves(measured).leaves, measured.blocks)
        counts = np.bincount(owner[weights > 0], minlength=len(measured.blocks))
        chance = probabilities(prediction.scores)
        found = []
        columns = (chance.tolist(), prediction.kept.tolist(), counts.tolist())
        for one, kept, count in zip(*columns, strict=True):
            pieces = "one piece" if count == 1 else f"{count} pieces"
            reason = (
                f"{'kept' if kept else 'dropped'}: content with a probability of {100 * one:.0f} %, by {pieces} of text"
            )
            if (one > _HALF) != kept:
                reason += ", but the text around it decided"
            found.append(BlockReason(reason, {"content_probability": one, "leaves": float(count)}))
        return tuple(found)

    def own_values(self) -> dict[str, Any]:
        """Return the weight of the pairs, the shift, and the inputs of the networks."""
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
        labeller = LeafLabeller.from_arrays(arrays, float(document["interpolation"]))
        return {"labeller": labeller, "shift": float(document["shift"])}


def _leaves(measured: MeasuredPage) -> MeasuredLeaves:
    """Return a page that was measured with its leaves."""
    if not isinstance(measured, MeasuredLeaves):
        raise ModelError("web2text needs a page with text leaves, as its own measurer gives it")
    return measured


def _owners(leaves: Blocks, blocks: Blocks) -> tuple[NDArray[np.int64], Floats]:
    """Return the block that each leaf stands in by its place in the source, and its characters (0 if in none)."""
    if not len(leaves) or not len(blocks):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    owner = np.maximum(np.searchsorted(blocks.first_byte, leaves.first_byte, side="right") - 1, 0)
    inside = (leaves.first_byte >= blocks.first_byte[owner]) & (leaves.first_byte < blocks.end_byte[owner])
    return owner, np.where(inside, leaves.measures.characters, 0).astype(np.float64)
