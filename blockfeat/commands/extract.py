"""The command ``blockfeat extract``."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from blockfeat.commands.batch import Inputs, run_batch, target_of
from blockfeat.commands.options import (
    FormatOption,
    JobsOption,
    LangOption,
    ModelOption,
    QuietOption,
    language,
    with_extraction_options,
    with_input_options,
)
from blockfeat.extraction.options import DEFAULT_OPTIONS, ExtractionOptions
from blockfeat.io.inputs.options import DEFAULT_READING, InputOptions


@with_input_options()
@with_extraction_options()
def extract(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files (pages, .jsonl, .warc, .parquet; plain or .gz, .xz, .zst), folders, addresses; "
            "'-' or nothing: standard input."
        ),
    ] = None,
    urls: Annotated[
        list[str] | None, typer.Option("--urls", metavar="FILE", help="Fetch the addresses in a file, one a line.")
    ] = None,
    model: ModelOption = "default",
    options: ExtractionOptions = DEFAULT_OPTIONS,
    lang: LangOption = "auto",
    format: FormatOption = None,
    links: Annotated[bool, typer.Option("--links", help="Write links in Markdown.")] = False,
    images: Annotated[bool, typer.Option("--images", help="Write images in Markdown, HTML and XML.")] = False,
    absolute: Annotated[
        bool | None,
        typer.Option("--absolute/--as-written", help="Make the addresses of a page absolute, or leave them."),
    ] = None,
    styles: Annotated[
        bool | None, typer.Option("--styles/--no-styles", help="Keep the styles of a page, or not.")
    ] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Write every block with its reason in JSON.")] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="File; or folder, one file a page: an existing one, or a name that ends in /."
        ),
    ] = None,
    reading: InputOptions = DEFAULT_READING,
    jobs: JobsOption = 1,
    deadline: Annotated[float | None, typer.Option(min=0.01, help="Most seconds for one page.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted run (JSON to a file); try failures again.")
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """Extract the main text of pages."""
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.io.outputs.formats import Formatter

    named = Inputs(tuple(inputs or ()), tuple(urls or ()))
    target = target_of(output, format, inputs=[*named.pages, *named.lists], resume=resume)
    _check_page_options(target.format, absolute, styles, evidence=evidence)
    extractor = Extractor.load(model).with_options(**options.given())
    reading = replace(reading, max_bytes=options.max_bytes)
    choices = {name: value for name, value in asdict(options).items() if name != "max_bytes"}
    renderer = Formatter(
        extractor,
        target.format,
        links,
        evidence,
        language(lang),
        images,
        absolute=absolute is not False,
        styles=styles is not False,
    )
    recorded = {**choices, "lang": renderer.lang, "evidence": evidence or None, "fields": str(reading.fields) or None}
    limits: dict[str, Any] = {"jobs": jobs, "deadline": deadline}
    if code := run_batch(named, reading, renderer, target, options=recorded, **limits, resume=resume, quiet=quiet):
        raise typer.Exit(code)


def _check_page_options(format: str, absolute: bool | None, styles: bool | None, *, evidence: bool) -> None:
    """Check the options that not every format has."""
    for name, value in (("--absolute/--as-written", absolute), ("--styles/--no-styles", styles)):
        if value is not None and format != "page":
            raise typer.BadParameter("needs --format page", param_hint=name)
    if evidence and format == "page":
        raise typer.BadParameter("a page has no place for the blocks; take --format json", param_hint="--evidence")
