"""Which modules are compiled, and whether they are here. ``setup.py`` compiles what this list names."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec

__all__ = ["COMPILED_MODULES", "uncompiled_modules"]

COMPILED_MODULES: tuple[str, ...] = (
    "blockfeat.features.block",
    "blockfeat.features.container_cues",
    "blockfeat.features.containers",
    "blockfeat.features.cue_scan",
    "blockfeat.features.key_table",
    "blockfeat.features.neighbourhood",
    "blockfeat.features.paths",
    "blockfeat.features.text_cues",
)
"""Modules in Cython's pure Python mode: plain Python that runs uncompiled too, with the same results, far slower."""


def uncompiled_modules() -> tuple[str, ...]:
    """Return the modules of the list that run uncompiled in this installation; imports none of them."""
    specs = ((name, find_spec(name)) for name in COMPILED_MODULES)
    endings = tuple(EXTENSION_SUFFIXES)
    return tuple(name for name, spec in specs if spec is None or not (spec.origin or "").endswith(endings))
