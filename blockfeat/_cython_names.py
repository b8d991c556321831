"""Stand-in for the module ``cython``, for modules that run uncompiled where Cython is not installed.

Compiled modules do not need Cython, so the package does not depend on it. Only the names that the modules of
`blockfeat.compiled` use are defined, with the behaviour that Cython's own module gives them in plain Python.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable
from contextlib import nullcontext
from types import ModuleType
from typing import Any

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


def provide() -> None:
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
