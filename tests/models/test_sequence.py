"""The sequence model: what it computes, its file, its reasons."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from blockfeat import Extractor, ModelError
from blockfeat.blocks.tagtable import load_table
from blockfeat.features.measuring import context_features
from blockfeat.models import load_model, save_model
from blockfeat.models.sequence import DILATIONS, SequenceModel

NAMES = tuple(feature.name for feature in context_features())[:12]
PAGE = "<html lang=en><body><nav><a href=/>Home</a></nav>" + "".join(
    f"<p>Paragraph {number} of the report says that it was a long way to the town.</p>" for number in range(9)
)


def model(seed: int = 0, channels: int = 5, **changes: object) -> SequenceModel:
    random = np.random.default_rng(seed)

    def some(*shape: int) -> NDArray[np.float32]:
        return random.normal(0, 0.5, shape).astype(np.float16).astype(np.float32)

    weights = {"mean": some(len(NAMES)), "scale": np.abs(some(len(NAMES))), "inner": some(len(NAMES), channels)}
    weights |= {"inner_bias": some(channels), "page": some(channels, channels), "page_bias": some(channels)}
    for layer in range(len(DILATIONS)):
        weights |= {f"convolution_{layer}": some(3 * channels, channels), f"convolution_{layer}_bias": some(channels)}
    weights |= {"outer": some(channels), "outer_bias": some(1)}
    values = {"name": "small", "table": load_table("html5"), "feature_names": NAMES, "weights": weights, **changes}
    return SequenceModel(**values)  # type: ignore[arg-type]


def by_loop(made: SequenceModel, matrix: NDArray[np.float32]) -> list[float]:
    """The network block by block."""
    weights, n = made.weights, len(matrix)
    rows = [np.clip((row - weights["mean"]) * weights["scale"], -5, 5) for row in matrix]
    hidden = [np.maximum(row @ weights["inner"] + weights["inner_bias"], 0) for row in rows]
    whole = np.maximum(np.mean(hidden, axis=0) @ weights["page"] + weights["page_bias"], 0)
    hidden = [row + whole for row in hidden]
    nothing = np.zeros_like(hidden[0])
    for layer, distance in enumerate(DILATIONS):

        def at(place: int, rows: list[NDArray[np.float32]] = hidden) -> NDArray[np.float32]:
            return rows[place] if 0 <= place < n else nothing

        around = [np.concatenate((at(i - distance), at(i), at(i + distance))) for i in range(n)]
        weight, bias = weights[f"convolution_{layer}"], weights[f"convolution_{layer}_bias"]
        hidden = [row + np.maximum(part @ weight + bias, 0) for row, part in zip(hidden, around, strict=True)]
    return [float(row @ weights["outer"] + weights["outer_bias"][0]) for row in hidden]


@pytest.mark.parametrize("blocks", [1, 2, 4, 5, 30])
def test_the_network_equals_a_loop_over_blocks(blocks: int) -> None:
    matrix = np.random.default_rng(blocks).normal(size=(blocks, len(NAMES))).astype(np.float32)
    made = model()
    assert made.logits(matrix) == pytest.approx(by_loop(made, matrix), abs=1e-4)


def test_a_model_file_gives_the_same_model(tmp_path: Path) -> None:
    made = model(cut=0.4, cuts={"de": 0.6}, record={"corpora": ["a"]})
    save_model(made, tmp_path / "model.npz")
    read = load_model(tmp_path / "model.npz")
    assert isinstance(read, SequenceModel)
    assert (read.feature_names, read.cut, read.cuts, read.record) == (NAMES, 0.4, {"de": 0.6}, {"corpora": ["a"]})
    first, second = (Extractor.of(found).extract(PAGE) for found in (made, read))
    assert [block.score for block in first.blocks] == pytest.approx([block.score for block in second.blocks], abs=1e-3)


def test_weights_that_do_not_fit_are_refused() -> None:
    for name in ("mean", "scale", "outer", "inner", "page_bias", "convolution_2", "convolution_2_bias", "outer_bias"):
        with pytest.raises(ModelError, match=f"'{name}' are"):
            model(weights={**model().weights, name: np.zeros(2, dtype=np.float32)})
    without_mean = {name: values for name, values in model().weights.items() if name != "mean"}
    unknown = {"feature_names": (*NAMES[:-1], "nonsense")}
    for wrong, reason in (
        (unknown, "unknown feature 'nonsense'"),
        ({"weights": without_mean}, "no weights named mean"),
        *((wrong, "a cut must lie between") for wrong in ({"cut": 0.0}, {"cut": 1.0}, {"cuts": {"de": 2.0}})),
    ):
        with pytest.raises(ModelError, match=reason):
            model(**wrong)


def test_the_cut_moves_with_what_is_favoured() -> None:
    sides = [Extractor.of(model()).with_options(favour=side) for side in ("precision", None, "recall")]
    kept = [sum(block.kept for block in extractor.extract(PAGE).blocks) for extractor in sides]
    assert kept == sorted(kept)
    assert model().favouring("recall").cut < 0.5 < model().favouring("precision").cut


def test_a_long_page_goes_through_in_stretches() -> None:
    matrix = np.random.default_rng(0).normal(size=(9_000, len(NAMES))).astype(np.float32)
    made = model()
    assert made.logits(matrix) == pytest.approx(by_loop(made, matrix), abs=1e-4)


def test_contributions_follow_the_slope_of_all_scores() -> None:
    made = model()
    matrix = np.random.default_rng(3).normal(size=(12, len(NAMES))).astype(np.float32)
    contributions = made.contributions(matrix)
    for block, feature in ((0, 0), (5, 3), (11, 7)):
        step = np.zeros_like(matrix)
        step[block, feature] = 1e-3
        slope = (made.logits(matrix + step).sum() - made.logits(matrix - step).sum()) / 2e-3
        wanted = slope * (matrix[block, feature] - made.weights["mean"][feature])
        assert contributions[block, feature] == pytest.approx(wanted, abs=0.05)


def test_every_block_has_its_reason() -> None:
    made = model()
    blocks = Extractor.of(made).extract(PAGE).blocks
    for block in blocks:
        assert block.reason.startswith("kept" if block.kept else "dropped")
        assert set(block.contributions) == set(NAMES)
    assert Extractor.of(made).extract("<p> </p>").blocks == ()
    with pytest.raises(ModelError, match="no decoder"):
        Extractor.of(made).with_options(decoder="mss")
    still = model(weights={**made.weights, "scale": np.zeros(len(NAMES), dtype=np.float32)})
    for block in Extractor.of(still).extract(PAGE).blocks:
        assert set(block.contributions.values()) == {0.0}
        assert block.reason


def test_the_bundled_default_keeps_the_text_of_short_pages_and_finds_none_where_there_is_only_clutter() -> None:
    extractor = Extractor.load("default")
    assert extractor.extract("<p>It is a test of the page.</p>").text == "It is a test of the page."
    links = "".join(f'<li><a href="/{number}">Section {number} of the news</a></li>' for number in range(60))
    front = extractor.extract(f"<html lang=en><body><nav><ul>{links}</ul></nav><footer>All rights reserved</footer>")
    assert ((front.text, front.status), extractor.extract("").status) == (("", "no content"), "empty")
