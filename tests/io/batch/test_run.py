"""Running an extractor over documents: writers, resuming."""

from __future__ import annotations

import io
import json
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree, html

from blockfeat import Extractor
from blockfeat.content.tei import TEI_NAMESPACE
from blockfeat.errors import OutputError
from blockfeat.io.batch.run import FolderWriter, StreamWriter, file_writer, run
from blockfeat.io.outputs.rendering import Renderer
from blockfeat.page.document import Document
from pages import article_page
from tei_schema import validate_tei


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(Extractor.load("thresholds"), format="json")


def documents(count: int) -> Iterator[Document]:
    for number in range(count):
        yield Document(id=f"page {number}", data=b"%PDF-1" if number == 3 else article_page(2))


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_line_a_document_in_order(renderer: Renderer, jobs: int) -> None:
    stream = io.BytesIO()
    run(documents(10), renderer, StreamWriter(stream, lines=True), jobs=jobs)
    records = [json.loads(line) for line in stream.getvalue().decode().splitlines()]
    assert [record["id"] for record in records] == [f"page {number}" for number in range(10)]
    assert [record["id"] for record in records if record["error"]] == ["page 3"]


@pytest.mark.parametrize("format", ["text", "markdown", "html", "xml"])
def test_a_single_page_is_written_as_it_is(renderer: Renderer, format: str) -> None:
    stream = io.BytesIO()
    rendering = Renderer(renderer.extractor, format)
    run(documents(1), rendering, StreamWriter(stream, lines=False, format=format))
    text = rendering(next(documents(1))).text
    assert stream.getvalue().decode() == text.rstrip("\n") + "\n"


def test_a_page_that_fails_alone_writes_nothing(renderer: Renderer) -> None:
    stream = io.BytesIO()
    run([Document(id="a", data=b"%PDF-1")], Renderer(renderer.extractor), StreamWriter(stream, lines=False))
    assert stream.getvalue() == b""


def test_texts_are_parted_by_form_feeds_with_their_names(renderer: Renderer) -> None:
    stream = io.BytesIO()
    run(documents(4), Renderer(renderer.extractor), StreamWriter(stream, lines=False))
    pages = stream.getvalue().decode().split("\f")
    assert [page.partition("\n")[0] for page in pages] == [
        "", "page 0", "page 1", "page 2", "page 3\terror: the bytes are PDF, not HTML",
    ]  # fmt: skip
    assert all("harbour" in page for page in pages[1:4])


def test_comments_part_markdown(renderer: Renderer) -> None:
    stream = io.BytesIO()
    run(documents(4), Renderer(renderer.extractor, "markdown"), StreamWriter(stream, lines=False, format="markdown"))
    lines = stream.getvalue().decode().splitlines()
    assert [line for line in lines if line.startswith("<!--")] == [
        "<!-- page: page 0 -->", "<!-- page: page 1 -->", "<!-- page: page 2 -->", "<!-- page: page 3 -->",
        "<!-- error: the bytes are PDF, not HTML -->",
    ]  # fmt: skip


def test_several_pages_are_one_html_document_of_articles(renderer: Renderer) -> None:
    stream = io.BytesIO()
    named = (replace(document, url=f"https://a.example/?a=1&b={document.id}") for document in documents(4))
    run(named, Renderer(renderer.extractor, "html"), StreamWriter(stream, lines=False, format="html"))
    root = html.document_fromstring(stream.getvalue())
    assert next(root.iter("article")).get("data-page") == "https://a.example/?a=1&b=page 0"
    assert [len(article.findall("p")) for article in root.iter("article")] == [2, 2, 2, 0]
    assert [article.get("data-error") for article in root.iter("article")][-1] == "the bytes are PDF, not HTML"
    assert stream.getvalue().count(b"<html") == stream.getvalue().count(b"</html>") == 1


def test_several_pages_are_one_corpus_of_tei(renderer: Renderer) -> None:
    stream = io.BytesIO()
    run(documents(4), Renderer(renderer.extractor, "xml"), StreamWriter(stream, lines=False, format="xml"))
    root = etree.fromstring(stream.getvalue())
    assert root.tag == f"{{{TEI_NAMESPACE}}}teiCorpus"
    assert [etree.QName(child).localname for child in root] == ["teiHeader", "TEI", "TEI", "TEI", "TEI"]
    assert root.findtext(f".//{{{TEI_NAMESPACE}}}note") == "the bytes are PDF, not HTML"
    validate_tei(root)


def test_a_folder_gets_one_file_a_document(renderer: Renderer, tmp_path: Path) -> None:
    same = [Document(id="../a/b?c", data=article_page()), Document(id="../a/b?c", data=article_page())]
    run(same, Renderer(renderer.extractor, "markdown"), FolderWriter(tmp_path / "out", "markdown"))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a_b_c-2.md", "a_b_c.md"]


@pytest.mark.parametrize("letter", ["a", "ж", "字", "𒀀"])
def test_a_long_name_has_the_bytes_that_a_file_system_allows(renderer: Renderer, tmp_path: Path, letter: str) -> None:
    same = [Document(id=f"{start}{letter * 300}", data=article_page(2)) for start in "xy"]
    run(same, Renderer(renderer.extractor, "text"), FolderWriter(tmp_path, "text"))
    names = [path.name for path in tmp_path.iterdir()]
    assert len(names) == 2
    assert all(len(name.encode()) <= 250 and name.endswith(".txt") for name in names)


def test_names_differ_also_where_case_does_not_count(renderer: Renderer, tmp_path: Path) -> None:
    same = [
        Document(id=name, data=article_page(2)) for name in ("A.html", "a.html", "É", "E\u0301", "straße", "STRASSE")
    ]
    run(same, Renderer(renderer.extractor, "text"), FolderWriter(tmp_path, "text"))
    names = [unicodedata.normalize("NFC", path.name.casefold()) for path in tmp_path.iterdir()]
    assert len(set(names)) == len(same)


def test_an_output_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        file_writer(tmp_path / "file" / "out.jsonl", lines=True)
