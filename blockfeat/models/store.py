"""Model files: JSON for thresholds, npz for weights; bundled models by name."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from blockfeat.errors import ModelError
from blockfeat.models.documents import json_bytes, npz_bytes, write_whole
from blockfeat.models.margin.model import MarginModel
from blockfeat.models.model import Model
from blockfeat.models.sequence.model import SequenceModel
from blockfeat.models.threshold.model import ThresholdModel
from blockfeat.models.tokens.files import (
    TOKEN_KIND,
    token_model_bytes,
    token_model_from_arrays,
    token_model_from_dict,
)
from blockfeat.models.tokens.model import TokenModel
from blockfeat.models.web2text.model import Web2TextModel

__all__ = ["DEFAULT_MODEL", "bundled_models", "load_model", "save_model"]

DEFAULT_MODEL = "default"
_ENDINGS = (".json", ".npz")
_FROM_VALUES: dict[str, Callable[..., Model]] = {
    "thresholds": ThresholdModel.from_dict,
    "margin": MarginModel.from_dict,
}
_FROM_ARRAYS: dict[str, Callable[..., Model]] = {
    "sequence": SequenceModel.from_arrays,
    TOKEN_KIND: token_model_from_arrays,
    "web2text": Web2TextModel.from_arrays,
}
_ZIP = b"PK"


def bundled_models() -> tuple[str, ...]:
    """Return the names of the models that come with blockfeat."""
    return tuple(sorted(_bundled_files()))


def load_model(name: str | Path) -> Model:
    """Read a model: ``"default"``, a bundled name, or the path of a model file.

    Raises
    ------
    ModelError
        There is no such model, or the file is damaged or of another schema; the message says which.
    """
    wanted = DEFAULT_MODEL if str(name) == "default" else str(name)
    bundled = _bundled_files()
    if wanted in bundled:
        resource = files("blockfeat.models").joinpath("bundled", bundled[wanted])
        return _from_data(resource.read_bytes(), f"bundled model {wanted!r}", _bundled_bytes)
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        known = ", ".join(("default", *sorted(bundled)))
        raise ModelError(f"{name}: neither a bundled model ({known}) nor a readable file: {error}") from error
    return _from_data(data, str(name), lambda other: (Path(name).parent / other).read_bytes())


def save_model(model: Model, path: str | Path) -> None:
    """Write a model file, whole or not at all.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    write_whole(path, _to_data(model))


def _bundled_files() -> dict[str, str]:
    """Return the file of each bundled model by its name."""
    folder = files("blockfeat.models").joinpath("bundled")
    names = [entry.name for entry in folder.iterdir()]
    return {Path(name).stem: name for name in names if name.endswith(_ENDINGS)}


def _to_data(model: Model) -> bytes:
    if isinstance(model, ThresholdModel | MarginModel):
        return json_bytes(model.to_dict())
    if isinstance(model, TokenModel):
        return token_model_bytes(model)
    if isinstance(model, SequenceModel | Web2TextModel):
        return npz_bytes(model.to_arrays())
    raise ModelError(f"a model of type {type(model).__name__} has no file format")


def _bundled_bytes(name: str) -> bytes:
    return files("blockfeat.models").joinpath("bundled", name).read_bytes()


def _from_data(data: bytes, where: str, read: Callable[[str], bytes]) -> Model:
    """Read JSON or npz; nothing is unpickled. ``read`` gives the bytes of a file beside it."""
    if not data.startswith(_ZIP):
        document = _document(data, where)
        kind = document.get("kind")
        if kind == TOKEN_KIND:
            return token_model_from_dict(document, where=where, read=read)
        if kind not in _FROM_VALUES:
            raise ModelError(f"{where}: kind {kind!r} is unknown; known are {_known_kinds()}")
        return _FROM_VALUES[kind](document, where=where)
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        document = _document(arrays.pop("document").tobytes(), where)
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, OSError) as error:
        raise ModelError(f"{where}: not a model file: {error}") from error
    kind = document.get("kind")
    if kind not in _FROM_ARRAYS:
        raise ModelError(f"{where}: kind {kind!r} is unknown; known are {_known_kinds()}")
    return _FROM_ARRAYS[kind](document, arrays, where=where)


def _known_kinds() -> str:
    return ", ".join((*_FROM_VALUES, *_FROM_ARRAYS))


def _document(data: bytes, where: str) -> dict[str, Any]:
    try:
        document = json.loads(data.decode("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ModelError(f"{where}: not JSON: {error}") from error
    if not isinstance(document, dict):
        raise ModelError(f"{where}: kind None is unknown; known are {_known_kinds()}")
    return document
