"""The command line: registers the commands, runs them, and exits with their exit code.

``blockfeat extract PAGE…``, with a few options, runs without typer, which would take a third of its time to load.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from blockfeat.commands import console
from blockfeat.commands.console import exit_code_of

if TYPE_CHECKING:
    import typer

# Modules of `blockfeat.commands` that define commands of other names than their own; and that of each command.
_MODULES = {"evaluate": "models", "label": "serve", "mcp": "serve", "bench": "models"}
_NAMES = "extract explain train evaluate serve label mcp clean models bench demo"
_COMMANDS = {name: _MODULES.get(name, name) for name in _NAMES.split()}
_IN_FRONT = frozenset({"extract", "explain", "train", "evaluate", "monitor", "serve", "label"})
_MORE, _OBJECTS_BETWEEN = "More commands", 50_000
_GROUPS = {"corpus": ("validate", "count", "convert")}
_APPS = ("monitor",)
_SETTINGS = "Variables (BLOCKFEAT_EXTRACT_JOBS=4) and \\[extract] of blockfeat.toml give other defaults."
_PLAIN_FORMATS = ("text", "markdown", "json", "html", "xml")
_PLAIN_OPTIONS = {word: name for name in ("quiet", "format", "model") for word in (f"--{name}", f"-{name[0]}")}


def main() -> None:
    """Run the command line; errors become one line and an exit code (`blockfeat.commands.console`)."""
    _replace_closed_streams()
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # lines of tables, where a terminal has ASCII
    # Rich fills every line of a page of help: a terminal of none or of ten million columns is a mistake.
    if len(os.environ.get("COLUMNS", "80")) not in (2, 3, 4):
        del os.environ["COLUMNS"]
    raise SystemExit(exit_code_of(lambda: _run(sys.argv[1:])))


def _replace_closed_streams() -> None:
    """Put what cannot be read or written where a standard stream is closed, so that no file takes its number."""
    for number, (name, access) in enumerate((("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_RDWR))):
        if getattr(sys, name) is None and os.open(os.devnull, access) == number:
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", closefd=False))


def _run(words: Sequence[str]) -> None:
    if words and re.match(r"[^-].*[./\\]", words[0]):
        from shlex import quote

        console.error(f"there is no command {words[0]!r}; for a page: blockfeat extract {quote(words[0])}")
        raise SystemExit(console.WRONG_USAGE)
    plain = _plain_extraction(words)
    if plain is None:
        app_of(words[:1])()
        return
    # What is loaded stays: looking for garbage among it takes a thirtieth of the start.
    gc.set_threshold(_OBJECTS_BETWEEN)
    from blockfeat.commands.batch import extract_plainly

    console.prepare("extract")
    raise SystemExit(extract_plainly(plain[0], **plain[1]))


def _plain_extraction(words: Sequence[str]) -> tuple[list[str], dict[str, Any]] | None:
    """Return pages and options of an ``extract`` with no others than these; None where typer must parse the words."""
    asks = any(name.endswith("_COMPLETE") or name.startswith("BLOCKFEAT_EXTRACT_") for name in os.environ)
    # On Windows typer expands patterns such as *.html.
    if words[:1] != ["extract"] or asks or os.name == "nt":
        return None
    pages, options, rest = list[str](), dict[str, Any](), iter(words[1:])
    for word in rest:
        name = _PLAIN_OPTIONS.get(word, "")
        value: Any = True if name == "quiet" else next(rest, "-") if name else word
        if name in options or (word != "-" and str(value).startswith("-")):
            return None
        pages += [] if name else [word]
        options |= {name: value} if name else {}
    is_known = options.get("format", "text") in _PLAIN_FORMATS
    return (pages, options) if is_known and not console.settings_of("extract", console.settings_files()) else None


def app_of(names: Collection[str] = ()) -> typer.Typer:
    """Return the typer app with the named commands, or with all commands if none has such a name.

    Only what is needed is set up, since each command takes one or two milliseconds.
    """
    import typer

    from blockfeat.commands.options import in_panels, of_the_program

    app = typer.Typer(
        name="blockfeat",
        help="Find the main text of web pages, in any language, and say why.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback(invoke_without_command=True)(of_the_program)
    every = (*_COMMANDS, *_APPS, *_GROUPS)
    for name in [name for name in every if name in names] or every:
        module = import_module(f"blockfeat.commands.{_COMMANDS.get(name, name)}")
        if name in _GROUPS:
            group = typer.Typer(help=module.HELP, no_args_is_help=True)
            for command in _GROUPS[name]:
                group.command(command)(getattr(module, command))
            app.add_typer(group, name=name, rich_help_panel=_MORE)
        elif name in _APPS:
            app.add_typer(module.app, name=name)
        else:
            panel, end = None if name in _IN_FRONT else _MORE, _SETTINGS if name == "extract" else None
            app.command(name, rich_help_panel=panel, epilog=end)(in_panels(getattr(module, name)))
    return app
