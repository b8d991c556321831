"""Model files and bundled models."""

from __future__ import annotations

from pathlib import Path

import pytest

from blockfeat.errors import ModelError
from blockfeat.models import bundled_models, load_model, save_model


def test_the_bundled_models_load_and_say_where_they_come_from() -> None:
    baselines = {"longest-block", "mss-simple"}
    assert {"default", "margin", "mss-supervised", "thresholds", "web2text", "ziegler2007", *baselines} <= set(
        bundled_models()
    )
    for name in bundled_models():
        model = load_model(name)
        assert model.name == name
        assert model.record["command"].startswith(("blockfeat train", "python tools/"))
        assert model.record.get("corpora") or name in baselines


def test_ziegler2007_is_the_paper_to_the_letter() -> None:
    model = load_model("ziegler2007")
    assert model.table.name == "ziegler2007"
    assert model.decoder.name == "conjunction"
    assert len(model.features) == 8


def test_default_names_a_bundled_model() -> None:
    assert load_model("default").name in bundled_models()


def test_save_and_load(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "model.json"
    save_model(load_model("thresholds"), path)
    assert load_model(path).to_dict() == load_model("thresholds").to_dict()
    assert [entry.name for entry in path.parent.iterdir()] == ["model.json"]


def test_a_missing_model_is_told_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere\.json.*thresholds"):
        load_model(tmp_path / "nowhere.json")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kind": "pickle"}', "[" * 100_000])
def test_damaged_files_are_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(text)
    with pytest.raises(ModelError, match="damaged"):
        load_model(path)
