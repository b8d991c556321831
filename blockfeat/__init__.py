"""blockfeat finds the main text of a web page, in any language, and can say why."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from blockfeat import errors
from blockfeat._moved import find_moved_modules
from blockfeat.compiled import uncompiled_modules
from blockfeat.errors import (  # noqa: F401 (they are in errors.__all__)
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
    QueryError,
    ResumeError,
    StoreError,
    TableError,
    TrainingError,
)

if TYPE_CHECKING:
    from blockfeat.blocks.block import Block
    from blockfeat.extraction.extraction import Extraction
    from blockfeat.extraction.extractor import Extractor, extract
    from blockfeat.extraction.site_profile import SiteProfile
    from blockfeat.io.fetch import fetch
    from blockfeat.training.train import TrainingOptions, train

__version__ = "0.2.0"

if uncompiled_modules():
    from blockfeat._cython_names import provide

    provide()

__all__ = ["Block", "Extraction", "Extractor", "SiteProfile", "TrainingOptions"]
__all__ += ["__version__", "extract", "fetch", "train"]
__all__ += errors.__all__

_HOMES = {
    "Block": "blockfeat.blocks.block",
    "Extraction": "blockfeat.extraction.extraction",
    "Extractor": "blockfeat.extraction.extractor",
    "SiteProfile": "blockfeat.extraction.site_profile",
    "TrainingOptions": "blockfeat.training.train",
    "extract": "blockfeat.extraction.extractor",
    "fetch": "blockfeat.io.fetch",
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
