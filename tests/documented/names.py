"""Names in documents, docstrings and comments: paths, modules, commands, options, models, tests. Do they exist?

Between backticks a name is told by its shape: ``tests/pages.py`` is a path, ``blockfeat.page`` a module, ``--jobs`` an
option, ``make test`` a command; ``SOURCE_DATE_EPOCH``, ``read_feed`` and ``BlockfeatExtractor`` have to stand somewhere
in the sources. In other text, paths and modules of this project are.
"""

import ast
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from io import StringIO
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import typer
from markdown_it import MarkdownIt

import blockfeat
from blockfeat.cli import app_of
from blockfeat.models import bundled_models
from documented.command_lines import commands_of, problem_of
from documented.fences import ROOT

PACKAGE = Path(blockfeat.__file__).parent
_FOLDERS = ("benchmarks", "examples", "experiments", "tests", "tools", ".ci", ".github")
_SOURCES = ("", ".py", ".pxd", ".toml", ".json", ".yml", ".html", ".js", ".sh", ".txt", ".css", ".rng", ".lock", ".cff")
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_PROGRAMS = ("blockfeat", "make", "pip", "python")
_ABBREVIATED = ("bench", "monitor")  # commands that documents name without the program in front
_FIELDS = "__dataclass_fields__"
_UNFINISHED = "requires an argument."  # a command that is named with an option, without its value
_CHOICE = "is not one of"  # a word in capitals that stands for a value
_TOPS = "blockfeat|docs|tests|tools|experiments|benchmarks|examples"
_PATH = re.compile(rf"(?:[\w.-]+/)+(?:[\w-]+\.\w+)?|(?:{_TOPS})/[\w./-]+|[\w-]+\.(?:py|sh|lock|cff|yml|svg)")
_PATH_IN_TEXT = re.compile(rf"(?<![\w./-])(?:{_TOPS})/[\w./-]*\w")
_DOTTED = re.compile(r"\bblockfeat(?:\.[A-Za-z_]\w*)+")
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_WORD = re.compile(r"([A-Za-z]+(?:_[A-Za-z]+)+(?= ?[=(]|$)|[A-Z][a-z]+(?:[A-Z][a-z]+)+(?=\(|$)).*")
_MODEL = re.compile(r"(?:--model|\bblockfeat .* -m) ([a-z][\w-]*)(?![\w./-])")
_TEST = re.compile(r"(?:\w+/)*\btest_\w+\b(?!\.\w)")
# Of those who read the documents, of other projects, or written by what is run.
_OF_OTHERS = {"./blockfeat.toml", "WARC/", "_done/part-000012.json", "blockfeat.toml", "blockfeat/VERSION", "site/"}
_OF_OTHERS |= {"blockfeat/1.0", "tests/evaluate.py", "tests/training/evaluation/evaluate.py", "tests/findings"}
_OF_OTHERS |= {"blockfeat.cdx", "blockfeat.cdx.json", "blockfeat.cdx.sigstore.json", "build/delivered/"}
_OTHER_PROGRAMS = ("--archives", "--conf", "gh")  # of Spark and GitHub


def spans_of(path: Path) -> Iterator[str]:
    """Yield the code spans of a document, without its blocks of code."""
    for token in MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8")):
        yield from (child.content for child in token.children or [] if child.type == "code_inline")


def problem_of_name(span: str) -> str | None:
    """Return what does not exist of what a span names; ``None`` where it exists or is no name."""
    words = span.split()
    if words[0] in _OTHER_PROGRAMS:
        return None
    program = words[0] if len(words) > 1 else ""
    if program in _PROGRAMS or program in _ABBREVIATED:
        problems = map(problem_of, commands_of(span if program in _PROGRAMS else f"blockfeat {span}"))
        return next((one for one in problems if one and not one.endswith(_UNFINISHED) and _CHOICE not in one), None)
    if _PATH.fullmatch(span):
        return None if _is_there(span) else f"there is no {span}"
    missing = [name for name in _DOTTED.findall(span) if not _is_name(name)]
    missing += [option for option in _OPTION.findall(span) if option not in _options()]
    if (found := _WORD.fullmatch(span)) and found[1] not in _every_word():
        missing.append(found[1])
    return f"nothing knows {missing[0]}" if missing else None


