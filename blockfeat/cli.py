"""The command line: each command parses its options and calls one function of the library."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from blockfeat import __version__
from blockfeat.commands import console
from blockfeat.commands.adapt import adapt_command
from blockfeat.commands.extract import extract
from blockfeat.commands.options import (
    NOTHING_READ,
    SOME_FAILED,
    WRONG_USAGE,
    FavourOption,
    HeadlineOption,
    JobsOption,
    ModelOption,
    QuietOption,
    language,
    languages,
    named,
)
from blockfeat.compiled import uncompiled_modules
from blockfeat.errors import BlockfeatError, CorpusError, FetchError, InputError

__all__ = ["app", "main"]


app = typer.Typer(
    name="blockfeat",
    help="Find the main text of web pages, in any language, and say why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
corpus_app = typer.Typer(help="Check, count and convert labelled pages.", no_args_is_help=True)
app.add_typer(corpus_app, name="corpus")

CorpusOption = Annotated[
    list[str], typer.Option("--corpus", "-c", help="Corpus file (.jsonl, .gz, .xz) or 'demo'; repeatable.")
]
LangsOption = Annotated[str | None, typer.Option("--lang", help="Only pages of these languages, such as de,fr.")]


def main() -> None:
    """Run the command line; library errors become a message and an exit code."""
    try:
        app()
    except BlockfeatError as problem:
        console.error(str(problem))
        nothing_read = isinstance(problem, (InputError, CorpusError, FetchError))
        raise SystemExit(NOTHING_READ if nothing_read else WRONG_USAGE) from None
    except KeyboardInterrupt:
        console.error("stopped")
        raise SystemExit(130) from None
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(0) from None


@app.callback(invoke_without_command=True)
def blockfeat(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show what the library logs.")] = False,
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


app.command()(extract)
app.command("adapt")(adapt_command)


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


def _pages(corpora: list[str]) -> Any:
    """Corpus paths as given, with 'demo' for the bundled pages."""
    from blockfeat.data import demo_pages, load_corpora

    paths = [path for path in corpora if path != "demo"]
    demo = demo_pages() if "demo" in corpora else []
    return demo + (load_corpora(paths) if paths else [])


@app.command()
def evaluate(
    corpus: CorpusOption,
    model: ModelOption = "default",
    lang: LangsOption = None,
    decoder: Annotated[str | None, typer.Option(help="conjunction or mss; the model's own by default.")] = None,
    favour: FavourOption = None,
    headline: HeadlineOption = None,
    by: Annotated[str, typer.Option(help="corpus, lang or page_type; several with commas.")] = "corpus,lang",
    worst: Annotated[int, typer.Option(min=0, help="How many of the worst pages to list.")] = 5,
    report: Annotated[Path | None, typer.Option("--json", help="Write everything as JSON.")] = None,
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Score a model on labelled pages."""
    from blockfeat.evaluation.report import show_evaluation, write_evaluation
    from blockfeat.evaluation.score_model import score_model
    from blockfeat.extraction.extractor import Extractor

    extractor = Extractor.load(model).with_options(decoder=decoder, favour=favour, headline=headline)
    pages = _selected(corpus, lang)
    with console.progress("evaluating", quiet=quiet) as tick:
        evaluation = score_model(extractor, pages, jobs=jobs, on_page=lambda done: tick(done, len(pages)))
    for title, columns, rows in show_evaluation(evaluation, by.split(","), worst):
        console.show_table(title, columns, rows, right=1)
    if report is not None:
        write_evaluation(evaluation, report)


def _selected(corpus: list[str], lang: str | None) -> list[Any]:
    """Read corpora and keep the pages of some languages."""
    from blockfeat.training.thresholds import pages_of_languages

    return pages_of_languages(_pages(corpus), languages(lang))


@app.command()
def explain(
    page: Annotated[str, typer.Argument(help="File, address or '-' for stdin.")],
    model: ModelOption = "default",
    decoder: Annotated[str | None, typer.Option(help="conjunction or mss; the model's own by default.")] = None,
    lang: Annotated[str, typer.Option(help="Language of the page; auto identifies it.")] = "auto",
    html: Annotated[Path | None, typer.Option("--html", help="Write the page's blocks as a coloured page.")] = None,
) -> None:
    """Show every block of a page with its features, the thresholds it failed, and the verdict."""
    from dataclasses import replace

    from blockfeat.commands.tables import show_explanation
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.output import explanation_page
    from blockfeat.sources import read_inputs

    document = next(iter(read_inputs([page])), None)
    if document is None:
        raise InputError(f"{page}: nothing to read")
    extractor = Extractor.load(model).with_options(decoder=decoder)
    extraction = extractor.extract_document(replace(document, lang=language(lang) or document.lang))
    if extraction.error:
        raise InputError(named(document.id, extraction.error))
    show_explanation(extractor.model, extraction)
    if html is not None:
        html.write_text(explanation_page(extraction), encoding="utf-8")
        console.show(f"written: {html}")


