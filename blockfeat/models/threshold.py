"""The threshold model: a conjunction of thresholds, one for each feature (Ziegler & Skubacz 2007, 3.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import number, stored
from blockfeat.blocks.tagtable import TagTable
from blockfeat.errors import ModelError
from blockfeat.features.measuring import PageFeatures, features_named
from blockfeat.features.phrases import limit
from blockfeat.features.schema import Feature, NamedRow
from blockfeat.models.decoding import Decoder, decode
from blockfeat.models.layers import Floats, smallest_margins
from blockfeat.models.model import Arrays, BlockReason, FeatureModel, Prediction, ReadFile

if TYPE_CHECKING:
    from blockfeat.features.phrases import Wording


JOINT = "joint"
Matrix = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Margins:
    """How a block's margin becomes its score for the maximum subsequence.

    The score is words · clip(margin / softness, -penalty, 1): near 0 softness leaves only the sign.

    Attributes
    ----------
    softness : float
        Margin, in units of the scaled ranges, at which a block counts in full.
    penalty : float
        Weight of a word in a block that fails against one in a block that passes.
    """

    softness: float = 0.01
    penalty: float = 2.0

    def __post_init__(self) -> None:
        """Check the values."""
        if not (self.softness > 0 and self.penalty > 0):
            raise ModelError("softness and penalty must be above 0")


@dataclass(frozen=True)
class ThresholdModel(FeatureModel):
    """Thresholds and all that is needed to use them the way they were learnt.

    Attributes
    ----------
    name : str
        Name of the model.
    table : TagTable
        Tag table that cuts pages.
    features : tuple of Feature
        What is measured, in the order of the thresholds.
    thresholds : mapping
        Float arrays over the features by language; ``"joint"`` serves the languages without their own. An
        infinite threshold never binds.
    decoder : Decoder
        How labels are chosen.
    margins : Margins
        How margins become scores.
    languages, stop_word_scope, segmenter, record
        As for every model.
    """

    kind: ClassVar[str] = "thresholds"

    name: str
    table: TagTable
    features: tuple[Feature, ...]
    thresholds: Mapping[str, Floats]
    decoder: Decoder = field(default_factory=Decoder)
    margins: Margins = field(default_factory=Margins)

    def __post_init__(self) -> None:
        """Check that every set of thresholds fits the features."""
        if JOINT not in self.thresholds:
            raise ModelError(f"model {self.name!r} has no thresholds named {JOINT!r}")
        count = len(self.features)
        for key, values in self.thresholds.items():
            if values.shape != (count,):
                raise ModelError(f"model {self.name!r}: {values.size} thresholds of {key!r} for {count} features")

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features, in the order of the thresholds."""
        return tuple(feature.name for feature in self.features)

    @property
    def decoding(self) -> str:
        """Name of the decoder."""
        return self.decoder.name

    @cached_property
    def _margin_factors(self) -> Floats:
        return _factors(self.features)

    def thresholds_for(self, lang: str | None) -> Floats:
        """Return the thresholds for a page of this language."""
        return self.thresholds.get(lang or JOINT, self.thresholds[JOINT])

    def feature_margins(self, matrix: Matrix, lang: str | None = None) -> Floats:
        """Return how far each value lies on the good side of its threshold: n × k, in units of the range."""
        return margins(matrix, self.thresholds_for(lang), self.features)

    def scores(self, matrix: Matrix, words: NDArray[np.integer[Any]], lang: str | None = None) -> Floats:
        """Return the score of each block; at least 0 where all thresholds hold.

        Parameters
        ----------
        matrix : float array, n × k
            The model's features of a page's blocks.
        words : int array, n
            Words of each block.
        lang : str, optional
            Language of the page.
        """
        values = matrix.astype(np.float64, copy=False)
        smallest = smallest_margins(values, self.thresholds_for(lang), self._margin_factors)
        found = block_scores(smallest, words, self.margins.softness, self.margins.penalty)
        return np.asarray(found, dtype=np.float64)

    def predict(self, measured: PageFeatures) -> Prediction:
        """Score the blocks of a page and decode their labels."""
        scores = self.scores(measured.matrix, measured.blocks.measures.words, measured.lang)
        return Prediction(scores, decode(scores, self.decoder))

    def explain(self, measured: PageFeatures, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Return for each block which thresholds it failed."""
        from blockfeat.features.phrases import Wording

        margins = self.feature_margins(measured.matrix, measured.lang)
        wording = Wording(self.features, measured.matrix, measured.blocks)
        names = [feature.name for feature in self.features]
        found = []
        rows = NamedRow.rows(measured.matrix, names)
        for block, (margin, kept) in enumerate(zip(margins, prediction.kept.tolist(), strict=True)):
            failed = [place for place, below in enumerate((margin < 0).tolist()) if below]
            violations = self._violations(wording, block, sorted(failed, key=margin.__getitem__), measured.lang)
            fails = f"kept: inside the best run, though {violations}" if kept else f"dropped: {violations}"
            holds = "kept: all thresholds hold" if kept else "dropped: all thresholds hold, but outside the best run"
            failing = tuple(names[place] for place in failed)
            found.append(BlockReason(fails if failed else holds, rows[block], failing))
        return tuple(found)

    def _violations(self, wording: Wording, block: int, failed: list[int], lang: str | None) -> str:
        """Return in words how a block fails thresholds, the worst first, with the thresholds."""
        from blockfeat.features.phrases import MOST_NAMED, with_note

        limits = self.thresholds_for(lang).tolist()
        found = []
        for place in failed[:MOST_NAMED]:
            feature = self.features[place]
            # A context feature may have no words for a value; its title and the limit are always true.
            words = wording.phrase(block, place, is_high=feature.sign < 0) or feature.title
            found.append(with_note(words, limit(feature, limits[place])))
        return "; ".join(found)

    def favouring(self, side: str) -> ThresholdModel:
        """Return a copy that favours ``"precision"`` or ``"recall"``: a block's worst margin costs twice or half."""
        penalty = self.margins.penalty * (2.0 if side == "precision" else 0.5)
        return replace(self, margins=replace(self.margins, penalty=penalty))

    def own_values(self) -> dict[str, Any]:
        """Return the values of the model file."""
        return {
            "decoder": asdict(self.decoder),
            "margins": asdict(self.margins),
            "thresholds": {key: self._readable(values) for key, values in self.thresholds.items()},
        }

    def _readable(self, values: Floats) -> dict[str, dict[str, Any]]:
        shown = (value if np.isfinite(value) else None for value in values.tolist())
        pairs = zip(self.features, shown, strict=True)
        return {feature.name: {"bound": feature.bound, "value": value} for feature, value in pairs}

    @classmethod
    def own_attributes(cls, document: Mapping[str, Any], arrays: Arrays, read: ReadFile | None) -> dict[str, Any]:
        """Return the attributes that `own_values` and `own_arrays` wrote."""
        features = features_named(list(document["thresholds"][JOINT]))
        return {
            "features": features,
            "thresholds": {
                str(key): _values(found, features, f"thresholds of {key!r}")
                for key, found in document["thresholds"].items()
            },
            "decoder": stored(Decoder(), document["decoder"], "decoder"),
            "margins": stored(Margins(), document["margins"], "margins"),
        }


def _values(found: Mapping[str, Any], features: tuple[Feature, ...], where: str) -> Floats:
    """Read thresholds by name, null for one that never binds; check that bounds are those of the features."""
    values = []
    for feature in features:
        entry = found[feature.name]
        if entry["bound"] != feature.bound:
            raise ModelError(f"{where}: {feature.name!r} is a {feature.bound}, not a {entry['bound']!r}")
        values.append(-feature.sign * np.inf if entry["value"] is None else number(entry, "value"))
    return np.array(values, dtype=np.float64)


def margins(matrix: Matrix, thresholds: Floats, features: tuple[Feature, ...]) -> Floats:
    """Return sign · (value - threshold) / range for each block and feature."""
    return np.asarray((matrix - thresholds) * _factors(features))


def _factors(features: tuple[Feature, ...]) -> Floats:
    """Return sign / range of each feature."""
    signs = np.array([feature.sign for feature in features])
    ranges = np.array([feature.high - feature.low for feature in features])
    return np.asarray(signs / ranges)


def block_scores(smallest: Matrix, words: NDArray[Any], softness: Any, penalty: Any) -> Matrix:
    """Return words · clip(margin / softness, -penalty, 1), with a block of no words counted as one.

    Parameters
    ----------
    smallest : float array
        Smallest margin of each block over its features, in units of the scaled ranges.
    words : array
        Words of each block.
    softness, penalty : float or array
        As `Margins` has them; of any shape that fits (training scores many particles at once).
    """
    return np.asarray(np.clip(smallest / softness, -penalty, 1.0) * np.maximum(words, 1))
