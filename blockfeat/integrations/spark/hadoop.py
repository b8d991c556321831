"""Files wherever Spark finds them (HDFS, S3, disk): what the driver needs of them, by Hadoop's own classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blockfeat.errors import InputError, OutputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