@app.command()
def models() -> None:
    """List the bundled models."""
    from blockfeat.commands.tables import show_models

    show_models()


@corpus_app.command("validate")
def corpus_validate(paths: Annotated[list[str], typer.Argument(help="Corpus files.")]) -> None:
    """Check corpus files record by record."""
    from blockfeat.data import validate

    reports = [validate(path) for path in paths]
    for report in reports:
        problems = len(report.problems)
        console.show(f"{report.path}: {report.pages} pages, {report.hosts} hosts, {problems} problems")
        for problem in report.problems:
            console.show(f"  {problem}")
    if not all(report.ok for report in reports):
        raise typer.Exit(SOME_FAILED if any(report.pages for report in reports) else NOTHING_READ)


@corpus_app.command("count")
def corpus_count(paths: Annotated[list[str], typer.Argument(help="Corpus files, or 'demo'.")]) -> None:
    """Count the pages of corpora by language."""
    from collections import Counter

    counts: dict[str, Counter[str]] = {}
    for page in _pages(paths):
        counts.setdefault(page.corpus, Counter())[page.lang or "unknown"] += 1
    rows = [
        [corpus, str(found.total()), ", ".join(f"{lang} {count}" for lang, count in found.most_common())]
        for corpus, found in counts.items()
    ]
    console.show_table("", ["corpus", "pages", "languages"], rows)


@corpus_app.command("convert")
def corpus_convert(
    source: Annotated[Path, typer.Argument(help="Folder or file to convert.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Corpus file to write.")],
    layout: Annotated[str, typer.Option(help="folders, cleaneval or jsonl.")] = "folders",
    gold: Annotated[Path | None, typer.Option(help="Folder of gold texts, where it lies elsewhere.")] = None,
    lang: Annotated[str | None, typer.Option(help="Language of all pages.")] = None,
    fields: Annotated[str | None, typer.Option(help="For jsonl: html=body,text=content.")] = None,
) -> None:
    """Convert a public layout to a corpus file."""
    from blockfeat.data import convert, parse_fields, write_corpus

    problems: list[str] = []
    renamed = parse_fields(fields) if fields else None
    pages = convert(source, layout, lang, gold=gold, fields=renamed, problems=problems)
    count = write_corpus(pages, output)
    for problem in problems:
        console.error(problem)
    console.show(f"{count} pages written: {output}")
    if problems:
        raise typer.Exit(SOME_FAILED if count else NOTHING_READ)


@app.command()
def bench(
    corpus: CorpusOption,
    model: Annotated[list[str] | None, typer.Option("--model", "-m", help="Bundled name or file; repeatable.")] = None,
    peers: Annotated[str, typer.Option(help="all that are installed, none, or names with commas.")] = "all",
    speed: Annotated[bool, typer.Option("--speed", help="Process time instead of quality.")] = False,
    growth: Annotated[bool, typer.Option("--growth", help="With --speed: pages from 1 KB to 16 MB too.")] = False,
    memory: Annotated[bool, typer.Option("--memory", help="With --speed: memory over 10,000 pages too.")] = False,
    sample: Annotated[int | None, typer.Option(min=1, help="Pages of each corpus; all by default.")] = None,
    passes: Annotated[int, typer.Option(min=1, help="Passes; the best one counts.")] = 5,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for CSV and pictures.")] = Path("bench-output"),
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Compare models and the peers that are installed, on the same pages in one run."""
    from blockfeat.commands.bench import bench_quality, bench_speed, sampled
    from blockfeat.extraction.extractor import Extractor

    models = [Extractor.load(name) for name in model or ["default"]]
    pages = sampled(_pages(corpus), sample)
    with console.progress("bench", quiet=quiet) as tick:
        if speed:
            lines = bench_speed(
                models, peers, pages, passes=passes, growth=growth, memory=memory, folder=output, tick=tick
            )
        else:
            lines = bench_quality(models, peers, pages, jobs=jobs, folder=output, tick=tick)
        for line in lines:
            console.show(line)


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Folder for the model and the curves.")] = Path("demo-output"),
    jobs: JobsOption = 2,
) -> None:
    """Train on the bundled pages, extract one, and show what the features bring."""
    from blockfeat.commands.demo import run_demo

    for line in run_demo(folder, jobs=jobs):
        console.show(line)
