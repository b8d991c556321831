"""Kinds of models by entry points: those of blockfeat, and those of other packages."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import blockfeat
from blockfeat.errors import ModelError
from blockfeat.models.store import MODEL_KINDS, bundled_models, load_model, model_class
from blockfeat.training.config import TRAINERS

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
