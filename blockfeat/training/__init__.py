"""Labelled pages to models: one trainer for each kind, one configuration file a kind, adaptation to a site."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING
from warnings import warn

from blockfeat._extras import require_extra

if TYPE_CHECKING:
    from blockfeat.training.config import (
        CONFIGS,
        TRAINERS,
        Progress,
        Trainer,
        TrainingReport,
        config_text,
        load_config,
        make_trainer,
    )
    from blockfeat.training.margin import MarginTrainer
    from blockfeat.training.margin_fit import MarginOptions
    from blockfeat.training.sequence import SequenceConfig, SequenceTrainer
    from blockfeat.training.thresholds import ThresholdConfig, ThresholdTrainer

__all__ = [
    "CONFIGS",
    "TRAINERS",
    "MarginOptions",
    "MarginTrainer",
    "Progress",
    "SequenceConfig",
    "SequenceTrainer",
    "ThresholdConfig",
    "ThresholdTrainer",
    "Trainer",
    "TrainingReport",
    "config_text",
    "load_config",
    "make_trainer",
]

require_extra("train", what=__name__)

_HOMES = {
    "MarginOptions": "margin_fit",
    "MarginTrainer": "margin",
    "SequenceConfig": "sequence",
    "SequenceTrainer": "sequence",
    "ThresholdConfig": "thresholds",
    "ThresholdTrainer": "thresholds",
}
# Names of trainers and configurations that moved to blockfeat.papers, until the next release.
_MOVED = {"Crunch": "crunch", "Token": "tokens", "Web2Text": "web2text"}


def __getattr__(name: str) -> object:
    """Import a public name at its first use: scipy takes longer to load than a configuration to read."""
    if name in __all__:
        return getattr(import_module(f"blockfeat.training.{_HOMES.get(name, 'config')}"), name)
    for part in ("Config", "Trainer"):
        kind = _MOVED.get(name.removesuffix(part))
        if name.endswith(part) and kind is not None:
            warn(f"{name} has moved to blockfeat.papers.{kind}.trainer", DeprecationWarning, stacklevel=2)
            kinds = import_module("blockfeat.training.config")
            return (kinds.CONFIGS if part == "Config" else kinds.TRAINERS)[kind]
    raise AttributeError(f"module 'blockfeat.training' has no attribute {name!r}")
