"""The parts of a job's output: how one is made, which are done, and how a part gets its place.

A part is what some inputs give. Spark writes it into a folder of its own; its files then get their names, and a small
file with its counts, written last, says that it is done. A part without one is made anew from the start.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from blockfeat._pool import in_order
from blockfeat.errors import ResumeError
from blockfeat.integrations.spark.hadoop import Entry, HadoopFiles
from blockfeat.io.batch.resume import RunRecord, differences
from blockfeat.io.outputs.columns import cell_text, kind_of_cell, record_columns, row_of, typed_frame
from blockfeat.io.outputs.rendering import Renderer
from blockfeat.page.document import Document

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Part:
    """Some inputs whose records are written together.

    Attributes
    ----------
    number : int
        Place in the output, from 0.
    inputs : tuple of Entry
        The files.
    """

    number: int
    inputs: tuple[Entry, ...]

    @property
    def name(self) -> str:
        """What the part's files begin with."""
        return f"part-{self.number:06}"


def parts_of(inputs: Sequence[Entry], size: int) -> list[Part]:
    """Return the inputs in parts of some size, in order."""
    return [Part(at // size, tuple(inputs[at : at + size])) for at in range(0, len(inputs), size)]


class Output:
    """The folder of a job's output.

    Parameters
    ----------
    files : HadoopFiles
        The file systems.
    folder : str
        Its address.
    """

    def __init__(self, files: HadoopFiles, folder: str) -> None:
        self._files = files
        self._folder = folder.rstrip("/")

    def begin(self, record: RunRecord, inputs: Sequence[Entry], size: int) -> None:
        """Start the output, or go on with one that the same job has begun.

        Raises
        ------
        ResumeError
            The folder has something else in it, or what it has comes from another model, other options or inputs.
        """
        job = {**asdict(record), "inputs": [[entry.name, entry.size] for entry in inputs], "inputs_per_part": size}
        text = json.dumps(job, ensure_ascii=False, indent=1) + "\n"
        path = f"{self._folder}/_job.json"
        earlier = self._files.read_text(path)
        if earlier is None:
            if any(not _base(entry).startswith("_job.json") for entry in self._files.listed(self._folder)):
                raise ResumeError(f"{self._folder}: has files that are not of this job; give another --output")
            self._files.write_text(path, text)
        elif earlier != text:
            before, now = json.loads(earlier), json.loads(text)
            changed = differences(before, record)
            changed += [f"another {name}" for name in ("inputs", "inputs_per_part") if before.get(name) != now[name]]
            raise ResumeError(
                f"{self._folder}: was begun by a job with {'; '.join(changed) or 'another version of blockfeat'}. "
                "Give the same, or another --output"
            )

    def done(self) -> dict[int, dict[str, Any]]:
        """Return the counts of each part that is done, by its number."""
        found = {}
        for entry in self._files.listed(f"{self._folder}/_done"):
            name = _base(entry)
            if name.startswith("part-") and name.endswith(".json"):
                counts = json.loads(self._files.read_text(entry.name) or "{}")
                found[int(name.removeprefix("part-").removesuffix(".json"))] = counts
        return found

    def staging(self, part: Part) -> str:
        """Return the folder that Spark writes a part to."""
        return f"{self._folder}/_staging/{part.name}"

    def clear(self, part: Part) -> None:
        """Remove what a job that was stopped has left of a part."""
        self._files.delete(self.staging(part))
        for entry in self._files.listed(self._folder):
            if _base(entry).startswith(f"{part.name}-"):
                self._files.delete(entry.name)

    def place(self, part: Part) -> list[Entry]:
        """Give the files of a part, which Spark names at random, their names; return them."""
        written = [entry for entry in self._files.listed(self.staging(part)) if entry.name.endswith(".parquet")]
        placed = []
        for number, entry in enumerate(written):
            target = f"{self._folder}/{part.name}-{number:05}.parquet"
            self._files.rename(entry.name, target)
            placed.append(Entry(target, entry.size, False))
        self._files.delete(self.staging(part))
        return placed

    def finish(self, part: Part, counts: dict[str, Any]) -> None:
        """Say that a part is done."""
        self._files.write_text(f"{self._folder}/_done/{part.name}.json", _json(counts))

    def summarise(self, summary: dict[str, Any]) -> None:
        """Write the counts of the whole job beside the parts, and remove what is left of the way there."""
        self._files.delete(f"{self._folder}/_staging")
        self._files.write_text(f"{self._folder}/_summary.json", _json(summary))


def _base(entry: Entry) -> str:
    return entry.name.rpartition("/")[2]


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


DEFAULT_DEADLINE = 60.0
"""Seconds that a page may take on Spark, where a page that never ends would hold up a whole job."""
# Frames go to Spark at this size, so that memory is bounded however long the texts are.
_ROWS_OF_A_FRAME = 256
_CHARACTERS_OF_A_FRAME = 8 * 1024 * 1024
_FIRST = Document(id="", data="<p>The ferry leaves at nine and returns before dark.")
_VALUES = ("url", "lang", "charset", "id")


@dataclass(frozen=True)
class Processes:
    """The processes that extract the pages of a task.

    Attributes
    ----------
    jobs : int
        How many; as many as the task has cores (``spark.task.cpus``).
    deadline : float or None
        Seconds that one page may take. None with one job extracts in Spark's own process: a page that kills it then
        costs the whole task.
    """

    jobs: int = 1
    deadline: float | None = DEFAULT_DEADLINE


def frames_of_documents(
    documents: Iterable[Document], renderer: Renderer, processes: Processes
) -> Iterator[pandas.DataFrame]:
    """Yield the records of some documents, in order; a page that hangs or kills its process is a row with ``error``."""
    for frame, _ in _frames(documents, renderer, processes):
        yield frame


def frames_of_pages(
    frames: Iterable[pandas.DataFrame],
    renderer: Renderer,
    processes: Processes,
    *,
    keep: tuple[str, ...] = (),
    html: str = "html",
) -> Iterator[pandas.DataFrame]:
    """Yield the records of the pages in data frames, with the columns to keep behind them.

    Parameters
    ----------
    frames : iterable of DataFrame
        Columns ``html``, of ``url``, ``lang``, ``charset`` and ``id`` those that are known, and the ones to keep, each
        named ``kept_NAME``. Read one at a time, as the pages are extracted.
    renderer : Renderer
        Extracts and makes records.
    processes : Processes
        Where.
    keep : tuple of str
        Names of columns that are copied.
    html : str
        What the caller calls the column of pages, for messages.
    """
    import pandas

    # The pool reads ahead: what is kept of a page waits here until its record comes.
    kept: deque[tuple[Any, ...]] = deque()
    for records, number in _frames(_documents(frames, keep, kept, html), renderer, processes):
        values = [kept.popleft() for _ in range(number)]
        for column, name in enumerate(keep):
            records[name] = pandas.Series([row[column] for row in values], dtype="object")
        yield records


def _frames(
    documents: Iterable[Document], renderer: Renderer, processes: Processes
) -> Iterator[tuple[pandas.DataFrame, int]]:
    columns = record_columns(evidence=renderer.evidence)
    # What is loaded on the first page is loaded here, once for all processes that this one forks.
    renderer(_FIRST)
    rows: list[Mapping[str, Any]] = []
    characters = 0
    pool = in_order(renderer, documents, jobs=processes.jobs, failure=renderer.failed, deadline=processes.deadline)
    for _, rendered in pool:
        row = row_of(rendered.record or {}, columns)
        row["id"] = row["id"] or None
        rows.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(rows) >= _ROWS_OF_A_FRAME or characters >= _CHARACTERS_OF_A_FRAME:
            yield typed_frame(rows, columns), len(rows)
            rows, characters = [], 0
    if rows:
        yield typed_frame(rows, columns), len(rows)


def _documents(
    frames: Iterable[pandas.DataFrame], keep: tuple[str, ...], kept: deque[tuple[Any, ...]], html: str
) -> Iterator[Document]:
    """Yield a document for each row; a cell that is no page becomes a document with ``error``."""
    for frame in frames:
        pages = frame["html"].tolist()
        known = [value for value in _VALUES if value in frame.columns]
        given = [frame[value].tolist() for value in known]
        carried = [frame[f"kept_{name}"].tolist() for name in keep]
        for row, page in enumerate(pages):
            kept.append(tuple(cells[row] for cells in carried))
            yield _document(
                page, html, {value: cell_text(cells[row]) for value, cells in zip(known, given, strict=True)}
            )


def _document(page: object, html: str, given: dict[str, str | None]) -> Document:
    """Return the document of a row; without an id it is named by its address."""
    name = given.pop("id", None) or given.get("url") or ""
    if isinstance(page, (str, bytes, bytearray)):
        return Document(id=name, data=bytes(page) if isinstance(page, bytearray) else page, **given)
    kind = kind_of_cell(page)
    # The words of blockfeat.io.inputs.parquet: the same rows come from a cluster and from one machine.
    reason = f'"{html}" is {"empty" if kind == "missing" else f"{kind}, not string or binary"}'
    return Document(id=name, data=None, error=f"{name}: {reason}" if name else reason)
