"""Names of packages that are imported on first use (PEP 562), and modules and names that have moved.

The stub beside an ``__init__.py`` lists the names of its package. Old names work until the next release, with a
`DeprecationWarning`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from os import PathLike
from types import ModuleType
from typing import TYPE_CHECKING, cast
from warnings import warn

if TYPE_CHECKING:
    from importlib.abc import Loader

_PACKAGE = "blockfeat."
MOVED = {
    "api": "extraction.extractor",
    "blocks.cut": "blocks.blockify",
    "data.block_roles": "data.labels",
    "data.languages": "data.split",
    "decode": "models.decoding",
    "extraction.fingerprint": "extraction.extraction",
    "extraction.many": "extraction.extractor",
    "io.inputs.warc": "io.inputs.records",
    "io.outputs.rendering": "io.outputs.formats",
    "lang.index": "lang.stopwords",
    "papers.crunch.read_settings": "papers.crunch.settings",
    "papers.tokens": "papers.mss",
    "training.pages": "training.examples",
    "training.registry": "training.config",
    "training.soft_labels": "training.sequence",
    "training.trainer": "training.config",
}
"""New names of modules and packages by their old ones, within ``blockfeat``; submodules moved with their package."""
RENAMED = {
    "blockfeat.blocks": {"Cutter": "Blockifier"},
    "blockfeat.features": {"MeasuredPage": "PageFeatures", "Measurer": "FeatureExtractor"},
    "blockfeat.lang": {"FastSegmenter": "FastTokenizer", "Segmenter": "Tokenizer"},
    "blockfeat.monitor.fetching": {"host_of": "netloc_of"},
}
"""New names of classes and functions by package and old name; the old names work until the next release, too."""


def new_name(name: str) -> str | None:
    """Return the full new name of a module, by the longest prefix of the old one in `MOVED`; None if it has none."""
    if not name.startswith(_PACKAGE):
        return None
    parts = name.removeprefix(_PACKAGE).split(".")
    for count in range(len(parts), 0, -1):
        if moved := MOVED.get(".".join(parts[:count])):
            new = ".".join((_PACKAGE + moved, *parts[count:]))
            return new_name(new) or new  # it may have moved more than once
    return None


class _Alias:
    """Loader that imports a module under its new name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import the module by its new name."""
        warn(f"{spec.name} has moved to {self.name}", DeprecationWarning, stacklevel=2)
        module = import_module(self.name)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec; its code has run already."""
        module.__spec__ = self._own_spec


class _MovedModules:
    """Meta path finder for modules under their old names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module under its old name; None for any other name."""
        name = new_name(fullname)
        # ``python -m`` runs the file itself.
        if name is None or name.endswith(".__main__"):
            return None
        # Imported here because it takes longer than the rest of ``import blockfeat``.
        from importlib.util import find_spec

        found = find_spec(name)
        if found is None:
            return None
        spec = ModuleSpec(fullname, cast("Loader", _Alias(name)), origin=found.origin, is_package=False)
        spec.submodule_search_locations = found.submodule_search_locations
        return spec


def find_moved_modules() -> None:
    """Install the finder for old module names, once."""
    if not any(isinstance(finder, _MovedModules) for finder in sys.meta_path):
        sys.meta_path.insert(0, _MovedModules())


def lazy_names(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package (PEP 562), which import names from the modules in its stub.

    Parameters
    ----------
    package : str
        ``__name__`` of the package.
    file : str
        ``__file__`` of the package; its stub is ``__init__.pyi`` in the same folder, made of lines
        ``from module import name as name`` (as in SPEC 1 of Scientific Python).
    """

    @cache
    def homes() -> dict[str, str]:
        return names_of_stub(f"{file.rpartition('.')[0]}.pyi")

    def find(name: str) -> object:
        if name == "__all__":
            return list(homes())
        if new := RENAMED.get(package, {}).get(name):
            warn(f"{package}.{name} is called {new} now", DeprecationWarning, stacklevel=2)
            name = new
        if name.startswith("__") or name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes()[name]), name)

    return find, lambda: list(homes())


def names_of_stub(path: str | PathLike[str]) -> dict[str, str]:
    """Return the names in a package's stub, with the module that each is imported from; one import per line."""
    with open(path, encoding="utf-8") as file:
        words = [line.split() for line in file if line.startswith("from ")]
    return {name: module for _, module, _, _, _, name in words}
