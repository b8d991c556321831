"""The parts of a job's output: which are done, and how a part gets its place.

A part is what some inputs give. Spark writes it into a folder of its own; its files then get their names, and a small
file with its counts, written last, says that it is done. A part without one is made anew from the start.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from blockfeat.errors import ResumeError
from blockfeat.integrations.spark.hadoop import Entry, HadoopFiles
from blockfeat.io.batch.run_record import RunRecord, differences


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
