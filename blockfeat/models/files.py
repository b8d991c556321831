"""Model files: JSON in, JSON out; bundled models by name."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from blockfeat.errors import ModelError
from blockfeat.models.threshold import ThresholdModel

__all__ = ["DEFAULT_MODEL", "bundled_models", "load_model", "save_model"]

DEFAULT_MODEL = "thresholds"
_KINDS = {"thresholds": ThresholdModel.from_dict}


def bundled_models() -> tuple[str, ...]:
    """Return the names of the models that come with blockfeat."""
    folder = files("blockfeat.models").joinpath("bundled")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".json")))


def load_model(name: str | Path) -> ThresholdModel:
    """Read a model: ``"default"``, a bundled name, or the path of a model file.

    Raises
    ------
    ModelError
        There is no such model, or the file is damaged or of another schema; the message says which.
    """
    wanted = DEFAULT_MODEL if str(name) == "default" else str(name)
    if wanted in bundled_models():
        resource = files("blockfeat.models").joinpath("bundled", f"{wanted}.json")
        return _from_text(resource.read_text(encoding="utf-8"), f"bundled model {wanted!r}")
    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(("default", *bundled_models()))
        raise ModelError(f"{name}: neither a bundled model ({known}) nor a readable file: {error}") from error
    return _from_text(text, str(name))


def save_model(model: ThresholdModel, path: str | Path) -> None:
    """Write a model file, whole or not at all.

    Raises
    ------
    ModelError
        The file cannot be written.
    """
    target = Path(path)
    partial = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(model.to_dict(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        partial.replace(target)
    except OSError as error:
        raise ModelError(f"{path}: the model cannot be written: {error}") from error


def _from_text(text: str, where: str) -> ThresholdModel:
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ModelError(f"{where}: not JSON: {error}") from error
    kind = document.get("kind") if isinstance(document, dict) else None
    if kind not in _KINDS:
        raise ModelError(f"{where}: kind {kind!r} is unknown; known are {', '.join(_KINDS)}")
    return _KINDS[kind](document, where=where)
