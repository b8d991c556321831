"""Libraries imported where training starts: most installations do not have them, and extraction never needs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from blockfeat.errors import MissingExtraError


def import_torch() -> Any:
    """Import PyTorch.

    Raises
    ------
    MissingExtraError
        It is not installed; the message names the extra.
    """
    return _imported("torch", "PyTorch", "web2text", "training this kind of model")


def import_lightgbm() -> Any:
    """Import LightGBM.

    Raises
    ------
    MissingExtraError
        It is not installed; the message names the extra.
    """
    return _imported(
        "lightgbm", "LightGBM", "sequence", "training on soft labels (off by 'teacher_share = 0' in a configuration)"
    )


def _imported(module: str, library: str, extra: str, what: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        advice = f"pip install 'blockfeat[{extra}]', or pip install {module}"
        raise MissingExtraError(f"{what} needs {library}: {advice} ({error})") from error
