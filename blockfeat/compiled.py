"""List of the modules that ``setup.py`` compiles, a check for those that run uncompiled, and what these then need.

Where Cython is not installed, a stand-in for its module ``cython`` has the names that these modules use, with the
behaviour that Cython's own module gives them in plain Python.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable
from contextlib import nullcontext
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Any

_COMPILED = (
    "blocks.element_codes blocks.tag_walk blocks.text_reader content.text_writer extraction.signs "
    "features.block_kernel features.context_kernel features.cue_scan features.keys features.nesting "
    "lang.counting lang.ngrams lang.word_keys models.decoding models.layers page.markup page.scanner "
    "page.tokens page.tree page.utf_8 pso.shared_terms training.run_masks"
)
COMPILED_MODULES = tuple(f"blockfeat.{name}" for name in _COMPILED.split())
"""Modules in Cython's pure Python mode: plain Python that runs uncompiled too, with the same results, far slower."""

SHARED_MODULE = "blockfeat._cython_shared"
"""Module with Cython's runtime code, shared by the compiled modules; nothing else imports it."""


def uncompiled_modules() -> tuple[str, ...]:
    """Return the modules of the list that run uncompiled in this installation; looks at files and imports nothing."""
    root = Path(__file__).parents[1]
    places = ((name, root.joinpath(*name.split("."))) for name in COMPILED_MODULES)
    return tuple(
        name
        for name, place in places
        if not any(place.with_name(place.name + suffix).exists() for suffix in EXTENSION_SUFFIXES)
    )


_INTEGERS = ("Py_UCS4", "Py_ssize_t", "int", "longlong", "short", "uchar", "uint", "ulonglong", "ushort")
_FLOATS = ("double", "float")


class _CType:
    """A C type: converts a value where it is a number, and can be subscripted as the type of an array."""

    def __init__(self, convert: Callable[[Any], Any] | None = None) -> None:
        self._convert = convert

    def __call__(self, value: Any) -> Any:
        return value if self._convert is None else self._convert(value)

    def __getitem__(self, axes: Any) -> _CType:
        return _CType()


def provide_cython() -> None:
    """Register the stand-in as the module ``cython``, unless Cython is installed."""
    try:
        importlib.import_module("cython")
    except ModuleNotFoundError:
        _stand_in()


def _stand_in() -> None:
    names = _module("cython")
    vars(names).update({name: _CType(int) for name in _INTEGERS}, **{name: _CType(float) for name in _FLOATS})
    vars(names).update(bint=_CType(bool), void=_CType(), p_const_uchar=_CType(), const=_CType())
    vars(names).update(compiled=False, cast=_cast, declare=_declare, nogil=nullcontext())
    for name in ("cython.cimports", "cython.cimports.libc"):
        _module(name)
    _module("cython.cimports.libc.math", exp=math.exp, log1p=math.log1p)


def _module(name: str, **members: Any) -> ModuleType:
    module = sys.modules[name] = ModuleType(name)
    module.__path__ = []
    vars(module).update(members)
    return module


def _cast(kind: Any, value: Any) -> Any:
    return kind(value) if isinstance(kind, _CType) else value


def _declare(kind: Any = None, value: Any = None) -> Any:
    return None if value is None else _cast(kind, value)
