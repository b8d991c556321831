"""The commands of a shell block, and whether the programs know them and their options."""

import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import typer

from blockfeat.cli import app_of
from documented.fences import ROOT

# typer brings its own click: these classes have no other public name.
_WRONG_USAGE: Any = typer.BadParameter.__mro__[1]
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_EXTRAS = re.compile(r"blockfeat\[([\w,-]+)\]")


def commands_of(text: str) -> Iterator[list[str]]:
    """Yield the words of each command: of each line, and of each part of a line that a pipe, ``&&`` or ``;`` ends."""
    for line in text.replace("\\\n", " ").splitlines():
        reader = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars="();<>|&")
        reader.whitespace_split = True
        reader.commenters = "#"
        words: list[str] = []
        for word in [*reader, ";"]:
            if word and not set(word) <= set("();|&"):
                words.append(word)
            elif words:
                yield _plain(words)
                words = []


def _plain(words: Sequence[str]) -> list[str]:
    """Leave out what stands before the program, and redirections."""
    rest = list(words)
    while rest and (_ASSIGNMENT.match(rest[0]) or rest[0] in ("do", "then", "nice", "time", "exec")):
        rest.pop(0)
    if ">" in rest or ">>" in rest or "<" in rest:
        rest = rest[: min(rest.index(sign) for sign in (">", ">>", "<") if sign in rest)]
    return rest


def problem_of(words: Sequence[str]) -> str | None:
    """Return what is wrong with a command of this project, by its own programs; ``None`` of all others."""
    # A crontab has its five times in front of the program.
    in_crontab = "blockfeat" in words and words[0].startswith("*/")
    rest = list(words[words.index("blockfeat") :] if in_crontab else words)
    program = rest[0].rpartition("/")[2] if rest else ""
    if program == "blockfeat":
        return _problem_of_blockfeat(rest[1:])
    if program == "python" and len(rest) > 1:
        return _problem_of_python(rest[1:])
    if program == "make":
        return _problem_of_make([word for word in rest[1:] if "=" not in word])
    if program == "pip":
        return _problem_of_pip(rest[1:])
    return None


def _problem_of_blockfeat(words: Sequence[str]) -> str | None:
    """Parse by the real command line: names of commands, options and choices, values of options, not their meaning."""
    command: Any = typer.main.get_command(app_of())
    context, rest, path = None, list(words), "blockfeat"
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        context = command.context_class(command, parent=context, info_name=path)
        found = command.get_command(context, rest[0])
        if found is None and path.endswith("monitor"):  # monitor FILE is short for monitor run FILE
            found, rest = command.get_command(context, "run"), ["run", *rest]
        if found is None:
            return f"{path} has no command {rest[0]!r}"
        command, rest, path = found, rest[1:], f"{path} {rest[0]}"
    return _unparsed(command, command.context_class(command, parent=context, info_name=path), rest)


def _unparsed(command: Any, context: Any, words: list[str]) -> str | None:
    try:
        values, rest, _ = command.make_parser(context).parse_args(list(words))
        for parameter in command.params:
            value = values.get(parameter.name or "")
            if hasattr(parameter.type, "choices") and value is not None:
                for one in value if isinstance(value, (list, tuple)) else [value]:
                    parameter.type.convert(one, parameter, context)
    except _WRONG_USAGE as error:
        return f"{context.info_name}: {error.format_message()}"
    return f"{context.info_name}: what is {rest[0]!r}?" if rest else None


def _problem_of_python(words: Sequence[str]) -> str | None:
    """A module or script of this project is there, and its source names the options."""
    if words[0] == "-m" and words[1].split(".")[0] in ("benchmarks", "experiments", "blockfeat"):
        spec = find_spec(words[1])
        path = spec and (find_spec(f"{words[1]}.__main__") if spec.submodule_search_locations else spec)
        if path is None or path.origin is None:
            return f"there is no module {words[1]}"
        name, options = path.origin, words[2:]
    elif words[0].endswith(".py"):
        name, options = words[0], words[1:]
    else:
        return None
    source = ROOT / name
    if not source.exists():
        return f"there is no {name}"
    text = "\n".join(path.read_text(encoding="utf-8") for path in (source, ROOT / "experiments" / "documents.py"))
    text += "\n" + (ROOT / "experiments" / "corpora.py").read_text(encoding="utf-8")
    unknown = [word for word in options if word.startswith("--") and f'"{word.partition("=")[0]}"' not in text]
    return f"{name} has no option {unknown[0]}" if unknown and source.name != "setup.py" else None


def _problem_of_make(targets: Sequence[str]) -> str | None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    unknown = [target for target in targets if not re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE)]
    return f"make has no target {unknown[0]}" if unknown else None


def _problem_of_pip(words: Sequence[str]) -> str | None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [extra for word in words for found in _EXTRAS.findall(word) for extra in found.split(",")]
    unknown = [extra for extra in asked if extra not in project["optional-dependencies"]]
    return f"blockfeat has no extra {unknown[0]}" if unknown else None
