"""Labelled pages to models: one trainer for each kind, one configuration file a kind, adaptation to a site."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING
from warnings import warn

from blockfeat._extras import require_extra

if TYPE_CHECKING:
    from blockfeat.training.margin import MarginTrainer
    from blockfeat.training.margin_fit import MarginOptions
    from blockfeat.training.registry import CONFIGS, TRAINERS, config_text, load_config, make_trainer
    from blockfeat.training.sequence import SequenceConfig, SequenceTrainer
    from blockfeat.training.thresholds import ThresholdConfig, ThresholdTrainer
    from blockfeat.training.trainer import Progress, Trainer, TrainingReport

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
    "Progress": "trainer",
    "SequenceConfig": "sequence",
    "SequenceTrainer": "sequence",
    "ThresholdConfig": "thresholds",
    "ThresholdTrainer": "thresholds",
    "Trainer": "trainer",
    "TrainingReport": "trainer",
}
# Names of trainers and configurations that moved to blockfeat.papers, until the next release.
_MOVED = {"Crunch": "crunch", "Token": "tokens", "Web2Text": "web2text"}


def __getattr__(name: str) -> object:
    """Import a public name at its first use: scipy takes longer to load than a configuration to read."""
    if name in __all__:
        return getattr(import_module(f"blockfeat.training.{_HOMES.get(name, 'registry')}"), name)
    for part in ("Config", "Trainer"):
        kind = _MOVED.get(name.removesuffix(part))
        if name.endswith(part) and kind is not None:
            warn(f"{name} has moved to blockfeat.papers.{kind}.trainer", DeprecationWarning, stacklevel=2)
            registry = import_module("blockfeat.training.registry")
            return (registry.CONFIGS if part == "Config" else registry.TRAINERS)[kind]
    raise AttributeError(f"module 'blockfeat.training' has no attribute {name!r}")
