"""PyTorch, imported where training starts: most installations do not have it, and extraction never needs it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from blockfeat.errors import MissingExtraError

__all__ = ["import_torch"]


def import_torch() -> Any:
    """Import PyTorch.

    Raises
    ------
    MissingExtraError
        It is not installed; the message names the extra.
    """
    try:
        return import_module("torch")
    except ImportError as error:
        message = "training this kind of model needs PyTorch: pip install 'blockfeat[web2text]', or pip install torch"
        raise MissingExtraError(f"{message} ({error})") from error
