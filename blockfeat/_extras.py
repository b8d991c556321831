"""Optional libraries: which extra installs each, and one message where one is missing."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from blockfeat.errors import MissingExtraError

EXTRAS = {
    "web": ("fastapi", "jinja2", "python_multipart", "tinycss2", "uvicorn"),
    "monitor": ("ahocorasick_rs", "feedparser", "opencc", "protego", "sqlalchemy", "stamina", "w3lib"),
    "train": ("matplotlib", "pandas", "pyswarms", "scipy", "spacy"),
    "parquet": ("pyarrow",),
    "warc": ("fastwarc",),
    "spark": ("pyarrow", "pyspark"),
    "web2text": ("torch",),
    "sequence": ("lightgbm", "torch"),
}
"""The modules, as they are imported, that each extra brings."""


def require_extra(extra: str, *modules: str, what: str) -> None:
    """Check that the libraries of an extra are installed.

    Parameters
    ----------
    extra : str
        Name of the extra, a key of `EXTRAS`.
    *modules : str
        Those of its modules that are needed; all where none is named.
    what : str
        What needs them, as the message names it, such as ``"train"``.

    Raises
    ------
    MissingExtraError
        Some are not installed.
    """
    absent = [name for name in modules or EXTRAS[extra] if find_spec(name) is None]
    if absent:
        raise MissingExtraError(_advice(extra, absent, what))


def import_torch(kind: str = "web2text") -> Any:
    """Import PyTorch, which training a kind of model needs.

    Raises
    ------
    MissingExtraError
        It is not installed, or cannot be imported; the message names the extra.
    """
    return _imported("torch", kind, f"training models of kind {kind}")


def import_lightgbm() -> Any:
    """Import LightGBM.

    Raises
    ------
    MissingExtraError
        It is not installed, or cannot be imported; the message names the extra.
    """
    return _imported("lightgbm", "sequence", "training on soft labels (off by 'teacher_share = 0' in a configuration)")


def missing_extra(error: ModuleNotFoundError, *, what: str) -> MissingExtraError | None:
    """Return an error that says what to install where a library of an extra was not found; None for another module."""
    module = (error.name or "").partition(".")[0]
    extra = _extra_of(module)
    return None if extra is None else MissingExtraError(_advice(extra, [module], what))


def _imported(module: str, extra: str, what: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{_advice(extra, [module], what)} ({error})") from error


def _extra_of(module: str) -> str | None:
    return next((extra for extra, modules in EXTRAS.items() if module in modules), None)


def _advice(extra: str, absent: Sequence[str], what: str) -> str:
    names = " and ".join(filter(None, (", ".join(absent[:-1]), absent[-1])))
    return f"{what} needs {names}: pip install 'blockfeat[{extra}]'"
