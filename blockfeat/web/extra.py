"""The libraries that the service needs beside those of extraction."""

from __future__ import annotations

from importlib.util import find_spec

from blockfeat.errors import MissingExtraError

__all__ = ["require_extra"]

_NEEDED = ("fastapi", "jinja2", "python_multipart", "uvicorn")


def require_extra() -> None:
    """Check that the extra ``web`` is installed.

    Raises
    ------
    MissingExtraError
        Some of its libraries are not.
    """
    absent = [name for name in _NEEDED if find_spec(name) is None]
    if absent:
        raise MissingExtraError(f"the reader needs {', '.join(absent)}: pip install 'blockfeat[web]'")