def problems_of_text(text: str) -> Iterator[str]:
    """Yield the paths, modules and tests of this project that a text names and that do not exist."""
    yield from (f"there is no {path}" for path in _PATH_IN_TEXT.findall(text) if not _is_there(path))
    yield from (f"there is no {name}" for name in _DOTTED.findall(text) if not _is_name(name))
    yield from (f"there is no test {name}" for name in _TEST.findall(text) if not _is_test(name))


def model_problem(text: str) -> str | None:
    """Return the first model that commands name and that is neither bundled nor a file."""
    return next((f"no bundled model {name}" for name in _MODEL.findall(text) if name not in bundled_models()), None)


def remarks_of(path: Path) -> str:
    """Return the docstrings and comments of a module; of other files all they have."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return source
    tokens = tokenize.generate_tokens(StringIO(source).readline)
    documented = (node for node in ast.walk(ast.parse(source)) if isinstance(node, _WITH_DOCSTRING))
    remarks = [ast.get_docstring(node) or "" for node in documented]
    return "\n".join(remarks + [token.string for token in tokens if token.type == tokenize.COMMENT])


def _is_there(name: str) -> bool:
    """Look for a path below the checkout and the package; without its first folders, anywhere."""
    if name in _OF_OTHERS or (ROOT / name).exists() or (PACKAGE.parent / name).exists() or (PACKAGE / name).exists():
        return True
    return any(path.as_posix().endswith(f"/{name}") for path in source_files())


def _is_test(name: str) -> bool:
    """Look for a module of the tests, with its folder where it is named with one, and for a function."""
    return any(path.as_posix().endswith(f"/{name}.py") for path in source_files()) or name in _test_functions()


def _is_name(name: str) -> bool:
    """Look for a module or what one holds, for a field of a class, for a group of entry points."""
    parts = name.split(".")[1:]
    if name in _OF_OTHERS or entry_points(group=name) or PACKAGE.joinpath(*parts).with_suffix(".py").exists():
        return True  # a module is not imported: what it needs may not be installed
    if not any(PACKAGE.glob(f"{parts[0]}*")) and parts[0] not in (*blockfeat.__all__, "__version__"):
        return False  # also where it has moved, and can still be imported
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        owner, _, field = name.rpartition(".")
        return len(parts) > 1 and _is_name(owner) and field in getattr(resolve_name(owner), _FIELDS, {})
    return True


@cache
def source_files() -> tuple[Path, ...]:
    """Return the files of the checkout and of the package, without documents and what is built."""
    tops = [PACKAGE, *(ROOT / folder for folder in _FOLDERS)]
    below = [path for top in tops for path in top.rglob("*") if path.is_file()] + [*ROOT.iterdir()]
    sources = (path for path in below if path.suffix in _SOURCES and path.is_file())
    return tuple(path for path in sources if "__pycache__" not in path.parts)


@cache
def _every_word() -> frozenset[str]:
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in source_files())
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


@cache
def _test_functions() -> frozenset[str]:
    tests = (path for path in source_files() if path.suffix == ".py" and (ROOT / "tests") in path.parents)
    return frozenset(name for path in tests for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8")))


@cache
def _options() -> frozenset[str]:
    """Return the options of all commands, and those that scripts, the Makefile and its programs name."""
    found: set[str] = set()
    waiting: list[Any] = [typer.main.get_command(app_of())]
    while waiting:
        command = waiting.pop()
        for parameter in command.params:
            found.update((*parameter.opts, *parameter.secondary_opts))
        if hasattr(command, "commands"):
            context = command.context_class(command, info_name="blockfeat")
            waiting += [command.get_command(context, name) for name in command.list_commands(context)]
    scripts = (path.read_text(encoding="utf-8") for path in source_files() if path.suffix == ".py")
    return frozenset(found.union(*(re.findall(r'"(--[a-z][\w-]*)"', script) for script in scripts)))
