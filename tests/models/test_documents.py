from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from blockfeat.blocks import load_table
from blockfeat.errors import ModelError, TableError
from blockfeat.models.documents import (
    check_schema,
    common_values,
    reading_values,
    table_from_value,
    table_value,
)


def test_a_bundled_table_is_named_and_another_is_written_out() -> None:
    table = load_table("html5")
    own = replace(table, other="prune")
    assert table_value(table) == "html5"
    assert isinstance(table_value(own), dict)
    assert [table_from_value(table_value(one), where="model") for one in (table, own)] == [table, own]


def test_another_schema_is_an_error_that_names_both() -> None:
    check_schema({"schema": 1}, 1, where="model.json")
    with pytest.raises(ModelError, match=r"^model.json: schema 2 is not 1, which this version reads$"):
        check_schema({"schema": 2}, 1, where="model.json")
    with pytest.raises(ModelError, match="schema None"):
        check_schema({}, 1, where="model.json")


@pytest.mark.parametrize("wrong", [lambda: {}["cut"], lambda: float("x"), lambda: float([]), lambda: [].items()])
def test_what_is_missing_or_wrong_is_one_error(wrong: Callable[[], Any]) -> None:
    with pytest.raises(ModelError, match=r"^model.json: missing or wrong value: "), reading_values("model.json"):
        wrong()


def test_errors_of_blockfeat_pass_or_are_prefixed() -> None:
    with pytest.raises(TableError, match=r"^table 3$"), reading_values("model.json", prefixed=ModelError):
        raise TableError("table 3")
    with pytest.raises(ModelError, match=r"^model.json: no bias$"), reading_values("model.json", prefixed=ModelError):
        raise ModelError("no bias")
    with pytest.raises(ModelError, match=r"^no bias$"), reading_values("model.json"):
        raise ModelError("no bias")


def test_common_values_are_read_by_the_names_of_the_attributes() -> None:
    own = {"languages": ["de"], "stop_word_scope": "block", "segmenter": "fast"}
    found = common_values({"name": 7, "table": "html5", **own, "cut": 0.5}, where="mine.json")
    assert found == {"name": "7", "table": load_table("html5"), **own, "languages": ("de",), "record": {}}
    assert common_values({"name": "a", "table": "html5", **own, "record": {"seed": 1}}, where="")["record"] == {
        "seed": 1
    }


@pytest.mark.parametrize("missing", ["name", "table", "languages", "stop_word_scope", "segmenter"])
def test_a_missing_common_value_is_an_error(missing: str) -> None:
    document = {"name": "a", "table": "html5", "languages": [], "stop_word_scope": "page", "segmenter": "fast"}
    del document[missing]
    with (
        pytest.raises(ModelError, match=f"^mine.json: missing or wrong value: '{missing}'$"),
        reading_values("mine.json"),
    ):
        common_values(document, where="mine.json")
