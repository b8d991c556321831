"""The command line: names the commands, runs them, and returns their exit code."""

from __future__ import annotations

import sys
from pathlib import Path
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
from blockfeat.commands.options import (
    CorpusOption,
    JobsOption,
    LangsOption,
    QuietOption,
    languages,
)
from blockfeat.commands.options import labelled_pages as _pages
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


@app.command()
def train(
    corpus: CorpusOption,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    lang: LangsOption = None,
    name: Annotated[str | None, typer.Option(help="Name of the model; the file's by default.")] = None,
    table: Annotated[str, typer.Option(help="Tag table: html5, ziegler2007, or a TOML file.")] = "html5",
    fitness: Annotated[str, typer.Option(help="cosine (times length ratio), f1 or snippets.")] = "cosine",
    decoder: Annotated[str, typer.Option(help="conjunction or mss.")] = "mss",
    stop_words: Annotated[str, typer.Option(help="page (its language) or block (argmax, the paper's).")] = "page",
    segmenter: Annotated[str, typer.Option(help="fast or spacy.")] = "fast",
    per_language: Annotated[bool, typer.Option("--per-language", help="Thresholds for each language too.")] = False,
    split: Annotated[float, typer.Option(help="Share of pages, by host, to train on; 1: all.")] = 0.7,
    seed: Annotated[int, typer.Option(help="Seed of swarm and split.")] = 0,
    particles: Annotated[int, typer.Option(min=1)] = 100,
    iterations: Annotated[int, typer.Option(min=1)] = 100,
    inertia: Annotated[float, typer.Option(help="ω")] = 0.7,
    cognitive: Annotated[float, typer.Option(help="τ")] = 2.0,
    social: Annotated[float, typer.Option(help="φ")] = 2.0,
    patience: Annotated[int, typer.Option(min=0, help="Generations without gain before the end; 0: never.")] = 30,
    report: Annotated[Path | None, typer.Option(help="Folder for the curves, PNG and CSV.")] = None,
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Learn thresholds from labelled pages. Ctrl-C keeps the best so far."""
    from blockfeat.commands.tables import show_training
    from blockfeat.models import save_model
    from blockfeat.pso.swarm import SwarmOptions
    from blockfeat.training.thresholds import TrainingOptions, train

    swarm = SwarmOptions(particles, iterations, inertia, cognitive, social, patience, seed=seed)
    options = TrainingOptions(
        table=table,
        fitness=fitness,
        decoder=decoder,
        per_language=per_language,
        split=split,
        stop_word_scope=stop_words,
        segmenter=segmenter,
        swarm=swarm,
        jobs=jobs,
        name=name or output.stem,
    )
    with console.progress("training", quiet=quiet) as tick:
        model = train(
            _pages(corpus),
            langs=languages(lang),
            options=options,
            on_page=lambda done, all: tick(done, all, "pages measured"),
            on_generation=lambda now: tick(now.number, iterations, f"generation, best {now.best_so_far:.4f}"),
            command=_command(),
        )
    save_model(model, output)
    if report is not None and model.report is not None:
        from blockfeat.evaluation.training_report import write_training_report

        write_training_report(report, history=model.report.history, curves=model.report.curves)
    show_training(model, output)


def _how_it_runs() -> str:
    """Return "compiled", or what runs uncompiled."""
    slow = uncompiled_modules()
    return f"pure Python (slow): {', '.join(slow)} not compiled" if slow else "compiled"


def _command() -> str:
    """Return the command as it was typed, for the model's record."""
    import shlex

    return shlex.join(["blockfeat", *sys.argv[1:]])


app.command("extract")(extract)
app.command("explain")(explain)
app.command("models")(models)
app.command("evaluate")(evaluate)
app.command("bench")(bench)
app.command("adapt")(adapt_command)
app.command("demo")(demo)
corpus_app.command("validate")(corpus.validate)
corpus_app.command("count")(corpus.count)
corpus_app.command("convert")(corpus.convert)
app.add_typer(corpus_app, name="corpus")
