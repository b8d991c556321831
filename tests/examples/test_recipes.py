"""The recipes for other programs, each run by the program itself where it is installed."""

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import blockfeat
from pages import article_page

FOLDER = Path(blockfeat.__file__).parents[1] / "examples" / "recipes"
PAGE, MENU = article_page(), "<nav><a href=/>Home</a></nav>"
TEXT, MARKDOWN = blockfeat.extract(PAGE).text, blockfeat.extract(PAGE).to_markdown()
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the recipes stand in the checkout only")


@pytest.fixture(autouse=True)
def _recipes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(FOLDER))
    with patch.dict(os.environ):  # Polars sets a variable, for good
        yield


def _recipe(name: str, *needed: str) -> Any:
    for module in needed:
        pytest.importorskip(module, reason=f"{module} is not installed")
    return import_module(name)


def test_markitdown_reads_pages_with_it(tmp_path: Path) -> None:
    recipe = _recipe("markitdown_plugin", "markitdown")
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    markitdown = recipe.MarkItDown()
    recipe.register_converters(markitdown)
    found = markitdown.convert(str(tmp_path / "page.html"))
    assert found.markdown == blockfeat.extract(PAGE, headline=True).to_markdown(links=True)


def test_scrapy_sends_items_through_it() -> None:
    recipe = _recipe("scrapy_pipeline", "scrapy")
    manager = import_module("scrapy.pipelines").ItemPipelineManager
    crawler = import_module("scrapy.utils.test").get_crawler(settings_dict={"ITEM_PIPELINES": {recipe.MainText: 300}})
    pipeline = manager.from_crawler(crawler).middlewares[0]
    found = pipeline.process_item({"html": PAGE.encode(), "url": "https://a.example/", "place": 7})
    assert (found["place"], found["title"], found["text"]) == (7, "Lighthouse to be repaired", MARKDOWN)
    for page in (MENU, "%PDF-1.4"):
        with pytest.raises(recipe.DropItem):
            pipeline.process_item({"html": page})


def test_langchain_transforms_documents_that_are_there() -> None:
    recipe = _recipe("langchain_transformer", "langchain_core")
    pages = [recipe.Document(PAGE, metadata={"source": "https://a.example/"}), recipe.Document(MENU)]
    (found,) = recipe.MainText().transform_documents(pages)
    assert (found.page_content, found.metadata["source"]) == (MARKDOWN, "https://a.example/")


def test_nemo_curator_extracts_with_it() -> None:
    found = _recipe("curator_extractor", "nemo_curator").MainText()
    assert found.extract_text(PAGE, frozenset(), "ENGLISH") == TEXT.split("\n\n")
    assert [found.extract_text(page, frozenset(), "ENGLISH") for page in (MENU, "%PDF-1.4")] == [None, None]


def test_frames_and_tables_have_texts_beside_their_pages() -> None:
    polars, recipe = pytest.importorskip("polars"), _recipe("frames", "duckdb")
    frame = recipe.with_texts(polars.DataFrame({"html": [PAGE, None]})).unnest("page")
    assert (frame["status"].to_list(), frame["text"][0]) == (["ok", "error"], TEXT)
    connection = import_module("duckdb").connect()
    recipe.register(connection)
    assert connection.execute("SELECT main_text(?)", [PAGE]).fetchone() == (TEXT,)
