"""Model files: JSON for models without weights, npz for those with; bundled models by name. Nothing is unpickled."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import write_whole
from blockfeat.errors import BlockfeatError, ModelError
from blockfeat.models.model import Arrays, Model


@dataclass(frozen=True)
class Plugins(Mapping[str, Any]):
    """What is registered in a group of entry points, by name; what a package has itself comes first.

    Attributes
    ----------
    group : str
        The group.
    own : mapping
        Module and name of each of the package's own, which are found without searching the installed packages.
    error : type
        What is raised where a plug-in cannot be imported.
    """

    group: str
    own: Mapping[str, str]
    error: type[BlockfeatError]

    def __getitem__(self, name: str) -> Any:
        """Import what is registered under a name."""
        place = self.own.get(name) or self._installed()[name]
        module, _, attribute = place.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise self.error(f"{name!r} of the entry points {self.group!r} cannot be imported: {error}") from error

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, the package's own first."""
        return iter([*self.own, *sorted(self._installed().keys() - self.own.keys())])

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self.own.keys() | self._installed().keys())

    def __contains__(self, name: object) -> bool:
        """Return whether something is registered under a name; imports nothing."""
        return name in self.own or name in self._installed()

    def _installed(self) -> dict[str, str]:
        """Return the entry points of all installed packages; read anew each time, for what is installed may change."""
        from importlib.metadata import entry_points

        return {found.name: found.value for found in entry_points(group=self.group)}


MODEL_KINDS = Plugins(
    group="blockfeat.models",
    own={
        "thresholds": "blockfeat.models.threshold:ThresholdModel",
        "margin": "blockfeat.models.margin:MarginModel",
        "sequence": "blockfeat.models.sequence:SequenceModel",
    },
    error=ModelError,
)
"""Class of each kind of model."""


def model_class(kind: object, *, where: str) -> type[Model]:
    """Return the class of a kind of model.

    Raises
    ------
    ModelError
        The kind is unknown; the message names ``where`` and lists the known kinds.
    """
    if not isinstance(kind, str) or kind not in MODEL_KINDS:
        raise ModelError(f"{where}: kind {kind!r} is unknown; known are {', '.join(MODEL_KINDS)}")
    cls: type[Model] = MODEL_KINDS[kind]
    return cls


DEFAULT_MODEL = "default"
"""Name of the bundled model used by default."""
_SUFFIXES = (".json", ".npz")
_ZIP = b"PK"
_DOCUMENT = "document"

ReadBytes = Callable[[str], bytes]


def bundled_models() -> tuple[str, ...]:
    """Return the names of the models that come with blockfeat."""
    return tuple(sorted(_bundled_files()))


def load_model(name: str | Path = DEFAULT_MODEL) -> Model:
    """Read a model: a bundled name, or the path of a model file.

    Raises
    ------
    ModelError
        There is no such model, or the file is damaged or of another schema; the message says which.
    """
    bundled = _bundled_files()
    if str(name) in bundled:
        data = _bundled_bytes(bundled[str(name)])
        return model_from_bytes(data, where=f"bundled model {str(name)!r}", read=_bundled_bytes)
    path = Path(name)
    try:
        data = path.read_bytes()
    except OSError as error:
        near = get_close_matches(str(name), bundled, n=1)
        known = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(bundled))}"
        raise ModelError(
            f"{name}: no bundled model ({known}), and no file that can be read: {error.strerror or error}"
        ) from error
    return model_from_bytes(data, where=str(name), read=lambda other: (path.parent / other).read_bytes())


def save_model(model: Model, path: str | Path) -> None:
    """Write a model file, whole or not at all.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    write_whole(path, model_to_bytes(model))


def model_to_bytes(model: Model) -> bytes:
    """Return the bytes of a model's file: JSON that a person can read, or npz where the model has weights."""
    document, arrays = model.to_document()
    if not arrays:
        return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()
    packed = np.frombuffer(json.dumps(document, ensure_ascii=False).encode(), dtype=np.uint8)
    named: dict[str, Any] = {_DOCUMENT: packed, **arrays}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **named)
    return buffer.getvalue()


def model_from_bytes(data: bytes, *, where: str, read: ReadBytes) -> Model:
    """Read the bytes of a model file.

    Parameters
    ----------
    data : bytes
        JSON or npz.
    where : str
        Name of the file in messages.
    read : callable
        Returns the bytes of a file beside it, for models that refer to one.

    Raises
    ------
    ModelError
        The bytes are no model file, or something in it is missing or wrong.
    """
    document, arrays = _parsed(data, where)
    cls = model_class(document.get("kind"), where=where)
    return cls.from_document(document, arrays, where=where, read=partial(_read_beside, read=read, where=where))


def _read_beside(name: str, *, read: ReadBytes, where: str) -> tuple[Mapping[str, Any], Arrays]:
    """Read document and arrays of a file beside a model file."""
    if Path(name).name != name:
        raise ModelError(f"{where}: it may only refer to a file beside it, not to {name!r}")
    try:
        data = read(name)
    except OSError as error:
        raise ModelError(f"{where}: it refers to {name}, which cannot be read: {error}") from error
    return _parsed(data, f"{where}: {name}")


def _parsed(data: bytes, where: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return document and arrays of the bytes of a file."""
    if not data.startswith(_ZIP):
        if where.lower().endswith(".npz"):
            raise ModelError(f"{where}: a damaged npz file, or none of blockfeat's: it does not begin like one")
        return _document(data, where), {}
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
            packed = arrays.pop(_DOCUMENT).tobytes()
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, OSError) as error:
        raise ModelError(f"{where}: a damaged npz file, or none of blockfeat's: {error}") from error
    return _document(packed, where), arrays


def _document(data: bytes, where: str) -> dict[str, Any]:
    try:
        document = json.loads(data.decode("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ModelError(f"{where}: neither JSON nor npz: {error}") from error
    if not isinstance(document, dict):
        raise ModelError(f"{where}: a model file holds a JSON object, not a {type(document).__name__}")
    return document


def _bundled_files() -> dict[str, str]:
    """Return the file of each bundled model by its name."""
    folder = files("blockfeat.models").joinpath("bundled")
    return {Path(entry.name).stem: entry.name for entry in folder.iterdir() if entry.name.endswith(_SUFFIXES)}


def _bundled_bytes(name: str) -> bytes:
    return files("blockfeat.models").joinpath("bundled", name).read_bytes()
