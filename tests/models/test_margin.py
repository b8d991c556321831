"""The margin model: what it adds up, how it decodes, its file, its reasons."""

import json
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat import Extractor, ModelError
from blockfeat.blocks import load_table
from blockfeat.models import load_model, save_model
from blockfeat.models.margin import MarginModel, SoftThreshold, Transitions
from pages import BRAND, article_page

TERMS = (
    SoftThreshold("plain_words", threshold=2.0, softness=1.0, weight=2.0),
    SoftThreshold("anchor_ratio", threshold=0.5, softness=0.25, weight=-1.5),
    SoftThreshold("negatives", threshold=0.5, softness=0.5, weight=-1.0),
)


def model(**changes: object) -> MarginModel:
    values = {"name": "m", "table": load_table("html5"), "terms": TERMS, "bias": -0.25, **changes}
    return MarginModel(**values)  # type: ignore[arg-type]


def test_a_score_is_the_bias_and_each_weight_by_how_far_its_value_is_past_the_threshold() -> None:
    matrix = np.array([[2.0, 0.5, 0.5], [2.5, 0.5, 0.5], [9.0, 0.0, 0.0], [0.0, 0.625, 8.0]])
    # At all thresholds; half a softness past one; full on every good side; full, half and full on every bad one.
    assert model().scores(matrix).tolist() == pytest.approx([-0.25, 0.75, 4.25, -2.0 - 0.75 - 1.0 - 0.25])
    assert model().contributions(matrix)[3].tolist() == pytest.approx([-2.0, -0.75, -1.0])


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=7), st.floats(0, 4), st.floats(0, 4))
def test_no_labels_have_a_higher_sum_of_scores_less_costs(scores: list[float], enter: float, leave: float) -> None:
    def total(labels: tuple[bool, ...]) -> float:
        changes = sum(enter if after > before else leave if before > after else 0 for before, after in pairwise(labels))
        return sum(score for score, label in zip(scores, labels, strict=True) if label) - changes

    best = max(total(labels) for labels in product((False, True), repeat=len(scores)))
    found = model(transitions=Transitions(enter, leave)).choose(np.array(scores))
    # A page where nothing is best keeps its best block all the same.
    assert total(tuple(found.tolist())) == pytest.approx(best) or (best <= 1e-9 and found.any())


def test_costs_of_changes_fill_gaps_and_drop_islands() -> None:
    scores = np.array([-1.0, 3.0, -0.5, 3.0, -2.0, -2.0, 0.5, -2.0])
    without, dear = model(), model(transitions=Transitions(enter=1.0, leave=1.0))
    assert without.choose(scores).tolist() == [False, True, False, True, False, False, True, False]
    assert dear.choose(scores).tolist() == [False, True, True, True, False, False, False, False]


def test_a_page_without_a_good_block_keeps_its_best() -> None:
    assert model().choose(np.array([-3.0, -1.0, -1.05, -9.0])).tolist() == [False, True, True, False]
    assert model().choose(np.array([-900.0, -800.0])).tolist() == [False, True]
    assert model().choose(np.zeros(0)).tolist() == []


def test_it_finds_an_article_without_the_links_around_it() -> None:
    text = Extractor.of(model()).extract(article_page()).text
    assert "lighthouse" in text
    assert BRAND not in text
    assert "Section 1" not in text
    assert Extractor.of(model()).extract("<p> </p>").text == ""


def test_contributions_and_bias_add_up_to_the_score() -> None:
    blocks = Extractor.of(model()).extract(article_page()).blocks
    assert {block.kept for block in blocks} == {False, True}
    for block in blocks:
        assert sum(block.contributions.values()) - 0.25 == pytest.approx(block.score)
        assert set(block.features) == set(block.contributions) == {term.feature for term in TERMS}
        assert block.reason.startswith("kept: " if block.kept else "dropped: ")


def test_favouring_moves_how_much_is_kept() -> None:
    sides = [Extractor.of(model()).with_options(favour=side) for side in ("precision", None, "recall")]
    kept = [sum(block.kept for block in extractor.extract(article_page()).blocks) for extractor in sides]
    assert kept == sorted(kept)
    assert kept[0] < kept[2]
    assert model().favouring("precision").cut > model().cut > model().favouring("recall").cut


