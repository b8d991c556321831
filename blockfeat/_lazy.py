"""Names of packages that are imported on first use (PEP 562), and names that have changed.

The stub beside an ``__init__.py`` lists the names of its package. Old names work until the next release, with a
`DeprecationWarning`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from os import PathLike
from warnings import warn

RENAMED = {
    "blockfeat.blocks": {"Cutter": "Blockifier"},
    "blockfeat.features": {"MeasuredPage": "PageFeatures", "Measurer": "FeatureExtractor"},
    "blockfeat.lang": {"FastSegmenter": "FastTokenizer", "Segmenter": "Tokenizer"},
    "blockfeat.monitor.fetching": {"host_of": "netloc_of"},
}
"""New names of classes and functions by package and old name; the old names work until the next release, too."""


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
