"""Put small faults into modules, one at a time, and count those that the nearest tests catch.

Usage: ``python tools/mutation.py [MODULE…] [--sample N] [--seed N] [--jobs N] [--least SHARE]``. The faults are those
of cosmic-ray; tools/mutation.toml says which kinds, which tests are nearest to a module, and which mutants no test can
catch. A mutant lives in one forked process only, which runs the tests that reach its statement: no file is changed.
Exit status: 0 if at least the share that is asked for was caught in every module, 1 if not, 2 where the tests fail
without a fault.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_TOP = Path(__file__).resolve().parent.parent
_SETTINGS = Path(__file__).with_suffix(".toml")
_CAUGHT, _SURVIVED, _EQUIVALENT = "caught", "survived", "equivalent"
_TESTS_FAILED = 1
_HYPOTHESIS = "_hypothesis_pytestplugin"


@dataclass(frozen=True)
class Settings:
    """What tools/mutation.toml holds."""

    operators: tuple[str, ...]
    preloaded: tuple[str, ...]
    tests: dict[str, list[str]]
    equivalent: frozenset[tuple[str, str]]

    @classmethod
    def read(cls) -> Settings:
        """Read the file; raise ValueError where an equivalent mutant has no reason."""
        document = tomllib.loads(_SETTINGS.read_text(encoding="utf-8"))
        listed = document.get("equivalent", [])
        for entry in listed:
            if not entry.get("why"):
                raise ValueError(f"{_SETTINGS.name}: no reason beside {entry['line']!r}")
        return cls(
            operators=tuple(f"core/{name}" for name in document["operators"]),
            preloaded=tuple(document["preloaded"]),
            tests=document["tests"],
            equivalent=frozenset((entry["module"], entry["line"]) for entry in listed),
        )


@dataclass(frozen=True)
class Mutant:
    """A module with one fault: the line before and after, and the code of the whole."""

    module: str
    line: int
    before: str
    after: str
    code: str = field(repr=False)


@dataclass
class Score:
    """How the mutants of one module fared."""

    module: str
    possible: int
    outcomes: list[tuple[Mutant, str]] = field(default_factory=list)

    def count(self, outcome: str) -> int:
        """Return how many mutants had an outcome."""
        return sum(each == outcome for _, each in self.outcomes)

    @property
    def share(self) -> float:
        """Return the share of mutants caught, of those that can be."""
        counted = len(self.outcomes) - self.count(_EQUIVALENT)
        return self.count(_CAUGHT) / counted if counted else 1.0


def mutants_of(
    module: str, source: str, operators: Sequence[str], chooser: random.Random, *, sample: int
) -> tuple[int, list[Mutant]]:
    """Return how many faults could be put into a module, and a sample of the mutants in a random order."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    lines = source.splitlines()
    places: list[tuple[str, int]] = []
    for name in operators:
        operator = get_operator(name)()
        found = [start for node in ast_nodes(get_ast(source)) for start, _ in operator.mutation_positions(node)]
        # Imports for type checkers alone are not run.
        places += [(name, n) for n, (row, _) in enumerate(found) if "TYPE_CHECKING" not in lines[row - 1]]
    chooser.shuffle(places)
    made: list[Mutant | None] = []
    for name, n in places:
        if len(made) - made.count(None) == sample:
            break
        # cosmic-ray cannot replace an exception that is named with its module.
        with suppress(AttributeError):
            made.append(_made(module, source, mutate_code(source, get_operator(name)(), n)))
    return len(places), [mutant for mutant in made if mutant is not None]


def _made(module: str, source: str, code: str) -> Mutant | None:
    """Return a mutant with its changed line; None where it is no longer Python, or only a declaration changes."""
    try:
        compile(code, module, "exec")
    except SyntaxError:
        return None
    pairs = zip(source.splitlines(), code.splitlines(), strict=False)
    changed = ((number, old, new) for number, (old, new) in enumerate(pairs, start=1) if old != new)
    number, old, new = next(changed, (0, "", ""))
    is_signature = "*," in old and "/," in new
    if not number or is_signature or "@dataclass" in old or " = field(" in old:
        return None
    return Mutant(module, number, old.strip(), new.strip(), code)


