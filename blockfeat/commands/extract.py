"""The command ``blockfeat extract``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from blockfeat.commands import console
from blockfeat.commands.exit_codes import NOTHING_READ, SOME_FAILED
from blockfeat.commands.options import (
    DecoderOption,
    FavourOption,
    HeadlineOption,
    JobsOption,
    ModelOption,
    QuietOption,
    language,
)

__all__ = ["extract"]


def extract(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders, addresses, .jsonl(.gz|.xz), .warc(.gz), .parquet; '-' or nothing: standard input."
        ),
    ] = None,
    model: ModelOption = "default",
    decoder: DecoderOption = None,
    runs: Annotated[int | None, typer.Option(min=1, help="Number of contiguous runs that mss may keep.")] = None,
    favour: FavourOption = None,
    headline: HeadlineOption = None,
    captions: Annotated[bool | None, typer.Option(help="Keep captions inside the text, or not.")] = None,
    tables: Annotated[bool | None, typer.Option(help="Keep tables inside the text, or not.")] = None,
    comments: Annotated[bool | None, typer.Option(help="Keep the comments of readers, or not.")] = None,
    lang: Annotated[str, typer.Option(help="Language of the pages, such as de; auto identifies it.")] = "auto",
    format: Annotated[str, typer.Option("--format", "-f", help="text, markdown, json, html or xml.")] = "text",
    links: Annotated[bool, typer.Option("--links", help="Write links in Markdown.")] = False,
    evidence: Annotated[bool, typer.Option("--evidence", help="Write every block with its reason in JSON.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File, or folder with one file a page.")] = None,
    jobs: JobsOption = 1,
    deadline: Annotated[float | None, typer.Option(min=0.01, help="Most seconds for one page.")] = None,
    max_bytes: Annotated[int | None, typer.Option(min=1, help="Largest page that is read.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run (JSON to a file).")] = False,
    quiet: QuietOption = False,
) -> None:
    """Extract the main text of pages."""
    from blockfeat.batch import run
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.output import FORMATS
    from blockfeat.sources import read_inputs

    if format not in FORMATS:
        raise typer.BadParameter(f"'{format}' is none of {', '.join(FORMATS)}", param_hint="--format")
    if resume and (format != "json" or output is None or _is_folder(output)):
        raise typer.BadParameter("needs --format json and --output FILE", param_hint="--resume")
    extractor = Extractor.load(model).with_options(
        decoder=decoder,
        runs=runs,
        favour=favour,
        headline=headline,
        captions=captions,
        tables=tables,
        comments=comments,
        max_bytes=max_bytes,
    )
    renderer = run.Renderer(extractor, format, links, evidence, language(lang))
    documents, skipped = read_inputs(inputs or ["-"]), 0
    if resume and output is not None:
        documents, skipped = run.resumed(documents, output)
    writer = _writer(output, format, append=resume)
    with console.progress("extracting", quiet=quiet) as tick:
        seen = 0

        def on_document(rendered: run.Rendered) -> None:
            nonlocal seen
            seen += 1
            tick(seen)
            if rendered.error and not quiet:
                console.error(console.with_name(rendered.id, rendered.error))

        counts = run.run(documents, renderer, writer, jobs=jobs, deadline=deadline, on_document=on_document)
    if counts.failed:
        raise typer.Exit(SOME_FAILED if counts.extracted or skipped else NOTHING_READ)
    if not counts.extracted and not skipped:
        console.error("nothing to read in " + ", ".join(inputs or ["-"]))
        raise typer.Exit(NOTHING_READ)


def _is_folder(output: Path) -> bool:
    """Return whether an output path names a folder: an existing one, or a new path without a suffix."""
    return output.is_dir() or (output.suffix == "" and not output.exists())


def _writer(output: Path | None, format: str, *, append: bool) -> Any:
    from blockfeat.batch import run

    if output is None:
        return run.StreamWriter(sys.stdout.buffer, lines=format == "json")
    if _is_folder(output):
        return run.FolderWriter(output, format)
    return run.file_writer(output, lines=format == "json", append=append)
