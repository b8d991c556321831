"""What writers write of documents that are rendered: names of files, pages alone and several, failures."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from blockfeat import Extractor
from blockfeat.io.batch.run import FolderWriter, StreamWriter, file_writer, run
from blockfeat.io.outputs.rendering import Rendered, Renderer
from blockfeat.page.document import Document
from pages import article_page


def _rendered(id: str, text: str = "text\n", error: str | None = None) -> Rendered:
    return Rendered(id=id, text=text, error=error)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_documents_of_one_name_are_numbered(tmp_path: Path) -> None:
    writer = FolderWriter(tmp_path, "text")
    for number in range(4):
        writer.write(_rendered("a/b", f"{number}\n"))
    assert _names(tmp_path) == ["a_b-2.txt", "a_b-3.txt", "a_b-4.txt", "a_b.txt"]
    assert (tmp_path / "a_b-3.txt").read_text() == "2\n"


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("https://a.example/1?b=2", "https_a.example_1_b_2.txt"),
        ("../.._etc", "etc.txt"),
        ("__._", "page.txt"),
        ("", "page.txt"),
        ("z" + "a" * 150, "a" * 150 + ".txt"),
        ("a" * 149 + "/b", "a" * 148 + "_b.txt"),
        ("ж" * 119, "ж" * 118 + ".txt"),
        ("字" * 150, "字" * 78 + ".txt"),
        ("𒀀" * 150, "𒀀" * 59 + ".txt"),
        ("x." + "a" * 149, "a" * 149 + ".txt"),
    ],
)
def test_a_file_is_named_for_the_end_of_its_document(tmp_path: Path, id: str, name: str) -> None:
    FolderWriter(tmp_path, "text").write(_rendered(id))
    assert _names(tmp_path) == [name]


def test_a_number_has_its_place_in_a_name_that_is_cut(tmp_path: Path) -> None:
    writer = FolderWriter(tmp_path, "json")
    for _ in range(2):
        writer.write(_rendered("ж" * 150, "{}\n"))
    assert _names(tmp_path) == ["ж" * 116 + "-2.json", "ж" * 117 + ".json"]


def test_a_document_that_failed_leaves_only_its_record(tmp_path: Path) -> None:
    writer = FolderWriter(tmp_path / "deep" / "out", "json")
    writer.write(_rendered("a", "", "broken"))
    writer.write(_rendered("b", '{"error": "broken"}\n', "broken"))
    writer.write(_rendered("c", ""))
    assert _names(tmp_path / "deep" / "out") == ["b.json", "c.json"]
    FolderWriter(tmp_path / "deep" / "out", "text")


def _written(*documents: Rendered, lines: bool = False, format: str = "text") -> str:
    stream = io.BytesIO()
    writer = StreamWriter(stream, lines=lines, format=format)
    for document in documents:
        writer.write(document)
    writer.close()
    return stream.getvalue().decode()


def test_a_page_alone_ends_with_one_new_line() -> None:
    assert _written(_rendered("a", "text")) == "text\n"
    assert _written(_rendered("a", "text\n\n")) == "text\n"
    assert _written(_rendered("a", "", "broken")) == ""
    assert _written() == _written(format="html") == ""
    assert _written(_rendered("a", "", "broken"), format="html") == ""


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


def test_a_file_has_its_folders_and_every_document_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "out.jsonl"
    for text in ("old and long\n", "{}\n"):
        writer = file_writer(path, lines=True)
        writer.write(_rendered("a", text))
        assert path.read_text() == text


def test_a_run_tells_of_each_document_and_closes_the_writer_also_where_documents_end_in_an_error() -> None:
    stream, seen = io.BytesIO(), []

    def documents() -> object:
        yield Document(id="a", data=article_page(2))
        raise ValueError("no more")

    renderer = Renderer(Extractor.load("thresholds"))
    with pytest.raises(ValueError, match="no more"):
        run(documents(), renderer, StreamWriter(stream, lines=False), on_document=seen.append)  # type: ignore[arg-type]
    assert [rendered.id for rendered in seen] == ["a"]
    assert b"harbour" in stream.getvalue()


def test_a_run_over_nothing_writes_nothing() -> None:
    stream = io.BytesIO()
    run([], Renderer(Extractor.load("thresholds")), StreamWriter(stream, lines=False))
    assert stream.getvalue() == b""
