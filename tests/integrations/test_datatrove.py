"""The extractor for datatrove, in a pipeline of datatrove."""

import dataclasses
import os
import signal
import time
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import blockfeat
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.page.document import Document
from pages import article_page

data = pytest.importorskip("datatrove.data", reason="the extra 'datatrove' is not installed")
BlockfeatExtractor: Any = import_module("blockfeat.integrations.datatrove").BlockfeatExtractor


class Hostile(Extractor):
    def extract_document(self, document: Document) -> Extraction:
        if document.data == "HANG":
            time.sleep(600)
        if document.data == "CRASH":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().extract_document(document)


def samples(*pages: str) -> list[object]:
    places = ((str(number), {"url": f"https://a.example/{number}"}) for number in range(len(pages)))
    return [data.Document(text=page, id=id, metadata=url) for page, (id, url) in zip(pages, places, strict=True)]


def test_pages_become_texts_with_the_values_that_filters_read() -> None:
    step = BlockfeatExtractor(headline=True, format="markdown")
    (found,) = step.run(samples(article_page()))
    assert step.stats.time_stats.total > 0
    alone = blockfeat.extract(article_page(), url="https://a.example/0", headline=True)
    assert found.text == alone.to_markdown() == step.extract(article_page())
    assert found.id == "0"
    own = {name: getattr(alone, name) for name in ("url", "kind", "fingerprint", "confidence")}
    expected = own | {"language": "en", "status": "ok", "title": "Lighthouse to be repaired"}
    assert found.metadata | expected == found.metadata
    (found,) = BlockfeatExtractor(columns=["metadata.title"], least_confidence=0.1).run(samples(article_page()))
    assert list(found.metadata) == ["url", "metadata.title", "confidence"]


def test_pages_that_hang_crash_or_hold_nothing_are_counted_and_left_out() -> None:
    plain = Extractor.load("thresholds")
    plain.extract(article_page())
    hostile = Hostile(**{field.name: getattr(plain, field.name) for field in dataclasses.fields(plain)})
    step = BlockfeatExtractor(hostile, timeout=6.0, max_bytes=20_000)
    menu, long = "<nav><a href=/>Home</a></nav>", "<p>long" * 9000
    pages = (article_page(), "HANG", long, article_page(3), "CRASH", menu, article_page(2))
    assert [sample.id for sample in step.run(samples(*pages))] == ["0", "3", "6"]
    counted = {name: int(step.stats[name].total) for name in ("total", "extracted", "forwarded", "dropped")}
    assert counted == {"total": 7, "extracted": 4, "forwarded": 3, "dropped": 1}
    assert [int(step.stats[name].total) for name in ("timeout", "broken_process", "clean_error")] == [1, 1, 1]


def test_texts_of_little_confidence_are_left_out() -> None:
    assert list(BlockfeatExtractor(least_confidence=1.0).run(samples(article_page()))) == []


@patch.dict(os.environ)  # datatrove sets variables, for good
def test_a_pipeline_of_datatrove_runs_with_it(tmp_path: Path) -> None:
    import json

    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    (tmp_path / "in").mkdir()
    lines = [json.dumps({"text": article_page(n + 1), "id": str(n), "url": "https://a.example/"}) for n in range(3)]
    (tmp_path / "in" / "pages.jsonl").write_text("\n".join(lines))
    LocalPipelineExecutor(
        pipeline=[
            JsonlReader(str(tmp_path / "in")),
            BlockfeatExtractor("thresholds"),
            JsonlWriter(str(tmp_path / "out"), compression=None),
        ],
        tasks=1,
        logging_dir=str(tmp_path / "logs"),
    ).run()
    written = [json.loads(line) for path in (tmp_path / "out").iterdir() for line in path.read_text().splitlines()]
    assert [record["text"] for record in written] == [
        blockfeat.extract(article_page(n + 1), model="thresholds").text for n in range(3)
    ]
    assert {record["metadata"]["language"] for record in written} == {"en"}
