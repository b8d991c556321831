"""The file of results, docs/figures.json: runs with their commands, the digests of the models read, and tables."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

Table: TypeAlias = dict[str, dict[str, float | str]]
"""Cells by the name of their row and of their column."""

_FILE = Path("docs", "figures.json")
_BUNDLED = Path("blockfeat", "models", "bundled")
_MODELS = (".json", ".npz")
_ROW = re.compile(r"^( {4}\".*\": \{)\n {5}((?:.*\n {5})*.*)\n {4}\}", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """What was run, when, with which models, and what came of it.

    Attributes
    ----------
    commands : list of str
        As they stand in the documents; ``../shared/corpora`` and ``tools/`` are found from the folder where they run.
    reader : str
        Key of `tools.figures.measure.READERS`.
    models : dict
        SHA-256 of each model file that the commands read, by its path; those that a command names need not be listed.
    measured : str
        Day of the run.
    note : str
        What a reader of the figures should know.
    tables : list of Table
        The results.
    """

    commands: list[str]
    reader: str
    models: dict[str, str] = field(default_factory=dict)
    measured: str = ""
    note: str = ""
    tables: list[Table] = field(default_factory=list)


@dataclass(frozen=True)
class Results:
    """All runs by name, of a checkout."""

    root: Path
    runs: dict[str, Run]

    @classmethod
    def read(cls, root: Path) -> Results:
        """Read the file of a checkout."""
        document = json.loads((root / _FILE).read_text(encoding="utf-8"))
        return cls(root, {name: Run(**run) for name, run in document.items()})

    def write(self) -> None:
        """Write the file, a line for each row of a table."""
        text = json.dumps({name: asdict(run) for name, run in self.runs.items()}, ensure_ascii=False, indent=1)
        text = _ROW.sub(lambda row: row[1] + " ".join(row[2].split("\n     ")) + "}", text)
        (self.root / _FILE).write_text(text + "\n", encoding="utf-8")

    def run(self, name: str) -> Run:
        """Return a run; a name that is not there ends the program."""
        if name not in self.runs:
            raise SystemExit(f"docs/figures.json has no run {name!r}; there are {', '.join(self.runs)}")
        return self.runs[name]

    @property
    def tables(self) -> dict[str, Table]:
        """Tables by the name of their run; behind the name of its second and further ones stands their number."""
        return {
            f"{name} {number}" if number > 1 else name: table
            for name, run in self.runs.items()
            for number, table in enumerate(run.tables, start=1)
        }

    def outdated(self) -> list[str]:
        """Return the runs without results, and those of models whose files are others now."""
        return [
            name
            for name, run in self.runs.items()
            if not run.tables or any(digest_of(self.root / path) != digest for path, digest in run.models.items())
        ]

    def unmeasured_models(self) -> list[Path]:
        """Return the bundled models that no run reads."""
        read = {path for run in self.runs.values() for path in run.models}
        return [path for path in bundled_files(self.root) if str(path.relative_to(self.root)) not in read]


def bundled_files(root: Path) -> list[Path]:
    """Return the files of the bundled models."""
    return [path for path in sorted((root / _BUNDLED).iterdir()) if path.suffix in _MODELS]


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, empty where there is none."""
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
