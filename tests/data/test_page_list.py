"""Lists of pages that are to be left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from blockfeat.data import LabelledPage, read_page_list, without_listed
from blockfeat.errors import CorpusError


def test_listed_pages_are_left_out_by_corpus_and_id(tmp_path: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text('{"corpus": "news", "id": "2", "reason": "the gold ends in the middle"}\n', encoding="utf-8")
    pages = [LabelledPage(name, "<p>Text", corpus=corpus) for corpus in ("news", "blogs") for name in ("1", "2")]
    kept = without_listed(pages, read_page_list(path))
    assert [(page.corpus, page.id) for page in kept] == [("news", "1"), ("blogs", "1"), ("blogs", "2")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"corpus": "news"}', "'corpus' and 'id' must be strings"),
        ("news 2", "bad JSON"),
        ('["news", "2"]', "an array"),
    ],
)
def test_a_line_that_names_no_page_is_told(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text('{"corpus": "news", "id": "1"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=f"wrong.jsonl, line 2: .*{reason}"):
        read_page_list(path)


def test_a_missing_list_is_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="there is no such file"):
        read_page_list(tmp_path / "none.jsonl")
