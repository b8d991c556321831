"""Optional dependencies: the extra that installs each, and the error message where one is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from blockfeat.errors import MissingExtraError

EXTRAS = {
    "clean": ("pydantic", "selectolax"),
    "train": ("matplotlib", "pandas", "pydantic", "pyswarms", "rapidfuzz", "resiliparse", "scipy", "snowballstemmer"),
    "spacy": ("spacy",),
    "monitor": (
        "ahocorasick_rs",
        "feedparser",
        "jinja2",
        "opencc",
        "protego",
        "psycopg",
        "pydantic",
        "sqlalchemy",
        "stamina",
        "w3lib",
    ),
    "web": ("fastapi", "jinja2", "pydantic", "python_multipart", "selectolax", "uvicorn"),
    "dates": ("htmldate",),
    "warc": ("fastwarc",),
    "parquet": ("pyarrow",),
    "pandas": ("pandas",),
    "spark": ("pandas", "pyarrow", "pyspark"),
    "web2text": ("torch",),
    "sequence": ("lightgbm", "torch"),
    "datatrove": ("datatrove",),
    "langchain": ("langchain_core",),
    "render": ("playwright",),
    "proxy": ("mitmproxy", "pydantic", "selectolax"),
    "ja": ("sudachidict_core", "sudachipy"),
    "th": ("pythainlp",),
}
"""Import names of the modules that each extra installs; those of an included extra are listed under that one."""


def require_extra(extra: str, *modules: str, what: str) -> None:
    """Check that the libraries of an extra are installed; nothing is imported.

    Parameters
    ----------
    extra : str
        Name of the extra, a key of `EXTRAS`.
    *modules : str
        The modules of the extra that are needed; all by default.
    what : str
        What needs them, for the error message, such as ``"train"``.

    Raises
    ------
    MissingExtraError
        Some are not installed.
    """
    absent = [name for name in modules or EXTRAS[extra] if find_spec(name) is None]
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
        raise MissingExtraError(f"{_advice(extra, EXTRAS[extra], what)} ({error})") from error


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
