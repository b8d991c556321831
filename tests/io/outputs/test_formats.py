"""The formats by name."""

import json
import math
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from blockfeat import Extraction, Extractor
from blockfeat.blocks.block import Link
from blockfeat.content.links import clean_characters
from blockfeat.data import demo_pages
from blockfeat.errors import LimitExceeded
from blockfeat.extraction.page_kind import KINDS
from blockfeat.extraction.parts import ROLES
from blockfeat.io.outputs import FORMATS, record_schema, to_json_line
from blockfeat.page.document import Document
from extraction_stand_in import block, extraction
from pages import article_page


def test_the_names() -> None:
    assert list(FORMATS) == ["text", "markdown", "html", "xml", "page", "json"]


@pytest.mark.parametrize("name", list(FORMATS))
def test_each_format_writes_an_extraction(name: str) -> None:
    extraction = Extractor.load("thresholds").extract(article_page(2))
    assert "old lighthouse" in FORMATS[name](extraction)


def test_nothing_heavy_is_loaded_by_import() -> None:
    code = "import sys, blockfeat.io.outputs, blockfeat.io.inputs; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    assert loaded & {"httpx2", "httpcore2", "nh3", "rich", "fastwarc", "pyarrow"} == set()


LINE_ENDS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
ANY_CHARACTER = st.characters() | st.characters(categories=["Cc", "Cs"]) | st.sampled_from(LINE_ENDS)
# Not st.text: it would draw from all the characters together, and odd ones hardly ever.
ANY_TEXT = st.lists(ANY_CHARACTER).map("".join)


def test_the_keys_and_their_order_and_text_that_is_readable_in_the_line() -> None:
    line = to_json_line(extraction(block("Grüße 你好"), warnings=("w",)))
    assert "Grüße 你好" in line
    values = json.loads(line)
    assert list(values) == [name for name in Extraction(text="").to_dict() if name not in ("lead", "body")]
    assert (values["text"], values["warnings"]) == ("Grüße 你好", ["w"])
    found = Extractor.load().extract("<title>A</title><p>x")
    few = json.loads(to_json_line(found, columns=["metadata.title", "lang", "body", "links"]))
    metadata = {"title": "A"}
    assert few == {"id": None, "lang": few["lang"], "body": "x", "metadata": metadata, "links": [], "error": None}


def test_evidence_adds_the_blocks() -> None:
    evidence = block("x", score=math.nan, features={"a": math.inf, "b": np.float32(0.5)}, failed=("a",))
    values = json.loads(to_json_line(extraction(evidence), evidence=True))
    (found,) = values["blocks"]
    assert (found["text"], found["score"], found["failed"]) == ("x", None, ["a"])
    assert found["features"] == {"a": None, "b": 0.5}


@pytest.mark.parametrize(("character", "fits"), [("", True), ("ж", True), ("\U0001f600", False)])
def test_evidence_in_wide_characters_counts_as_the_memory_that_it_takes(character: str, *, fits: bool) -> None:
    found = Extractor.load().extract("<p>word</p>" * 3_000 + f"<p>{character}")
    with nullcontext() if fits else pytest.raises(LimitExceeded, match="evidence of all blocks would take"):
        assert to_json_line(found, evidence=True)


@pytest.mark.parametrize("links", [0, 1, 2, 5])
def test_links_of_a_block_are_written_some_at_a_time(monkeypatch: pytest.MonkeyPatch, links: int) -> None:
    monkeypatch.setattr("blockfeat.io.outputs.formats._LINKS_AT_ONCE", 2)
    found = extraction(block('[] "[]"', links=tuple(Link(place, 2, '"[]') for place in range(links))), block("y"))
    assert json.loads(to_json_line(found, evidence=True))["blocks"] == list(found.evidence())


@given(text=ANY_TEXT, name=ANY_TEXT)
def test_it_is_one_line_that_can_be_read_back(text: str, name: str) -> None:
    line = to_json_line(extraction(block(text), id=name, title=text))
    assert len(line.splitlines()) == 1
    line.encode()
    values = json.loads(line)
    assert (values["text"], values["id"]) == (clean_characters(text), clean_characters(name))


SCHEMA = record_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def checked(extraction: Extraction, *, evidence: bool = False) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(to_json_line(extraction, evidence=evidence))
    VALIDATOR.validate(record)
    return record


def test_the_schema_is_one_and_has_the_fields_of_records_in_their_order() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]["kind"]["enum"]) == set(KINDS)
    assert set(SCHEMA["$defs"]["block"]["properties"]["role"]["enum"]) == set(ROLES)
    record = Extractor.load("default").extract(b"<p>Hello").to_dict(evidence=True)
    assert list(record) == list(SCHEMA["properties"])


def test_every_field_is_described_and_in_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "record.md").read_text(encoding="utf-8")
    described = (SCHEMA["properties"], *(SCHEMA["$defs"][name]["properties"] for name in ("block", "metadata")))
    for name, field in (pair for fields in described for pair in fields.items() if pair[0] != "links"):
        assert f"| `{name}` |" in page
        assert field["description"] in page


@pytest.mark.parametrize("model", ["default", "thresholds", "mss-simple"])
def test_demo_pages_give_valid_records(model: str) -> None:
    extractor = Extractor.load(model)
    for page in list(demo_pages())[::6]:
        record = checked(extractor.extract(page.html, url=page.url, id=page.id), evidence=True)
        assert record["text"]
        assert record["kind"] in KINDS[:3]


@pytest.mark.parametrize(
    "html", ["", " ", "<p>", "<p>\x00\ud800", "<nav><a href=/>x</a></nav>", "<title>404</title><p>Gone"]
)
def test_odd_pages_give_valid_records(html: str) -> None:
    checked(Extractor.load("default").extract(html), evidence=True)


def test_a_page_that_fails_gives_a_valid_record() -> None:
    extractor = Extractor.load("default")
    record = checked(extractor.failed(Document(id="a", data=None), "a: no such file"), evidence=True)
    assert (record["status"], record["kind"], record["error"]) == ("error", "error", "a: no such file")
    assert (record["text"], record["fingerprint"], record["confidence"], record["lang"]) == ("", None, None, None)
