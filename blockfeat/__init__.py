"""blockfeat finds the main text of a web page, in any language, and can say why."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blockfeat.api import extract
    from blockfeat.blocks.block import Block
    from blockfeat.errors import BlockfeatError
    from blockfeat.extraction.extraction import Extraction
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.training.train import TrainingOptions, train

__version__ = "0.1.0"

__all__ = [
    "Block",
    "BlockfeatError",
    "Extraction",
    "Extractor",
    "TrainingOptions",
    "__version__",
    "extract",
    "train",
]

_HOMES = {
    "Block": "blockfeat.blocks.block",
    "BlockfeatError": "blockfeat.errors",
    "Extraction": "blockfeat.extraction.extraction",
    "Extractor": "blockfeat.extraction.extractor",
    "TrainingOptions": "blockfeat.training.train",
    "extract": "blockfeat.api",
    "train": "blockfeat.training.train",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that ``import blockfeat`` stays fast."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'blockfeat' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
