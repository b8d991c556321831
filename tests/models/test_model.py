from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks import load_table
from blockfeat.errors import ModelError, TableError
from blockfeat.models.margin import MarginModel
from blockfeat.models.model import best_blocks, check_schema, reading_values
from blockfeat.models.store import load_model

CHANCE = np.array([0.3, 0.41, 0.39, 0.5])


@pytest.mark.parametrize(
    ("odds", "best"),
    [
        (np.log(CHANCE / (1 - CHANCE)), [False, True, False, True]),  # those with most of the highest probability
        (np.array([-1000.0, -900.0, -900.1]), [False, True, True]),  # 0 in 64 bits, and they still differ
        (np.zeros(0, dtype=np.float32), []),
    ],
)
def test_the_best_blocks(odds: np.ndarray, best: list[bool]) -> None:
    assert best_blocks(odds).tolist() == best


@given(st.lists(st.floats(-40, 40, width=32), min_size=1))
def test_the_highest_is_among_the_best_and_no_other_before_a_higher_one(odds: list[float]) -> None:
    found = best_blocks(np.array(odds, dtype=np.float32))
    assert found[np.argmax(odds)]
    least = min(one for one, best in zip(odds, found.tolist(), strict=True) if best)
    assert all(best for one, best in zip(odds, found.tolist(), strict=True) if one >= least)


def test_another_schema_is_an_error_that_names_both() -> None:
    check_schema({"schema": 1}, where="model.json")
    for document, reason in (({"schema": 2}, "schema 2 is not 1, which this version reads$"), ({}, "schema None")):
        with pytest.raises(ModelError, match=f"^model.json: {reason}"):
            check_schema(document, where="model.json")


@pytest.mark.parametrize("wrong", [lambda: {}["cut"], lambda: float("x"), lambda: float([]), lambda: [].items()])
def test_what_is_missing_or_wrong_is_one_error(wrong: Callable[[], Any]) -> None:
    with pytest.raises(ModelError, match=r"^model.json: missing or wrong value: "), reading_values("model.json"):
        wrong()


def test_errors_of_tables_pass_and_those_of_models_are_prefixed() -> None:
    for raised, told in ((TableError("table 3"), r"^table 3$"), (ModelError("no bias"), r"^model.json: no bias$")):
        with pytest.raises(type(raised), match=told), reading_values("model.json"):
            raise raised


def test_values_of_every_model_are_read_by_the_names_of_the_attributes() -> None:
    document, arrays = load_model("margin").to_document()
    found = MarginModel.from_document({**document, "name": 7, "languages": ["de"]}, arrays)
    assert (found.name, found.languages, found.table) == ("7", ("de",), load_table("html5"))
    assert (found.stop_word_scope, found.segmenter) == (document["stop_word_scope"], document["segmenter"])
    assert MarginModel.from_document({**document, "record": {"seed": 1}}, arrays).record == {"seed": 1}
    del document["record"]
    assert MarginModel.from_document(document, arrays).record == {}
