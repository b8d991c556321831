"""The registry of trainers: the trainer of every kind of model, by the entry-point group ``blockfeat.trainers``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from blockfeat.errors import TrainingError
from blockfeat.models.store import Plugins
from blockfeat.training.config import config_from_values, config_to_toml, read_document
from blockfeat.training.trainer import Trainer

TRAINERS = Plugins(
    group="blockfeat.trainers",
    own={
        "thresholds": "blockfeat.training.thresholds:ThresholdTrainer",
        "margin": "blockfeat.training.margin:MarginTrainer",
        "sequence": "blockfeat.training.sequence:SequenceTrainer",
    },
    error=TrainingError,
)
"""Trainer of each kind."""


@dataclass(frozen=True)
class _Configs(Mapping[str, type[Any]]):
    """The configuration of each kind: what its trainer makes where none is given."""

    def __getitem__(self, kind: str) -> type[Any]:
        trainer: type[Trainer[Any]] = TRAINERS[kind]
        (made,) = (option.default_factory for option in fields(trainer) if option.name == "config")
        if not isinstance(made, type):
            raise TrainingError(f"the trainer of kind {kind!r} has no class as the default of its configuration")
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(TRAINERS)

    def __len__(self) -> int:
        return len(TRAINERS)


CONFIGS = _Configs()
"""Configuration of each kind."""


def checked_kind(kind: str) -> str:
    """Return a kind that can be trained.

    Raises
    ------
    TrainingError
        There is no such kind.
    """
    if kind not in TRAINERS:
        raise TrainingError(f"unknown kind {kind!r}; known are {', '.join(TRAINERS)}")
    return kind


def load_config(source: str | Path, kind: str | None = None) -> tuple[str, Any]:
    """Read a configuration file: its kind, and its values as a dataclass.

    Parameters
    ----------
    source : str or path
        A TOML file, or the name of a bundled configuration (`blockfeat.training.config.bundled_configs`).
    kind : str, optional
        Kind that it must be for; needed where the file has no ``kind`` of its own.

    Raises
    ------
    TrainingError
        The file cannot be read, is for another kind, or has an unknown key or a bad value; the message names both.
    """
    document, problems = read_document(source)
    named = document.pop("kind", None)
    if named is not None and not isinstance(named, str):
        raise TrainingError(f"{source}: 'kind' must be a string, not {named!r}")
    if named is not None and kind is not None and named != kind:
        raise TrainingError(f"{source}: it configures models of kind {named!r}, not {kind!r}")
    wanted = named or kind
    if wanted is None:
        raise TrainingError(f"{source}: 'kind' is missing; known are {', '.join(TRAINERS)}")
    if wanted not in TRAINERS:
        raise TrainingError(f"{source}: unknown 'kind' {wanted!r}; known are {', '.join(TRAINERS)}")
    return wanted, config_from_values(CONFIGS[wanted], document, problems)


def config_text(kind: str, config: Any = None) -> str:
    """Return a configuration, the default one of a kind if none is given, as commented TOML."""
    return config_to_toml(CONFIGS[checked_kind(kind)]() if config is None else config, kind)


def make_trainer(kind: str, config: Any = None, **options: Any) -> Trainer[Any]:
    """Return the trainer of a kind; options are the attributes of `Trainer`."""
    cls: type[Trainer[Any]] = TRAINERS[checked_kind(kind)]
    if config is None:
        return cls(**options)
    if not isinstance(config, CONFIGS[kind]):
        raise TrainingError(f"kind {kind!r} takes a {CONFIGS[kind].__name__}, not a {type(config).__name__}")
    return cls(config=config, **options)
