"""Configuration files: what is printed is read back, and each mistake names file and key."""

import json
from dataclasses import asdict, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blockfeat.errors import TrainingError
from blockfeat.models import load_model
from blockfeat.training.config import CONFIGS, TRAINERS, bundled_configs, config_text, load_config, make_trainer
from cases import CASES


@pytest.mark.parametrize("kind", TRAINERS)
def test_the_printed_defaults_are_read_back(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "all.toml"
    path.write_text(config_text(kind), encoding="utf-8")
    assert load_config(path) == (kind, CONFIGS[kind]())


@pytest.mark.parametrize("kind", TRAINERS)
def test_every_hyperparameter_is_printed_with_its_description(kind: str) -> None:
    lines = config_text(kind).splitlines()

    def check(config: Any) -> None:
        for field in fields(config):
            value = getattr(config, field.name)
            if field.name == "seed":
                continue
            heads = [f"{field.name} = "] if not is_dataclass(value) else [f"[{field.name}]"]
            place = next(number for number, line in enumerate(lines) if line.startswith(tuple(heads)))
            assert lines[place - 1].startswith("# "), field.name
            if is_dataclass(value):
                check(value)

    check(CONFIGS[kind]())


def test_a_file_changes_only_what_it_names(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("features = 8\n[swarm]\nparticles = 5\ninertia = 1\n", encoding="utf-8")
    kind, config = load_config(path, "margin")
    default = CONFIGS["margin"]()
    assert kind == "margin"
    assert config == replace(default, features=8, swarm=replace(default.swarm, particles=5, inertia=1.0))
    assert isinstance(config.swarm.inertia, float)


@pytest.mark.parametrize("text", ["kind = 'margin'\ncut = 0.0004", "kind = 'sequence'\nnetwork.dropout = 0.9996"])
def test_what_lies_between_bounds_is_taken_however_near(text: str, tmp_path: Path) -> None:
    (tmp_path / "near.toml").write_text(text, encoding="utf-8")
    assert load_config(tmp_path / "near.toml")


@pytest.mark.parametrize(("text", "reason", "kind"), CASES["mistakes_name_file_and_key"])
def test_mistakes_name_file_and_key(text: str, reason: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TrainingError) as error:
        load_config(path, kind or None)
    assert str(error.value).startswith(str(path))
    assert reason in str(error.value)


def test_all_mistakes_are_reported_each_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("features = 2.5\n[swarm]\nseed = 1\nparticles = 'many'\nnothing = 0\n", encoding="utf-8")
    with pytest.raises(TrainingError) as error:
        load_config(path, "margin")
    lines = [line.removeprefix(f"{path}:")[0] for line in str(error.value).splitlines()]
    assert lines == ["1", "3", "4", "5"]


def test_a_file_that_is_missing_names_the_bundled_ones() -> None:
    with pytest.raises(TrainingError, match=r"nosuch\.toml: .*bundled are .*paper"):
        load_config("nosuch.toml")


@pytest.mark.parametrize("name", bundled_configs())
def test_bundled_configurations_are_good(name: str) -> None:
    kind, config = load_config(name)
    assert (load_config(f"{name}.toml"), make_trainer(kind, config).config) == ((kind, config), config)


def test_each_trained_bundled_model_has_its_recipe() -> None:
    """What a model's own record says of its hyperparameters is what its configuration says."""
    for name in ("thresholds", "ziegler2007"):
        kind, config = load_config(name)
        recorded = load_model(name).record["options"]
        assert kind == "thresholds"
        for key in ("table", "fitness", "decoder", "stop_word_scope", "segmenter", "per_language"):
            assert getattr(config, key) == recorded[key], key
        assert list(config.features) == recorded["features"]
        swarm = {key: value for key, value in recorded["swarm"].items() if key != "seed"}
        assert {key: asdict(config.swarm)[key] for key in swarm} == swarm
    kind, config = load_config("default")
    recorded = load_model("default").record["options"]
    expected = json.loads(json.dumps(asdict(config)))
    del expected["network"]["seed"]  # that of the command
    assert (recorded, load_model("default").cut) == (expected, config.cut)
    kind, config = load_config("web2text")
    assert asdict(config.recipe) == load_model("web2text").record["recipe"]
    kind, config = load_config("mss-supervised")
    model: Any = load_model("mss-supervised")
    assert (model.record["least_sources"], model.classifier.scale) == (config.least_sources, config.scale)
    for key in ("size", "smoothing", "neighbours", "balanced"):
        assert getattr(model.classifier.bayes, key) == getattr(config, key)
    kind, config = load_config("margin")
    assert len(load_model("margin").terms) == config.features  # type: ignore[attr-defined]


def test_the_paper_s_swarm_is_that_of_alg_1() -> None:
    _, config = load_config("paper.toml", "thresholds")
    assert (config.table, config.stop_word_scope) == ("ziegler2007", "ziegler2007")
    assert (config.fitness, config.decoder) == ("cosine", "conjunction")
    assert "paper_stop_word_ratio" in config.features
    swarm = config.swarm
    assert (swarm.particles, swarm.iterations, swarm.leader, swarm.patience) == (100, 100, "generation", 0)
    assert np.isinf(swarm.velocity_limit)
    assert 0.9 < swarm.inertia <= 1
    assert not config.start_open
    assert (config.polish.restarts, config.polish.ascent) == (0, 0)


def test_a_trainer_takes_its_own_configuration_only() -> None:
    with pytest.raises(TrainingError, match="takes a MarginOptions, not a TokenConfig"):
        make_trainer("margin", CONFIGS["tokens"]())
