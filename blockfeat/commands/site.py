"""The command ``blockfeat site``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from blockfeat.commands import console
from blockfeat.commands.exit_codes import NOTHING_READ, SOME_FAILED
from blockfeat.commands.inputs import input_options
from blockfeat.commands.options import (
    AllowNetworkOption,
    FieldsOption,
    InputFormatOption,
    MaxBytesOption,
    ModelOption,
    QuietOption,
)


def site(
    pages: Annotated[
        list[str], typer.Argument(help="Pages of one site: files, folders, addresses; '-' for standard input.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Profile to write (.json).")],
    model: ModelOption = "default",
    update: Annotated[bool, typer.Option("--update", help="Add to the profile that is there.")] = False,
    input_format: InputFormatOption = "auto",
    fields: FieldsOption = None,
    allow_network: AllowNetworkOption = None,
    delay: Annotated[float, typer.Option(min=0, help="Least seconds between fetches from one host.")] = 1.0,
    max_bytes: MaxBytesOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the profile of a site from some of its pages, the last ten, for --site of extract and explain."""
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.extraction.site_profile import SiteProfile
    from blockfeat.io.inputs import read_inputs

    reading = input_options(input_format, fields, allow_network, delay)
    extractor = Extractor.load(model).with_options(max_bytes=max_bytes)
    profile = SiteProfile.load(output) if update and output.exists() else SiteProfile()
    read = failed = 0
    for document in read_inputs(pages, reading):
        extraction = extractor.extract_document(document)
        if extraction.error is None:
            profile = profile.add(extraction)
            read += 1
        else:
            failed += 1
            if not quiet:
                console.error(console.with_name(document.id, extraction.error))
    if not read:
        console.error(f"nothing to read in {', '.join(pages)}")
        raise typer.Exit(NOTHING_READ)
    profile.save(output)
    console.show(f"written: {output}, {len(profile)} pages of model {profile.model}")
    if failed:
        raise typer.Exit(SOME_FAILED)
