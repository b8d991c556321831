"""The command ``blockfeat extract``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from blockfeat.commands import console
from blockfeat.commands import options as shared
from blockfeat.commands.batch import FORMAT_NAMES, Inputs, run_batch, target_of
from blockfeat.errors import InputError
from blockfeat.extraction.options import DEFAULT_OPTIONS, ExtractionOptions
from blockfeat.io.inputs.options import DEFAULT_READING, InputOptions


@shared.with_input_options()
@shared.with_extraction_options()
def extract(
    context: typer.Context,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files (pages, .jsonl, .warc, .parquet; plain or .gz, .xz, .zst), folders, addresses; "
            "'-' or nothing: standard input."
        ),
    ] = None,
    urls: Annotated[list[str] | None, typer.Option("--urls", metavar="FILE", help="Fetch addresses in a file.")] = None,
    model: shared.ModelOption = "default",
    options: ExtractionOptions = DEFAULT_OPTIONS,
    lang: shared.LangOption = "auto",
    format: shared.FormatOption = None,
    links: Annotated[bool, typer.Option("--links", help="Write links in Markdown.")] = False,
    images: Annotated[bool, typer.Option("--images", help="Write images in Markdown, HTML and XML.")] = False,
    absolute: Annotated[
        bool | None,
        typer.Option("--absolute/--as-written", help="Make the addresses of a page absolute, or leave them."),
    ] = None,
    styles: Annotated[bool | None, typer.Option("--styles/--no-styles", help="Keep styles of a page, or not.")] = None,
    front_matter: Annotated[bool, typer.Option("--front-matter", help="Begin Markdown with metadata as YAML.")] = False,
    text: Annotated[str | None, typer.Option(help="Column text of tables: text, markdown, html or xml.")] = None,
    columns: Annotated[
        str | None,
        typer.Option(help="What CSV, Parquet and JSON have, such as url,text,metadata.title; else all but lead, body."),
    ] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Write every block with its reason in JSON.")] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="File; or folder, one file a page: an existing one, or a name that ends in /."
        ),
    ] = None,
    reading: InputOptions = DEFAULT_READING,
    jobs: shared.JobsOption = 1,
    deadline: Annotated[float | None, typer.Option(min=0.01, help="Most seconds for one page.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a run (JSON); try failures again.")] = False,
    quiet: shared.QuietOption = False,
) -> None:
    """Extract the main text of pages."""
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.io.outputs.formats import Formatter

    named = Inputs(tuple(inputs or ()), tuple(urls or ()))
    target = target_of(output, format, inputs=[*named.pages, *named.lists], resume=resume)
    given: dict[str, Any] = {"absolute": absolute, "styles": styles, "links": links or None}
    given |= {"images": images or None, "front_matter": front_matter or None, "evidence": evidence or None}
    given |= {"text": text, "columns": columns and tuple(map(str.strip, columns.split(",")))}
    given = {name: value for name, value in given.items() if value is not None}
    of_format = _options_of_format(context, target.format, given)
    extractor = Extractor.load(model).with_options(**options.given())
    reading = replace(reading, max_bytes=options.max_bytes)
    choices = {name: value for name, value in asdict(options).items() if name != "max_bytes"}
    try:
        renderer = Formatter(extractor, target.format, of_format, shared.language(lang))
    except InputError as error:
        raise console.wrong(str(error), "--columns") from error
    recorded = {**choices, "lang": renderer.lang, "evidence": evidence or None, "fields": str(reading.fields) or None}
    recorded["columns"] = columns
    limits: dict[str, Any] = {"jobs": jobs, "deadline": deadline}
    if code := run_batch(named, reading, renderer, target, options=recorded, **limits, resume=resume, quiet=quiet):
        raise typer.Exit(code)


def _options_of_format(context: typer.Context, format: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options that a format has; a usage error for one that was typed without effect says what has it."""
    from blockfeat.io.outputs.formats import TEXTS, options_of

    console.check_choice(text := given.get("text", "text"), TEXTS, "--text")
    known = options_of(format) | options_of(text)
    for name in given:
        if name not in known and getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE":
            having = " or ".join(one for one in FORMAT_NAMES if name in options_of(one))
            raise console.wrong(f"no effect on {format}; needs --format {having}", f"--{name.replace('_', '-')}")
    return {name: value for name, value in given.items() if name in known}
