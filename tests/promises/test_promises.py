"""The thirteen promises about broken and hostile pages: which tests hold each, and those that stand here.

=== ================================================== ==========================================================
no  promise                                            tests
=== ================================================== ==========================================================
1   any input in 0.2 s + 1 s a MB, or an error         test_hostile; make fuzz with test_fuzz_findings
2   linear time                                        test_views (counts); test_hostile (all classes with
                                                       BLOCKFEAT_HOSTILE_FULL=1); python -m benchmarks growth
3   memory at most 64 MB + 25 times the input          test_processes; test_views; test_hostile (RLIMIT_AS)
4   no text lost silently                              test_text; test_hostile; page/test_page;
                                                       page/test_tree_construction
5   decoding never raises, one bad byte: one character here; page/test_encoding (the charset matrix)
6   one family of exceptions, all types of input       here; extraction/test_extractor; page/test_page
7   no NUL, surrogate or control in any output         test_output; content/test_links; test_hostile
8   no I/O in extraction                               test_processes
9   fetching: schemes, addresses, size, deadline       io/http/test_fetch; io/http/test_transport
10  allow list for HTML and Markdown                   test_output; content/test_links, content/test_html,
                                                       content/test_markdown
11  threads, PYTHONHASHSEED, no growth                 test_processes
12  limits of the caller in any thread                 here; test_pool (in the main thread)
13  hidden content by docs/explain.md                  blocks/test_hidden_content
=== ================================================== ==========================================================
"""

import inspect
import io
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import blockfeat
from blockfeat import BlockfeatError, Extraction, Extractor, InputTypeError, LimitExceeded, NotHTML, errors
from blockfeat.io.batch import StreamWriter, run
from blockfeat.io.outputs import FORMATS, Formatter
from blockfeat.page.document import Document
from pages import article_page
from property_examples import examples

Value = TypeVar("Value")


def _block_text(page: str | bytes, **options: Any) -> str:
    return "\n".join(block.text for block in blockfeat.extract(page, **options).blocks)


# 5: decoding.

_LETTERS = st.text("abcdefgh ijklmnäöüßéè „“ жзик αβγ 海山 😀", min_size=1, max_size=60)


