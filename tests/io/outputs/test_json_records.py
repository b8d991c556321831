"""JSON lines."""

from __future__ import annotations

import json
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.content.links import clean_characters
from blockfeat.io.outputs.records import to_json_line
from extraction_stand_in import block, extraction

LINE_ENDS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
ANY_CHARACTER = st.characters() | st.characters(categories=["Cc", "Cs"]) | st.sampled_from(LINE_ENDS)
# Not st.text: it would draw from all the characters together, and odd ones hardly ever.
ANY_TEXT = st.lists(ANY_CHARACTER).map("".join)


def test_the_keys_and_their_order() -> None:
    values = json.loads(to_json_line(extraction(block("Grüße"), warnings=("w",))))
    assert list(values) == ["id", "url", "lang", "title", "text", "status", "warnings", "error", "model"]
    assert values["text"] == "Grüße"
    assert values["warnings"] == ["w"]


def test_text_is_readable_in_the_line() -> None:
    assert "Grüße 你好" in to_json_line(extraction(block("Grüße 你好")))


def test_evidence_adds_the_blocks() -> None:
    evidence = block("x", score=math.nan, features={"a": math.inf, "b": np.float32(0.5)}, failed=("a",))
    values = json.loads(to_json_line(extraction(evidence), evidence=True))
    (found,) = values["blocks"]
    assert (found["text"], found["score"], found["failed"]) == ("x", None, ["a"])
    assert found["features"] == {"a": None, "b": 0.5}


def test_an_error_is_a_line_too() -> None:
    values = json.loads(to_json_line(extraction(status="error", error="a.html: no such file", lang=None)))
    assert (values["error"], values["lang"], values["text"]) == ("a.html: no such file", None, "")


@given(text=ANY_TEXT, name=ANY_TEXT)
def test_it_is_one_line_that_can_be_read_back(text: str, name: str) -> None:
    line = to_json_line(extraction(block(text), id=name, title=text))
    assert len(line.splitlines()) == 1
    line.encode()
    values = json.loads(line)
    assert (values["text"], values["id"]) == (clean_characters(text), clean_characters(name))
