"""Running an extractor over documents: writers, resuming."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from blockfeat import Extractor
from blockfeat.batch.run import FolderWriter, Renderer, StreamWriter, file_writer, resumed, run
from blockfeat.errors import InputError, OutputError
from blockfeat.sources.document import Document
from pages import article_page


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(Extractor.load("thresholds"), format="json")


def documents(count: int) -> Iterator[Document]:
    for number in range(count):
        yield Document(id=f"page {number}", data=b"%PDF-1" if number == 3 else article_page(2))


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_line_a_document_in_order(renderer: Renderer, jobs: int) -> None:
    stream = io.BytesIO()
    counts = run(documents(10), renderer, StreamWriter(stream, lines=True), jobs=jobs)
    records = [json.loads(line) for line in stream.getvalue().decode().splitlines()]
    assert [record["id"] for record in records] == [f"page {number}" for number in range(10)]
    assert [record["id"] for record in records if record["error"]] == ["page 3"]
    assert (counts.extracted, counts.failed) == (9, 1)


def test_texts_are_parted_by_form_feeds(renderer: Renderer) -> None:
    stream = io.BytesIO()
    run(documents(4), Renderer(renderer.extractor), StreamWriter(stream, lines=False))
    assert stream.getvalue().decode().count("\f") == 2


def test_a_folder_gets_one_file_a_document(renderer: Renderer, tmp_path: Path) -> None:
    same = [Document(id="../a/b?c", data=article_page()), Document(id="../a/b?c", data=article_page())]
    run(same, Renderer(renderer.extractor, "markdown"), FolderWriter(tmp_path / "out", "markdown"))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a_b_c-2.md", "a_b_c.md"]


@pytest.mark.parametrize("cut", [0, 1, 40, 3000, 10**9])
def test_an_interrupted_run_goes_on_where_it_stopped(renderer: Renderer, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "out.jsonl"
    run(documents(10), renderer, file_writer(path, lines=True))
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    rest, written = resumed(documents(10), path)
    run(rest, renderer, file_writer(path, lines=True, append=True))
    assert path.read_bytes() == whole
    assert written <= 10


def test_other_inputs_are_not_resumed(renderer: Renderer, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    run(documents(3), renderer, file_writer(path, lines=True))
    with pytest.raises(InputError, match="line 1"):
        resumed(iter([Document(id="other", data="<p>")] * 3), path)
    with pytest.raises(InputError, match="3 lines"):
        resumed(documents(2), path)
    path.write_text("no json\n")
    with pytest.raises(InputError, match="line 1"):
        resumed(documents(2), path)


def test_an_output_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        file_writer(tmp_path / "file" / "out.jsonl", lines=True)
