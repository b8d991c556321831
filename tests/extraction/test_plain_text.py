"""Pages without any markup are text, whatever the model says of it; addresses and paths are none."""

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import blockfeat
from blockfeat import Extractor
from blockfeat.errors import BlockfeatError, InputTypeError
from blockfeat.models.store import bundled_models
from blockfeat.page.document import NO_MARKUP, Document
from pages import SENTENCES, article_page
from property_examples import examples

_PROSE = f"{SENTENCES[0]}\n{SENTENCES[1]}\n\n{SENTENCES[2]}\n"
_TABLE = "name,age,town\nAnn,31,Kiel\nBob,42,Bonn\n"
_SOURCE = Path(blockfeat.__file__).with_name("errors.py").read_text(encoding="utf-8")
_LOG = "2026-01-01 ERROR page not found\n2026-01-02 please sign in to continue\n"
_MARKDOWN = "# Ferries\n\n- one *ferry*\n- two\n\n| a | b |\n|---|---|\n"


def _as_it_stands(text: str) -> str:
    """Return a text without blank lines in a row, and none around it."""
    return re.sub(r"\n(?:[ \t]*\n)+", "\n\n", text).strip("\n")


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load()


@pytest.mark.parametrize("text", [_PROSE, _TABLE, _SOURCE, _LOG, _MARKDOWN, '{"a": "b"}', "Not found", "Ja."])
@pytest.mark.parametrize("kind", [str, str.encode])
def test_text_without_markup_is_returned_as_it_stands(extractor: Extractor, text: str, kind: type) -> None:
    found = extractor.extract(kind(text))
    assert found.text == _as_it_stands(text)
    assert (found.status, found.kind, found.confidence) == ("ok", "other", None)
    assert NO_MARKUP in found.warnings
    assert all(block.kept and "no markup" in block.reason for block in found.blocks)


@pytest.mark.parametrize("name", bundled_models())
def test_no_model_decides_about_plain_text(name: str) -> None:
    found = Extractor.load(name).with_options(favour=None, headline=False, tables=False).extract(_PROSE)
    # The paper's tag table does not part paragraphs.
    assert found.text == _as_it_stands(_PROSE) or (name == "ziegler2007" and found.text.split() == _PROSE.split())
    assert found.to_dict()["kind"] == "other"


def test_plain_text_has_paragraphs_and_lines_in_every_format(extractor: Extractor) -> None:
    found = extractor.extract(_PROSE)
    assert [block.text for block in found.blocks] == [SENTENCES[0] + " " + SENTENCES[1], SENTENCES[2]]
    assert (found.to_markdown().count("\n\n"), found.to_html().count("<p>")) == (1, 2)
    assert "```" in extractor.extract("if one:\n    two = 2\n").to_markdown()


def test_a_tag_makes_it_a_page(extractor: Extractor) -> None:
    found = extractor.extract(article_page())
    assert NO_MARKUP not in found.warnings
    assert found.confidence is not None
    assert NO_MARKUP not in extractor.extract("one <b>two</b> three").warnings


@pytest.mark.parametrize("value", ["https://example.org/a", "page.html", Path("page.html")])
def test_a_name_is_refused_wherever_a_page_is_taken(extractor: Extractor, value: str) -> None:
    from blockfeat.papers.crunch.clean import clean

    for take in (blockfeat.extract, extractor.extract, clean):
        with pytest.raises(InputTypeError, match=r"fetch|read the file"):
            take(value)


@pytest.mark.parametrize("jobs", [1, 2])
def test_in_a_batch_a_name_fails_alone(extractor: Extractor, jobs: int) -> None:
    pages = [article_page(), "https://example.org/a", Path("page.html"), Document("d", "page.html"), _TABLE]
    found = list(extractor.extract_many(pages, jobs=jobs))  # type: ignore[arg-type]
    assert [one.status for one in found] == ["ok", "error", "error", "error", "ok"]
    assert "blockfeat.fetch(url)" in str(found[1].error)
    assert all("read the file first" in str(one.error) for one in found[2:4])
    assert (found[4].kind, found[4].text) == ("other", _TABLE.strip())


@given(st.lists(st.text("abc äöü<>&;,.\t日本", min_size=1, max_size=30).map(lambda line: f"x{line}x"), max_size=9))
@examples(60)
def test_no_line_of_plain_text_is_lost(lines: list[str]) -> None:
    found = blockfeat.extract("\n".join(["two words", *lines]), normalise=False)
    if NO_MARKUP in found.warnings:
        # Character references that end in a semicolon stay references, such as "&ac;".
        assert [re.sub(r"\s+", " ", line) for line in found.text.split("\n")] == [
            re.sub(r"\s+", " ", unescape(line)) for line in ["two words", *lines]
        ]


@given(st.text(max_size=80) | st.binary(max_size=80))
@examples(200)
def test_whatever_is_given_is_extracted_or_an_error_of_ours(value: str | bytes) -> None:
    try:
        found = blockfeat.extract(value)
    except BlockfeatError:
        return
    assert isinstance(found.to_dict()["text"], str)
