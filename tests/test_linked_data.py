"""What a page declares in JSON-LD."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.linked_data import NOTHING_DECLARED, declared_text


def script(value: object, start: str = '<script type="application/ld+json">') -> bytes:
    return f"<html>{start}{json.dumps(value)}</script><p>x".encode()


def test_reads_the_body_of_an_article_and_the_text_of_posts() -> None:
    page = script({"@graph": [{"articleBody": "One two."}, {"comment": [{"text": "Three."}, {"text": "Four."}]}]})
    assert declared_text(page).body == "One two."
    assert declared_text(page).other == "Three.\nFour."


def test_takes_each_text_once() -> None:
    page = script({"articleBody": "One two."}) + script([{"articleBody": "One two."}, {"articleBody": "Six."}])
    assert declared_text(page).body == "One two.\nSix."


def test_unfolds_markup_and_character_references_in_strings() -> None:
    page = script({"articleBody": "<p>Fish &amp; &lt;b&gt;chips</b></p>\nM\u00fcnchen \u201eja\u201c"})
    assert declared_text(page).body == "Fish & chips M\u00fcnchen \u201eja\u201c"


@pytest.mark.parametrize(
    "start", ['<SCRIPT TYPE="application/ld+json">', "<script async type=application/ld+json id=a>"]
)
def test_knows_the_script_however_its_tag_is_written(start: str) -> None:
    assert declared_text(script({"articleBody": "One two."}, start)).body == "One two."


def test_reads_on_behind_a_syntax_error() -> None:
    page = b'<script type="application/ld+json">{"a": [1,}, "articleBody" : "One\ntwo."</script>'
    assert declared_text(page).body == "One two."


@pytest.mark.parametrize(
    "page",
    [
        b"",
        b'<p>application/ld+json</p><script>{"articleBody": "One."}</script>',
        b'<script type="application/ld+json">{"articleBody": 3, "headline": "x"}</script>',
        b'<script type="application/ld+json">{"articleBody": "never closed</script>',
        b'<script type="application/ld+json">{"articleBody": "\\x"}</script>',
        b'<script type="application/ld+json"></script><script>{"text": "of another script"}</script>',
    ],
)
def test_declares_nothing_where_nothing_is_declared(page: bytes) -> None:
    assert declared_text(page) == NOTHING_DECLARED
    assert not declared_text(page)


def test_an_unclosed_script_runs_to_the_end() -> None:
    assert declared_text(b'<script type="application/ld+json">{"articleBody": "One."}').body == "One."


@given(
    st.lists(st.sampled_from(['<script type="application/ld+json">', "</script>", '{"text":"', '"', "\\", "a", "<"]))
)
def test_takes_any_bytes(parts: list[str]) -> None:
    found = declared_text("".join(parts).encode())
    assert bool(found) == (found != NOTHING_DECLARED)
