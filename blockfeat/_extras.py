"""Which optional libraries a part of the package needs."""

from __future__ import annotations

from importlib.util import find_spec

from blockfeat.errors import MissingExtraError

MONITOR = ("ahocorasick_rs", "datasketch", "feedparser", "protego", "sqlalchemy", "stamina", "w3lib")
"""Modules that the extra ``monitor`` brings."""
WEB = ("fastapi", "jinja2", "python_multipart", "uvicorn")
"""Modules that the extra ``web`` brings."""


def require_extra(extra: str, modules: tuple[str, ...], *, what: str) -> None:
    """Check that the libraries of an extra are installed.

    Parameters
    ----------
    extra : str
        Name of the extra.
    modules : tuple of str
        The modules that it brings, as they are imported.
    what : str
        What needs them, as the message names it.

    Raises
    ------
    MissingExtraError
        Some are not installed.
    """
    absent = [name for name in modules if find_spec(name) is None]
    if absent:
        raise MissingExtraError(f"{what} needs {', '.join(absent)}: pip install 'blockfeat[{extra}]'")
