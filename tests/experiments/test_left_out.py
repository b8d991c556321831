from dataclasses import replace
from pathlib import Path

import pytest

from blockfeat.errors import CorpusError
from blockfeat.models.store import load_model, save_model
from experiments.left_out import left_out_models


def save(folder: Path, recipe: str, seed: int, left_out: list[str]) -> None:
    model = replace(load_model("margin"), name=f"{recipe} {seed}", record={"left out": left_out})
    save_model(model, folder / f"{recipe}-{seed}-without-{left_out[0]}.json")


def test_models_by_the_corpora_that_they_left_out(tmp_path: Path) -> None:
    for seed, left_out in ((1, ["one", "two"]), (1, ["three"]), (2, ["one", "two"])):
        save(tmp_path, "margin", seed, left_out)
    found = left_out_models(tmp_path, recipe="margin", seed=1)
    assert {corpus: model.name for corpus, model in found.items()} == dict.fromkeys(("one", "two", "three"), "margin 1")
    assert left_out_models(tmp_path, recipe="margin", seed=2)["two"].name == "margin 2"
    with pytest.raises(CorpusError, match="'default' with seed 1"):
        left_out_models(tmp_path)


def test_the_models_of_the_default_never_saw_what_they_are_for() -> None:
    for corpus, model in left_out_models().items():
        assert corpus in model.record["left out"]
        assert model.record["recipe"] == "default"
