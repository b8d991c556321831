"""Resuming interrupted runs, and the file beside an output that records the model and options that made it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from blockfeat import __version__
from blockfeat._files import cut_to_whole_lines, parse_object, write_text, writing
from blockfeat.errors import CorpusError, ResumeError
from blockfeat.io.inputs.options import Pending, as_read
from blockfeat.io.outputs.formats import Rendered
from blockfeat.models.model import Model

_SCHEMA = 1


@dataclass(frozen=True)
class RunRecord:
    """What the output of a run depends on, other than its inputs.

    Attributes
    ----------
    model : str
        Name of the model.
    model_sha256 : str
        SHA-256 digest of the model's values.
    options : mapping
        The options that affect records, as values that JSON can hold.
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
    """Return the path of a run's record, beside its output."""
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
    """Check that an existing output was made by the same model with the same options.

    Raises
    ------
    ResumeError
        It was not, or its run record is missing or cannot be read.
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
    """Return descriptions of how an earlier run's record, as parsed from JSON, differs in model and options."""
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


@dataclass(frozen=True)
class EarlierRun:
    """How many lines of an output are done, and which ones failed, numbered from 0."""

    done: int
    failed: frozenset[int]


def earlier_run(output: Path) -> EarlierRun:
    """Repair the output of an interrupted run, cut an incomplete last line, and count its lines.

    Raises
    ------
    OutputError
        The file cannot be read or written.
    """
    with writing(output):
        _join_partial(output)
        if not output.exists():
            return EarlierRun(0, frozenset())
        cut_to_whole_lines(output)
        with output.open("rb") as lines:
            outcomes = [_outcome(line)[1] for line in lines]
    failed = frozenset(number for number, has_failed in enumerate(outcomes) if has_failed)
    return EarlierRun(len(outcomes) - len(failed), failed)


def clear_partial(output: Path) -> None:
    """Remove the partial file of an interrupted run, beside an output that is to be overwritten."""
    with writing(output):
        _partial(output).unlink(missing_ok=True)


def remaining(documents: Iterator[Pending], output: Path) -> Iterator[Pending]:
    """Yield the documents that are not done: those that failed, then those without a line.

    Raises
    ------
    ResumeError
        The output belongs to other inputs.
    """
    if output.exists():
        with output.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                identifier, failed = _outcome(line)
                document = next(documents, None)
                if document is None:
                    raise ResumeError(f"{output}: has {number} lines or more, but the inputs {number - 1} documents")
                if identifier != (done := as_read(document)).id:
                    raise ResumeError(
                        f"{output}: line {number} does not belong to {done.id!r}: the run had other inputs"
                    )
                if failed:
                    yield document
    yield from documents


class ResumingWriter:
    """Writes JSON Lines to an existing output: first in place of the lines that failed, then after the last line.

    Parameters
    ----------
    output : Path
        The output; its folder is created if it is missing.
    earlier : EarlierRun
        Result of `earlier_run`.
    """

    def __init__(self, output: Path, earlier: EarlierRun) -> None:
        self._output = output
        self._failed = earlier.failed
        self._earlier: IO[bytes] | None = None
        with writing(output):
            output.parent.mkdir(parents=True, exist_ok=True)
            if earlier.failed:
                self._earlier = output.open("rb")
            self._stream = _partial(output).open("wb") if earlier.failed else output.open("ab", buffering=0)
        self._lines = enumerate(self._earlier or ())

    def write(self, rendered: Rendered) -> None:
        """Write one line at its place; documents must come in the order of `remaining`."""
        with writing(self._output):
            self._copy(self._failed)
            self._stream.write(rendered.text.encode("utf-8", "replace"))
            self._stream.flush()

    def close(self) -> None:
        """Copy the earlier lines that are left, and close the file; do nothing if called again."""
        with writing(self._output):
            self._copy(frozenset())
            self._stream.close()

    def _copy(self, failed: frozenset[int]) -> None:
        """Copy earlier lines up to the next failed one and skip it; after the last line, replace the old file."""
        if self._earlier is None:
            return
        for number, line in self._lines:
            if number in failed:
                return
            self._stream.write(line)
        self._stream.flush()
        self._earlier.close()
        self._earlier = None
        _partial(self._output).replace(self._output)


def _partial(output: Path) -> Path:
    return output.with_name(output.name + ".part")


def _join_partial(output: Path) -> None:
    """Complete the partial file of a run that was killed while it replaced failed lines, and move it to the output."""
    partial = _partial(output)
    if not partial.exists():
        return
    cut_to_whole_lines(partial)
    if output.exists():
        with output.open("rb") as earlier, partial.open("rb+") as joined:
            done = sum(1 for _ in joined)
            joined.writelines(islice(earlier, done, None))
    partial.replace(output)


def _outcome(line: bytes) -> tuple[object, bool]:
    """Return the identifier in a JSON line, None if it has none, and whether the document failed."""
    try:
        record = parse_object(line)
    except CorpusError:
        return None, False
    return record.get("id"), bool(record.get("error"))
