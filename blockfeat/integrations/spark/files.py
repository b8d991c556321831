"""Files wherever Spark finds them (HDFS, S3, disk), by Hadoop's own classes, and the output of a job in its parts.

A part is what some inputs give. Spark writes it into a folder of its own; its files then get their names, and a small
file with its counts, written last, says that it is done. A part without one is made anew from the start.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from blockfeat.errors import InputError, OutputError, ResumeError
from blockfeat.io.batch.resume import RunRecord, differences

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Version of the columns: the files of a folder have those of one version.
_LAYOUT = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder: its address, its size in bytes, and whether it is a folder."""

    name: str
    size: int
    is_folder: bool


class HadoopFiles:
    """The file systems that a Spark session knows, told by the scheme of an address.

    Parameters
    ----------
    session : SparkSession
        A session with a driver in this process (not Spark Connect).
    """

    def __init__(self, session: SparkSession) -> None:
        context: Any = session.sparkContext
        self._java = context._jvm
        self._settings = context._jsc.hadoopConfiguration()

    def glob(self, pattern: str) -> list[Entry]:
        """Return what a path or pattern (``*``, ``?``, ``[a-z]``, ``{a,b}``) names, by name; nothing where nothing is.

        Raises
        ------
        InputError
            The address cannot be looked at.
        """
        try:
            folder, path = self._at(pattern)
            return _entries(folder.globStatus(path))
        except self._failures() as error:
            raise InputError(f"{pattern}: cannot be read: {_reason(error)}") from error

    def listed(self, path: str) -> list[Entry]:
        """Return what stands in a folder, by name; nothing where there is no such folder."""
        folder, there = self._at(path)
        return _entries(folder.listStatus(there)) if folder.exists(there) else []

    def read_text(self, path: str) -> str | None:
        """Return the text of a small file; None where there is none."""
        folder, there = self._at(path)
        if not folder.exists(there):
            return None
        stream = folder.open(there)
        try:
            return str(self._java.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def write_text(self, path: str, text: str) -> None:
        """Write a small file, whole or not at all.

        Raises
        ------
        OutputError
            It cannot be written.
        """
        try:
            folder, there = self._at(path)
            partial = self._at(f"{path}.tmp")[1]
            stream = folder.create(partial, True)
            try:
                stream.write(bytearray(text, "utf-8"))
            finally:
                stream.close()
            folder.delete(there, False)
            folder.rename(partial, there)
        except self._failures() as error:
            raise OutputError(f"{path}: cannot be written: {_reason(error)}") from error

    def delete(self, path: str) -> None:
        """Remove a file, or a folder with all in it, where it is there."""
        folder, there = self._at(path)
        folder.delete(there, True)

    def rename(self, path: str, target: str) -> None:
        """Give a file another name.

        Raises
        ------
        OutputError
            The file system refuses.
        """
        folder, there = self._at(path)
        if not folder.rename(there, self._at(target)[1]):
            raise OutputError(f"{target}: {path} cannot be renamed to it")

    def _at(self, path: str) -> tuple[Any, Any]:
        """Return the file system of an address, and the address as Hadoop has it."""
        there = self._java.org.apache.hadoop.fs.Path(path)
        return there.getFileSystem(self._settings), there

    @staticmethod
    def _failures() -> tuple[type[Exception], ...]:
        from py4j.protocol import Py4JJavaError

        return (Py4JJavaError,)


def local_path(name: str) -> str | None:
    """Return the path of an address on this machine's disks, None for one elsewhere."""
    if name.startswith("file:"):
        return "/" + name.removeprefix("file:").lstrip("/")
    return None if "://" in name else name


def _entries(found: Any) -> list[Entry]:
    entries = [Entry(str(one.getPath().toString()), int(one.getLen()), bool(one.isDirectory())) for one in found or ()]
    return sorted(entries, key=lambda entry: entry.name)


def _reason(error: Exception) -> str:
    return str(getattr(error, "java_exception", None) or error).splitlines()[0]


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
        job = {
            **asdict(record),
            "layout": _LAYOUT,
            "inputs": [[entry.name, entry.size] for entry in inputs],
            "inputs_per_part": size,
        }
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