def _changed(before: str, after: str) -> int:
    """Characters of ``before`` between what both have at their start and at their end."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return len(before) - end - start


@given(_LETTERS, st.integers(0, 10_000), st.integers(0x80, 0xFF), st.booleans(), st.sampled_from(["head", "tag", None]))
@example("é é", 1, 0xFF, True, "head")
@example("aß ", 1, 0xFF, False, "head")
@example("ß😀a", 211, 0xC2, False, "tag")
@example("aaaaa", 157, 244, False, None)
@example("ä", 2, 0xE0, False, "head")
@examples(300)
def test_one_bad_byte_in_utf_8_changes_one_character(
    text: str, place: int, byte: int, is_instead: bool, declared: str | None
) -> None:
    # What nobody declares has to have other signs of UTF-8.
    before = "a" if declared else "Grüße aus Köln für die schöne Müllerin, Bäcker "
    text = " ".join(f"{before}{text}z".split())
    encoded = text.encode()
    place %= len(encoded)
    damaged = encoded[:place] + bytes((byte,)) + encoded[place + is_instead :]
    # Where the only character above ASCII lost a byte, the rest may be a whole character of another encoding.
    assume(not is_instead or text.isascii() or not damaged.decode(errors="ignore").isascii())
    start = b"<meta charset=utf-8>" if declared == "tag" else b""
    found = _block_text(start + b"<p>" + damaged + b"</p>", charset="utf-8" if declared == "head" else None)
    assert _changed(text, found) <= 1


_CYRILLIC = st.text("абвгдежзийклмнопрстуфхцчшщъыьэюя ", min_size=60, max_size=90)


@given(_CYRILLIC, st.integers(0, 59), st.integers(0x80, 255))
@examples(60)
def test_one_other_byte_in_a_declared_legacy_page_changes_one_character(text: str, place: int, byte: int) -> None:
    text = " ".join(f"я{text}я".split())
    place %= len(text)
    encoded = bytearray(text.encode("cp1251"))
    encoded[place] = byte
    found = _block_text(b"<meta charset=windows-1251><p>" + bytes(encoded) + b"</p>")
    assert _changed(text, found) <= 1


_CHARSETS = st.sampled_from([None, "utf-8", "gbk", "utf-16", "x-foo", "utf-7", "base64", "\x00", "iso-2022-jp", "big5"])


@given(st.binary(max_size=200), _CHARSETS, st.sampled_from([b"", b"\x1b$B", b"<meta charset="]))
@examples(200)
def test_any_bytes_decode_and_say_how(data: bytes, charset: str | None, start: bytes) -> None:
    try:
        found = blockfeat.extract(start + b"<p>words " + data, charset=charset)
    except NotHTML:
        return
    assert found.encoding
    if "\ufffd" in "".join(block.text for block in found.blocks) and b"\xef\xbf\xbd" not in data:
        assert any("replaced" in warning for warning in found.warnings)


@pytest.mark.parametrize("reference", ["&#xDAAA;", "&#xd800", "&#57343;", "&#0;", "&#x110000;", "&#99999999999;"])
def test_a_reference_to_no_character_is_replaced_and_counted(reference: str) -> None:
    page = f"<p>words {reference} and words</p>"
    for found in (blockfeat.extract(page), blockfeat.extract(page.encode())):
        assert [block.text for block in found.blocks] == ["words \ufffd and words"]
        assert found.warnings == ("1 characters could not be decoded and were replaced",)


# 6: errors and types of input.


def test_all_errors_are_of_one_family() -> None:
    found = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    assert len(found) >= 12
    assert all(issubclass(kind, BlockfeatError) for kind in found)
    assert {kind.__name__ for kind in found} <= set(blockfeat.__all__)


def _spread(data: bytes) -> memoryview:
    """Return a view with gaps."""
    return memoryview(bytes(byte for pair in zip(data, data, strict=True) for byte in pair))[::2]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: memoryview(b"x" + data)[1:], _spread])
def test_all_types_of_bytes_give_the_same(kind: Callable[[bytes], Any]) -> None:
    data = article_page().encode()
    assert blockfeat.extract(kind(data)).text == blockfeat.extract(data).text != ""
    assert blockfeat.extract(data.decode()).text == blockfeat.extract(data).text
    (found,) = Extractor.load().extract_many([kind(data)])
    assert (found.error, found.text) == (None, blockfeat.extract(data).text)


@pytest.mark.parametrize("value", [None, 7, 1.5, ["<p>"], {"text": "<p>"}, {"html": None}, object()])
def test_other_types_are_one_error(value: object) -> None:
    with pytest.raises(InputTypeError, match=type(value).__name__):
        blockfeat.extract(value)  # type: ignore[arg-type]
    (found,) = Extractor.load().extract_many([value])  # type: ignore[list-item]
    assert type(value).__name__ in str(found.error)


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "PDF"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "JPEG"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"PK\x03\x04\x14\x00", "zip"),
        (b"\x7fELF\x02\x01", "ELF"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (bytes(number * 37 % 256 for number in range(4_000)), "binary"),
    ],
)
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_other_formats_are_named(data: bytes, format: str, kind: Callable[[bytes], Any]) -> None:
    with pytest.raises(NotHTML, match=format):
        blockfeat.extract(kind(data))


_EMPTY = ("", b"", bytearray(), memoryview(b""), " \n\t ", b"\n" * 1000, b"\xef\xbb\xbf", b"\xff\xfe", "\ufeff")


@pytest.mark.parametrize("value", [*_EMPTY, "<!-- x -->", "<!DOCTYPE html>"])
def test_empty_input_gives_an_empty_extraction(value: Any) -> None:
    found = blockfeat.extract(value)
    assert (found.text, found.status, found.error, found.blocks) == ("", "empty", None, ())
    assert all(isinstance(write(found), str) for write in FORMATS.values())


# 12: limits in any thread.


def _in_a_thread(work: Callable[[], Value]) -> Value:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result(timeout=60)


@pytest.mark.parametrize("page", [b"<p>" + b"x" * 100, "<p>" + "ж" * 50, bytearray(b"<p>" + b"x" * 100)])
def test_max_bytes_in_another_thread(page: Any) -> None:
    limited = Extractor.load().with_options(max_bytes=103)
    assert _in_a_thread(lambda: limited.extract(page)).error is None
    with pytest.raises(LimitExceeded, match="102"):
        _in_a_thread(lambda: limited.with_options(max_bytes=102).extract(page))
    (found,) = _in_a_thread(lambda: list(limited.with_options(max_bytes=50).extract_many([page])))
    assert "limit of 50" in str(found.error)


_HANGING = "<p>a page that never comes to its end"
# Long enough for any other page on a busy machine, where nothing has to be loaded any more.
_DEADLINE = 2.0


class _HangingExtractor(Extractor):
    """Extracts all pages but one, over which it hangs."""

    def extract(self, html: str | bytes | bytearray | memoryview, **options: Any) -> Extraction:
        if html == _HANGING:
            time.sleep(600)
        return super().extract(html, **options)


@pytest.fixture
def hanging() -> Extractor:
    """Return an extractor that hangs on one page and has loaded all it needs before any process is forked."""
    loaded = Extractor.load()
    loaded.extract(article_page())
    return _HangingExtractor(loaded.model, loaded.measurer)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_deadline_in_another_thread_costs_one_page(hanging: Extractor, jobs: int) -> None:
    pages = [article_page(), _HANGING, article_page(2)]
    found = _in_a_thread(lambda: list(hanging.extract_many(pages, jobs=jobs, deadline=_DEADLINE)))
    assert [extraction.status for extraction in found] == ["ok", "error", "ok"]
    assert "longer than 2 s" in str(found[1].error)
    assert found[0].text == hanging.extract(article_page()).text
    # What hung in its process is not tried again in this one.
    assert _in_a_thread(lambda: (found[1].blocks, found[1].to_markdown(), found[1].metadata.title)) == ((), "", None)


def test_the_deadline_of_a_run_in_another_thread(hanging: Extractor) -> None:
    documents = [Document(id="slow", data=_HANGING), Document(id="quick", data=article_page())]
    stream = io.BytesIO()
    renderer, writer = Formatter(hanging, format="json"), StreamWriter(stream, lines=True)
    _in_a_thread(lambda: run(documents, renderer, writer, deadline=_DEADLINE))
    records = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(record["id"], record["status"]) for record in records] == [("slow", "error"), ("quick", "ok")]
