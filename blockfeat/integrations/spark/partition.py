"""What happens inside of a partition: documents become data frames of records, one row a document, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blockfeat._pool import in_order
from blockfeat.io.outputs.columns import record_columns, row_of
from blockfeat.io.outputs.frames import cell_text, kind_of_cell, typed_frame
from blockfeat.io.outputs.rendering import Renderer
from blockfeat.page.document import Document

if TYPE_CHECKING:
    import pandas


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