class _Loader(SourceFileLoader):
    """Loads a module from other code than its file has."""

    def __init__(self, name: str, path: str, code: str) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the mutant."""
        return compile(self._code, self.path, "exec")


@dataclass(frozen=True)
class _Finder(MetaPathFinder):
    """Finds the mutant under the name of its module."""

    mutant: Mutant

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the mutant where its module is imported."""
        if name != self.mutant.module:
            return None
        file = str(_path_of(name))
        return spec_from_file_location(name, file, loader=_Loader(name, file, self.mutant.code))


def _path_of(module: str) -> Path:
    return _TOP / (module.replace(".", "/") + ".py")


class _Reach:
    """A plug-in of pytest that notes which tests run a line of a module; ``""`` stands for what imports it."""

    def __init__(self, file: Path, result: Path) -> None:
        self._file, self._result, self._test = str(file), result, ""
        self._tests: dict[int, set[str]] = defaultdict(set)
        threading.settrace(self._trace)
        sys.settrace(self._trace)

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != self._file:
            return None
        self._tests[frame.f_lineno].add(self._test)
        return self._trace

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._test = nodeid
        sys.settrace(self._trace)

    def pytest_runtest_logfinish(self) -> None:
        self._test = ""

    def pytest_sessionfinish(self) -> None:
        sys.settrace(None)
        loaded = [name for name in sys.modules if name.partition(".")[0] == "blockfeat"]
        reached = {line: sorted(tests) for line, tests in self._tests.items()}
        self._result.write_text(json.dumps({"loaded": loaded, "reached": reached}), encoding="utf-8")


@dataclass(frozen=True)
class _Only:
    """A plug-in of pytest that runs some tests only."""

    chosen: Collection[str]

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if item.nodeid in self.chosen]


def _start(mutant: Mutant | None, tests: Sequence[str], log: Path, plugin: Callable[[], object] | None) -> int:
    """Fork a process that runs tests, with a mutant in place of its module, and return its number."""
    if child := os.fork():
        return child
    os.setsid()
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    if mutant is not None:
        sys.meta_path.insert(0, _Finder(mutant))
    import pytest

    marks = ["-m", "not slow and not rest"]
    quick = ["-q", "-x", *marks, "-p", "no:cacheprovider", "-p", _HYPOTHESIS, "--hypothesis-seed=0"]
    try:
        status = int(pytest.main([*quick, *tests], plugins=[plugin()] if plugin is not None else None))
    except BaseException:
        status = _TESTS_FAILED
    os._exit(status)


