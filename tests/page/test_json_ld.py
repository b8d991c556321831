"""What a page declares in JSON-LD."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.page import DeclaredText, Page
from timing import seconds_of


def script(value: object, start: str = '<script type="application/ld+json">') -> bytes:
    return f"<html>{start}{json.dumps(value)}</script><p>x".encode()


def declared_text(page: bytes) -> DeclaredText:
    return Page.parse(page).declared


def test_reads_the_body_of_an_article_and_the_text_of_posts() -> None:
    page = script({"@graph": [{"articleBody": "One two."}, {"comment": [{"text": "Three."}, {"text": "Four."}]}]})
    assert (declared_text(page).body, declared_text(page).other) == ("One two.", "Three.\nFour.")


def test_takes_each_text_once() -> None:
    page = script({"articleBody": "One two."}) + script([{"articleBody": "One two."}, {"articleBody": "Six."}])
    assert declared_text(page).body == "One two.\nSix."


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
        b'<script>var a = "application/ld+json", b = {"text": "one two three"}</script>',
    ],
)
def test_declares_nothing_where_nothing_is_declared(page: bytes) -> None:
    assert (declared_text(page).body, declared_text(page).other) == ("", "")


def test_an_unclosed_script_runs_to_the_end() -> None:
    assert declared_text(b'<script type="application/ld+json">{"articleBody": "One."}').body == "One."


@given(st.text(alphabet=st.characters(blacklist_characters="<>&\u00ad", blacklist_categories=("Cs",)), max_size=60))
def test_any_plain_text_comes_back_with_its_white_space_folded(text: str) -> None:
    assert declared_text(script({"articleBody": text})).body == " ".join(text.split())


PIECES = (
    '<script type="application/ld+json">',
    "</script>",
    '{"text":"',
    '"',
    "\\",
    "\\ud800",
    "\\u0000",
    "a",
    "<",
    ">",
)


@given(st.lists(st.sampled_from([*PIECES, "&#", "&", "9" * 5_000, ";"])))
def test_hostile_strings_give_text(pieces: list[str]) -> None:
    found = declared_text("".join(pieces).encode())
    assert not found.body
    assert "\n\n" not in found.other


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        (
            "<p>Fish &amp; &lt;b&gt;chips</b></p>\nM\u00fcnchen \u201eja\u201c",
            "Fish & chips M\u00fcnchen \u201eja\u201c",
        ),
        ("Lan\u00adtern &shy;if a < b and c > d", "Lantern if a < b and c > d"),
        (f"one &#{'9' * 5_000}; two", "one \ufffd two"),
    ],
)
def test_markup_references_and_soft_hyphens_in_strings_are_unfolded(declared: str, text: str) -> None:
    assert declared_text(script({"articleBody": declared})).body == text


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "cp1251"])
def test_it_is_read_whatever_the_page_is_encoded_in(codec: str) -> None:
    text = '<html><script type="application/ld+json">{"articleBody": "Фонари в долине"}</script><p>Фонари в долине'
    assert Page.parse(text).declared.body == "Фонари в долине"
    data = (text + " горят" * 30).encode(codec)
    assert Page.parse(data, charset="cp1251" if codec == "cp1251" else None).declared.body == "Фонари в долине"


@pytest.mark.parametrize(
    "unit",
    [b"ld+json", b"<script ld+json", b"<script ld+json></SCRIPT>", b"</", b'"text":"', b"\\", b"&#", b"<", b'"text" '],
)
def test_time_grows_with_the_page(unit: bytes) -> None:
    def seconds(count: int) -> float:
        data = b'<script type="application/ld+json">{"text":"' + unit * count
        return seconds_of(lambda: declared_text(data), rounds=3)

    assert seconds(80_000) <= 8 * max(seconds(20_000), 0.01)
