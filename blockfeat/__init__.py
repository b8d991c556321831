"""blockfeat finds the main text of a web page, in any language, and can say why."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from blockfeat._moved import find_moved_modules
from blockfeat.compiled import uncompiled_modules

if TYPE_CHECKING:
    from blockfeat.blocks.block import Block
    from blockfeat.errors import (
        AddressForbidden,
        BlockfeatError,
        BrandError,
        ConfigError,
        CorpusError,
        FeedError,
        FetchError,
        InputError,
        InputTypeError,
        LanguageError,
        LimitExceeded,
        MissingExtraError,
        ModelError,
        NotHTML,
        OutputError,
        ResumeError,
        StoreError,
        TableError,
        TrainingError,
    )
    from blockfeat.extraction.extraction import Extraction
    from blockfeat.extraction.extractor import Extractor, extract
    from blockfeat.extraction.site_profile import SiteProfile
    from blockfeat.training.train import TrainingOptions, train

__version__ = "0.2.0"

if uncompiled_modules():
    from blockfeat._cython_names import provide

    provide()

__all__ = [
    "AddressForbidden",
    "Block",
    "BlockfeatError",
    "BrandError",
    "ConfigError",
    "CorpusError",
    "Extraction",
    "Extractor",
    "FeedError",
    "FetchError",
    "InputError",
    "InputTypeError",
    "LanguageError",
    "LimitExceeded",
    "MissingExtraError",
    "ModelError",
    "NotHTML",
    "OutputError",
    "ResumeError",
    "SiteProfile",
    "StoreError",
    "TableError",
    "TrainingError",
    "TrainingOptions",
    "__version__",
    "extract",
    "train",
]

_HOMES = {
    "AddressForbidden": "blockfeat.errors",
    "Block": "blockfeat.blocks.block",
    "BlockfeatError": "blockfeat.errors",
    "BrandError": "blockfeat.errors",
    "ConfigError": "blockfeat.errors",
    "CorpusError": "blockfeat.errors",
    "FeedError": "blockfeat.errors",
    "FetchError": "blockfeat.errors",
    "InputError": "blockfeat.errors",
    "InputTypeError": "blockfeat.errors",
    "LanguageError": "blockfeat.errors",
    "LimitExceeded": "blockfeat.errors",
    "MissingExtraError": "blockfeat.errors",
    "ModelError": "blockfeat.errors",
    "NotHTML": "blockfeat.errors",
    "OutputError": "blockfeat.errors",
    "ResumeError": "blockfeat.errors",
    "StoreError": "blockfeat.errors",
    "TableError": "blockfeat.errors",
    "TrainingError": "blockfeat.errors",
    "Extraction": "blockfeat.extraction.extraction",
    "Extractor": "blockfeat.extraction.extractor",
    "SiteProfile": "blockfeat.extraction.site_profile",
    "TrainingOptions": "blockfeat.training.train",
    "extract": "blockfeat.extraction.extractor",
    "train": "blockfeat.training.train",
}


find_moved_modules()


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that ``import blockfeat`` stays fast."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'blockfeat' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
