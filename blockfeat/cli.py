"""The command line: names the commands, runs them, and returns their exit code."""

from __future__ import annotations

from typing import Annotated

import typer

from blockfeat import __version__
from blockfeat.commands import console, corpus
from blockfeat.commands.adapt import adapt_command
from blockfeat.commands.bench import bench
from blockfeat.commands.demo import demo
from blockfeat.commands.evaluate import evaluate
from blockfeat.commands.exit_codes import exit_code_of
from blockfeat.commands.explain import explain
from blockfeat.commands.extract import extract
from blockfeat.commands.models import models
from blockfeat.commands.train import train
from blockfeat.compiled import uncompiled_modules

__all__ = ["app", "main"]


app = typer.Typer(
    name="blockfeat",
    help="Find the main text of web pages, in any language, and say why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
corpus_app = typer.Typer(help="Check, count and convert labelled pages.", no_args_is_help=True)


def main() -> None:
    """Run the command line; errors become one line and an exit code (`blockfeat.commands.exit_codes`)."""
    raise SystemExit(exit_code_of(app))


@app.callback(invoke_without_command=True)
def blockfeat(
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
    if verbose:
        import logging

        logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")


def _how_it_runs() -> str:
    """Return "compiled", or what runs uncompiled."""
    slow = uncompiled_modules()
    return f"pure Python (slow): {', '.join(slow)} not compiled" if slow else "compiled"


app.command("extract")(extract)
app.command("explain")(explain)
app.command("models")(models)
app.command("train")(train)
app.command("evaluate")(evaluate)
app.command("bench")(bench)
app.command("adapt")(adapt_command)
app.command("demo")(demo)
corpus_app.command("validate")(corpus.validate)
corpus_app.command("count")(corpus.count)
corpus_app.command("convert")(corpus.convert)
app.add_typer(corpus_app, name="corpus")
