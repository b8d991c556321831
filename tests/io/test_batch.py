"""Running an extractor over documents: writers, resuming."""

import io
import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html

from blockfeat import Extractor
from blockfeat.content.tei import TEI_NAMESPACE
from blockfeat.io.batch import FolderWriter, StreamWriter, Tally, reason_of, run
from blockfeat.io.inputs.options import Pending
from blockfeat.io.outputs.formats import Formatter, Rendered, part
from blockfeat.page.document import Document
from cases import CASES
from pages import article_page
from tei_schema import validate_tei


@pytest.fixture(scope="module")
def renderer() -> Formatter:
    return Formatter(Extractor.load("thresholds"), format="json")


def documents(count: int) -> Iterator[Document]:
    for number in range(count):
        yield Document(id=f"page {number}", data=b"%PDF-1" if number == 3 else article_page(2))


def streamed(pages: Iterable[Pending], rendering: Formatter, *, lines: bool = False, **options: Any) -> bytes:
    """Return what a run writes to a stream."""
    stream = io.BytesIO()
    run(pages, rendering, StreamWriter(stream, lines=lines, format=rendering.format), **options)
    return stream.getvalue()


@pytest.fixture
def formatted(renderer: Formatter) -> Callable[..., bytes]:
    """A function that writes pages in a format."""
    return lambda pages, format="text": streamed(pages, Formatter(renderer.extractor, format))


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_line_a_document_in_order(renderer: Formatter, jobs: int) -> None:
    pages = [page if number % 2 else partial(replace, page) for number, page in enumerate(documents(10))]
    records = [json.loads(line) for line in streamed(pages, renderer, lines=True, jobs=jobs).splitlines()]
    assert [record["id"] for record in records] == [f"page {number}" for number in range(10)]
    assert [record["id"] for record in records if record["error"]] == ["page 3"]


def test_texts_are_parted_by_form_feeds_with_their_names(formatted: Callable[..., bytes]) -> None:
    pages = formatted(documents(4)).decode().split("\f")
    names = ["", "page 0", "page 1", "page 2", "page 3\terror: the bytes are PDF, not HTML"]
    assert [page.partition("\n")[0] for page in pages] == names
    assert all("harbour" in page for page in pages[1:4])


def test_comments_part_markdown(formatted: Callable[..., bytes]) -> None:
    lines = [line for line in formatted(documents(4), "markdown").decode().splitlines() if line.startswith("<!--")]
    error = "<!-- error: the bytes are PDF, not HTML -->"
    assert lines == [*(f"<!-- page: page {number} -->" for number in range(4)), error]


def test_several_pages_are_one_html_document_of_articles(formatted: Callable[..., bytes]) -> None:
    named = (replace(document, url=f"https://a.example/?a=1&b={document.id}") for document in documents(4))
    written = formatted(named, "html")
    articles = list(html.document_fromstring(written).iter("article"))
    assert articles[0].get("data-page") == "https://a.example/?a=1&b=page 0"
    assert [len(article.findall("p")) for article in articles] == [2, 2, 2, 0]
    assert articles[-1].get("data-error") == "the bytes are PDF, not HTML"
    assert written.count(b"<html") == written.count(b"</html>") == 1
    arabic = Extractor.load("default").extract(f"<html lang=ar><p>{'نص عربي عن الماء. ' * 20}").to_html()
    assert part("html", "a", arabic, None).startswith('<article data-page="a" lang="ar" dir="rtl">\n<p>نص')


def test_several_pages_are_one_corpus_of_tei(formatted: Callable[..., bytes]) -> None:
    root = etree.fromstring(formatted(documents(4), "xml"))
    assert root.tag == f"{{{TEI_NAMESPACE}}}teiCorpus"
    assert [etree.QName(child).localname for child in root] == ["teiHeader", "TEI", "TEI", "TEI", "TEI"]
    assert root.findtext(f".//{{{TEI_NAMESPACE}}}note") == "the bytes are PDF, not HTML"
    validate_tei(root)


def in_folder(folder: Path, renderer: Formatter, format: str, *ids: str) -> list[str]:
    """Write a page for each name to a folder; return the names of its files."""
    pages = [Document(id=id, data=article_page(2)) for id in ids]
    run(pages, Formatter(renderer.extractor, format), FolderWriter(folder, format))
    return _names(folder)


def test_names_differ_also_where_case_does_not_count(renderer: Formatter, tmp_path: Path) -> None:
    names = in_folder(tmp_path, renderer, "text", "A.html", "a.html", "É", "E\u0301", "straße", "STRASSE")
    assert len({unicodedata.normalize("NFC", name.casefold()) for name in names}) == 6


def _rendered(id: str, text: str = "text\n", error: str | None = None) -> Rendered:
    return Rendered(id=id, text=text, error=error)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_documents_of_one_name_are_numbered(tmp_path: Path) -> None:
    writer = FolderWriter(tmp_path, "text")
    for number in range(4):
        writer.write(_rendered("a/b", f"{number}\n"))
        writer.write(_rendered("ж" * 150))
    cut = [*("ж" * 117 + f"-{number}.txt" for number in (2, 3, 4)), "ж" * 118 + ".txt"]
    assert _names(tmp_path) == ["a_b-2.txt", "a_b-3.txt", "a_b-4.txt", "a_b.txt", *cut]
    assert (tmp_path / "a_b-3.txt").read_text() == "2\n"


