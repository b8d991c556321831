"""Optional dependencies: the extra that installs each, and the error message where one is missing."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from blockfeat.errors import MissingExtraError


@cache
def modules_by_extra() -> dict[str, tuple[str, ...]]:
    """Return the import names of the modules of each extra, a constant that is read at its first use."""
    table = tomllib.loads(Path(__file__).with_name("extras.toml").read_text(encoding="utf-8"))
    return {extra: tuple(modules.split()) for extra, modules in table.items()}


def require_extra(extra: str, *modules: str, what: str) -> None:
    """Check that the libraries of an extra are installed; nothing is imported.

    Parameters
    ----------
    extra : str
        Name of the extra, a key of `modules_by_extra`.
    *modules : str
        The modules of the extra that are needed; all by default.
    what : str
        What needs them, for the error message, such as ``"train"``.

    Raises
    ------
    MissingExtraError
        Some are not installed.
    """
    absent = [name for name in modules or modules_by_extra()[extra] if find_spec(name) is None]
    if absent:
        raise MissingExtraError(_advice(extra, absent, what))


@contextmanager
def importing(extra: str, *, what: str) -> Iterator[None]:
    """Turn an ImportError inside the block into an error that names the extra and the cause.

    Raises
    ------
    MissingExtraError
        A library is not installed, or cannot be imported.
    """
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(f"{_advice(extra, modules_by_extra()[extra], what)} ({error})") from error


def import_torch(kind: str = "web2text") -> Any:
    """Import PyTorch, which training a kind of model needs.

    Raises
    ------
    MissingExtraError
        It is not installed, or cannot be imported; the message names the extra.
    """
    with importing(kind, what=f"training models of kind {kind}"):
        return import_module("torch")


def import_lightgbm() -> Any:
    """Import LightGBM.

    Raises
    ------
    MissingExtraError
        It is not installed, or cannot be imported; the message names the extra.
    """
    with importing("sequence", what="training on soft labels (off by 'teacher_share = 0' in a configuration)"):
        return import_module("lightgbm")


def _advice(extra: str, absent: Sequence[str], what: str) -> str:
    names = " and ".join(filter(None, (", ".join(absent[:-1]), absent[-1])))
    return f"{what} needs {names}: pip install 'blockfeat[{extra}]'"
