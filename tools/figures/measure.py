"""Runs the commands of a run in a folder of its own, and reads the tables that they print or write."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.figures.results import Run, Table, bundled_files, digest_of

_SCORES = "scores.json"  # of `blockfeat evaluate`
_DECIMALS = 5
_BENCH = ("pages", "f1", "precision", "recall", "failed", "difference", "difference_low", "difference_high")
_LEFT_OUT = re.compile(r"-\d+-without-")  # in the names of the models of tools/left_out
_CELL = re.compile(r"(?<!\\)\|")


def measured(run: Run, root: Path) -> Run:
    """Run the commands of a run; return it with today's date, digests and tables.

    Raises
    ------
    SystemExit
        A command failed.
    """
    # Beside the checkout, as it is: from there ../shared is what the commands mean, by options or by default.
    with TemporaryDirectory(dir=root.parent) as folder:
        printed = "".join(_output(command, Path(folder), root) for command in run.commands)
        tables = [table for table in READERS[run.reader](Path(folder), printed) if table]
    if not tables:
        raise SystemExit(f"no table came of: {'; '.join(run.commands)}")
    for name, row in (pair for table in tables for pair in table.items()):
        if str(row.get("failed", 0)) == str(row.get("pages")):  # what it needs is not installed
            raise SystemExit(f"{name} failed on all pages of: {'; '.join(run.commands)}")
    paths = [*run.models, *(path for command in run.commands for path in models_of(command, root))]
    digests = {path: digest_of(root / path) for path in sorted(set(paths))}
    return replace(run, models=digests, measured=date.today().isoformat(), tables=tables)


def models_of(command: str, root: Path) -> Iterator[str]:
    """Yield the model files of the checkout that the options of a command name."""
    words = shlex.split(command)
    options = ("--model", "--saved", *(["-m"] if words[0] == "blockfeat" else []))
    bundled = {path.stem: path for path in bundled_files(root)}
    for option, value in pairwise(words):
        if option in options and (value in bundled or (root / value).exists()):
            path = bundled.get(value, root / value)
            files = sorted(path.iterdir()) if path.is_dir() else [path]
            yield from (str(file.relative_to(root)) for file in files)


def _output(command: str, folder: Path, root: Path) -> str:
    """Run a command in a folder, on one thread of OpenBLAS as the command line does; return what it prints."""
    words = [_located(word, root) for word in shlex.split(command)]
    words[:1] = [sys.executable, "-m", "blockfeat"] if words[0] == "blockfeat" else [sys.executable]
    if "evaluate" in words:
        words += ["--output", _SCORES]
    environment = {**os.environ, "PYTHONPATH": str(root), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command}\nended with {done.returncode}")
    return done.stdout


def _located(word: str, root: Path) -> str:
    """Return a word of a command with the places of the checkout as they are found from anywhere."""
    return str(root / word) if word.startswith(("tools/", "experiments/")) else word


def _bench(folder: Path, printed: str) -> Iterator[Table]:
    """Read what ``blockfeat bench`` wrote: a row for each system over all pages."""
    with (folder / "bench-output" / "bench.csv").open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["corpus"] == "all"]
    yield {
        row["system"].removeprefix("blockfeat "): {"version": row["version"]}
        | {name: _number(row[name]) for name in _BENCH if row[name]}
        for row in rows
    }


def _evaluation(folder: Path, printed: str) -> Iterator[Table]:
    """Read what ``blockfeat evaluate`` wrote: one row, of all pages."""
    scores = json.loads((folder / _SCORES).read_text(encoding="utf-8"))["all"]
    yield {"all": {name: _number(value) for name, value in scores.items() if isinstance(value, int | float)}}


def _training(folder: Path, printed: str) -> Iterator[Table]:
    """Read the record of the model that ``blockfeat train`` wrote: a row for each part and measure."""
    (path,) = (path for path in folder.glob("*.json") if path.name != _SCORES)
    record = json.loads(path.read_text(encoding="utf-8"))["record"]
    yield {
        f"{part} {measure}": {name: _number(value) for name, value in scores.items() if value is not None}
        for part, measures in record["scores"].items()
        for measure, scores in measures.items()
    }
    if (folder / _SCORES).exists():
        yield from _evaluation(folder, printed)


def _markdown(folder: Path, printed: str) -> Iterator[Table]:
    """Read the tables that were printed as Markdown."""
    return markdown_tables(_LEFT_OUT.sub(" without ", printed))


def markdown_tables(text: str) -> Iterator[Table]:
    """Yield the tables of a Markdown text, each row by its first cell, or by as many as tell it from the others."""
    for lines in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in _CELL.split(line)[1:-1]] for line in lines.splitlines())
        names = next((n for n in range(1, len(head)) if len({tuple(row[:n]) for row in rows}) == len(rows)), len(head))
        yield {" ".join(row[:names]): dict(zip(head, row, strict=True)) for row in rows}


def _number(value: Any) -> float | str:
    """Return a number with five decimals; a text that is none, such as a version, as it is."""
    try:
        number = float(value)
    except ValueError:
        return str(value)
    return int(number) if number.is_integer() else round(number, _DECIMALS)


READERS: Mapping[str, Callable[[Path, str], Iterator[Table]]] = {
    "bench": _bench,
    "evaluation": _evaluation,
    "training": _training,
    "markdown": _markdown,
}
"""What reads the results of a run, by name: tables from its folder and from what it printed."""