def test_a_page_is_not_overwritten_by_its_own_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.html").write_text("<p>own")
    FolderWriter(Path("."), "html").write(_rendered("a.html", "result"))
    assert [Path(name).read_text() for name in _names(tmp_path)] == ["result", "<p>own"]


@pytest.mark.parametrize(("id", "name"), CASES["a_file_is_named_for_the_end_of_its_document"])
def test_a_file_is_named_for_the_end_of_its_document(tmp_path: Path, id: str, name: str) -> None:
    FolderWriter(tmp_path, "text").write(_rendered(id))
    assert _names(tmp_path) == [name]


def test_a_document_that_failed_leaves_only_its_record(tmp_path: Path) -> None:
    writer = FolderWriter(tmp_path / "deep" / "out", "json")
    writer.write(_rendered("a", "", "broken"))
    writer.write(_rendered("b", '{"error": "broken"}\n', "broken"))
    writer.write(_rendered("c", ""))
    assert _names(tmp_path / "deep" / "out") == ["b.json", "c.json"]


def _written(*documents: Rendered, lines: bool = False, format: str = "text") -> str:
    stream = io.BytesIO()
    writer = StreamWriter(stream, lines=lines, format=format)
    for document in documents:
        writer.write(document)
    writer.close()
    return stream.getvalue().decode()


@pytest.mark.parametrize(
    ("text", "error", "format", "written"),
    [*((f"text{end}", None, "text", "text\n") for end in ("", "\n\n")), *(("", "no", f, "") for f in ("text", "html"))],
)
def test_a_page_alone_ends_with_one_new_line(text: str, error: str | None, format: str, written: str) -> None:
    assert (_written(_rendered("a", text, error), format=format), _written(format=format)) == (written, "")


def test_the_first_of_two_pages_is_named_also_where_it_failed() -> None:
    text = _written(_rendered("a", "", "broken"), _rendered("b", "text"))
    assert [part.splitlines()[0] for part in text.split("\f")[1:]] == ["a\terror: broken", "b"]


def test_lines_are_written_as_they_come() -> None:
    stream = io.BytesIO()
    writer = StreamWriter(stream, lines=True)
    writer.write(_rendered("a", "{}\n"))
    assert stream.getvalue() == b"{}\n"
    writer.write(_rendered("b", "[\ud83d]\n", "broken"))
    writer.close()
    assert stream.getvalue() == b"{}\n[?]\n"


def test_a_page_is_written_when_the_next_one_is_there() -> None:
    stream = io.BytesIO()
    writer = StreamWriter(stream, lines=False)
    seen = []
    for name in "abc":
        writer.write(_rendered(name, f"text {name}"))
        seen.append([f"text {other}" in stream.getvalue().decode() for other in "abc"])
    assert seen == [[False] * 3, [True, True, False], [True] * 3]


def test_a_file_has_every_document_at_once(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    for text in ("old and long\n", "{}\n"):
        writer = StreamWriter(path.open("wb"), True)
        writer.write(_rendered("a", text))
        assert path.read_text() == text


def test_a_run_tells_of_each_document_and_closes_the_writer_also_where_documents_end_in_an_error() -> None:
    stream, seen = io.BytesIO(), []

    def documents() -> object:
        yield Document(id="a", data=article_page(2))
        raise ValueError("no more")

    renderer = Formatter(Extractor.load("thresholds"))
    with pytest.raises(ValueError, match="no more"):
        run(documents(), renderer, StreamWriter(stream, lines=False), on_document=seen.append)  # type: ignore[arg-type]
    assert [rendered.id for rendered in seen] == ["a"]
    assert b"harbour" in stream.getvalue()


def test_outcomes_are_counted_by_status_and_reason() -> None:
    tally = Tally(earlier=7)
    for number in range(3):
        tally.add(Rendered(f"p{number}", "", None))
    tally.add(Rendered("n", "", None, status="no content"))
    tally.add(Rendered("f.jsonl:3", "", "f.jsonl:3: not JSON: Expecting value at column 1"))
    tally.add(Rendered("f.jsonl:9", "", "f.jsonl:9: not JSON: Extra data at column 8"))
    summary = tally.summary()
    assert summary.startswith("6 pages: 3 ok, 1 no content, 2 failed (not JSON: 2), 7 done earlier; ")
    assert summary.endswith("pages a second")
    assert Tally(earlier=1200).summary() == "nothing left to do: 1,200 pages done earlier"
    for number in range(20):
        tally.add(Rendered("p", "", "p: reason " + "x" * number))
    assert "other reasons: 15" in tally.summary()


@pytest.mark.parametrize(("name", "error", "reason"), CASES["reasons_are_without_names_and_details"])
def test_reasons_are_without_names_and_details(name: str, error: str, reason: str) -> None:
    assert reason_of(name, error) == reason
