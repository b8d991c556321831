"""The threshold model."""

from __future__ import annotations

import json

import numpy as np
import pytest

from blockfeat.blocks import load_table
from blockfeat.errors import ModelError
from blockfeat.features import CANONICAL, CANONICAL_NAMES
from blockfeat.models.decoding import Decoder
from blockfeat.models.threshold import JOINT, Margins, ThresholdModel, block_scores, margins

OPEN = np.array([-feature.sign * np.inf for feature in CANONICAL])


def model(**changes: object) -> ThresholdModel:
    values = OPEN.copy()
    values[CANONICAL_NAMES.index("anchor_ratio")] = 0.3
    values[CANONICAL_NAMES.index("average_sentence_length")] = 8.0
    options = {"name": "m", "table": load_table("html5"), "features": CANONICAL, "thresholds": {JOINT: values}}
    return ThresholdModel(**{**options, **changes})  # type: ignore[arg-type]


def row(**values: float) -> np.ndarray:
    return np.array([[values.get(name, 0.0) for name in CANONICAL_NAMES]])


def test_a_block_passes_only_if_every_threshold_holds() -> None:
    words = np.array([10])
    good = row(anchor_ratio=0.1, average_sentence_length=12.0)
    linked = row(anchor_ratio=0.5, average_sentence_length=12.0)
    short = row(anchor_ratio=0.1, average_sentence_length=3.0)
    assert model().scores(good, words)[0] >= 0
    assert model().scores(linked, words)[0] < 0
    assert model().scores(short, words)[0] < 0


def test_a_value_on_the_threshold_holds() -> None:
    assert model().scores(row(anchor_ratio=0.3, average_sentence_length=8.0), np.array([5]))[0] == 0


def test_open_thresholds_never_bind() -> None:
    found = margins(row(anchor_ratio=1.0), OPEN, CANONICAL)
    assert (found == np.inf).all()


def test_scores_weigh_by_words_and_clip() -> None:
    how = Margins(softness=0.1, penalty=3.0)
    scores = block_scores(np.array([0.05, 5.0, -5.0, -0.01]), np.array([10, 10, 10, 0]), how.softness, how.penalty)
    assert scores.tolist() == pytest.approx([5.0, 10.0, -30.0, -0.1])


def test_the_language_picks_its_thresholds() -> None:
    own = OPEN.copy()
    both = model(thresholds={JOINT: OPEN, "de": own + 0})
    assert both.thresholds_for("de") is both.thresholds["de"]
    assert both.thresholds_for("fr") is both.thresholds[JOINT]
    assert both.thresholds_for(None) is both.thresholds[JOINT]


def test_round_trip_through_json() -> None:
    first = model(decoder=Decoder("mss", 2), margins=Margins(0.2, 4.0), languages=("de", "fr"), record={"seed": 1})
    second = ThresholdModel.from_document(json.loads(json.dumps(first.to_document()[0])), {})
    assert second.to_document()[0] == first.to_document()[0]
    assert np.array_equal(second.thresholds[JOINT], first.thresholds[JOINT])


def test_a_table_of_ones_own_travels_inside() -> None:
    document = load_table("html5").to_dict()
    document["name"] = "mine"
    own = load_table("html5").from_dict(document)
    second = ThresholdModel.from_document(json.loads(json.dumps(model(table=own).to_document()[0])), {})
    assert second.table == own


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema": 9}, "schema"),
        ({"thresholds": {}}, "joint"),
        ({"thresholds": {"joint": {"unheard": {"bound": "minimum", "value": 1}}}}, "unheard"),
        ({"decoder": {"name": "magic", "runs": 1}}, "magic"),
        ({"margins": {"softness": 0.0, "penalty": 1.0}}, "softness"),
        ({"table": "html9"}, "html9"),
    ],
)
def test_bad_documents_are_told(change: dict[str, object], told: str) -> None:
    document = {**model().to_document()[0], **change}
    with pytest.raises(Exception, match=told) as caught:
        ThresholdModel.from_document(document, {}, where="file.json")
    assert caught.type.__module__ == "blockfeat.errors"


def test_a_wrong_bound_is_told() -> None:
    document = model().to_document()[0]
    document["thresholds"][JOINT]["anchor_ratio"]["bound"] = "minimum"
    with pytest.raises(ModelError, match="anchor_ratio"):
        ThresholdModel.from_document(document, {})


def test_a_value_that_is_no_number_is_told() -> None:
    document = model().to_document()[0]
    document["thresholds"][JOINT]["anchor_ratio"]["value"] = "x"
    with pytest.raises(ModelError, match=r"file\.json.*'x'"):
        ThresholdModel.from_document(document, {}, where="file.json")
