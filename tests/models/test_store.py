"""Model files and bundled models."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import blockfeat
from blockfeat.errors import ModelError, OutputError
from blockfeat.models.store import (
    MODEL_KINDS,
    bundled_models,
    load_model,
    model_class,
    model_from_bytes,
    model_to_bytes,
    save_model,
)
from blockfeat.training.config import TRAINERS


def test_the_bundled_models_load_and_say_where_they_come_from() -> None:
    baselines = {"crunch2003", "longest-block", "mss-simple"}
    trained = {"crunch", "default", "margin", "mss-supervised", "thresholds", "web2text", "ziegler2007"}
    assert baselines | trained <= set(bundled_models())
    for name in bundled_models():
        model = load_model(name)
        assert model.name == name
        assert model.record["command"].startswith(("blockfeat train", "python tools/"))
        assert model.record.get("corpora") or name in baselines


def test_ziegler2007_is_the_paper_to_the_letter() -> None:
    model = load_model("ziegler2007")
    assert (model.table.name, model.decoder.name, len(model.features)) == ("ziegler2007", "conjunction", 8)


def test_save_and_load(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "model.json"
    save_model(load_model("thresholds"), path)
    assert load_model(path).to_document()[0] == load_model("thresholds").to_document()[0]
    assert [entry.name for entry in path.parent.iterdir()] == ["model.json"]


def test_an_unknown_model_lists_the_bundled_ones(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere\.json.*thresholds"):
        load_model(tmp_path / "nowhere.json")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kind": "pickle"}', "[" * 100_000])
def test_damaged_files_are_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(text)
    with pytest.raises(ModelError, match="damaged"):
        load_model(path)


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04", b"PK\x03\x04" + b"x" * 99, model_to_bytes(load_model("default"))[:5_000]]
)
def test_a_damaged_npz_file_is_not_called_json(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "damaged.npz").write_bytes(data)
    with pytest.raises(ModelError, match=r"damaged\.npz: a damaged npz file"):
        load_model(tmp_path / "damaged.npz")


def test_a_file_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        save_model(load_model("thresholds"), tmp_path / "file" / "model.json")


@pytest.mark.parametrize("name", bundled_models())
def test_every_bundled_model_survives_its_file(name: str, tmp_path: Path) -> None:
    model = load_model(name)
    again = model_from_bytes(model_to_bytes(model), where="copy", read=lambda name: b"")
    assert (again.kind, again.name, again.feature_names) == (model.kind, model.name, model.feature_names)
    (document, arrays), (second, same) = model.to_document(), again.to_document()
    assert (second, arrays.keys()) == (document, same.keys())
    assert all(np.array_equal(arrays[key], same[key], equal_nan=arrays[key].dtype.kind == "f") for key in arrays)


_MODULE = """
    from blockfeat.models.threshold import ThresholdModel
    from blockfeat.training.thresholds import ThresholdTrainer

    class KeenModel(ThresholdModel):
        kind = "keen"

    class KeenTrainer(ThresholdTrainer):
        kind = "keen"
"""
_ENTRY_POINTS = """
    [blockfeat.models]
    keen = keen_models:KeenModel
    lost = keen_models:LostModel

    [blockfeat.trainers]
    keen = keen_models:KeenTrainer
"""


def test_every_kind_is_registered_under_its_name() -> None:
    assert [model_class(kind, where="here").kind for kind in MODEL_KINDS] == list(MODEL_KINDS)
    assert {load_model(name).kind for name in bundled_models()} <= set(MODEL_KINDS)
    assert set(TRAINERS) == set(MODEL_KINDS)
    with pytest.raises(ModelError, match=r"^file.json: kind 'pickle' is unknown; known are .*margin"):
        model_class("pickle", where="file.json")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a small package of somebody else in a folder that Python looks into; return the folder."""
    (tmp_path / "keen_models.py").write_text(textwrap.dedent(_MODULE))
    metadata = tmp_path / "keen_models-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: keen-models\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(textwrap.dedent(_ENTRY_POINTS))
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_another_package_adds_a_kind(installed: Path) -> None:
    document, _ = load_model("thresholds").to_document()
    path = installed / "mine.json"
    path.write_text(json.dumps({**document, "kind": "keen", "name": "mine"}))
    extractor = blockfeat.Extractor.load(path)
    assert (extractor.model.kind, extractor.model.name) == ("keen", "mine")
    assert extractor.extract("<p>The ferry leaves at nine and returns before dark.").error is None
    assert TRAINERS["keen"].kind == "keen"


def test_a_kind_that_cannot_be_imported_is_an_error_that_names_it(installed: Path) -> None:
    with pytest.raises(ModelError, match=r"'lost' of the entry points 'blockfeat.models' cannot be imported"):
        model_class("lost", where="file.json")


def test_the_default_model_needs_no_look_at_what_is_installed() -> None:
    code = "import sys, blockfeat; blockfeat.Extractor.load(); print('importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
