"""Labelled pages to models: one trainer for each kind, one configuration file a kind, adaptation to a site."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blockfeat.papers.crunch.trainer import CrunchConfig, CrunchTrainer
    from blockfeat.papers.tokens.trainer import TokenConfig, TokenTrainer
    from blockfeat.papers.web2text.trainer import Web2TextConfig, Web2TextTrainer
    from blockfeat.training.margin import MarginTrainer
    from blockfeat.training.margin_fit import MarginOptions
    from blockfeat.training.registry import CONFIGS, TRAINERS, config_text, load_config, make_trainer
    from blockfeat.training.sequence import SequenceConfig, SequenceTrainer
    from blockfeat.training.thresholds import ThresholdConfig, ThresholdTrainer
    from blockfeat.training.trainer import Progress, Trainer, TrainingReport

__all__ = [
    "CONFIGS",
    "TRAINERS",
    "CrunchConfig",
    "CrunchTrainer",
    "MarginOptions",
    "MarginTrainer",
    "Progress",
    "SequenceConfig",
    "SequenceTrainer",
    "ThresholdConfig",
    "ThresholdTrainer",
    "TokenConfig",
    "TokenTrainer",
    "Trainer",
    "TrainingReport",
    "Web2TextConfig",
    "Web2TextTrainer",
    "config_text",
    "load_config",
    "make_trainer",
]

_HOMES = {
    "CrunchConfig": "crunch",
    "CrunchTrainer": "crunch",
    "MarginOptions": "margin_fit",
    "MarginTrainer": "margin",
    "Progress": "trainer",
    "SequenceConfig": "sequence",
    "SequenceTrainer": "sequence",
    "ThresholdConfig": "thresholds",
    "ThresholdTrainer": "thresholds",
    "TokenConfig": "tokens",
    "TokenTrainer": "tokens",
    "Trainer": "trainer",
    "TrainingReport": "trainer",
    "Web2TextConfig": "web2text",
    "Web2TextTrainer": "web2text",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use: the modules need scipy, which extraction does not."""
    if name in __all__:
        return getattr(import_module(f"blockfeat.training.{_HOMES.get(name, 'registry')}"), name)
    raise AttributeError(f"module 'blockfeat.training' has no attribute {name!r}")
