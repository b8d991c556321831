"""The loader for LangChain."""

import asyncio
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import blockfeat
from blockfeat.errors import InputError
from blockfeat.io.inputs import FieldNames, InputOptions
from pages import article_page

documents = pytest.importorskip("langchain_core.documents", reason="the extra 'langchain' is not installed")
BlockfeatLoader: Any = import_module("blockfeat.integrations.langchain").BlockfeatLoader


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    records = [
        {"page": article_page(2), "url": "https://a.example/1"},
        {"html": "<p>x", "url": "https://a.example/2"},
        {"page": "<nav><a href=/>Home</a></nav>", "url": "https://a.example/3"},
        {"page": article_page(3)},
    ]
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records))
    return path


READING = InputOptions(fields=FieldNames(html="page"))


def test_a_document_for_each_page_with_a_text(pages: Path, caplog: pytest.LogCaptureFixture) -> None:
    loader = BlockfeatLoader(str(pages), reading=READING, headline=True)
    found = list(loader.lazy_load())
    assert all(isinstance(document, documents.Document) for document in found)
    addresses = {2: "https://a.example/1", 3: None}
    alone = [blockfeat.extract(article_page(count), url=url, headline=True) for count, url in addresses.items()]
    assert [document.page_content for document in found] == [doc.text for doc in alone]
    assert [document.metadata["source"] for document in found] == ["https://a.example/1", f"{pages}:4"]
    assert [document.metadata["language"] for document in found] == ["en", "en"]
    assert found[0].metadata["title"] == "Lighthouse to be repaired"
    assert found[0].metadata["confidence"] == alone[0].confidence
    assert 'no "page" in the record' in caplog.text


def test_markdown_and_processes_and_loading_in_an_event_loop(pages: Path) -> None:
    loader = BlockfeatLoader([str(pages)], reading=READING, format="markdown", headline=True, jobs=2)
    found = asyncio.run(loader.aload())
    assert found[0].page_content == blockfeat.extract(article_page(2), headline=True).to_markdown()
    assert found[0].page_content.startswith("# Lighthouse")


def test_errors_are_raised_where_they_are_asked_for(pages: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match='no "page" in the record'):
        BlockfeatLoader(str(pages), reading=READING, raise_errors=True).load()
    with pytest.raises(InputError, match="no such file"):
        BlockfeatLoader(str(tmp_path / "none.html"), raise_errors=True).load()
    for options in ({"format": "smoke"}, {"columns": ["titel"]}):
        with pytest.raises(InputError, match=r"no format 'smoke'|did you mean 'title'"):
            BlockfeatLoader(str(pages), **options)
