"""Resuming interrupted runs, and the file beside an output that records the model and options that made it."""

from __future__ import annotations

import hashlib
import json
import os
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Any

from blockfeat import __version__
from blockfeat._files import beside, cut_to_whole_lines, parse_object, write_text, writing
from blockfeat.content.links import clean_characters
from blockfeat.errors import CorpusError, InputError, ResumeError
from blockfeat.io.inputs.options import Pending, as_read
from blockfeat.io.outputs.formats import Rendered
from blockfeat.models.model import Model

_SCHEMA = 1


def run_record(model: Model, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the output of a run depends on, other than its inputs, as values that JSON can hold.

    Its keys are ``model`` (the name), ``model_sha256`` (a digest of the model's values), ``options`` (those that are
    given and affect records), ``blockfeat`` (the version) and ``schema`` (that of this record).
    """
    document, arrays = model.to_document()
    digest = hashlib.sha256(json.dumps(document, sort_keys=True, default=str).encode())
    for name in sorted(arrays):
        digest.update(name.encode() + arrays[name].tobytes())
    given = {name: value for name, value in options.items() if value is not None}
    made = {"model": model.name, "model_sha256": digest.hexdigest(), "options": given}
    return {**made, "blockfeat": __version__, "schema": _SCHEMA}


def run_record_path(output: Path) -> Path:
    """Return the path of a run's record, beside its output."""
    return output.with_name(output.name + ".run.json")


def write_run_record(record: Mapping[str, Any], output: Path) -> None:
    """Write the record of a run beside its output.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    write_text(run_record_path(output), json.dumps(record, ensure_ascii=False, indent=2) + "\n")


def check_same_run(record: Mapping[str, Any], output: Path) -> None:
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
    except (OSError, ValueError, RecursionError) as error:
        raise ResumeError(f"{output}: cannot be resumed: {path.name} cannot be read: {error}") from error
    if not isinstance(earlier, dict) or earlier.get("schema") != _SCHEMA:
        raise ResumeError(f"{output}: cannot be resumed: {path.name} was not written by this version of blockfeat")
    if found := "; ".join(differences(earlier, record)):
        raise ResumeError(f"{output}: the run was made with {found}. Give the same options, or another --output")


def differences(earlier: Mapping[str, Any], record: Mapping[str, Any]) -> list[str]:
    """Return descriptions of how an earlier run's record, as parsed from JSON, differs in model and options."""
    found = []
    before, now = (options if isinstance(options := earlier.get("options"), dict) else {}), record["options"]
    if earlier.get("model") != record["model"]:
        found.append(f"model {earlier.get('model')}, not {record['model']}")
    elif earlier.get("model_sha256") != record["model_sha256"] and before == now:
        found.append(f"another file of model {record['model']}")
    differing = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
    return found + [f"{name} {_shown(before.get(name))}, not {_shown(now.get(name))}" for name in differing]


def _shown(value: object) -> str:
    return "by default" if value is None else json.dumps(value, ensure_ascii=False)


def prepare(path: Path, *, resume: bool) -> Path:
    """Return the file that a run writes or continues: the output, or one beside it where an old output keeps its name.

    A run's record stands beside that file from before its first line until it is whole (`finish`).

    Raises
    ------
    OutputError
        What an earlier run left cannot be moved or removed.
    """
    output, new = Path(os.path.realpath(path)), beside(path)
    with writing(path):
        if new.exists() and not run_record_path(new).exists():
            new.replace(output)
        if not resume:
            for left in (new, _partial(new)):
                left.unlink(missing_ok=True)
        if not output.exists():
            _partial(output).unlink(missing_ok=True)
    return new if new.exists() or (output.exists() and not resume) else output


def finish(file: Path, path: Path) -> None:
    """Give the file of a whole run, and before it its record, the names of the output and its record.

    Raises
    ------
    OutputError
        They cannot be moved.
    """
    output = Path(os.path.realpath(path))
    if file != output:
        with writing(path):
            _partial(output).unlink(missing_ok=True)
            run_record_path(file).replace(run_record_path(output))
            file.replace(output)


def _is_same(identifier: object, id: str) -> bool:
    """Return whether two identifiers are equal, or name the same place in a file by different paths."""
    id = clean_characters(id)  # as it is written: names of files may have bytes that are no text
    return identifier == id or (isinstance(identifier, str) and os.path.abspath(identifier) == os.path.abspath(id))


class Resumption:
    """An output of JSON Lines that is continued: lines that are done stay, those that failed are replaced.

    Parameters
    ----------
    output : Path
        The output of an interrupted run; it is repaired, and an incomplete last line is cut.

    Attributes
    ----------
    done : int
        How many of its lines are done.

    Raises
    ------
    OutputError
        The file cannot be read or written.
    """

    def __init__(self, output: Path) -> None:
        self._output, self._place, self._has_ended = output, 0, False
        self._places: deque[int] = deque()
        with writing(output):
            _join_partial(output)
            cut_to_whole_lines(output)
            with output.open("rb") as lines:
                outcomes = [has_failed for _, has_failed in map(_outcome, lines)]
            self._count, self.done = len(outcomes), outcomes.count(False)
            self._earlier = output.open("rb") if self.done < self._count else None
            self._stream = _partial(output).open("wb") if self._earlier else output.open("ab")

    def remaining(self, documents: Iterator[Pending]) -> Iterator[Pending]:
        """Yield the documents that are not done: those whose lines failed, then those without a line.

        A line that failed may stand for several documents, up to the next that is done: where an input was not read.

        Raises
        ------
        ResumeError
            The output belongs to other inputs.
        InputError
            A document that is done cannot be read, so that it is not known which are the others.
        """
        document, may_skip, unread = next(documents, None), False, ""
        with self._output.open("rb") as lines:
            for place, (identifier, failed) in enumerate(map(_outcome, lines)):
                named = document and as_read(document)
                while document and named and may_skip and not failed and not _is_same(identifier, named.id):
                    unread = named.error or unread
                    yield self._at(place, document)
                    document = next(documents, None)
                    named = document and as_read(document)
                is_own = named is not None and _is_same(identifier, named.id)
                if not failed and not is_own:
                    if unread := (named and named.error) or unread:
                        raise InputError(unread)
                    line = f"line {place + 1} does not belong to {repr(named.id) if named else 'any document'}"
                    raise ResumeError(f"{self._output}: {line}: the run had other inputs")
                may_skip = failed and (may_skip or not is_own)
                if document and is_own:
                    if failed:
                        yield self._at(place, document)
                    document = next(documents, None)
        while document:
            yield self._at(self._count, document)
            document = next(documents, None)
        self._has_ended = True

    def _at(self, place: int, document: Pending) -> Pending:
        """Note that the line of a document goes before the earlier line with a number."""
        self._places.append(place)
        return document

    def write(self, rendered: Rendered) -> None:
        """Write one line at its place; documents must come in the order of `remaining`."""
        with writing(self._output):
            self._copy(self._places.popleft())
            self._stream.write(rendered.text.encode("utf-8", "replace"))
            self._stream.flush()

    def close(self) -> None:
        """Close the file; where not all is done, join what is done with the earlier lines."""
        with writing(self._output):
            with self._stream:
                if self._has_ended and not self._places:
                    self._copy(self._count)
            if self._earlier is not None:
                _join_partial(self._output)

    def _copy(self, place: int) -> None:
        """Copy earlier lines that are done up to a place; after the last line, replace the old file."""
        if self._earlier is None:
            return
        while self._place < place:
            line = self._earlier.readline()
            if not _outcome(line)[1]:
                self._stream.write(line)
            self._place += 1
        if place == self._count:
            self._stream.flush()
            self._earlier = None
            _partial(self._output).replace(self._output)


def _partial(output: Path) -> Path:
    return output.with_name(output.name + ".part")


def _join_partial(output: Path) -> None:
    """Complete the partial file of a run that ended while it replaced failed lines, and move it to the output.

    Of the earlier lines it has copies of those that are done, in order, between new ones.
    """
    partial = _partial(output)
    if not partial.exists():
        return
    cut_to_whole_lines(partial)
    if output.exists():
        with output.open("rb") as earlier, partial.open("rb+") as joined:
            copied, line = 0, _next_done(earlier)
            for new in joined:
                if new == line:
                    copied, line = earlier.tell(), _next_done(earlier)
            earlier.seek(copied)
            copyfileobj(earlier, joined)
    partial.replace(output)


def _next_done(lines: IO[bytes]) -> bytes:
    """Return the next line that is done; nothing behind the last."""
    return next((line for line in lines if not _outcome(line)[1]), b"")


def _outcome(line: bytes) -> tuple[object, bool]:
    """Return the identifier in a JSON line, None if it has none, and whether the document failed."""
    try:
        record = parse_object(line)
    except CorpusError:
        return None, False
    return record.get("id"), bool(record.get("error"))
