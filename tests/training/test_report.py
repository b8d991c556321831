"""The curves of a training run: files that can be read back, and pictures."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from blockfeat.features.schema import CANONICAL
from blockfeat.training.pso.search import FeatureCurve, feature_curves
from blockfeat.training.pso.swarm import Generation
from blockfeat.training.report import write_training_report

HISTORY = tuple(
    Generation(number, 0.8 - 0.3 / number, 0.6 - 0.3 / number, 0.8 - 0.3 / number) for number in range(1, 31)
)
CURVES = feature_curves(CANONICAL, lambda column, values: np.linspace(0.6, 0.4 + 0.04 * column, values.size))
PNG = b"\x89PNG\r\n\x1a\n"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def size_of(path: Path) -> tuple[int, int]:
    """Width and height from the header of a PNG."""
    data = path.read_bytes()
    assert data.startswith(PNG)
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


def test_convergence_can_be_read_back_to_the_last_digit(tmp_path: Path) -> None:
    write_training_report(tmp_path, history=HISTORY, curves=[])
    rows = rows_of(tmp_path / "convergence.csv")
    read = tuple(
        Generation(int(row["generation"]), float(row["best"]), float(row["mean"]), float(row["best_so_far"]))
        for row in rows
    )
    assert read == HISTORY


def test_features_can_be_read_back_to_the_last_digit(tmp_path: Path) -> None:
    write_training_report(tmp_path, history=[], curves=CURVES)
    rows = rows_of(tmp_path / "features.csv")
    assert len(rows) == sum(curve.thresholds.size for curve in CURVES)
    for curve in CURVES:
        own = [row for row in rows if row["feature"] == curve.name]
        assert [float(row["threshold"]) for row in own] == curve.thresholds.tolist()
        assert [float(row["fitness"]) for row in own] == curve.fitness.tolist()
        assert {(row["bound"], row["unit"]) for row in own} == {(curve.bound, curve.unit)}


@pytest.mark.parametrize("number", [1, 5])
def test_any_number_of_features_and_one_generation(tmp_path: Path, number: int) -> None:
    assert len(write_training_report(tmp_path, history=HISTORY[:1], curves=CURVES[:number])) == 4


def test_a_flat_curve_is_drawn_too(tmp_path: Path) -> None:
    flat = FeatureCurve("flat", "flat", "nothing", "maximum", np.linspace(0, 1, 5), np.zeros(5))
    assert len(write_training_report(tmp_path, history=(), curves=[flat])) == 2


def test_nothing_to_report_writes_nothing_and_old_files_are_replaced(tmp_path: Path) -> None:
    assert write_training_report(tmp_path, history=(), curves=()) == []
    assert list(tmp_path.iterdir()) == []
    write_training_report(tmp_path, history=HISTORY, curves=())
    write_training_report(str(tmp_path), history=HISTORY[:2], curves=())
    assert len(rows_of(tmp_path / "convergence.csv")) == 2


def test_neither_import_nor_drawing_touches_pyplot(tmp_path: Path) -> None:
    code = """
import sys
import blockfeat.training.report as report
from blockfeat.training.pso.swarm import Generation
print([name for name in ("pandas", "matplotlib", "pyswarms") if name in sys.modules])
report.write_training_report(sys.argv[1], history=[Generation(1, 0.5, 0.4, 0.5)], curves=[])
print("matplotlib" in sys.modules, "matplotlib.pyplot" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "True False"]
