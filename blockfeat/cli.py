"""The command line: names the commands, runs them, and returns their exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from importlib import import_module
from typing import Annotated

import typer

from blockfeat import __version__
from blockfeat.commands import console
from blockfeat.commands.console import exit_code_of
from blockfeat.compiled import COMPILED_MODULES, uncompiled_modules

# Each command, and the module of `blockfeat.commands` that it stands in.
_COMMANDS = {
    "extract": "extract",
    "explain": "page",
    "clean": "page",
    "models": "models",
    "train": "train",
    "evaluate": "evaluate",
    "bench": "evaluate",
    "adapt": "models",
    "site": "models",
    "label": "serve",
    "serve": "serve",
    "demo": "demo",
}
_OF_ONE_PAGE = ("extract", "explain", "clean", "label")
_GROUPS = {"corpus": ("validate", "count", "convert")}
_APPS = ("monitor",)


def main() -> None:
    """Run the command line; errors become one line and an exit code (`blockfeat.commands.console`)."""
    raise SystemExit(exit_code_of(app_of(sys.argv[1:2])))


def app_of(names: Collection[str] = ()) -> typer.Typer:
    """Return the command line with the commands of some names, or with all where no command has such a name.

    To set up a command takes a millisecond or two.
    """
    app = typer.Typer(
        name="blockfeat",
        help="Find the main text of web pages, in any language, and say why.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback(invoke_without_command=True)(_blockfeat)
    every = (*_COMMANDS, *_GROUPS, *_APPS)
    for name in [name for name in every if name in names] or every:
        module = import_module(f"blockfeat.commands.{_COMMANDS.get(name, name)}")
        if name in _GROUPS:
            group = typer.Typer(help=module.HELP, no_args_is_help=True)
            for command in _GROUPS[name]:
                group.command(command)(getattr(module, command))
            app.add_typer(group, name=name)
        elif name in _APPS:
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(getattr(module, name))
    return app


def _blockfeat(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show the log messages of the library.")] = False,
) -> None:
    """Find the main text of web pages, in any language, and say why."""
    if version:
        console.show(f"blockfeat {__version__} ({_how_it_runs()})")
        raise typer.Exit
    if context.invoked_subcommand is not None and uncompiled_modules():
        console.error(_how_it_runs())
    if context.invoked_subcommand in _OF_ONE_PAGE:
        # numpy, imported later, starts a thread for each core, which takes as long as all else. Pages need none,
        # and training beside a labeller's pages is slower with them.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if verbose:
        import logging

        logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")


def _how_it_runs() -> str:
    """Return "compiled", or what runs uncompiled: the names of a few modules, or their number."""
    slow = uncompiled_modules()
    if not slow:
        return "compiled"
    named = ", ".join(slow) if len(slow) <= 3 else f"{len(slow)} of {len(COMPILED_MODULES)} modules"
    return f"pure Python (slow): {named} not compiled"
