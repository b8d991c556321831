"""The tables of an evaluation, and its file."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blockfeat.data import LabelledPage
from blockfeat.errors import InputError, OutputError
from blockfeat.features.schema import CANONICAL
from blockfeat.pso.search import FeatureCurve, feature_curves
from blockfeat.pso.swarm import Generation
from blockfeat.training.evaluation import Evaluation, evaluate
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.evaluation.report import evaluation_tables, write_scores, write_training_report

_PAGES = [
    LabelledPage("good", "one two", "one two", lang="en", corpus="a"),
    LabelledPage("bad", "one two", "three", lang="en", corpus="a"),
    LabelledPage("snippets", "one two", None, lang="de", corpus="b", present=("one", "four"), absent=("two",)),
]


EVALUATION = evaluate(lambda page: page.html, _PAGES)


def test_a_table_for_each_key_and_all_pages_in_the_last() -> None:
    by_corpus, by_lang = evaluation_tables(EVALUATION, ["corpus", "lang"], 0)
    assert [row[:2] for row in by_corpus.rows] == [["a", "2"], ["b", "1"]]
    assert [row[:2] for row in by_lang.rows] == [["de", "1"], ["en", "2"], ["all", "3"]]
    assert {len(row) for row in by_lang.rows} == {len(by_lang.columns)}


def test_pages_with_text_and_with_snippets_are_worst_in_tables_of_their_own() -> None:
    _, by_text, by_snippets = evaluation_tables(EVALUATION, ["corpus"], 5)
    assert [row[1] for row in by_text.rows] == ["bad", "good"]
    assert by_snippets.columns[4:] == ["snippet F1", "missing", "wrongly kept"]
    assert by_snippets.rows == [["b", "snippets", "de", "", "0.500", "1", "1"]]
    only_text = Evaluation(EVALUATION.pages[:2])
    assert len(list(evaluation_tables(only_text, ["corpus"], 5))) == 2


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(InputError, match="cannot group by 'host'"):
        list(evaluation_tables(EVALUATION, ["host"], 1))


def test_the_file_holds_all_pages(tmp_path: Path) -> None:
    write_scores(EVALUATION.to_dict(pages=True), tmp_path / "new" / "scores.json")
    document = json.loads((tmp_path / "new" / "scores.json").read_text(encoding="utf-8"))
    assert [page["id"] for page in document["pages"]] == ["good", "bad", "snippets"]
    with pytest.raises(OutputError, match=r"scores\.json/x: cannot be written"):
        write_scores(EVALUATION.to_dict(pages=True), tmp_path / "new" / "scores.json" / "x")


HISTORY = tuple(Generation(n, 0.8 - 0.3 / n, 0.6 - 0.3 / n, 0.8 - 0.3 / n) for n in range(1, 31))
CURVES = feature_curves(CANONICAL, lambda column, values: np.linspace(0.6, 0.4 + 0.04 * column, values.size))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def size_of(path: Path) -> tuple[int, int]:
    """Width and height from the header of a PNG."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


def test_writes_four_files_into_a_new_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "report"
    written = write_training_report(folder, history=HISTORY, curves=CURVES)
    names = ["convergence.csv", "convergence.png", "features.csv", "features.png"]
    assert written == [folder / name for name in names]
    assert sorted(path.name for path in folder.iterdir()) == names
    for path in (folder / "convergence.png", folder / "features.png"):
        width, height = size_of(path)
        assert width > 1_000
        assert height > 500


def test_numbers_can_be_read_back_to_the_last_digit(tmp_path: Path) -> None:
    write_training_report(tmp_path, history=HISTORY, curves=CURVES)
    rows = rows_of(tmp_path / "convergence.csv")
    read = [(int(row["generation"]), *(float(row[name]) for name in ("best", "mean", "best_so_far"))) for row in rows]
    assert tuple(Generation(*values) for values in read) == HISTORY
    rows = rows_of(tmp_path / "features.csv")
    assert len(rows) == sum(curve.thresholds.size for curve in CURVES)
    for curve in CURVES:
        own = [row for row in rows if row["feature"] == curve.name]
        assert [float(row["threshold"]) for row in own] == curve.thresholds.tolist()
        assert [float(row["fitness"]) for row in own] == curve.fitness.tolist()
        assert {(row["bound"], row["unit"]) for row in own} == {(curve.bound, curve.unit)}


FLAT = FeatureCurve("flat", "flat", "nothing", "maximum", np.linspace(0, 1, 5), np.zeros(5))


@pytest.mark.parametrize(("history", "curves"), [(1, CURVES[:1]), (1, CURVES[:5]), (0, (FLAT,))])
def test_any_number_of_features_and_generations(tmp_path: Path, history: int, curves: Any) -> None:
    written = write_training_report(tmp_path, history=HISTORY[:history], curves=curves)
    assert len(written) == 2 * (history > 0) + 2


def test_nothing_to_report_writes_nothing_and_old_files_are_replaced(tmp_path: Path) -> None:
    assert (write_training_report(tmp_path, history=(), curves=()), list(tmp_path.iterdir())) == ([], [])
    write_training_report(tmp_path, history=HISTORY, curves=())
    write_training_report(str(tmp_path), history=HISTORY[:2], curves=())
    assert len(rows_of(tmp_path / "convergence.csv")) == 2


def test_neither_import_nor_drawing_touches_pyplot(tmp_path: Path) -> None:
    code = """
import sys
import blockfeat.training.evaluation.report as report
from blockfeat.pso.swarm import Generation
print([name for name in ("pandas", "matplotlib", "pyswarms") if name in sys.modules])
report.write_training_report(sys.argv[1], history=[Generation(1, 0.5, 0.4, 0.5)], curves=[])
print("matplotlib" in sys.modules, "matplotlib.pyplot" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "True False"]


def test_table() -> None:
    assert markdown_table(["a", "b"], [["x|y", "1"]]) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"
    assert markdown_table(["a"], []) == "| a |\n| --- |\n"