def test_a_page_in_doubt_has_a_lower_cut() -> None:
    page = article_page()
    unlikely, likely = model(bias=-4.0), model(bias=6.0)
    usual, doubting = (Extractor.of(replace(unlikely, sure=sure)).extract(page).blocks for sure in (0.0, 0.9))
    shifts = {round(after.score - before.score, 6) for before, after in zip(usual, doubting, strict=True)}
    assert len(shifts) == 1
    assert min(shifts) > 0.3
    assert sum(block.kept for block in doubting) >= sum(block.kept for block in usual)
    first, second = (Extractor.of(replace(likely, sure=sure)).extract(page) for sure in (0.0, 0.5))
    assert first.text == second.text


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        *((values, "'cut' must lie between 0 and 1") for values in ({"cut": 0.0}, {"cut": 1.0})),
        *((values, "'cut' must lie between 0 and 1") for values in ({"sure": -0.1}, {"sure": 1.5})),
        ({"terms": (TERMS[0], TERMS[0])}, "twice"),
    ],
)
def test_wrong_values_are_refused(wrong: dict[str, object], reason: str) -> None:
    with pytest.raises(ModelError, match=reason):
        model(**wrong)


def test_a_file_gives_the_same_model_and_a_person_can_edit_it(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    made = model(transitions=Transitions(0.5, 1.0), languages=("de",), record={"seed": 1})
    save_model(made, path)
    assert load_model(path) == made
    document = json.loads(path.read_text(encoding="utf-8"))
    document["features"]["negatives"]["weight"] = -3
    path.write_text(json.dumps(document), encoding="utf-8")
    edited = load_model(path)
    assert edited.terms[2] == SoftThreshold("negatives", 0.5, 0.5, -3.0)


def test_a_table_of_ones_own_travels_inside() -> None:
    own = replace(load_table("html5"), name="mine", other="prune")
    assert MarginModel.from_document(json.loads(json.dumps(model(table=own).to_document()[0])), {}).table == own


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema": 9}, "schema 9"),
        ({"features": {"unheard": {"threshold": 0, "softness": 1, "weight": 1}}}, "unknown feature 'unheard'"),
        ({"features": {"depth": {"threshold": 0, "softness": 0, "weight": 1}}}, "'depth'.*softness above 0"),
        ({"features": {"depth": {"threshold": 0, "softness": 1, "weight": "x"}}}, "'depth'.*'x'"),
        ({"features": {"depth": {"threshold": 0, "softness": 1}}}, "'depth'.*weight"),
        ({"features": {"depth": {"threshold": 0, "softness": 1, "weight": 1, "colour": 1}}}, "'depth'.*colour"),
        *(({"features": {"depth": 3}}, "'depth'"), ({"features": []}, "missing or wrong")),
        *(({"bias": float("nan")}, "bias"), ({"transitions": {"enter": -1, "leave": 0}}, "at least 0")),
        *(({"transitions": {"enters": 1}}, "enters"), ({"table": "html9"}, "unknown table 'html9'")),
    ],
)
def test_bad_documents_are_told(change: dict[str, object], told: str) -> None:
    document = {**model().to_document()[0], **change}
    with pytest.raises(Exception, match=rf"(?s){told}") as caught:
        MarginModel.from_document(document, {}, where="file.json")
    assert caught.type.__module__ == "blockfeat.errors"


@pytest.mark.parametrize(
    "key", ["name", "table", "features", "bias", "transitions", "languages", "segmenter", "stop_word_scope"]
)
def test_a_missing_key_is_named(key: str) -> None:
    document = model().to_document()[0]
    del document[key]
    with pytest.raises(ModelError, match=f"file.json.*{key}"):
        MarginModel.from_document(document, {}, where="file.json")


def test_the_bundled_model_reads_articles_and_is_short() -> None:
    bundled = load_model("margin")
    assert isinstance(bundled, MarginModel)
    assert len(bundled.terms) <= 32
    text = Extractor.of(bundled).extract(article_page(8)).text
    assert text.count("lighthouse") >= 2
    assert BRAND not in text
    assert "Imprint" not in text
