"""Model files: JSON for models without weights, npz for those with; bundled models by name. Nothing is unpickled."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_file, write_whole
from blockfeat.errors import BlockfeatError, ModelError, TableError, nearest
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
        return isinstance(name, str) and (name in self.own or name in self._installed())

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
        "site": "blockfeat.models.site:SiteModel",
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
    return cast("type[Model]", MODEL_KINDS[kind])


DEFAULT_MODEL = "default"
"""Name of the bundled model used by default."""
_SUFFIXES = (".json", ".npz")
_ZIP = b"PK"
_DOCUMENT = "document"
_DIGEST = "digest"
_MOST_BYTES = 1 << 28
_MOST_TEXT = 1 << 22
# Arrays of weights shrink to a half or a third, counts to a twentieth.
_SMALL, _MOST_TIMES = 1 << 20, 64
_LARGEST = float(np.finfo(np.float32).max)
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<>|](?:f[248]|[iu][1248]|b1))', 'fortran_order': (False|True), "
    rb"'shape': \(([\d, ]{0,99})\), \} *\n",
    re.DOTALL,
)
"""What numpy writes in front of an array of numbers; other arrays have no place in a model."""

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
    try:
        data = _file_bytes(path := Path(name))
    except (OSError, TypeError, ValueError) as error:
        known = nearest(str(name), sorted(bundled))
        reason = getattr(error, "strerror", None) or error
        raise ModelError(f"{name}: no bundled model ({known}), and no file that can be read: {reason}") from error
    return model_from_bytes(data, where=str(name), read=lambda other: _file_bytes(path.parent / other))


def save_model(model: Model, path: str | Path) -> None:
    """Write a model file, whole or not at all.

    Raises
    ------
    ModelError
        It is no model.
    OutputError
        The file cannot be written.
    """
    if not isinstance(model, Model):
        raise ModelError(f"{model!r:.80} is no model that can be saved")
    write_whole(path, model_to_bytes(model))


def model_to_bytes(model: Model) -> bytes:
    """Return the bytes of a model's file: JSON that a person can edit, or npz with a digest where it has weights."""
    document, arrays = model.to_document()
    if not arrays:
        return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()
    document = json.loads(json.dumps(document))
    document[_DIGEST] = digest_of(document, arrays)
    packed = np.frombuffer(json.dumps(document, ensure_ascii=False).encode(), dtype=np.uint8)
    named: dict[str, Any] = {_DOCUMENT: packed, **arrays}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **named)
    return buffer.getvalue()


def digest_of(document: Mapping[str, Any], arrays: Arrays) -> str:
    """Return the digest of a file: of its document, as JSON gives it, and its arrays; 32 hexadecimal digits."""
    found = blake2b(json.dumps(document, sort_keys=True).encode(), digest_size=16)
    for name, values in sorted(arrays.items()):
        found.update(f"{name} {values.dtype.str} {values.shape} ".encode() + values.tobytes())
    return found.hexdigest()


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
        The bytes are no model file, they do not fit its digest, or something in it is missing or wrong.
    """
    document, arrays = _parsed(data, where)
    cls = model_class(document.get("kind"), where=where)
    try:
        return cls.from_document(document, arrays, where=where, read=partial(_read_beside, read=read, where=where))
    except TableError as error:
        raise ModelError(str(error)) from error


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
    """Return document and arrays of the bytes of a file, which fit its digest where it has one."""
    is_archive = data.startswith(_ZIP) or where.lower().endswith(".npz")
    damaged = "a damaged npz file, or none of blockfeat's" if is_archive else "neither JSON nor npz"
    try:
        arrays = _arrays(data) if is_archive else {}
        document = _document(arrays.pop(_DOCUMENT).tobytes() if is_archive else data)
        given = document.pop(_DIGEST, None)
        is_whole = given is None or given == digest_of(document, arrays)
    except Exception as error:  # zipfile and zlib raise nearly anything on damaged bytes
        raise ModelError(f"{where}: {damaged}: {str(error) or type(error).__name__}") from error
    if not is_whole:
        raise ModelError(f"{where}: damaged or edited: its {_DIGEST!r} does not fit, which an edited file leaves out")
    return document, arrays


def _arrays(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive; nothing is unpacked before the sizes that it declares are known to be few."""
    most = min(_MOST_BYTES, max(_SMALL, _MOST_TIMES * len(data)))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if (total := sum(member.file_size for member in members)) > most:
            raise ValueError(f"it declares {total:,} bytes, of at most {most:,}")
        if len({member.filename for member in members}) < len(members):
            raise ValueError("a name stands twice")
        if not {member.compress_type for member in members} <= {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise ValueError("a member is packed by another method than those of numpy")
        found = {}
        for member in members:
            with archive.open(member) as stream:
                # Without a number, it unpacks more than is declared.
                found[member.filename.removesuffix(".npy")] = _array(stream.read(member.file_size + 1), member.filename)
    return found


def _array(data: bytes, name: str) -> NDArray[Any]:
    """Return the array of a member of an archive: finite numbers, as many as its header says."""
    if not (header := _HEADER.match(data)):
        raise ValueError(f"{name!r} is no array of numbers")
    dtype, shape = np.dtype(header[1].decode()), tuple(map(int, header[3].replace(b",", b" ").split()))
    if prod(shape) * dtype.itemsize != len(data) - header.end():
        raise ValueError(f"{name!r} has not the bytes of an array of {shape}")
    values: NDArray[Any] = np.frombuffer(data, dtype, offset=header.end())
    values = values.reshape(shape, order="F" if header[2] == b"True" else "C").copy()
    if dtype.kind == "f" and not float(np.abs(values).max(initial=0)) <= _LARGEST:
        raise ValueError(f"{name!r} has numbers that are not finite, or too large for 32 bits")
    return values


def _document(data: bytes) -> dict[str, Any]:
    if len(data) > _MOST_TEXT:
        raise ValueError(f"a document of {len(data):,} bytes, of at most {_MOST_TEXT:,}")
    document = json.loads(data.decode("utf-8"), object_pairs_hook=_each_once)
    if not isinstance(document, dict):
        raise ValueError(f"a model file holds a JSON object, not a {type(document).__name__}")
    return document


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _file_bytes(path: Path) -> bytes:
    """Return the bytes of a file, of one that is too large as many as show it."""
    with path.open("rb") as stream:
        # What is no file has no size, and ends nowhere: a device.
        data = stream.read(min(path.stat().st_size if path.is_file() else _MOST_BYTES, _MOST_BYTES) + 1)
    if len(data) > _MOST_BYTES:
        raise OSError(f"it has more than {_MOST_BYTES:,} bytes")
    return data


def _bundled_files() -> dict[str, str]:
    """Return the file of each bundled model by its name."""
    folder = bundled_file("blockfeat.models", "bundled")
    return {Path(entry.name).stem: entry.name for entry in folder.iterdir() if entry.name.endswith(_SUFFIXES)}


def _bundled_bytes(name: str) -> bytes:
    return bundled_file("blockfeat.models", "bundled", name).read_bytes()
