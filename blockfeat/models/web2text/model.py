"""The model Web2Text: blocks are kept by the labels of the text leaves in them (Vogels, Ganea & Eickhoff 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._numeric import probabilities
from blockfeat.blocks.table import Blocks
from blockfeat.blocks.tagtable import TagTable, load_table
from blockfeat.errors import ModelError
from blockfeat.features.measuring import MeasuredPage
from blockfeat.features.schema import Feature
from blockfeat.lang.identify import Identifier
from blockfeat.lang.index import StopWordIndex
from blockfeat.models.documents import check_schema, document_array, reading_values, table_from_value, table_value
from blockfeat.models.model import BlockReason, Prediction
from blockfeat.models.web2text.catalogue import BLOCK_FEATURES, EDGE_FEATURES
from blockfeat.models.web2text.features import page_features
from blockfeat.models.web2text.labeller import LeafLabeller
from blockfeat.models.web2text.leaves import LeafMeasurer
from blockfeat.page.page import Page

__all__ = ["Web2TextModel"]

KIND = "web2text"
_SCHEMA = 1
_FAVOUR = 1.5
_HALF = 0.5
_LEAST_ODDS = -20.0
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Web2TextModel:
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
    features : tuple
        Empty: nothing is measured of the blocks; the features of leaves are in `blockfeat.models.web2text.catalogue`.
    languages, stop_word_scope, segmenter, record
        As for every model.
    """

    labeller: LeafLabeller
    name: str = "web2text"
    table: TagTable = field(default_factory=lambda: load_table("html5"))
    shift: float = 0.0
    features: tuple[Feature, ...] = ()
    languages: tuple[str, ...] = ()
    stop_word_scope: str = "page"
    segmenter: str = "fast"
    record: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def measurer(self) -> LeafMeasurer:
        """What cuts pages into leaves, made at its first use (about 30 ms for the stop lists)."""
        return LeafMeasurer.of(Identifier.build(StopWordIndex.build()))

    def favouring(self, side: str) -> Web2TextModel:
        """Return a copy that favours ``"precision"`` or ``"recall"``: the log odds of content move by 1.5."""
        return replace(self, shift=self.shift + (_FAVOUR if side == "recall" else -_FAVOUR))

    def predict(self, page: Page, measured: MeasuredPage) -> Prediction:
        """Score the blocks of a page, and keep those that have half of their characters in leaves that are content.

        The score is the mean of the log odds of content over the block's characters; -20 for a block without a leaf.
        Where Viterbi overrules the odds of single leaves, a block may be kept with a score below 0.
        """
        blocks = measured.blocks
        leaves = self.measurer.measure(page, lang=measured.lang)
        owner, weights = _owners(leaves.blocks, blocks)
        if not weights.size:
            return Prediction(np.full(len(blocks), _LEAST_ODDS), np.zeros(len(blocks), dtype=np.bool_))
        found = self.labeller.predict(page_features(leaves), shift=self.shift)
        total = np.bincount(owner, weights=weights, minlength=len(blocks))
        odds = np.bincount(owner, weights=weights * found.log_odds, minlength=len(blocks))
        kept = np.bincount(owner, weights=weights * found.kept, minlength=len(blocks))
        scores = np.where(total > 0, odds / np.maximum(total, 1), _LEAST_ODDS)
        return Prediction(scores, (total > 0) & (kept >= _HALF * total))

    def explain(self, page: Page, measured: MeasuredPage, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Say for each block how likely its leaves are content, and where its neighbours decided."""
        leaves = self.measurer.measure(page, lang=measured.lang)
        owner, weights = _owners(leaves.blocks, measured.blocks)
        counts = np.bincount(owner[weights > 0], minlength=len(measured.blocks))
        chance = probabilities(prediction.scores)
        found = []
        for one, kept, count in zip(chance.tolist(), prediction.kept.tolist(), counts.tolist(), strict=True):
            reason = f"{'kept' if kept else 'dropped'}: content with probability {one:.2f} by {count} text leaves"
            if (one > _HALF) != kept:
                reason += "; the leaves around decided"
            found.append(BlockReason(reason, {"content_probability": one, "leaves": float(count)}))
        return tuple(found)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the model as named arrays, for a file; ``document`` holds all that is not weights as JSON."""
        document = {
            "kind": KIND,
            "schema": _SCHEMA,
            "name": self.name,
            "table": table_value(self.table),
            "interpolation": self.labeller.interpolation,
            "shift": self.shift,
            "features": [feature.name for feature in BLOCK_FEATURES],
            "edge_features": [feature.name for feature in EDGE_FEATURES],
            "languages": list(self.languages),
            "record": dict(self.record),
        }
        return {"document": document_array(document), **self.labeller.to_arrays()}

    @classmethod
    def from_arrays(
        cls, document: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, where: str
    ) -> Web2TextModel:
        """Make a model of named arrays and the values of their document.

        Raises
        ------
        ModelError
            Something is missing or wrong; the message names ``where``.
        """
        check_schema(document, _SCHEMA, where=where)
        with reading_values(where):
            for key, features in (("features", BLOCK_FEATURES), ("edge_features", EDGE_FEATURES)):
                if document[key] != [feature.name for feature in features]:
                    raise ModelError(f"{where}: its {key} are not those of this version")
            table = table_from_value(document["table"], where=where)
            return cls(
                labeller=LeafLabeller.from_arrays(arrays, float(document["interpolation"])),
                name=str(document["name"]),
                table=table,
                shift=float(document["shift"]),
                languages=tuple(document["languages"]),
                record=document.get("record", {}),
            )


def _owners(leaves: Blocks, blocks: Blocks) -> tuple[NDArray[np.int64], Floats]:
    """Return the block that each leaf stands in by its place in the source, and its characters (0 if in none)."""
    if not len(leaves) or not len(blocks):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    owner = np.maximum(np.searchsorted(blocks.first_byte, leaves.first_byte, side="right") - 1, 0)
    inside = (leaves.first_byte >= blocks.first_byte[owner]) & (leaves.first_byte < blocks.end_byte[owner])
    return owner, np.where(inside, leaves.measures.characters, 0).astype(np.float64)
