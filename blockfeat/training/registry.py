"""The registry of trainers: kind of model to its trainer and configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blockfeat.errors import TrainingError
from blockfeat.papers.crunch.trainer import CrunchConfig, CrunchTrainer
from blockfeat.papers.tokens.trainer import TokenConfig, TokenTrainer
from blockfeat.papers.web2text.trainer import Web2TextConfig, Web2TextTrainer
from blockfeat.training.config import config_from_values, config_to_toml, read_document
from blockfeat.training.margin import MarginTrainer
from blockfeat.training.margin_fit import MarginOptions
from blockfeat.training.sequence import SequenceConfig, SequenceTrainer
from blockfeat.training.thresholds import ThresholdConfig, ThresholdTrainer
from blockfeat.training.trainer import Trainer

TRAINERS: Mapping[str, type[Trainer[Any]]] = {
    cls.kind: cls
    for cls in (ThresholdTrainer, MarginTrainer, SequenceTrainer, TokenTrainer, CrunchTrainer, Web2TextTrainer)
}
"""Trainer of each kind."""

CONFIGS: Mapping[str, type[Any]] = {
    "thresholds": ThresholdConfig,
    "margin": MarginOptions,
    "sequence": SequenceConfig,
    "tokens": TokenConfig,
    "crunch": CrunchConfig,
    "web2text": Web2TextConfig,
}
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
    cls = TRAINERS[checked_kind(kind)]
    if config is None:
        return cls(**options)
    if not isinstance(config, CONFIGS[kind]):
        raise TrainingError(f"kind {kind!r} takes a {CONFIGS[kind].__name__}, not a {type(config).__name__}")
    return cls(config=config, **options)
