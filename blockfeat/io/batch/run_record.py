"""The file beside the output of a run that says what made it, so that another model cannot continue it in silence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from blockfeat import __version__
from blockfeat._files import write_text
from blockfeat.errors import ResumeError
from blockfeat.models.model import Model

_SCHEMA = 1


@dataclass(frozen=True)
class RunRecord:
    """What decides the records of a run.

    Attributes
    ----------
    model : str
        Name of the model.
    model_sha256 : str
        Digest of its values.
    options : mapping
        The options that change records, as plain values.
    blockfeat : str
        Version of blockfeat.
    schema : int
        Version of this file's layout.
    """

    model: str
    model_sha256: str
    options: Mapping[str, Any]
    blockfeat: str = __version__
    schema: int = _SCHEMA


def run_record(model: Model, options: Mapping[str, Any]) -> RunRecord:
    """Return the record of a run with a model and options; options that are not given (None) are left out."""
    document, arrays = model.to_document()
    digest = hashlib.sha256(json.dumps(document, sort_keys=True, default=str).encode())
    for name in sorted(arrays):
        digest.update(name.encode() + arrays[name].tobytes())
    given = {name: value for name, value in options.items() if value is not None}
    return RunRecord(model.name, digest.hexdigest(), given)


def run_record_path(output: Path) -> Path:
    """Return where the record of a run stands: beside its output."""
    return output.with_name(output.name + ".run.json")


def write_run_record(record: RunRecord, output: Path) -> None:
    """Write the record of a run beside its output.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    write_text(run_record_path(output), json.dumps(asdict(record), ensure_ascii=False, indent=2) + "\n")


def check_same_run(record: RunRecord, output: Path) -> None:
    """Check that what stands in an output was made by the same model with the same options.

    Raises
    ------
    ResumeError
        It was not, or nothing says by what it was made.
    """
    path = run_record_path(output)
    try:
        earlier = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ResumeError(f"{output}: cannot be resumed: {path.name}, which says how it was made, is missing") from None
    except (OSError, ValueError) as error:
        raise ResumeError(f"{output}: cannot be resumed: {path.name} cannot be read: {error}") from error
    if not isinstance(earlier, dict) or earlier.get("schema") != _SCHEMA:
        raise ResumeError(f"{output}: cannot be resumed: {path.name} was not written by this version of blockfeat")
    if found := differences(earlier, record):
        raise ResumeError(
            f"{output}: the run was made with {'; '.join(found)}. Give the same options, or another --output"
        )


def differences(earlier: Mapping[str, Any], record: RunRecord) -> list[str]:
    """Return in words how an earlier run's record, as it was written, differs in model and options."""
    found = []
    if earlier.get("model") != record.model:
        found.append(f"model {earlier.get('model')}, not {record.model}")
    elif earlier.get("model_sha256") != record.model_sha256 and earlier.get("options") == record.options:
        found.append(f"another file of model {record.model}")
    options = earlier.get("options")
    before: Mapping[str, Any] = options if isinstance(options, dict) else {}
    for name in sorted({*before, *record.options}):
        if before.get(name) != record.options.get(name):
            found.append(f"{name} {_shown(before.get(name))}, not {_shown(record.options.get(name))}")
    return found


def _shown(value: object) -> str:
    return "by default" if value is None else json.dumps(value, ensure_ascii=False)
