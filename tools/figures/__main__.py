"""The figures of README and docs: measured by the commands that stand there, kept in one file, written from it.

Usage::

    python -m tools.figures                     # write the figures of docs/figures.json into the documents
    python -m tools.figures --check             # fail where a document, or a model, is not that of the file
    python -m tools.figures measure [RUN…]      # run commands anew; without names those whose models have changed

A run of the file has its commands, a reader of what they print or write (`tools.figures.measure`), the digests of the
models that it reads, and the tables that came of it; documents take the tables of experiments/results as well.
`tools.figures.render` says how they name a figure, `tools.figures.prose` how sentences have theirs without a comment.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.figures.experiments import experiments
from tools.figures.measure import measured
from tools.figures.packages import packages
from tools.figures.prose import templates, with_prose
from tools.figures.render import documents, rendered
from tools.figures.results import Results
from tools.figures.unsourced import unsourced

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write, check or measure; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.figures", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail where something is not current")
    parser.add_argument("action", nargs="?", choices=["write", "measure"], default="write")
    parser.add_argument("runs", nargs="*", metavar="RUN", help="what to measure; all whose models have changed")
    options = parser.parse_args(arguments)
    results = Results.read(root)
    if options.check:
        return _check(results, root)
    if options.action == "measure":
        for name in options.runs or results.outdated():
            print(f"measuring {name}", flush=True)
            results.runs[name] = measured(results.run(name), root)
            results.write()
    for path in documents(root):
        path.write_text(_rendered(path, results, root), encoding="utf-8")
    return 0


def _check(results: Results, root: Path) -> int:
    problems = [
        f"{path.relative_to(root)} has figures that are not those of docs/figures.json: run python -m tools.figures"
        for path in documents(root)
        if path.read_text(encoding="utf-8") != _rendered(path, results, root)
    ]
    problems += [
        f"{name} has a figure without a command, a result, or a place in tools/figures/given.toml: … {words}"
        for name, path in ((str(path.relative_to(root)), path) for path in documents(root))
        for words in unsourced(path.read_text(encoding="utf-8"), name, root)
    ]
    problems += [
        f"docs/figures.json: {name} was measured with other models: run python -m tools.figures measure {name}"
        for name in results.outdated()
    ]
    problems += [
        f"docs/figures.json: no run measures the bundled model {path.name}" for path in results.unmeasured_models()
    ]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _rendered(path: Path, results: Results, root: Path) -> str:
    tables = {**results.tables, **experiments(root), "packages": packages(root)}
    name = str(path.relative_to(root))
    text = rendered(path.read_text(encoding="utf-8"), tables, name)
    return with_prose(text, templates(root).get(name, []), tables, name)


if __name__ == "__main__":
    sys.exit(main())
