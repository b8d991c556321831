"""The threshold model."""

import json

import numpy as np
import pytest

from blockfeat.blocks import load_table
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


@pytest.mark.parametrize(
    ("anchor_ratio", "sentence_length", "is_kept"),
    [(0.1, 12.0, True), (0.5, 12.0, False), (0.1, 3.0, False), (0.3, 8.0, True)],  # the last is on both thresholds
)
def test_a_block_passes_only_if_all_thresholds_hold(anchor_ratio: float, sentence_length: float, is_kept: bool):
    values = row(anchor_ratio=anchor_ratio, average_sentence_length=sentence_length)
    assert (model().scores(values, np.array([10]))[0] >= 0) == is_kept


def test_open_thresholds_never_bind() -> None:
    assert (margins(row(anchor_ratio=1.0), OPEN, CANONICAL) == np.inf).all()


def test_scores_weigh_by_words_and_clip() -> None:
    how = Margins(softness=0.1, penalty=3.0)
    scores = block_scores(np.array([0.05, 5.0, -5.0, -0.01]), np.array([10, 10, 10, 0]), how.softness, how.penalty)
    assert scores.tolist() == pytest.approx([5.0, 10.0, -30.0, -0.1])


def test_the_language_picks_its_thresholds() -> None:
    both = model(thresholds={JOINT: OPEN, "de": OPEN + 0})
    for lang, key in (("de", "de"), ("fr", JOINT), (None, JOINT)):
        assert both.thresholds_for(lang) is both.thresholds[key]


def test_round_trip_through_json() -> None:
    first = model(decoder=Decoder("mss", 2), margins=Margins(0.2, 4.0), languages=("de", "fr"), record={"seed": 1})
    second = ThresholdModel.from_document(json.loads(json.dumps(first.to_document()[0])), {})
    assert second.to_document()[0] == first.to_document()[0]
    assert np.array_equal(second.thresholds[JOINT], first.thresholds[JOINT])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        *(({"schema": 9}, "schema"), ({"thresholds": {}}, "joint")),
        ({"thresholds": {"joint": {"unheard": {"bound": "minimum", "value": 1}}}}, "unheard"),
        ({"thresholds": {"joint": {"anchor_ratio": {"bound": "minimum", "value": 1}}}}, "anchor_ratio"),
        ({"thresholds": {"joint": {"anchor_ratio": {"bound": "maximum", "value": "x"}}}}, r"file\.json.*'x'"),
        ({"decoder": {"name": "magic", "runs": 1}}, "magic"),
        *(({"margins": {"softness": 0.0, "penalty": 1.0}}, "softness"), ({"table": "html9"}, "unknown table 'html9'")),
    ],
)
def test_bad_documents_are_told(change: dict[str, object], told: str) -> None:
    document = {**model().to_document()[0], **change}
    with pytest.raises(Exception, match=told) as caught:
        ThresholdModel.from_document(document, {}, where="file.json")
    assert caught.type.__module__ == "blockfeat.errors"
