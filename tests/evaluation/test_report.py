"""The tables of an evaluation, and its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blockfeat.data import LabelledPage
from blockfeat.errors import InputError, OutputError
from blockfeat.evaluation import Evaluation, evaluate
from blockfeat.evaluation.metrics import markdown_table
from blockfeat.evaluation.report import evaluation_tables, write_scores

_PAGES = [
    LabelledPage("good", "one two", "one two", lang="en", corpus="a"),
    LabelledPage("bad", "one two", "three", lang="en", corpus="a"),
    LabelledPage("snippets", "one two", None, lang="de", corpus="b", present=("one", "four"), absent=("two",)),
]


@pytest.fixture
def evaluation() -> Evaluation:
    return evaluate(lambda page: page.html, _PAGES)


def test_a_table_for_each_key_and_all_pages_in_the_last(evaluation: Evaluation) -> None:
    by_corpus, by_lang = evaluation_tables(evaluation, ["corpus", "lang"], 0)
    assert [row[:2] for row in by_corpus.rows] == [["a", "2"], ["b", "1"]]
    assert [row[:2] for row in by_lang.rows] == [["de", "1"], ["en", "2"], ["all", "3"]]
    assert {len(row) for row in by_lang.rows} == {len(by_lang.columns)}


def test_pages_with_text_and_with_snippets_are_worst_in_tables_of_their_own(evaluation: Evaluation) -> None:
    _, by_text, by_snippets = evaluation_tables(evaluation, ["corpus"], 5)
    assert [row[1] for row in by_text.rows] == ["bad", "good"]
    assert by_snippets.columns[4:] == ["snippet F1", "missing", "wrongly kept"]
    assert by_snippets.rows == [["b", "snippets", "de", "", "0.500", "1", "1"]]
    only_text = Evaluation(evaluation.pages[:2])
    assert len(list(evaluation_tables(only_text, ["corpus"], 5))) == 2


def test_an_unknown_key_is_an_error(evaluation: Evaluation) -> None:
    with pytest.raises(InputError, match="cannot group by 'host'"):
        list(evaluation_tables(evaluation, ["host"], 1))


def test_the_file_holds_all_pages(evaluation: Evaluation, tmp_path: Path) -> None:
    write_scores(evaluation.to_dict(pages=True), tmp_path / "new" / "scores.json")
    document = json.loads((tmp_path / "new" / "scores.json").read_text(encoding="utf-8"))
    assert [page["id"] for page in document["pages"]] == ["good", "bad", "snippets"]
    with pytest.raises(OutputError, match=r"scores\.json/x: cannot be written"):
        write_scores(evaluation.to_dict(pages=True), tmp_path / "new" / "scores.json" / "x")


def test_table() -> None:
    assert markdown_table(["a", "b"], [["x|y", "1"]]) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"


def test_table_without_rows() -> None:
    assert markdown_table(["a"], []) == "| a |\n| --- |\n"
