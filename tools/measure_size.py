"""Measure how large package and documents are, and how far a page travels through the package.

Command: python tools/measure_size.py [--check]

Code lines are those that are neither blank, nor comment, nor docstring. A page's way is traced as Python calls it, with
the compiled modules in place: the files whose functions are called, and how often a call leads into another folder than
the call before. Documents are README and what is written in docs, their words those of ``wc -w``. ``--check`` fails
where a figure is above its limit in LIMITS.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "blockfeat"
sys.path.insert(0, str(ROOT))

LIMITS = {
    "code lines": 35_901,
    "modules": 252,
    "packages": 17,
    "modules in a folder": 13,
    "duplicates of 20 lines": 0,
    "pages of documents": 30,
    "words of documents": 30_000,
    "words of README": 700,
    "text: files": 14,
    "text: changes of folder": 11,
    "record: files": 27,
    "record: changes of folder": 70,
    "monitor: files": 32,
    "monitor: changes of folder": 76,
}
_NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_DUPLICATE = 20


def code_lines(path: Path) -> list[str]:
    """Return the code lines of a module, stripped."""
    source = path.read_text(encoding="utf-8")
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            left_out.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    kept: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NOT_CODE:
            kept.update(range(token.start[0], token.end[0] + 1))
    lines = source.split("\n")
    return [lines[number - 1].strip() for number in sorted(kept - left_out)]


def duplicates(modules: dict[Path, list[str]], least: int = _DUPLICATE) -> list[str]:
    """Return where runs of ``least`` equal code lines begin that stand in two places; imports do not count."""
    seen: dict[tuple[str, ...], str] = {}
    found: list[str] = []
    for path, lines in modules.items():
        code = [line for line in lines if not line.startswith(("import ", "from "))]
        last = -least
        for start in range(len(code) - least + 1):
            run = tuple(code[start : start + least])
            place = f"{path.relative_to(ROOT)}: {run[0]}"
            if (other := seen.setdefault(run, place)) != place and start >= last + least:
                found.append(f"{place}  ~  {other}")
                last = start
    return found


@dataclass(frozen=True)
class Way:
    """What one call went through: functions, files, and how often it changed the folder."""

    functions: int
    files: int
    changes: int


def way_of(call: Callable[[], object]) -> Way:
    """Trace one call through the package."""
    functions: set[tuple[str, int]] = set()
    folders: list[str] = []

    def follow(frame: FrameType, event: str, _argument: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(str(PACKAGE)):
            functions.add((file, frame.f_code.co_firstlineno))
            folder = file.rpartition("/")[0]
            if not folders or folders[-1] != folder:
                folders.append(folder)

    sys.setprofile(follow)
    try:
        call()
    finally:
        sys.setprofile(None)
    return Way(len(functions), len({file for file, _ in functions}), len(folders) - 1)


def ways() -> Iterator[tuple[str, Way]]:
    """Yield the ways of a demo page: to its text, to its record, and through the monitor's reading."""
    from blockfeat import Extractor
    from blockfeat.data import demo_pages
    from blockfeat.monitor import MonitorConfig
    from blockfeat.monitor.mentions import Brand
    from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings

    page = demo_pages()[3]
    extractor = Extractor.load("default")
    reader = PageReader.of(ReaderSettings.of(MonitorConfig(store="", sources=(), brands=(Brand("Zwirnwerk"),))))
    fetched = FetchedPage(url=page.url or "", data=page.html.encode())
    calls: dict[str, Callable[[], object]] = {
        "text": lambda: extractor.extract(page.html).text,
        "record": lambda: extractor.extract(page.html).to_dict(),
        "monitor": lambda: reader.read(fetched),
    }
    for name, call in calls.items():
        call()  # what is loaded once is not the page's way
        yield name, way_of(call)


def figures() -> dict[str, int]:
    """Return every figure by its name."""
    modules = {path: code_lines(path) for path in sorted(PACKAGE.rglob("*.py"))}
    by_folder: dict[Path, int] = defaultdict(int)
    for path in modules:
        by_folder[path.parent] += path.name != "__init__.py"
    words = {
        path: len(path.read_text("utf-8").split()) for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    }
    twice = duplicates(modules)
    for line in twice:
        print(f"twice: {line}", file=sys.stderr)
    found = {
        "code lines": sum(map(len, modules.values())),
        "modules": len(modules),
        "packages": sum(path.is_dir() and (path / "__init__.py").exists() for path in PACKAGE.iterdir()),
        "modules in a folder": max(by_folder.values()),
        "duplicates of 20 lines": len(twice),
        "pages of documents": len(words),
        "words of documents": sum(words.values()),
        "words of README": words[ROOT / "README.md"],
    }
    for name, way in ways():
        found |= {f"{name}: functions": way.functions, f"{name}: files": way.files}
        found[f"{name}: changes of folder"] = way.changes
    return found


def main() -> int:
    """Print the figures beside their limits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail where a figure is above its limit")
    check = parser.parse_args().check
    failed = False
    for name, figure in figures().items():
        limit = LIMITS.get(name)
        over = limit is not None and figure > limit
        failed |= over
        print(f"{name:26} {figure:7,}{'' if limit is None else f'  at most {limit:,}'}{'  TOO MANY' if over else ''}")
    return int(check and failed)


if __name__ == "__main__":
    raise SystemExit(main())