def _stop(process: int) -> None:
    """End a process and those that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def _baseline(module: str, tests: Sequence[str], folder: Path) -> tuple[float, dict[int, list[str]]]:
    """Return the seconds that the tests take without a fault, and which of them run a line; exit where they fail."""
    began, result, log = time.monotonic(), folder / "reached.json", folder / "baseline.log"
    _, status = os.waitpid(_start(None, tests, log, lambda: _Reach(_path_of(module), result)), 0)
    if status:
        print(log.read_text(errors="replace")[-3000:], file=sys.stderr)
        raise SystemExit(2)
    noted = json.loads(result.read_text(encoding="utf-8"))
    _preload(_apart_from(module, noted["loaded"]))
    return time.monotonic() - began, {int(line): names for line, names in noted["reached"].items()}


def _apart_from(module: str, loaded: Sequence[str]) -> list[str]:
    """Return the modules that import nothing from a module, nor from what imports something from it."""
    needs = {name: _imports_of(name) & set(loaded) for name in loaded}
    changed, tainted = True, {module}
    while changed:
        more = {name for name, needed in needs.items() if needed & tainted} - tainted
        changed, tainted = bool(more), tainted | more
    return [name for name in loaded if name not in tainted]


def _imports_of(name: str) -> set[str]:
    """Return what a module imports when it is itself imported, and the packages above all of these."""
    path = _path_of(name)
    path = path if path.exists() else path.with_suffix("") / "__init__.py"
    found = {name.rpartition(".")[0]}
    waiting = list(ast.parse(path.read_text(encoding="utf-8")).body) if path.exists() else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
    parts = [each.split(".") for each in found]
    return {".".join(each[:length]) for each in parts for length in range(1, len(each) + 1)} - {name}


def _statements(source: str) -> dict[int, range]:
    """Return the lines of the innermost statement of each line, those of its head where it has a body."""
    found: dict[int, range] = {}
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    for node in sorted(nodes, key=lambda node: node.lineno):
        body = getattr(node, "body", None)
        lines = range(node.lineno, max(node.lineno + 1, body[0].lineno if body else (node.end_lineno or 0) + 1))
        found |= dict.fromkeys(lines, lines)
    return found


def _outcomes(
    module: str, source: str, mutants: Sequence[Mutant], tests: Sequence[str], jobs: int, folder: Path
) -> Iterator[tuple[Mutant, str]]:
    """Yield each mutant with its outcome; what hangs is caught, what no test reaches survives."""
    seconds, reached = _baseline(module, tests, folder)
    patience, statements = 20.0 + 5.0 * seconds, _statements(source)
    waiting = list(enumerate(mutants))
    running: dict[int, tuple[Mutant, float]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            number, mutant = waiting.pop(0)
            lines = statements.get(mutant.line, range(mutant.line, mutant.line + 1))
            chosen = {name for line in lines for name in reached.get(line, ())}
            if not chosen:
                yield mutant, _SURVIVED
                continue
            only = None if "" in chosen else partial(_Only, chosen)
            process = _start(mutant, tests, folder / f"{number}.log", only)
            running[process] = mutant, time.monotonic() + patience
        for process, (mutant, end) in list(running.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended or time.monotonic() > end:
                _stop(process)
                if not ended:
                    os.waitpid(process, 0)
                del running[process]
                yield mutant, _SURVIVED if ended and status == 0 else _CAUGHT
        time.sleep(0.02)


def measure(module: str, settings: Settings, *, sample: int, seed: int, jobs: int) -> Score:
    """Put faults into a module, a sample of those that are possible, and return what became of them."""
    source = _path_of(module).read_text(encoding="utf-8")
    possible, chosen = mutants_of(module, source, settings.operators, random.Random(f"{seed} {module}"), sample=sample)
    score = Score(module, possible)
    listed = settings.equivalent
    excused = [each for each in chosen if (module, each.after) in listed or (module, each.before) in listed]
    score.outcomes += [(mutant, _EQUIVALENT) for mutant in excused]
    with tempfile.TemporaryDirectory() as folder:
        left = [mutant for mutant in chosen if mutant not in excused]
        score.outcomes += _outcomes(module, source, left, settings.tests[module], jobs, Path(folder))
    return score


def _preload(names: Sequence[str]) -> None:
    """Import libraries that tests need, so that each forked process has them."""
    for name in names:
        with suppress(ImportError):
            importlib.import_module(name)


def _show(score: Score) -> None:
    """Print the row of a module, and its survivors."""
    cells = (score.possible, len(score.outcomes), score.count(_EQUIVALENT), score.count(_CAUGHT), f"{score.share:.0%}")
    print(f"| `{score.module}` | {' | '.join(map(str, cells))} |", flush=True)
    for mutant, outcome in score.outcomes:
        if outcome == _SURVIVED:
            place = f"{_path_of(score.module).relative_to(_TOP)}:{mutant.line}"
            print(f"  survived: {place}\n    - {mutant.before}\n    + {mutant.after}", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(description="Count the faults that the nearest tests catch.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="dotted names; all of tools/mutation.toml else")
    parser.add_argument("--sample", type=int, default=40, help="mutants a module (40)")
    parser.add_argument("--seed", type=int, default=1, help="what chooses them (1)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--least", type=float, default=0.85, help="share to be caught in all (0.85)")
    options = parser.parse_args(arguments)
    settings = Settings.read()
    os.chdir(_TOP)
    sys.path.insert(0, str(_TOP))
    with tempfile.TemporaryDirectory() as examples:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = examples
        # Loading the plugins of all that is installed takes longer than most of the tests.
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        _preload(settings.preloaded)
        print("| module | possible | tried | equivalent | caught | share |\n|---|--:|--:|--:|--:|--:|")
        scores = []
        for module in options.modules or settings.tests:
            scores.append(measure(module, settings, sample=options.sample, seed=options.seed, jobs=options.jobs))
            _show(scores[-1])
    whole = Score("all", sum(score.possible for score in scores), [each for score in scores for each in score.outcomes])
    _show_total(whole)
    return 0 if whole.share >= options.least else 1


def _show_total(whole: Score) -> None:
    """Print the last row."""
    cells = (whole.possible, len(whole.outcomes), whole.count(_EQUIVALENT), whole.count(_CAUGHT), f"{whole.share:.0%}")
    print(f"| all | {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    sys.exit(main())
